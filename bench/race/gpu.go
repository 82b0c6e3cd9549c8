package race

import (
	"errors"
	"fmt"
	"time"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// NumStreams is how many streams each side has, Go and C: driver.h says so, too.
const NumStreams = 8

// Streams are one side's streams. They are not alike, so each round takes the next.
type Streams struct {
	All   [NumStreams]*cuda.Stream
	round int
}

// NewStreams makes streams on dev.
func NewStreams(dev *cuda.Device) (s *Streams, err error) {
	s = new(Streams)
	for i := range s.All {
		if s.All[i], err = dev.NewStream(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Next begins a round and returns its stream's number.
func (s *Streams) Next() int {
	s.round++
	return s.Number()
}

// Number returns the number of the round's stream.
func (s *Streams) Number() int { return s.round % NumStreams }

// Repeat makes a contestant's Run of enqueue, which queues so many operations. A round is
// count operations, and a synchronization that is not timed.
func (s *Streams) Repeat(count, operations int, enqueue func(s *cuda.Stream) error) func() (float64, error) {
	return func() (float64, error) {
		stream := s.All[s.Next()]
		start := time.Now()
		for range count / operations {
			if err := enqueue(stream); err != nil {
				return 0, err
			}
		}
		elapsed := time.Since(start)
		return float64(elapsed.Nanoseconds()) / float64(count), stream.Synchronize()
	}
}

// OpenC loads a C side and finds its functions, by name. functions holds pointers to
// variables of the functions' types, as purego.RegisterLibFunc takes them.
func OpenC(library string, functions map[string]any) (handle uintptr, err error) {
	if handle, err = purego.Dlopen(library, purego.RTLD_NOW); err != nil {
		return 0, err
	}
	for name, variable := range functions {
		address, err := purego.Dlsym(handle, name)
		if err != nil {
			return 0, err
		}
		purego.RegisterFunc(variable, address)
	}
	return handle, nil
}

// SetUp turns what a C side's setup returned into an error.
func SetUp(r int32) error {
	switch {
	case r < 0:
		return errors.New("setup in C: the driver is not there or lacks a symbol")
	case r > 0:
		return fmt.Errorf("setup in C: %w", cuda.Code(r))
	}
	return nil
}

// FromC turns what a C side's function returned, nanoseconds or a negative CUresult, into
// what a contestant's Run returns.
func FromC(ns float64) (float64, error) {
	if ns < 0 {
		return 0, cuda.Code(-ns)
	}
	return ns, nil
}
