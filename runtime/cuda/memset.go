package cuda

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/fill"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Clear sets every byte of s to zero, in the order of stream. It does not wait.
//
// CUDA Driver API, Memory Management, cuMemsetD8Async.
func (s Slice[T]) Clear(stream *Stream) error {
	const op = "clear a buffer"
	defer stream.hold().release()
	if m := stream.capturing(); m != nil {
		return m.add(op, NewNode(Fill(s.bytes(), 0)))
	}
	handle, err := s.enqueue(stream, op)
	if err != nil {
		return err
	}
	defer s.owner.endOn(stream)
	if s.n == 0 {
		return nil
	}
	if r := stream.dev.drv.MemsetD8Async(driver.DevicePtr(s.addr), 0, uint64(s.n)*sizeOf[T](), handle); r != driver.Success {
		return stream.dev.fail(op, r)
	}
	return nil
}

// bytes returns s as its bytes.
func (s Slice[T]) bytes() Slice[byte] {
	return Slice[byte]{addr: s.addr, n: s.n * int(sizeOf[T]()), owner: s.owner}
}

// A FillCall sets every element of Dst to Value. It is launched on a stream, in a Batch and as a
// node of a graph. Its fields may change between launches.
//
// Devices have fills of 1, 2 and 4 bytes: a T of another size takes as many fills as it has words,
// and copies of what is filled, twice as large each time. It has at most 64 bytes, or the bytes of
// Value repeat after 1, 2 or 4, as those of zero do. Other values are ErrNotSupported.
type FillCall[T any] struct {
	Dst   Slice[T]
	Value T
}

// Fill makes a fill of dst with value: Launch queues it, NewBatch and NewNode take it.
func Fill[T any](dst Slice[T], value T) *FillCall[T] { return &FillCall[T]{Dst: dst, Value: value} }

// Launch queues the fill on stream. It does not wait.
//
// CUDA Driver API, Memory Management, cuMemsetD8Async, cuMemsetD16Async,
// cuMemsetD32Async, cuMemcpyDtoDAsync.
func (c *FillCall[T]) Launch(stream *Stream) error {
	const op = "fill a buffer"
	if c == nil {
		return errNilCall(op)
	}
	s, value := c.Dst, c.Value
	defer stream.hold().release()
	pattern := bytesOfValue(&value)
	if m := stream.capturing(); m != nil {
		if _, size := fill.Word(pattern, s.addr); size == 0 && s.n > 0 && s.owner != nil && len(pattern) <= fill.MaxPattern {
			return m.fill(op, s.bytes(), pattern)
		}
		return m.add(op, NewNode(Fill(s, value)))
	}
	handle, err := s.enqueue(stream, op)
	if err != nil {
		return err
	}
	defer s.owner.endOn(stream)
	if s.n == 0 {
		return nil
	}
	switch word, size := fill.Word(pattern, s.addr); {
	case size != 0:
		if r := stream.setWords(handle, s.addr, word, size, uint64(s.n)*sizeOf[T]()/uint64(size)); r != driver.Success {
			return stream.dev.fail(op, r)
		}
		return nil
	case len(pattern) > fill.MaxPattern:
		return stream.dev.invalid(op, fmt.Sprintf("the %d bytes of the value do not repeat every 1, 2 or 4 bytes, limit %d: use a kernel or CopyFrom", len(pattern), fill.MaxPattern), ErrNotSupported)
	}
	return stream.fillOn(handle, op, s.bytes(), pattern)
}

// setWords queues the fill of n words of size bytes at addr.
func (s *Stream) setWords(handle driver.Stream, addr uint64, word uint32, size int, n uint64) driver.Result {
	switch at := driver.DevicePtr(addr); size {
	case 4:
		return s.dev.drv.MemsetD32Async(at, word, n, handle)
	case 2:
		return s.dev.drv.MemsetD16Async(at, uint16(word), n, handle)
	default:
		return s.dev.drv.MemsetD8Async(at, uint8(word), n, handle)
	}
}

// fillOn is fill.Wide on a stream. The caller has b in use.
func (s *Stream) fillOn(handle driver.Stream, op string, b Slice[byte], pattern []byte) error {
	done := func(r driver.Result) error {
		if r != driver.Success {
			return s.dev.fail(op, r)
		}
		return nil
	}
	return fill.Wide(b.addr, b.n, pattern, func(at int, word uint32, size int) error {
		return done(s.setWords(handle, b.addr+uint64(at), word, size, 1))
	}, func(at, bytes int) error {
		if host := b.host(); host != nil {
			return done(copyInHost(s, handle, unsafe.Add(host, at), host, uint64(bytes)))
		}
		return done(s.dev.drv.MemcpyDtoDAsync(driver.DevicePtr(b.addr+uint64(at)), driver.DevicePtr(b.addr), uint64(bytes), handle))
	})
}

// fill is fill.Wide in a capture.
func (m *captureMember) fill(op string, b Slice[byte], pattern []byte) error {
	return fill.Wide(b.addr, b.n, pattern, func(at int, word uint32, size int) error {
		part := b.Slice(at, at+size)
		switch size {
		case 4:
			return m.add(op, NewNode(Fill(Reinterpret[uint32](part), word)))
		case 2:
			return m.add(op, NewNode(Fill(Reinterpret[uint16](part), uint16(word))))
		}
		return m.add(op, NewNode(Fill(part, uint8(word))))
	}, func(at, bytes int) error {
		return m.add(op, NewNode(Copy(b.Slice(at, at+bytes), b.Slice(0, bytes))))
	})
}

// bytesOfValue returns the memory of v.
func bytesOfValue[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}
