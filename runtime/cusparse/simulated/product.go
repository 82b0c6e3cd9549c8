package simulated

import (
	"slices"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

func conj(v complex128) complex128 { return complex(real(v), -imag(v)) }

func isOperation(op cusparse.Operation) bool { return op <= cusparse.OperationConjugateTranspose }

// turned returns the place and the value of an entry of op(A).
func turned(op cusparse.Operation, e entry, v complex128) (row, col int, value complex128) {
	switch op {
	case cusparse.OperationNonTranspose:
		return e.row, e.col, v
	case cusparse.OperationTranspose:
		return e.col, e.row, v
	}
	return e.col, e.row, conj(v)
}

// same refuses types that a GPU may mix.
func same(kinds ...cusparse.DataType) error {
	for _, k := range kinds {
		if k != kinds[0] || !known(k) {
			return notSimulated("numbers of different types")
		}
	}
	return nil
}

func spmvSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, op cusparse.Operation, _ S, a *cusparse.SparseMatrix, x *cusparse.DenseVector, _ S, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpMVAlg) (uint64, error) {
	_, _, _, err := operands(op, a, x, y, kind)
	return sized(err)
}

func operands(op cusparse.Operation, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType) (m sparse, from, to vector, err error) {
	if !isOperation(op) {
		return m, from, to, cusparse.StatusInvalidValue
	}
	if m, err = stateOf[sparse](a.State()); err != nil {
		return m, from, to, err
	}
	if from, err = stateOf[vector](x.State()); err != nil {
		return m, from, to, err
	}
	if to, err = stateOf[vector](y.State()); err != nil {
		return m, from, to, err
	}
	return m, from, to, same(m.kind, from.kind, to.kind, kind)
}

// spmvPreprocess does nothing: there is nothing to prepare.
func spmvPreprocess[S scalar](h *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, alpha S, a *cusparse.SparseMatrix, x *cusparse.DenseVector, beta S, y *cusparse.DenseVector, kind cusparse.DataType, alg cusparse.SpMVAlg, _ cuda.Slice[uint8]) error {
	_, err := spmvSize(h, s, op, alpha, a, x, beta, y, kind, alg)
	return err
}

func spmv[S scalar](_ *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, alpha S, a *cusparse.SparseMatrix, x *cusparse.DenseVector, beta S, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpMVAlg, _ cuda.Slice[uint8]) error {
	m, from, to, err := operands(op, a, x, y, kind)
	if err != nil {
		return err
	}
	scale, owners := number(alpha, kind)
	keep, more := number(beta, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		values, in, out := m.readValues(w), from.read(w), make([]complex128, to.size)
		factor := scale(w)
		for _, e := range m.entries(w) {
			row, col, v := turned(op, e, values[e.at])
			out[row] += factor * v * in[col]
		}
		if b := keep(w); b != 0 { // 0 does not read y
			for i, v := range to.read(w) {
				out[i] += b * v
			}
		}
		to.write(w, out)
	}, slices.Concat(m.owners(), owners, more, []cuda.Owner{from.values.Owner(), to.values.Owner()})...)
}

func spmmSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, opA, opB cusparse.Operation, _ S, a *cusparse.SparseMatrix, b *cusparse.DenseMatrix, _ S, c *cusparse.DenseMatrix, kind cusparse.DataType, _ cusparse.SpMMAlg) (uint64, error) {
	_, _, _, err := factors(opA, opB, a, b, c, kind)
	return sized(err)
}

func factors(opA, opB cusparse.Operation, a *cusparse.SparseMatrix, b, c *cusparse.DenseMatrix, kind cusparse.DataType) (m sparse, from, to matrix, err error) {
	if !isOperation(opA) || !isOperation(opB) {
		return m, from, to, cusparse.StatusInvalidValue
	}
	if m, err = stateOf[sparse](a.State()); err != nil {
		return m, from, to, err
	}
	if from, err = stateOf[matrix](b.State()); err != nil {
		return m, from, to, err
	}
	if to, err = stateOf[matrix](c.State()); err != nil {
		return m, from, to, err
	}
	return m, from, to, same(m.kind, from.kind, to.kind, kind)
}

func spmmPreprocess[S scalar](h *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, alpha S, a *cusparse.SparseMatrix, b *cusparse.DenseMatrix, beta S, c *cusparse.DenseMatrix, kind cusparse.DataType, alg cusparse.SpMMAlg, _ cuda.Slice[uint8]) error {
	_, err := spmmSize(h, s, opA, opB, alpha, a, b, beta, c, kind, alg)
	return err
}

func spmm[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, alpha S, a *cusparse.SparseMatrix, b *cusparse.DenseMatrix, beta S, c *cusparse.DenseMatrix, kind cusparse.DataType, _ cusparse.SpMMAlg, _ cuda.Slice[uint8]) error {
	m, from, to, err := factors(opA, opB, a, b, c, kind)
	if err != nil {
		return err
	}
	scale, owners := number(alpha, kind)
	keep, more := number(beta, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		values, in := m.readValues(w), from.read(w)
		out := make([]complex128, to.part().Span())
		factor := scale(w)
		for _, e := range m.entries(w) {
			row, k, v := turned(opA, e, values[e.at])
			for j := range to.cols {
				out[to.place(row, j)] += factor * v * from.at(in, opB, k, j)
			}
		}
		if b := keep(w); b != 0 {
			for i, v := range to.read(w) {
				out[i] += b * v
			}
		}
		to.write(w, out)
	}, slices.Concat(m.owners(), owners, more, []cuda.Owner{from.values.Owner(), to.values.Owner()})...)
}

// dense returns A, B and C of a product of dense matrices whose places C has.
func dense(opA, opB cusparse.Operation, a, b *cusparse.DenseMatrix, c *cusparse.SparseMatrix, kind cusparse.DataType) (left, right matrix, to sparse, err error) {
	if !isOperation(opA) || !isOperation(opB) {
		return left, right, to, cusparse.StatusInvalidValue
	}
	if left, err = stateOf[matrix](a.State()); err != nil {
		return left, right, to, err
	}
	if to, right, err = both(c, b); err != nil {
		return left, right, to, err
	}
	if to.format != cusparse.FormatCsr || opA == cusparse.OperationConjugateTranspose || opB == cusparse.OperationConjugateTranspose {
		return left, right, to, notSimulated("SDDMM of another format than CSR, or of conjugates")
	}
	return left, right, to, same(left.kind, to.kind, kind)
}

func sddmmSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, opA, opB cusparse.Operation, _ S, a, b *cusparse.DenseMatrix, _ S, c *cusparse.SparseMatrix, kind cusparse.DataType, _ cusparse.SDDMMAlg) (uint64, error) {
	_, _, _, err := dense(opA, opB, a, b, c, kind)
	return sized(err)
}

func sddmmPreprocess[S scalar](_ *cusparse.Handle, _ *cuda.Stream, opA, opB cusparse.Operation, _ S, a, b *cusparse.DenseMatrix, _ S, c *cusparse.SparseMatrix, kind cusparse.DataType, _ cusparse.SDDMMAlg, _ cuda.Slice[uint8]) error {
	_, _, _, err := dense(opA, opB, a, b, c, kind)
	return err
}

func sddmm[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, alpha S, a, b *cusparse.DenseMatrix, beta S, c *cusparse.SparseMatrix, kind cusparse.DataType, _ cusparse.SDDMMAlg, _ cuda.Slice[uint8]) error {
	left, right, to, err := dense(opA, opB, a, b, c, kind)
	if err != nil {
		return err
	}
	inner := left.cols
	if opA != cusparse.OperationNonTranspose {
		inner = left.rows
	}
	scale, owners := number(alpha, kind)
	keep, more := number(beta, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		x, y, factor := left.read(w), right.read(w), scale(w)
		out := to.kept(w, keep(w))
		for _, e := range to.entries(w) {
			for k := range inner {
				out[e.at] += factor * left.at(x, opA, e.row, k) * right.at(y, opB, k, e.col)
			}
		}
		to.writeValues(w, out)
	}, slices.Concat(to.owners(), owners, more, []cuda.Owner{left.values.Owner(), right.values.Owner()})...)
}
