// Package simulated has what cuRAND does on simulated devices. A program imports it for that alone:
//
//	import _ "github.com/cudagen/cudagen/runtime/curand/simulated"
//
// XORWOW, MRG32k3a and Philox4x32 make the numbers that a GPU makes in every ordering but the seeded and the dynamic one: of
// distributions that are no uniform ones almost the same, since a GPU's logarithms are not exact. Other generators, and the
// distributions of Poisson and of binomials, return clib.ErrNotSimulated.
package simulated

import (
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/curand"
)

func init() {
	s := &curand.Simulated
	s.NewGenerator = func(h *curand.Generator, _ *cuda.Device, kind curand.Kind) error {
		switch kind {
		case curand.PseudoDefault:
			kind = curand.XORWOW
		case curand.XORWOW, curand.MRG32k3a, curand.Philox4x32:
		case curand.Test, curand.MTGP32, curand.MT19937, curand.QuasiDefault, curand.Sobol32, curand.ScrambledSobol32, curand.Sobol64, curand.ScrambledSobol64:
			return clib.ErrNotSimulated
		default:
			return curand.StatusTypeError
		}
		h.SetState(&generator{kind: kind})
		return nil
	}
	s.GeneratorSetSeed = func(h *curand.Generator, seed uint64) error { return change(h, func(g *generator) { g.seed = seed }) }
	s.GeneratorSetOffset = func(h *curand.Generator, offset uint64) error {
		return change(h, func(g *generator) { g.offset, g.moved = offset, false })
	}
	s.GeneratorSetOrdering = setOrdering
	s.GeneratorSetDimensions = func(*curand.Generator, uint32) error { return curand.StatusTypeError }
	s.GeneratorGenerateSeeds = func(h *curand.Generator, _ *cuda.Stream) error { return change(h, func(*generator) {}) }
	s.GeneratorGenerate = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[uint32], n uint64) error {
		return generate(h, s, out, n, numbers.bits)
	}
	s.GeneratorGenerateUint64 = func(*curand.Generator, *cuda.Stream, cuda.Slice[uint64], uint64) error { return curand.StatusTypeError }
	s.GeneratorGenerateUniform = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[float32], n uint64) error {
		return generate(h, s, out, n, numbers.uniform32)
	}
	s.GeneratorGenerateUniformDouble = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[float64], n uint64) error {
		return generate(h, s, out, n, numbers.uniform64)
	}
	s.GeneratorGenerateNormal = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[float32], n uint64, mean, deviation float32) error {
		return generate(h, s, out, n, normal32(func(z float32) float32 { return mean + deviation*z }))
	}
	s.GeneratorGenerateNormalDouble = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[float64], n uint64, mean, deviation float64) error {
		return generate(h, s, out, n, normal64(func(z float64) float64 { return mean + deviation*z }))
	}
	s.GeneratorGenerateLogNormal = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[float32], n uint64, mean, deviation float32) error {
		return generate(h, s, out, n, normal32(func(z float32) float32 { return exp32(mean + deviation*z) }))
	}
	s.GeneratorGenerateLogNormalDouble = func(h *curand.Generator, s *cuda.Stream, out cuda.Slice[float64], n uint64, mean, deviation float64) error {
		return generate(h, s, out, n, normal64(func(z float64) float64 { return exp64(mean + deviation*z) }))
	}
}

// A generator is what a curand.Generator is on simulated devices. Its numbers are made when the call is queued, so that they do not depend
// on when the stream runs.
type generator struct {
	kind         curand.Kind
	seed, offset uint64
	numbers      numbers // nil: to be made of seed and offset
	moved        bool    // numbers were made since the offset was set
}

// numbers are a sequence in the order of memory. Their methods put the next ones into out.
type numbers interface {
	bits(out []uint32) error
	uniform32(out []float32) error
	uniform64(out []float64) error
	normal32(out []float32) error // with the mean 0 and the deviation 1
	normal64(out []float64) error
}

// change does f to the state of h, which makes its numbers anew.
func change(h *curand.Generator, f func(g *generator)) error {
	g, ok := h.State().(*generator)
	if !ok {
		return curand.StatusNotInitialized
	}
	f(g)
	g.numbers = nil
	return nil
}

// setOrdering has the orderings that are one: which of them is meant decides nothing.
func setOrdering(h *curand.Generator, order curand.Ordering) error {
	switch order {
	case curand.OrderingPseudoBest, curand.OrderingPseudoDefault, curand.OrderingPseudoLegacy:
		return change(h, func(*generator) {})
	case curand.OrderingPseudoDynamic:
		return clib.ErrNotSimulated
	case curand.OrderingPseudoSeeded:
		if g, ok := h.State().(*generator); ok && g.kind == curand.XORWOW {
			return clib.ErrNotSimulated
		}
	}
	return curand.StatusOutOfRange
}

// generate queues the writing of the next n numbers that next makes.
func generate[T any](h *curand.Generator, s *cuda.Stream, out cuda.Slice[T], n uint64, next func(numbers, []T) error) error {
	g, ok := h.State().(*generator)
	switch {
	case !ok:
		return curand.StatusNotInitialized
	case g.numbers == nil && g.moved: // where cuRAND goes on depends on the numbers that were made
		return notSimulated(h, "the seed or the ordering was set behind numbers: set the offset, too")
	case s.IsCapturing(): // a graph makes other numbers each time
		return notSimulated(h, "the stream is being captured")
	case g.numbers == nil:
		g.numbers = newNumbers(g)
	}
	values := make([]T, n)
	if err := next(g.numbers, values); err != nil {
		return err
	}
	g.moved = g.moved || n > 0
	return hostwork.Queue(s, func(w *hostwork.Work) {
		hostwork.Write(w, out, hostwork.Vector(int(n), 1), values)
	}, out.Owner())
}

func notSimulated(h *curand.Generator, detail string) error {
	return &clib.Error{Function: "curandGenerate", Device: h.Device().String(), Detail: detail, Err: clib.ErrNotSimulated}
}

func newNumbers(g *generator) numbers {
	switch g.kind {
	case curand.MRG32k3a:
		return newLanes(mrg32k3a{}, g.seed, g.offset)
	case curand.Philox4x32:
		return newPhilox(g.seed, g.offset)
	}
	return newLanes(xorwow{}, g.seed, g.offset)
}
