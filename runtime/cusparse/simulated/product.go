package simulated

import (
	"fmt"
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
	return 0, err
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
	return 0, err
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
				var x complex128
				switch opB {
				case cusparse.OperationNonTranspose:
					x = in[from.place(k, j)]
				case cusparse.OperationTranspose:
					x = in[from.place(j, k)]
				default:
					x = conj(in[from.place(j, k)])
				}
				out[to.place(row, j)] += factor * v * x
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

// triangular returns the rows of one triangle of op(A), and whether it is the upper one.
func (m *sparse) triangular(w *hostwork.Work, op cusparse.Operation) (rows [][]entry, values []complex128, upper bool) {
	stored := m.readValues(w)
	upper = m.upper != (op != cusparse.OperationNonTranspose)
	rows = make([][]entry, m.rows)
	for _, e := range m.entries(w) {
		row, col, v := turned(op, e, stored[e.at])
		if row != col && (row < col) != upper {
			continue // of the other triangle
		}
		rows[row] = append(rows[row], entry{row, col, len(values)})
		values = append(values, v)
	}
	return rows, values, upper
}

// solved makes x of T x = f: T is what triangular returns.
func solved(rows [][]entry, values []complex128, upper, unit bool, x []complex128) {
	n := len(rows)
	for step := range n {
		i := step
		if upper {
			i = n - 1 - step
		}
		diagonal, sum := complex128(0), x[i]
		for _, e := range rows[i] {
			if e.col == i {
				diagonal += values[e.at]
			} else {
				sum -= values[e.at] * x[e.col]
			}
		}
		if unit {
			diagonal = 1
		}
		x[i] = sum / diagonal
	}
}

func spsvSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, op cusparse.Operation, _ S, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpSVAlg, _ *cusparse.SpSVState) (uint64, error) {
	_, _, _, err := operands(op, a, x, y, kind)
	return 0, err
}

func spsvAnalysis[S scalar](h *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, alpha S, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType, alg cusparse.SpSVAlg, state *cusparse.SpSVState, _ cuda.Slice[uint8]) error {
	_, err := spsvSize(h, s, op, alpha, a, x, y, kind, alg, state)
	if err == nil {
		state.SetState(true)
	}
	return err
}

func spsv[S scalar](_ *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, alpha S, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpSVAlg, state *cusparse.SpSVState) error {
	m, from, to, err := operands(op, a, x, y, kind)
	switch {
	case err != nil:
		return err
	case state.State() == nil:
		return fmt.Errorf("SpSVAnalysis was not called: %w", cusparse.StatusInvalidValue)
	}
	scale, owners := number(alpha, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		rows, values, upper := m.triangular(w, op)
		out := from.read(w)
		factor := scale(w)
		for i := range out {
			out[i] *= factor
		}
		solved(rows, values, upper, m.unit, out)
		to.write(w, out)
	}, slices.Concat(m.owners(), owners, []cuda.Owner{from.values.Owner(), to.values.Owner()})...)
}
