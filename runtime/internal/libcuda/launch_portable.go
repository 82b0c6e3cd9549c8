//go:build !cudagen_nodriver && (windows || (linux && cudagen_portable)) && (amd64 || arm64)

package libcuda

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// A launchFrame holds one launch in the heap: the arguments of cuLaunchKernel or
// cuLaunchKernelEx, the array of pointers to the parameters, a copy of the block they
// point into, and the configuration with copied attributes that cuLaunchKernelEx takes.
type launchFrame struct {
	args         [11]uintptr
	kernelParams []uintptr
	block        []byte
	config       extendedConfig
	attributes   AttributeList
}

// An extendedConfig is a CUlaunchConfig.
type extendedConfig struct {
	LaunchConfig
	_              uint32
	stream         driver.Stream
	attributes     uintptr
	attributeCount uint32
}

var launchFrames = sync.Pool{New: func() any { return new(launchFrame) }}

func entryOf(fn uintptr) Entry { return Entry{function: fn} }

func attributedEntryOf(fn uintptr) Entry { return entryOf(fn) }

func launchBatch(b *Batch) driver.Result {
	for _, r := range unsafe.Slice(b.Records, b.Count) {
		if result := launch(&r.LaunchRecord); result != driver.Success {
			return result
		}
		b.Launched++
	}
	return driver.Success
}

// launch calls cuLaunchKernel or, for a record with Attributes, cuLaunchKernelEx. The
// block and the attributes are copied because they may lie on the goroutine's stack,
// which can move on the way through purego.
func launch(r *LaunchRecord) driver.Result {
	f := launchFrames.Get().(*launchFrame)
	defer launchFrames.Put(f)

	// Room for one element more makes both arrays have an address when r has no parameters.
	f.block = append(f.block[:0], unsafe.Slice((*byte)(r.Params), r.Target.ParamBytes)...)
	f.block = append(f.block, 0)
	block := uintptr(unsafe.Pointer(&f.block[0]))
	f.kernelParams = f.kernelParams[:0]
	for _, offset := range unsafe.Slice(r.Target.Offsets, r.Target.Count) {
		f.kernelParams = append(f.kernelParams, block+uintptr(offset))
	}
	f.kernelParams = append(f.kernelParams, 0)

	if r.Attributes != nil {
		f.attributes = *r.Attributes
		f.config = extendedConfig{
			LaunchConfig: *r.Config, stream: r.Stream,
			attributes: uintptr(unsafe.Pointer(&f.attributes.List)), attributeCount: f.attributes.Count,
		}
		f.args = [11]uintptr{uintptr(unsafe.Pointer(&f.config)), uintptr(r.Target.Kernel), uintptr(unsafe.Pointer(&f.kernelParams[0]))}
		result, _, _ := purego.SyscallN(r.Target.Entry.function, f.args[:4]...)
		return driver.Result(int32(result))
	}
	f.args = [11]uintptr{
		atomic.LoadUintptr((*uintptr)(&r.Target.Kernel)), // which closing its library makes 0
		uintptr(r.Config.GridX), uintptr(r.Config.GridY), uintptr(r.Config.GridZ),
		uintptr(r.Config.BlockX), uintptr(r.Config.BlockY), uintptr(r.Config.BlockZ),
		uintptr(r.Config.SharedBytes), uintptr(r.Stream),
		uintptr(unsafe.Pointer(&f.kernelParams[0])),
		0, // extra
	}
	result, _, _ := purego.SyscallN(r.Target.Entry.function, f.args[:]...)
	return driver.Result(int32(result))
}
