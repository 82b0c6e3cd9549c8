package simulated

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// pair returns a sparse and a dense vector of one type.
func pair(x *cusparse.SparseVector, y *cusparse.DenseVector) (from thin, to vector, err error) {
	if from, err = stateOf[thin](x.State()); err != nil {
		return from, to, err
	}
	if to, err = stateOf[vector](y.State()); err != nil {
		return from, to, err
	}
	return from, to, same(from.kind, to.kind)
}

func (v *thin) owners() []cuda.Owner { return []cuda.Owner{v.indices.Owner(), v.values.Owner()} }

// read returns places and values.
func (v *thin) read(w *hostwork.Work) (places []int, values []complex128) {
	return v.places(w), read(w, v.values, v.kind, hostwork.Vector(v.nnz, 1))
}

func (v *thin) places(w *hostwork.Work) []int {
	places := readIndices(w, v.indices, v.indexType, v.nnz, v.base)
	for i, p := range places {
		if p < 0 || p >= v.size {
			panic(beyond(i, p, v.size))
		}
	}
	return places
}

// at is the elements at places.
func at(places []int) hostwork.Part {
	return hostwork.Runs(func(yield func(at, n int) bool) {
		for _, p := range places {
			if !yield(p, 1) {
				return
			}
		}
	})
}

func axpby[S scalar](_ *cusparse.Handle, s *cuda.Stream, alpha S, x *cusparse.SparseVector, beta S, y *cusparse.DenseVector) error {
	from, to, err := pair(x, y)
	if err != nil {
		return err
	}
	scale, owners := number(alpha, to.kind)
	keep, more := number(beta, to.kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		places, values := from.read(w)
		out := make([]complex128, to.size)
		if b := keep(w); b != 0 {
			for i, v := range to.read(w) {
				out[i] = b * v
			}
		}
		factor := scale(w)
		for i, p := range places {
			out[p] += factor * values[i]
		}
		to.write(w, out)
	}, slices.Concat(from.owners(), owners, more, []cuda.Owner{to.values.Owner()})...)
}

func gather(_ *cusparse.Handle, s *cuda.Stream, y *cusparse.DenseVector, x *cusparse.SparseVector) error {
	to, from, err := pair(x, y)
	if err != nil {
		return err
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		places := to.places(w)
		values := read(w, from.values, from.kind, at(places))
		picked := make([]complex128, len(places))
		for i, p := range places {
			picked[i] = values[p]
		}
		write(w, to.values, to.kind, hostwork.Vector(to.nnz, 1), picked)
	}, append(to.owners(), from.values.Owner())...)
}

func scatter(_ *cusparse.Handle, s *cuda.Stream, x *cusparse.SparseVector, y *cusparse.DenseVector) error {
	from, to, err := pair(x, y)
	if err != nil {
		return err
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		places, values := from.read(w)
		out := make([]complex128, to.size)
		for i, p := range places {
			out[p] = values[i]
		}
		write(w, to.values, to.kind, at(places), out)
	}, append(from.owners(), to.values.Owner())...)
}

// rot turns pairs of real numbers. Of which type the coefficients of complex ones are, NVIDIA does not say.
func rot[S scalar](_ *cusparse.Handle, s *cuda.Stream, c, sine S, x *cusparse.SparseVector, y *cusparse.DenseVector) error {
	from, to, err := pair(x, y)
	switch {
	case err != nil:
		return err
	case to.kind != cusparse.R32F && to.kind != cusparse.R64F:
		return notSimulated("Rot of complex numbers")
	}
	cosOf, owners := number(c, to.kind)
	sinOf, more := number(sine, to.kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		places, values := from.read(w)
		others := read(w, to.values, to.kind, at(places))
		cos, sin := cosOf(w), sinOf(w)
		for i, p := range places {
			values[i], others[p] = cos*values[i]+sin*others[p], cos*others[p]-sin*values[i]
		}
		write(w, from.values, from.kind, hostwork.Vector(from.nnz, 1), values)
		write(w, to.values, to.kind, at(places), others)
	}, slices.Concat(from.owners(), owners, more, []cuda.Owner{to.values.Owner()})...)
}

func spvvSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, op cusparse.Operation, x *cusparse.SparseVector, y *cusparse.DenseVector, _ S, kind cusparse.DataType) (uint64, error) {
	from, to, err := pair(x, y)
	if err != nil {
		return 0, err
	}
	if op == cusparse.OperationTranspose || !isOperation(op) {
		return 0, cusparse.StatusInvalidValue
	}
	return sized(same(from.kind, to.kind, kind))
}

// dot returns the sum of the products of x and y, or of the conjugates of x.
func dot(w *hostwork.Work, op cusparse.Operation, x *thin, y *vector) (sum complex128) {
	places, values := x.read(w)
	other := read(w, y.values, y.kind, at(places))
	for i, p := range places {
		v := values[i]
		if op == cusparse.OperationConjugateTranspose {
			v = conj(v)
		}
		sum += v * other[p]
	}
	return sum
}

func spvv(h *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, x *cusparse.SparseVector, y *cusparse.DenseVector, result []uint8, kind cusparse.DataType, _ cuda.Slice[uint8]) error {
	if _, err := spvvSize(h, s, op, x, y, result, kind); err != nil {
		return err
	}
	from, to, err := pair(x, y)
	if err != nil {
		return err
	}
	var sum complex128
	if err := hostwork.Run(s, func(w *hostwork.Work) { sum = dot(w, op, &from, &to) }, append(from.owners(), to.values.Owner())...); err != nil {
		return err
	}
	encode(result, kind, sum)
	return nil
}

func spvvDevice(h *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, x *cusparse.SparseVector, y *cusparse.DenseVector, result cuda.Slice[uint8], kind cusparse.DataType, _ cuda.Slice[uint8]) error {
	if _, err := spvvSize(h, s, op, x, y, result, kind); err != nil {
		return err
	}
	from, to, err := pair(x, y)
	if err != nil {
		return err
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		write(w, result, kind, hostwork.Vector(1, 1), []complex128{dot(w, op, &from, &to)})
	}, append(from.owners(), to.values.Owner(), result.Owner())...)
}

// encode puts a number into the memory of the host.
func encode(b []uint8, t cusparse.DataType, v complex128) {
	single := func(at int, v float64) { binary.NativeEndian.PutUint32(b[at:], math.Float32bits(float32(v))) }
	double := func(at int, v float64) { binary.NativeEndian.PutUint64(b[at:], math.Float64bits(v)) }
	switch t {
	case cusparse.R32F:
		single(0, real(v))
	case cusparse.R64F:
		double(0, real(v))
	case cusparse.C32F:
		single(0, real(v))
		single(4, imag(v))
	default:
		double(0, real(v))
		double(8, imag(v))
	}
}
