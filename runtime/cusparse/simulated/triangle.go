package simulated

import (
	"errors"
	"math/cmplx"
	"slices"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// A triangle is what an SpSVState and an SpSMState are. cuSPARSE may use the values that the matrix had in the analysis, or those of its memory, so
// that both must be the same unless an update has brought others.
type triangle struct {
	matrix  sparse
	values  atomic.Pointer[[]complex128] // of the analysis, when the stream has run it, or of the last update
	updated atomic.Bool
}

var (
	errChanged = errors.New("cusparse: values of the matrix have changed since the analysis, which only UpdateMatrix tells cuSPARSE")
	errEarly   = errors.New("cusparse: the stream has not run the analysis")
)

// known returns the values of the analysis, or of the last update.
func (t *triangle) known() []complex128 {
	values := t.values.Load()
	if values == nil {
		panic(errEarly)
	}
	return *values
}

// analyze makes the state of an object, and queues what it finds.
func analyze(s *cuda.Stream, m sparse, set func(state any)) error {
	t := &triangle{matrix: m}
	set(t)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		values := m.readValues(w)
		m.entries(w)
		t.values.Store(&values)
		t.updated.Store(false)
	}, m.owners()...)
}

// update replaces all values, or those of the diagonal.
func (t *triangle) update(s *cuda.Stream, from cuda.Slice[uint8], diagonal bool) error {
	m := t.matrix
	return hostwork.Queue(s, func(w *hostwork.Work) {
		n := m.nnz
		if diagonal {
			n = m.rows
		}
		values := read(w, from, m.kind, hostwork.Vector(n, 1))
		if diagonal {
			list := slices.Clone(t.known())
			for _, e := range m.entries(w) {
				if e.row == e.col {
					list[e.at] = values[e.row]
				}
			}
			values = list
		}
		t.values.Store(&values)
		t.updated.Store(true)
	}, append(m.owners(), from.Owner())...)
}

// rows returns those of one triangle of op(A), and whether it is the upper one.
func (t *triangle) rows(w *hostwork.Work, m *sparse, op cusparse.Operation) (rows [][]entry, values []complex128, upper bool) {
	stored := t.known()
	if !t.updated.Load() && !slices.EqualFunc(stored, m.readValues(w), func(a, b complex128) bool { return a == b || cmplx.IsNaN(a) && cmplx.IsNaN(b) }) {
		panic(errChanged)
	}
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

// analyzed returns the state of an object that an analysis for m has made.
func analyzed(state any, m *sparse) (*triangle, error) {
	t, ok := state.(*triangle)
	if !ok || t.matrix.nnz != m.nnz || t.matrix.rows != m.rows {
		return nil, notSimulated("a solution without an analysis of the matrix")
	}
	return t, nil
}

// byRows refuses formats of which NVIDIA does not say that they can be solved.
func byRows(m *sparse, err error) error {
	if err == nil && m.format == cusparse.FormatCsc {
		return notSimulated("triangles by columns")
	}
	return err
}

func system(op cusparse.Operation, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType) (m sparse, from, to vector, err error) {
	m, from, to, err = operands(op, a, x, y, kind)
	return m, from, to, byRows(&m, err)
}

func spsvSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, op cusparse.Operation, _ S, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpSVAlg, _ *cusparse.SpSVState) (uint64, error) {
	_, _, _, err := system(op, a, x, y, kind)
	return sized(err)
}

func spsvAnalysis[S scalar](_ *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, _ S, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpSVAlg, state *cusparse.SpSVState, _ cuda.Slice[uint8]) error {
	m, _, _, err := system(op, a, x, y, kind)
	if err != nil {
		return err
	}
	return analyze(s, m, state.SetState)
}

func spsv[S scalar](_ *cusparse.Handle, s *cuda.Stream, op cusparse.Operation, alpha S, a *cusparse.SparseMatrix, x, y *cusparse.DenseVector, kind cusparse.DataType, _ cusparse.SpSVAlg, state *cusparse.SpSVState) error {
	m, from, to, err := system(op, a, x, y, kind)
	if err != nil {
		return err
	}
	t, err := analyzed(state.State(), &m)
	if err != nil {
		return err
	}
	scale, owners := number(alpha, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		rows, values, upper := t.rows(w, &m, op)
		out, factor := from.read(w), scale(w)
		for i := range out {
			out[i] *= factor
		}
		solved(rows, values, upper, m.unit, out)
		to.write(w, out)
	}, slices.Concat(m.owners(), owners, []cuda.Owner{from.values.Owner(), to.values.Owner()})...)
}

func spsvUpdate(_ *cusparse.Handle, s *cuda.Stream, state *cusparse.SpSVState, values cuda.Slice[uint8], part cusparse.SpSVUpdate) error {
	return updated(s, state.State(), values, uint32(part))
}

// updated updates the state of an object: all values if part is 0, those of the diagonal if it is 1.
func updated(s *cuda.Stream, state any, values cuda.Slice[uint8], part uint32) error {
	if part > 1 {
		return cusparse.StatusInvalidValue
	}
	t, ok := state.(*triangle)
	if !ok {
		return notSimulated("an update without an analysis")
	}
	return t.update(s, values, part == 1)
}

// systems returns A, B and C of op(A) C = alpha op(B).
func systems(opA, opB cusparse.Operation, a *cusparse.SparseMatrix, b, c *cusparse.DenseMatrix, kind cusparse.DataType) (m sparse, from, to matrix, err error) {
	m, from, to, err = factors(opA, opB, a, b, c, kind)
	if err == nil && opB == cusparse.OperationConjugateTranspose {
		err = notSimulated("systems with the conjugate of a matrix")
	}
	return m, from, to, byRows(&m, err)
}

func spsmSize[S scalar](_ *cusparse.Handle, _ *cuda.Stream, opA, opB cusparse.Operation, _ S, a *cusparse.SparseMatrix, b, c *cusparse.DenseMatrix, kind cusparse.DataType, _ cusparse.SpSMAlg, _ *cusparse.SpSMState) (uint64, error) {
	_, _, _, err := systems(opA, opB, a, b, c, kind)
	return sized(err)
}

func spsmAnalysis[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, _ S, a *cusparse.SparseMatrix, b, c *cusparse.DenseMatrix, kind cusparse.DataType, _ cusparse.SpSMAlg, state *cusparse.SpSMState, _ cuda.Slice[uint8]) error {
	m, _, _, err := systems(opA, opB, a, b, c, kind)
	if err != nil {
		return err
	}
	return analyze(s, m, state.SetState)
}

func spsm[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, alpha S, a *cusparse.SparseMatrix, b, c *cusparse.DenseMatrix, kind cusparse.DataType, _ cusparse.SpSMAlg, state *cusparse.SpSMState) error {
	m, from, to, err := systems(opA, opB, a, b, c, kind)
	if err != nil {
		return err
	}
	t, err := analyzed(state.State(), &m)
	if err != nil {
		return err
	}
	scale, owners := number(alpha, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		rows, values, upper := t.rows(w, &m, opA)
		in, factor := from.read(w), scale(w)
		out, x := make([]complex128, to.part().Span()), make([]complex128, m.rows)
		for j := range to.cols {
			for i := range x {
				x[i] = factor * from.at(in, opB, i, j)
			}
			solved(rows, values, upper, m.unit, x)
			for i, v := range x {
				out[to.place(i, j)] = v
			}
		}
		to.write(w, out)
	}, slices.Concat(m.owners(), owners, []cuda.Owner{from.values.Owner(), to.values.Owner()})...)
}

func spsmUpdate(_ *cusparse.Handle, s *cuda.Stream, state *cusparse.SpSMState, values cuda.Slice[uint8], part cusparse.SpSMUpdate) error {
	return updated(s, state.State(), values, uint32(part))
}
