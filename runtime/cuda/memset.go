package cuda

import (
	"unsafe"

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
	if m := stream.capturing(); m != nil {
		pattern := unsafe.Slice((*byte)(unsafe.Pointer(&value)), sizeOf[T]())
		if _, size := smallest(pattern, s.addr); size == 0 && s.n > 0 && s.owner != nil && len(pattern) <= maxPattern {
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
	bytes := uint64(s.n) * sizeOf[T]()
	pattern := unsafe.Slice((*byte)(unsafe.Pointer(&value)), sizeOf[T]())
	drv, addr := stream.dev.drv, driver.DevicePtr(s.addr)
	var r driver.Result
	switch {
	case repeats(pattern, 1):
		r = drv.MemsetD8Async(addr, pattern[0], bytes, handle)
	case repeats(pattern, 2) && addr%2 == 0:
		r = drv.MemsetD16Async(addr, uint16(pattern[0])|uint16(pattern[1])<<8, bytes/2, handle)
	case repeats(pattern, 4) && addr%4 == 0:
		word := uint32(pattern[0]) | uint32(pattern[1])<<8 | uint32(pattern[2])<<16 | uint32(pattern[3])<<24
		r = drv.MemsetD32Async(addr, word, bytes/4, handle)
	case len(pattern) > maxPattern:
		return patternTooLarge(stream.dev, op, len(pattern))
	default:
		return stream.fillOn(handle, op, s.bytes(), pattern)
	}
	if r != driver.Success {
		return stream.dev.fail(op, r)
	}
	return nil
}

// repeats reports whether pattern is a run of its first n bytes.
func repeats(pattern []byte, n int) bool {
	if len(pattern)%n != 0 {
		return false
	}
	for i, b := range pattern {
		if b != pattern[i%n] {
			return false
		}
	}
	return true
}
