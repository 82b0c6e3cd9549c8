package cuda

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// CopyTo copies all elements to host, which must have a.Len() of them: row by row, and plane by
// plane, layer by layer or face by face. It runs in the order of s and is complete when it
// returns. The rules of Slice.CopyTo apply. CopyBox copies without waiting, and parts of arrays.
//
// CUDA Driver API, Memory Management, cuMemcpy3DAsync.
func (a *Array[T]) CopyTo(s *Stream, host []T) error {
	return a.CopyToContext(context.Background(), s, host)
}

// CopyFrom copies host, which must have a.Len() elements, to a. The rules of CopyTo apply.
//
// CUDA Driver API, Memory Management, cuMemcpy3DAsync.
func (a *Array[T]) CopyFrom(s *Stream, host []T) error {
	return a.CopyFromContext(context.Background(), s, host)
}

// CopyToContext is CopyTo until ctx is done. The rules of Slice.CopyToContext apply.
func (a *Array[T]) CopyToContext(ctx context.Context, s *Stream, host []T) error {
	return a.copyGo(ctx, s, host, toGo)
}

// CopyFromContext is CopyFrom until ctx is done. The rules of Slice.CopyFromContext apply.
func (a *Array[T]) CopyFromContext(ctx context.Context, s *Stream, host []T) error {
	return a.copyGo(ctx, s, host, fromGo)
}

// copyGo copies between a and host, in the direction that op says.
func (a *Array[T]) copyGo(ctx context.Context, s *Stream, host []T, op string) error {
	epoch := s.hold()
	elements := a.elements()
	handle, err := elements.use(s, op)
	if err != nil {
		return err
	}
	if len(host) != elements.n {
		elements.owner.end()
		destination, n := elements.n, len(host)
		if op == toGo {
			destination, n = n, destination
		}
		return s.dev.invalid(op, fmt.Sprintf("the array has %s, the host slice %d: make them equally long", extent.Counted(elements.n, "element"), len(host)), unequal(destination, n))
	}
	box := a.All()
	c := goCopy{op: op, toGo: op == toGo, host: unsafe.Pointer(unsafe.SliceData(host)), bytes: uint64(elements.n) * sizeOf[T](), owner: elements.owner, box: &arrayCopy{box.memory(), box.extent()}}
	return c.run(ctx, s, handle, epoch)
}

// An arrayCopy is where a goCopy copies in an array: all of the host's memory without gaps.
type arrayCopy struct {
	array  driver.Memory3D
	extent [3]uint64 // bytes, rows and planes
}

// extent returns the bytes, rows and planes of b.
func (b Box[T]) extent() [3]uint64 {
	return [3]uint64{uint64(b.shape.Width) * sizeOf[T](), uint64(b.shape.Height), uint64(b.shape.Depth)}
}

// queue queues the copy, from or to host.
func (c *arrayCopy) queue(d *Device, stream driver.Stream, host unsafe.Pointer, toGo bool) driver.Result {
	memory := driver.Memory3D{Host: host, PitchBytes: c.extent[0], Height: c.extent[1]}
	copied := driver.Copy3D{Dst: c.array, Src: memory, WidthBytes: c.extent[0], Height: c.extent[1], Depth: c.extent[2]}
	if toGo {
		copied.Dst, copied.Src = memory, c.array
	}
	return d.inContext(func() driver.Result { return d.drv.Memcpy3DAsync(copied, stream) })
}
