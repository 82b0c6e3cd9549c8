//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// An nvtxLibrary is NVIDIA's library by which profilers get ranges and names.
type nvtxLibrary struct{ rangeStart, rangeEnd, nameStream uintptr }

var nvtx = sync.OnceValue(openNVTX)

// openNVTX returns the library, or nil: without a profiler, which sets NVTX_INJECTION64_PATH, and on
// machines that lack it. CUDAGEN_NVTX is the path of the library, if it is not where the dynamic
// linker looks.
func openNVTX() *nvtxLibrary {
	if os.Getenv("NVTX_INJECTION64_PATH") == "" {
		return nil
	}
	names := []string{"libnvtx3interop.so.1", "libnvtx3interop.so"}
	if path := os.Getenv("CUDAGEN_NVTX"); path != "" {
		names = []string{path}
	}
	for _, name := range names {
		handle, _, err := loadLibrary(name)
		if err != nil {
			continue
		}
		l := &nvtxLibrary{findSymbol(handle, "nvtxRangeStartA"), findSymbol(handle, "nvtxRangeEnd"), findSymbol(handle, "nvtxNameCuStreamA")}
		if l.rangeStart != 0 && l.rangeEnd != 0 {
			return l
		}
	}
	return nil
}

// StartRange begins a range that a profiler shows, on whatever threads it begins and ends. It returns
// the number for EndRange, or 0 without a profiler.
//
// NVTX, Process Ranges, nvtxRangeStartA.
func StartRange(name string) uint64 {
	l := nvtx()
	if l == nil {
		return 0
	}
	return call64(l.rangeStart, name, 0)
}

// EndRange ends a range.
//
// NVTX, Process Ranges, nvtxRangeEnd.
func EndRange(id uint64) {
	if l := nvtx(); l != nil && id != 0 {
		purego.SyscallN(l.rangeEnd, uintptr(id))
	}
}

// NameStream says what a profiler calls a stream.
//
// NVTX, Resource Naming, nvtxNameCuStreamA.
func NameStream(s driver.Stream, name string) {
	if l := nvtx(); l != nil && l.nameStream != 0 {
		call64(l.nameStream, name, uintptr(s))
	}
}

// call64 calls a function of a text, which ends at its first NUL, and of a value before it, unless that
// is 0.
func call64(fn uintptr, text string, before uintptr) uint64 {
	text, _, _ = strings.Cut(text, "\x00")
	f := newFrame()
	defer f.free()
	ended := append([]byte(text), 0)
	n := 0
	if before != 0 {
		f.args[n] = before
		n++
	}
	f.args[n] = f.address(0, unsafe.Pointer(&ended[0]))
	r, _, _ := purego.SyscallN(fn, f.args[:n+1]...)
	return uint64(r)
}
