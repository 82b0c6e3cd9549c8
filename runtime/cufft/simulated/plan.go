package simulated

import (
	"iter"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cufft"
)

// A plan is what a cufft.Plan is on simulated devices.
type plan struct {
	dims    []int // the last one changes fastest
	kind    cufft.Kind
	batch   int
	in, out layout
}

// A layout says where the elements of transforms are. Without embed they are one behind the other.
//
// cuFFT, Advanced Data Layout.
type layout struct {
	embed            []int
	stride, distance int
}

// real reports whether what the plan reads, or writes, are real numbers.
func (p *plan) realIn() bool  { return p.kind == cufft.R2C || p.kind == cufft.D2Z }
func (p *plan) realOut() bool { return p.kind == cufft.C2R || p.kind == cufft.Z2D }

// half returns the dimensions with the complex numbers that determine the others of a transform of real numbers.
func (p *plan) half() []int {
	dims := append([]int(nil), p.dims...)
	dims[len(dims)-1] = dims[len(dims)-1]/2 + 1
	return dims
}

// inDims returns the dimensions of what the plan reads, and outDims of what it writes.
func (p *plan) inDims() []int {
	if p.realOut() {
		return p.half()
	}
	return p.dims
}

func (p *plan) outDims() []int {
	if p.realIn() {
		return p.half()
	}
	return p.dims
}

// padded returns l for real numbers that are transformed in place: rows without a layout of their own have room for the complex numbers.
func (p *plan) padded(l layout) layout {
	if l.embed != nil {
		return l
	}
	embed := p.half()
	embed[len(embed)-1] *= 2
	return layout{embed, 1, volume(embed)}
}

// places returns where the elements of transform number b are, in their order.
func (l layout) places(dims []int, b int) iter.Seq[int] {
	embed, stride, distance := l.embed, l.stride, l.distance
	if embed == nil {
		embed, stride, distance = dims, 1, volume(dims)
	}
	return func(yield func(int) bool) {
		for i := range volume(dims) {
			at, rest, scale := 0, i, 1
			for d := len(dims) - 1; d >= 0; d-- {
				at += rest % dims[d] * scale
				rest /= dims[d]
				scale *= embed[d]
			}
			if !yield(b*distance + at*stride) {
				return
			}
		}
	}
}

// part returns the elements of all transforms.
func (l layout) part(dims []int, batch int) hostwork.Part {
	if l.embed == nil {
		return hostwork.Vector(volume(dims)*batch, 1)
	}
	return hostwork.Runs(func(yield func(at, n int) bool) {
		for b := range batch {
			for at := range l.places(dims, b) {
				if !yield(at, 1) {
					return
				}
			}
		}
	})
}

func volume(dims []int) int {
	n := 1
	for _, size := range dims {
		n *= size
	}
	return n
}

// number is what cuFFT transforms.
type number interface {
	float32 | float64 | complex64 | complex128
}

// exec queues the transforms of the plan h on s.
func exec[I, O number](h *cufft.Plan, s *cuda.Stream, in cuda.Slice[I], out cuda.Slice[O], inverse bool, from func(I) complex128, to func(complex128) O) error {
	p, ok := h.State().(*plan)
	if !ok || p.dims == nil {
		return cufft.InvalidPlan
	}
	inLayout, outLayout := p.in, p.out
	if in.Address() == out.Address() {
		if p.realIn() {
			inLayout = p.padded(p.in)
		}
		if p.realOut() {
			outLayout = p.padded(p.out)
		}
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		read := hostwork.Read(w, in, inLayout.part(p.inDims(), p.batch))
		part := outLayout.part(p.outDims(), p.batch)
		written := make([]O, part.Span())
		for b := range p.batch {
			var values []complex128
			for at := range inLayout.places(p.inDims(), b) {
				values = append(values, from(read[at]))
			}
			values = p.transform(values, inverse)
			i := 0
			for at := range outLayout.places(p.outDims(), b) {
				written[at] = to(values[i])
				i++
			}
		}
		hostwork.Write(w, out, part, written)
	}, in.Owner(), out.Owner())
}
