package cuda

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Surface is a surface object: through it kernels read and write elements of an array, whose
// first coordinate they give in bytes. T is what a kernel reads and writes: surf2Dwrite of a uchar4
// writes a Surface[UChar4]. A parameter of type cudaSurfaceObject_t becomes a Surface with the
// directive //cudagen:surface.
//
// A Surface is a small value, as a Slice, and keeps its array open. Any goroutine may call its
// methods. The caller of NewSurface must close it. The zero Surface is not valid as an argument.
type Surface[T any] struct {
	handle uint64
	owner  *lifetime
}

// NewSurface makes a surface of an array that was made with ArrayConfig.Surface, for kernels that
// access elements of type T. T has the size of an element of the array: a uint32 may be written to
// an Array[UChar4]. E follows from the array.
//
// CUDA Driver API, Surface Object Management, cuSurfObjectCreate.
func NewSurface[T, E any](a *Array[E]) (Surface[T], error) {
	const op = "make a surface"
	owner := a.elements().owner
	if owner.isUnmade() {
		return Surface[T]{}, unmade(op, "the array")
	}
	if err := plainData[T](op, owner.dev); err != nil {
		return Surface[T]{}, err
	}
	object, err := newSurface(op, &a.array, owner, sizeOf[T]())
	if err != nil {
		return Surface[T]{}, err
	}
	return Surface[T]{object.addr, &object.lifetime}, nil
}

// newSurface makes a surface of a, whose elements kernels access as size bytes.
func newSurface(op string, a *array, owner *lifetime, size uint64) (*allocation, error) {
	d := owner.dev
	defer d.hold().release()
	switch {
	case d.isClosed():
		return nil, d.closedError(op, "")
	case size != a.format.Bytes():
		return nil, d.invalid(op, fmt.Sprintf("elements of %d bytes in an array of %v, which have %d", size, a.format, a.format.Bytes()), ErrInvalidValue)
	case !a.cfg.Surface:
		return nil, d.invalid(op, "the array was made without ArrayConfig.Surface", ErrInvalidValue)
	case !owner.begin(): // held until the surface is gone
		return nil, d.closedError(op, "the array")
	}
	var handle driver.SurfObject
	r := d.inContext(func() (r driver.Result) {
		handle, r = d.drv.SurfObjectCreate(driver.ResourceDesc{Type: driver.ArrayResource, Array: a.handle})
		return r
	})
	destroy := func() driver.Result { return d.drv.SurfObjectDestroy(handle) }
	if r != driver.Success {
		if handle != 0 { // it was the context
			d.given(d.inContext(destroy))
		}
		owner.end()
		return nil, d.fail(op, r)
	}
	return d.ownObject(surfaced, uint64(handle), 1, holding(owner, destroy)), nil
}

// Owner returns s as the owner of its handle. A kernel that gets the handle inside of a struct
// needs it among the owners of its launch.
func (s Surface[T]) Owner() Owner {
	if s.owner == nil {
		return Owner{noSurface}
	}
	return Owner{s.owner}
}

// Handle returns the CUsurfObject of s, a cudaSurfaceObject_t, for a member of a struct or for
// other libraries; 0 for the zero Surface. It is valid until s is closed.
func (s Surface[T]) Handle() uint64 { return s.handle }

// Param returns what a parameter block has for s. Generated code calls it.
func (s Surface[T]) Param() uint64 { return s.handle }

// Argument returns s as an argument of a prepared call. Generated code calls it.
func (s Surface[T]) Argument(align uint64) argument {
	return argument{owner: s.Owner().lifetime, addr: s.handle, align: 1}
}

// Close destroys the surface when no queued work uses it; it waits for such work. Launches with a
// closed surface fail with ErrClosed. Close may be called more than once.
//
// CUDA Driver API, Surface Object Management, cuSurfObjectDestroy.
func (s Surface[T]) Close() error { return s.owner.closeObject("free a surface") }
