//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/ebitengine/purego"
)

// A frame holds the arguments and the results of a rare driver call, or of any call on
// systems without a trampoline. It is in the heap, so the addresses in args stay valid
// while the goroutine's stack grows. Frames come from a pool, because the arguments of
// purego.SyscallN escape.
type frame struct {
	args [15]uintptr       // cuTensorMapEncodeIm2col has the most
	out  [2]uint64         // where the driver writes results
	keep [3]unsafe.Pointer // the Go memory that args holds addresses of
}

var frames = sync.Pool{New: func() any { return new(frame) }}

func newFrame() *frame { return frames.Get().(*frame) }

// free returns f to the pool. Until then f keeps alive what is in keep.
func (f *frame) free() {
	*f = frame{}
	frames.Put(f)
}

// outAddress returns the address of f.out[i], for the driver to write to.
func (f *frame) outAddress(i int) uintptr { return uintptr(unsafe.Pointer(&f.out[i])) }

// address keeps the Go memory at p alive until free, in f.keep[i], and returns its
// address. Storing p there also makes it escape: what it points to is in the heap.
func (f *frame) address(i int, p unsafe.Pointer) uintptr {
	f.keep[i] = p
	return uintptr(p)
}

// call calls e with args. Results are 32 bits wide: what is above them in the
// register is undefined.
func (d *Driver) call(e driver.EntryPoint, f *frame, args ...uintptr) driver.Result {
	fn := d.entry(e)
	n := copy(f.args[:], args)
	if fn == 0 {
		return d.callFrameAside(e, f, n)
	}
	r, _, _ := purego.SyscallN(fn, f.args[:n]...)
	return driver.Result(int32(r))
}

// callPlain calls e, whose arguments are plain values, 6 at most.
func (d *Driver) callPlain(e driver.EntryPoint, args ...uintptr) driver.Result {
	fn := d.entry(e)
	r := callRecord{fn: fn}
	copy(r.args[:], args)
	if fn == 0 {
		return d.callAside(e, &r)
	}
	return invoke(&r)
}

// callOut calls e, whose first argument is where the driver writes one result, up to 8
// bytes. The others are plain values.
func (d *Driver) callOut(e driver.EntryPoint, a, b, c uintptr) (uint64, driver.Result) {
	fn := d.entry(e)
	if fn == 0 {
		var out uint64
		r := d.callAside(e, &callRecord{args: [6]uintptr{0, a, b, c}, first: unsafe.Pointer(&out)})
		return out, r
	}
	return invokeOut(fn, a, b, c)
}

// callAt calls e with args, to the first two of which the addresses first and second
// are added. What these point to may lie on the goroutine's stack.
func (d *Driver) callAt(e driver.EntryPoint, args [6]uintptr, first, second unsafe.Pointer) driver.Result {
	fn := d.entry(e)
	if fn == 0 {
		return d.callAside(e, &callRecord{args: args, first: first, second: second})
	}
	return invoke(&callRecord{fn: fn, args: args, first: first, second: second})
}
