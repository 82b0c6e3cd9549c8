package cuda

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/extent"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Upload allocates len(host) elements on s and copies host there. When it returns,
// host may be changed. The rules of Alloc and CopyFrom apply.
func Upload[T any](s *Stream, host []T) (*Buffer[T], error) {
	return UploadContext(context.Background(), s, host)
}

// UploadContext is Upload until ctx is done. The rules of CopyFromContext apply.
func UploadContext[T any](ctx context.Context, s *Stream, host []T) (*Buffer[T], error) {
	if err := s.Device().mayWait(fromGo); err != nil { // before memory is allocated
		return nil, err
	}
	b, err := Alloc[T](s, len(host))
	if err != nil {
		return nil, err
	}
	if err := b.CopyFromContext(ctx, s, host); err != nil {
		b.mem.shut("free a buffer")
		return nil, err
	}
	return b, nil
}

// Download copies s to a new slice of Go memory. The rules of CopyTo apply.
func (s Slice[T]) Download(stream *Stream) ([]T, error) {
	return s.DownloadContext(context.Background(), stream)
}

// DownloadContext is Download until ctx is done. The rules of CopyToContext apply.
func (s Slice[T]) DownloadContext(ctx context.Context, stream *Stream) ([]T, error) {
	if err := plainData[T](toGo, stream.Device()); err != nil {
		return nil, err
	}
	if _, err := stream.open(toGo); err != nil { // before memory is allocated
		return nil, err
	}
	if err := stream.dev.mayWait(toGo); err != nil {
		return nil, err
	}
	host := make([]T, s.n)
	if err := s.CopyToContext(ctx, stream, host); err != nil {
		return nil, err
	}
	return host, nil
}

// CopyTo copies all of b to host, which must have b.Len() elements. It runs in the
// order of s and is complete when it returns. The rules of Slice.CopyTo apply.
func (b *Buffer[T]) CopyTo(s *Stream, host []T) error { return b.All().CopyTo(s, host) }

// CopyFrom copies host, which must have b.Len() elements, to b. It runs in the
// order of s and is complete when it returns. The rules of Slice.CopyTo apply.
func (b *Buffer[T]) CopyFrom(s *Stream, host []T) error { return b.All().CopyFrom(s, host) }

// CopyToContext is CopyTo until ctx is done. The rules of Slice.CopyToContext apply.
func (b *Buffer[T]) CopyToContext(ctx context.Context, s *Stream, host []T) error {
	return b.All().CopyToContext(ctx, s, host)
}

// CopyFromContext is CopyFrom until ctx is done. The rules of Slice.CopyFromContext apply.
func (b *Buffer[T]) CopyFromContext(ctx context.Context, s *Stream, host []T) error {
	return b.All().CopyFromContext(ctx, s, host)
}

// What errors call copies between a device and Go memory.
const (
	toGo   = "copy from the device"
	fromGo = "copy to the device"
)

// CopyTo copies s to host, which must have s.Len() elements. It runs in the order
// of stream and is complete when it returns. The error may belong to earlier work on
// stream, host functions included.
//
// A bool becomes true where its byte is not 0.
//
// Any number of goroutines may call it: of those whose streams are busy, few block a thread,
// and the others wait as Stream.Wait does.
//
// CUDA Driver API, Memory Management, cuMemcpyDtoHAsync.
func (s Slice[T]) CopyTo(stream *Stream, host []T) error {
	return s.CopyToContext(context.Background(), stream, host)
}

// CopyFrom copies host, which must have s.Len() elements, to s. The rules of CopyTo apply.
//
// CUDA Driver API, Memory Management, cuMemcpyHtoDAsync.
func (s Slice[T]) CopyFrom(stream *Stream, host []T) error {
	return s.CopyFromContext(context.Background(), stream, host)
}

// CopyToContext is CopyTo until ctx is done. Then it returns an error that wraps ctx's,
// the work on stream continues, and nothing is written to host any more. A copy that has
// begun is not interrupted. What host has after an error is not defined.
func (s Slice[T]) CopyToContext(ctx context.Context, stream *Stream, host []T) error {
	return s.copyGo(ctx, stream, host, toGo)
}

// CopyFromContext is CopyFrom until ctx is done. Then it returns an error that wraps ctx's,
// the work on stream continues, and host is not read any more: a copy of it may still be
// written to s, in the order of stream. A copy that has begun is not interrupted.
func (s Slice[T]) CopyFromContext(ctx context.Context, stream *Stream, host []T) error {
	return s.copyGo(ctx, stream, host, fromGo)
}

// copyGo copies between s and host, in the direction that op says.
func (s Slice[T]) copyGo(ctx context.Context, stream *Stream, host []T, op string) error {
	epoch := stream.hold()
	handle, err := s.use(stream, op)
	if err != nil {
		return err
	}
	if len(host) != s.n {
		s.owner.end()
		destination, n := s.n, len(host)
		if op == toGo {
			destination, n = n, destination
		}
		return stream.dev.invalid(op, fmt.Sprintf("the device slice has %s, the host slice %d: make them equally long", extent.Counted(s.n, "element"), len(host)), unequal(destination, n))
	}
	if s.n == 0 {
		s.owner.end()
		return nil
	}
	c := goCopy{op: op, toGo: op == toGo, device: driver.DevicePtr(s.addr), host: unsafe.Pointer(unsafe.SliceData(host)), bytes: uint64(s.n) * sizeOf[T](), owner: s.owner}
	if c.toGo {
		c.bools = boolsIn[T](s.n)
	}
	return c.run(ctx, stream, handle, epoch)
}
