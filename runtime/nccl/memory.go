package nccl

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// Alloc allocates n elements that NCCL can use without copying, once they are registered. The memory
// is not of the stream's pool: Alloc waits, and so does Close of the buffer. On a simulated device it
// is cuda.Alloc.
//
// NCCL, ncclMemAlloc, of 2.19.3 or newer.
func Alloc[T any](s *cuda.Stream, n int) (*cuda.Buffer[T], error) {
	d := s.Device()
	if d == nil || d.IsSimulated() || n <= 0 {
		return cuda.Alloc[T](s, n)
	}
	var element T
	size := uint64(unsafe.Sizeof(element))
	if size > 0 && uint64(n) > 1<<62/size {
		return nil, &Error{Op: "allocate memory", Detail: fmt.Sprintf("%d elements are too many", n), Err: cuda.ErrInvalidValue}
	}
	addr, free, err := allocShared(d, uint64(n)*size)
	if err != nil {
		return nil, err
	}
	b, err := cuda.Adopt[T](d, addr, n, free)
	if err != nil {
		free()
	}
	return b, err
}

// A Registration is memory that a communicator knows. It must be closed before the memory and the
// communicator are.
type Registration struct {
	c      *shared
	handle uintptr
	once   sync.Once
	err    error
}

// Register tells c that operations will use s, so that NCCL need not copy it: memory of Alloc, or of
// cuMemMap. Other memory may be registered, too, but NCCL uses that only between machines. On a
// simulated device it changes nothing.
//
// NCCL, ncclCommRegister, of 2.19.3 or newer.
func Register[T Element](c *Comm, s cuda.Slice[T]) (*Registration, error) {
	const op = "register memory"
	if err := c.usable(op); err != nil {
		return nil, err
	}
	if s.Len() == 0 || s.Address() == 0 {
		return nil, c.error(op, "the slice is empty", cuda.ErrInvalidValue)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, c.error(op, "the communicator", cuda.ErrClosed)
	}
	handle, err := c.back.register(s.Address(), uint64(bytesOf(s).Len()))
	if err != nil {
		return nil, c.reason(op, err)
	}
	return &Registration{c: c.shared, handle: handle}, nil
}

// Close ends the registration, when no operation that is queued uses the memory. It may be called
// more than once.
//
// NCCL, ncclCommDeregister.
func (r *Registration) Close() error {
	if r == nil || r.c == nil {
		return nil
	}
	r.once.Do(func() {
		if r.c.failure.Load() != nil { // it has ended with the communicator
			return
		}
		r.c.mu.Lock()
		defer r.c.mu.Unlock()
		if err := r.c.back.deregister(r.handle); err != nil {
			r.err = r.c.reason("end a registration", err)
		}
	})
	return r.err
}
