package simulated

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// decoded returns a number of that type in the memory of the host.
func decoded(b []uint8, t cusparse.DataType) complex128 {
	single := func(at int) float64 { return float64(math.Float32frombits(binary.NativeEndian.Uint32(b[at:]))) }
	double := func(at int) float64 { return math.Float64frombits(binary.NativeEndian.Uint64(b[at:])) }
	switch t {
	case cusparse.R32F:
		return complex(single(0), 0)
	case cusparse.R64F:
		return complex(double(0), 0)
	case cusparse.C32F:
		return complex(single(0), single(4))
	}
	return complex(double(0), double(8))
}

// A sparse is what a SparseMatrix is on simulated devices. Row i or, by columns, column i has the values from first[i] on; by coordinates
// first has their rows.
type sparse struct {
	format        cusparse.Format
	rows, cols    int
	nnz           int
	first, second cuda.Slice[uint8]
	values        cuda.Slice[uint8]
	firstType     cusparse.IndexType
	secondType    cusparse.IndexType
	base          cusparse.IndexBase
	kind          cusparse.DataType
	upper, unit   bool
}

// A vector is what a DenseVector is, and a matrix a DenseMatrix.
type vector struct {
	size   int
	values cuda.Slice[uint8]
	kind   cusparse.DataType
}

type matrix struct {
	rows, cols, ld int
	values         cuda.Slice[uint8]
	kind           cusparse.DataType
	order          cusparse.Order
}

// A thin is what a SparseVector is.
type thin struct {
	size, nnz int
	indices   cuda.Slice[uint8]
	values    cuda.Slice[uint8]
	indexType cusparse.IndexType
	base      cusparse.IndexBase
	kind      cusparse.DataType
}

// stateOf returns a copy of what an object is: what changes it later does not change queued work.
func stateOf[T any](state any) (copied T, err error) {
	if p, ok := state.(*T); ok {
		return *p, nil
	}
	return copied, clib.ErrNotSimulated
}

func makeSparse(h *cusparse.SparseMatrix, s sparse) error {
	switch {
	case !known(s.kind) || s.firstType == cusparse.Index16U || s.secondType == cusparse.Index16U:
		return clib.ErrNotSimulated
	case s.rows < 0 || s.cols < 0 || s.nnz < 0 || s.base > cusparse.IndexBaseOne:
		return cusparse.StatusInvalidValue
	}
	h.SetState(&s)
	return nil
}

func newCsr(h *cusparse.SparseMatrix, _ *cuda.Device, rows, cols, nnz int64, offsets, columns, values cuda.Slice[uint8], offsetType, columnType cusparse.IndexType, base cusparse.IndexBase, kind cusparse.DataType) error {
	return makeSparse(h, sparse{cusparse.FormatCsr, int(rows), int(cols), int(nnz), offsets, columns, values, offsetType, columnType, base, kind, false, false})
}

func newCsc(h *cusparse.SparseMatrix, _ *cuda.Device, rows, cols, nnz int64, offsets, indices, values cuda.Slice[uint8], offsetType, indexType cusparse.IndexType, base cusparse.IndexBase, kind cusparse.DataType) error {
	return makeSparse(h, sparse{cusparse.FormatCsc, int(rows), int(cols), int(nnz), offsets, indices, values, offsetType, indexType, base, kind, false, false})
}

func newCoo(h *cusparse.SparseMatrix, _ *cuda.Device, rows, cols, nnz int64, indices, columns, values cuda.Slice[uint8], indexType cusparse.IndexType, base cusparse.IndexBase, kind cusparse.DataType) error {
	return makeSparse(h, sparse{cusparse.FormatCoo, int(rows), int(cols), int(nnz), indices, columns, values, indexType, indexType, base, kind, false, false})
}

func newVector(h *cusparse.DenseVector, _ *cuda.Device, size int64, values cuda.Slice[uint8], kind cusparse.DataType) error {
	if !known(kind) {
		return clib.ErrNotSimulated
	}
	h.SetState(&vector{int(size), values, kind})
	return nil
}

func newThin(h *cusparse.SparseVector, _ *cuda.Device, size, nnz int64, indices, values cuda.Slice[uint8], indexType cusparse.IndexType, base cusparse.IndexBase, kind cusparse.DataType) error {
	if !known(kind) || indexType == cusparse.Index16U {
		return clib.ErrNotSimulated
	}
	h.SetState(&thin{int(size), int(nnz), indices, values, indexType, base, kind})
	return nil
}

func newMatrix(h *cusparse.DenseMatrix, _ *cuda.Device, rows, cols, ld int64, values cuda.Slice[uint8], kind cusparse.DataType, order cusparse.Order) error {
	least := rows
	if order == cusparse.OrderRow {
		least = cols
	}
	switch {
	case !known(kind):
		return clib.ErrNotSimulated
	case ld < least:
		return cusparse.StatusInvalidValue
	}
	h.SetState(&matrix{int(rows), int(cols), int(ld), values, kind, order})
	return nil
}

// An entry is a value of a sparse matrix: the one with the number at.
type entry struct{ row, col, at int }

// entries returns the places of the values. An index that is beyond the matrix is an error of the host function.
func (m *sparse) entries(w *hostwork.Work) (list []entry) {
	columns := readIndices(w, m.second, m.secondType, m.nnz, m.base)
	add := func(first, second, at int) {
		e := entry{first, second, at}
		if m.format == cusparse.FormatCsc {
			e.row, e.col = second, first
		}
		if e.row < 0 || e.row >= m.rows || e.col < 0 || e.col >= m.cols {
			panic(fmt.Errorf("cusparse: value %d is at row %d and column %d of a matrix with %d rows and %d columns", at, e.row, e.col, m.rows, m.cols))
		}
		list = append(list, e)
	}
	if m.format == cusparse.FormatCoo {
		for i, row := range readIndices(w, m.first, m.firstType, m.nnz, m.base) {
			add(row, columns[i], i)
		}
		return list
	}
	n := m.lines()
	offsets := readIndices(w, m.first, m.firstType, n+1, m.base)
	for i := range n {
		for at := offsets[i]; at < offsets[i+1]; at++ {
			if at < 0 || at >= m.nnz {
				panic(fmt.Errorf("cusparse: row or column %d has a value with the number %d, and there are %d", i, at, m.nnz))
			}
			add(i, columns[at], at)
		}
	}
	return list
}

// lines returns how many rows or columns offsets are for.
func (m *sparse) lines() int {
	if m.format == cusparse.FormatCsc {
		return m.cols
	}
	return m.rows
}

func (m *sparse) readValues(w *hostwork.Work) []complex128 {
	return read(w, m.values, m.kind, hostwork.Vector(m.nnz, 1))
}

// kept returns beta times the values of m, which are not read if beta is 0.
func (m *sparse) kept(w *hostwork.Work, beta complex128) []complex128 {
	list := make([]complex128, m.nnz)
	if beta != 0 {
		for i, v := range m.readValues(w) {
			list[i] = beta * v
		}
	}
	return list
}

func (m *sparse) writeValues(w *hostwork.Work, values []complex128) {
	write(w, m.values, m.kind, hostwork.Vector(m.nnz, 1), values)
}

func (m *sparse) owners() []cuda.Owner {
	return []cuda.Owner{m.first.Owner(), m.second.Owner(), m.values.Owner()}
}

func (v *vector) read(w *hostwork.Work) []complex128 {
	return read(w, v.values, v.kind, hostwork.Vector(v.size, 1))
}

func (v *vector) write(w *hostwork.Work, values []complex128) {
	write(w, v.values, v.kind, hostwork.Vector(v.size, 1), values)
}

// part is the elements of m, and place where one of them is.
func (m *matrix) part() hostwork.Part {
	if m.order == cusparse.OrderRow {
		return hostwork.Matrix(m.cols, m.rows, m.ld)
	}
	return hostwork.Matrix(m.rows, m.cols, m.ld)
}

func (m *matrix) place(i, j int) int {
	if m.order == cusparse.OrderRow {
		return i*m.ld + j
	}
	return j*m.ld + i
}

// at returns an element of op(m), of the values that read has returned.
func (m *matrix) at(values []complex128, op cusparse.Operation, i, j int) complex128 {
	switch op {
	case cusparse.OperationNonTranspose:
		return values[m.place(i, j)]
	case cusparse.OperationTranspose:
		return values[m.place(j, i)]
	}
	return conj(values[m.place(j, i)])
}

func (m *matrix) read(w *hostwork.Work) []complex128 { return read(w, m.values, m.kind, m.part()) }

func (m *matrix) write(w *hostwork.Work, values []complex128) {
	write(w, m.values, m.kind, m.part(), values)
}
