package curand

import (
	"errors"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Source is a math/rand/v2.Source whose numbers a Generator makes, many at a time:
//
//	src, err := curand.NewSource(g, s, 1<<16)
//	defer src.Close()
//	r := rand.New(src)
//
// It is for one goroutine.
type Source struct {
	generator *Generator
	stream    *cuda.Stream
	memory    *cuda.Buffer[uint32]
	numbers   []uint32
	left      []uint32 // of numbers
}

// NewSource returns a source that has g, which is pseudorandom, make n numbers of 64 bits at a time. g and s must stay open.
func NewSource(g *Generator, s *cuda.Stream, n int) (*Source, error) {
	memory, err := cuda.Alloc[uint32](s, 2*max(n, 1))
	if err != nil {
		return nil, err
	}
	source := &Source{generator: g, stream: s, memory: memory, numbers: make([]uint32, memory.Len())}
	if err := source.Fill(); err != nil {
		return nil, errors.Join(err, source.Close())
	}
	return source, nil
}

// Fill makes the next numbers and waits for them. Those that are left are lost.
func (r *Source) Fill() error {
	if err := r.generator.Generate(r.stream, r.memory.All(), uint64(len(r.numbers))); err != nil {
		return err
	}
	if err := r.memory.CopyTo(r.stream, r.numbers); err != nil {
		return err
	}
	r.left = r.numbers
	return nil
}

// Uint64 returns the next number: the first of two numbers of the generator is its lower half. It panics with the error of Fill if there is none.
func (r *Source) Uint64() uint64 {
	if len(r.left) == 0 {
		if err := r.Fill(); err != nil {
			panic(err)
		}
	}
	low, high := r.left[0], r.left[1]
	r.left = r.left[2:]
	return uint64(high)<<32 | uint64(low)
}

// Close frees the memory of r. It may be called more than once.
func (r *Source) Close() error { return r.memory.Close() }
