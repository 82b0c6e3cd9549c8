package hostwork

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Work is one run of work on a simulated device. It is used by the function that got it alone, and not after that has returned.
type Work struct{ dev *cuda.Device }

// Queue queues f on s: f runs after the work queued before it, and work queued later waits for f. f must not call package cuda, as
// Stream.LaunchHostFunc says, and finds its memory with Read and Write. owners are those of all memory that f uses: it stays until f has
// run, and as long as a graph has f.
//
// When f panics, waits for s return an error that wraps cuda.ErrHostFunc.
func Queue(s *cuda.Stream, f func(w *Work), owners ...cuda.Owner) error {
	if s == nil || !s.Device().IsSimulated() {
		return fmt.Errorf("hostwork: the stream is not of a simulated device, so the host cannot access its memory: %w", errors.ErrUnsupported)
	}
	if err := s.Use(owners...); err != nil {
		return err
	}
	w := &Work{s.Device()}
	return s.LaunchHostFunc(func() {
		defer w.stopped()
		f(w)
	})
}

// Run is Queue that waits until f has run, for results in the memory of the host. In a capture it is an error.
func Run(s *cuda.Stream, f func(w *Work), owners ...cuda.Owner) error {
	if s.IsCapturing() {
		return fmt.Errorf("hostwork: a function whose result is in the memory of the host waits, and a capture cannot: have the result in the memory of the device: %w", cuda.ErrStreamCaptureUnsupported)
	}
	if err := Queue(s, f, owners...); err != nil {
		return err
	}
	return s.Synchronize()
}

// A fault ends the function: the device has failed, and keeps why.
type fault struct{ error }

// stopped recovers from a fault.
func (w *Work) stopped() {
	switch p := recover().(type) {
	case nil, fault:
	default:
		panic(p)
	}
}

// Read returns elements of s. Element i of the result is element i of s if p has it, else 0; the result ends with the last that p has.
func Read[T any](w *Work, s cuda.Slice[T], p Part) []T {
	check("read", s.Len(), p)
	values := make([]T, p.span)
	for at, n := range p.each() {
		access(cuda.Generated.ReadSimulated(w.dev, bytesOf(values[at:at+n]), addressOf(s, at)))
	}
	return values
}

// Write writes the elements of p to s: element i of values becomes element i of s.
func Write[T any](w *Work, s cuda.Slice[T], p Part, values []T) {
	check("write", s.Len(), p)
	check("write from values", len(values), p)
	for at, n := range p.each() {
		access(cuda.Generated.WriteSimulated(w.dev, addressOf(s, at), bytesOf(values[at:at+n])))
	}
}

// check panics if a slice is shorter than p.
func check(what string, have int, p Part) {
	if have < p.span {
		panic(fmt.Errorf("hostwork: %s a slice of %d elements, needs %d: %w", what, have, p.span, cuda.ErrShortSlice))
	}
}

// access ends the function if the device has failed.
func access(err error) {
	if err != nil {
		panic(fault{err})
	}
}

func addressOf[T any](s cuda.Slice[T], at int) uint64 {
	var element T
	return s.Address() + uint64(at)*uint64(unsafe.Sizeof(element))
}

func bytesOf[T any](values []T) []byte {
	var element T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(element)))
}
