package simulated

import (
	"encoding/binary"
	"slices"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// both returns a sparse and a dense matrix of one type.
func both(a *cusparse.SparseMatrix, b *cusparse.DenseMatrix) (m sparse, d matrix, err error) {
	if m, err = stateOf[sparse](a.State()); err != nil {
		return m, d, err
	}
	if d, err = stateOf[matrix](b.State()); err != nil {
		return m, d, err
	}
	return m, d, same(m.kind, d.kind)
}

func sparseToDenseSize(_ *cusparse.Handle, _ *cuda.Stream, a *cusparse.SparseMatrix, b *cusparse.DenseMatrix, _ cusparse.SparseToDenseAlg) (uint64, error) {
	_, _, err := both(a, b)
	return sized(err)
}

func sparseToDense(_ *cusparse.Handle, s *cuda.Stream, a *cusparse.SparseMatrix, b *cusparse.DenseMatrix, _ cusparse.SparseToDenseAlg, _ cuda.Slice[uint8]) error {
	m, d, err := both(a, b)
	if err != nil {
		return err
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		values, out := m.readValues(w), make([]complex128, d.part().Span())
		for _, e := range m.entries(w) {
			out[d.place(e.row, e.col)] = values[e.at]
		}
		d.write(w, out)
	}, append(m.owners(), d.values.Owner())...)
}

func denseToSparseSize(_ *cusparse.Handle, _ *cuda.Stream, a *cusparse.DenseMatrix, b *cusparse.SparseMatrix, _ cusparse.DenseToSparseAlg) (uint64, error) {
	_, _, err := both(b, a)
	return sized(err)
}

// nonzero returns the places of a dense matrix that are not 0, in the order of m.
func nonzero(m *sparse, d *matrix, values []complex128) (list []entry) {
	for i := range m.lines() {
		others := m.cols
		if m.format == cusparse.FormatCsc {
			others = m.rows
		}
		for j := range others {
			row, col := i, j
			if m.format == cusparse.FormatCsc {
				row, col = j, i
			}
			if at := d.place(row, col); values[at] != 0 {
				list = append(list, entry{row, col, at})
			}
		}
	}
	return list
}

// denseToSparseAnalysis counts, and waits: the matrix has as many values from then on. It writes the offsets.
func denseToSparseAnalysis(_ *cusparse.Handle, s *cuda.Stream, a *cusparse.DenseMatrix, b *cusparse.SparseMatrix, _ cusparse.DenseToSparseAlg, _ cuda.Slice[uint8]) error {
	m, d, err := both(b, a)
	if err != nil {
		return err
	}
	err = hostwork.Run(s, func(w *hostwork.Work) {
		list := nonzero(&m, &d, d.read(w))
		m.nnz = len(list)
		if m.format != cusparse.FormatCoo {
			writeIndices(w, m.first, m.firstType, m.offsets(list), m.base)
		}
	}, d.values.Owner(), m.first.Owner())
	if err == nil {
		b.SetState(&m)
	}
	return err
}

// offsets returns where the values of each row or column begin, and where the last ones end.
func (m *sparse) offsets(list []entry) []int {
	offsets := make([]int, m.lines()+1)
	for _, e := range list {
		line := e.row
		if m.format == cusparse.FormatCsc {
			line = e.col
		}
		offsets[line+1]++
	}
	for i := range m.lines() {
		offsets[i+1] += offsets[i]
	}
	return offsets
}

func denseToSparse(_ *cusparse.Handle, s *cuda.Stream, a *cusparse.DenseMatrix, b *cusparse.SparseMatrix, _ cusparse.DenseToSparseAlg, _ cuda.Slice[uint8]) error {
	m, d, err := both(b, a)
	if err != nil {
		return err
	}
	return hostwork.Queue(s, func(w *hostwork.Work) {
		values := d.read(w)
		list := nonzero(&m, &d, values)
		list = list[:min(len(list), m.nnz)]
		var picked []complex128
		var firsts, seconds []int
		for _, e := range list {
			picked = append(picked, values[e.at])
			first, second := e.row, e.col
			if m.format == cusparse.FormatCsc {
				first, second = second, first
			}
			firsts, seconds = append(firsts, first), append(seconds, second)
		}
		if m.format == cusparse.FormatCoo {
			writeIndices(w, m.first, m.firstType, firsts, m.base)
		}
		writeIndices(w, m.second, m.secondType, seconds, m.base)
		write(w, m.values, m.kind, hostwork.Vector(len(picked), 1), picked)
	}, append(m.owners(), d.values.Owner())...)
}

func csr2cscSize(_ *cusparse.Handle, _ *cuda.Stream, m, n, nnz int32, _ cuda.Slice[uint8], _, _ cuda.Slice[int32], _ cuda.Slice[uint8], _, _ cuda.Slice[int32], kind cusparse.DataType, copyValues cusparse.Action, base cusparse.IndexBase, alg cusparse.Csr2CscAlg) (uint64, error) {
	switch {
	case !known(kind):
		return 0, notSimulated("Csr2cscEx2 of other numbers")
	case m < 0 || n < 0 || nnz < 0 || copyValues > cusparse.ActionNumeric || base > cusparse.IndexBaseOne || alg != cusparse.CSR2CSCAlg1:
		return 0, cusparse.StatusInvalidValue
	}
	return workspace, nil
}

func csr2csc(h *cusparse.Handle, s *cuda.Stream, m, n, nnz int32, values cuda.Slice[uint8], offsets, columns cuda.Slice[int32], toValues cuda.Slice[uint8], toOffsets, toRows cuda.Slice[int32], kind cusparse.DataType, copyValues cusparse.Action, base cusparse.IndexBase, alg cusparse.Csr2CscAlg, _ cuda.Slice[uint8]) error {
	if _, err := csr2cscSize(h, s, m, n, nnz, values, offsets, columns, toValues, toOffsets, toRows, kind, copyValues, base, alg); err != nil || m == 0 || n == 0 {
		return err
	}
	shape := sparse{rows: int(m), cols: int(n), nnz: int(nnz), firstType: cusparse.Index32I, secondType: cusparse.Index32I, base: base, kind: kind}
	from, to := shape, shape
	from.format, from.first, from.second, from.values = cusparse.FormatCsr, bytesOf(offsets), bytesOf(columns), values
	to.format, to.first, to.second, to.values = cusparse.FormatCsc, bytesOf(toOffsets), bytesOf(toRows), toValues
	return hostwork.Queue(s, func(w *hostwork.Work) {
		list := from.entries(w)
		slices.SortStableFunc(list, func(a, b entry) int { return a.col - b.col })
		rows := make([]int, len(list))
		for i, e := range list {
			rows[i] = e.row
		}
		writeIndices(w, to.first, to.firstType, to.offsets(list), base)
		writeIndices(w, to.second, to.secondType, rows, base)
		if copyValues == cusparse.ActionNumeric {
			given, out := from.readValues(w), make([]complex128, nnz)
			for i, e := range list {
				out[i] = given[e.at]
			}
			to.writeValues(w, out)
		}
	}, append(from.owners(), to.owners()...)...)
}

func coo2csr(_ *cusparse.Handle, s *cuda.Stream, rows cuda.Slice[int32], nnz, m int32, offsets cuda.Slice[int32], base cusparse.IndexBase) error {
	return hostwork.Queue(s, func(w *hostwork.Work) {
		list := hostwork.Read(w, rows, hostwork.Vector(int(nnz), 1))
		out := make([]int32, m+1)
		for i := range out {
			at, _ := slices.BinarySearch(list, int32(i)+int32(base))
			out[i] = int32(at) + int32(base)
		}
		hostwork.Write(w, offsets, hostwork.Vector(len(out), 1), out)
	}, rows.Owner(), offsets.Owner())
}

func csr2coo(_ *cusparse.Handle, s *cuda.Stream, offsets cuda.Slice[int32], nnz, m int32, rows cuda.Slice[int32], base cusparse.IndexBase) error {
	return hostwork.Queue(s, func(w *hostwork.Work) {
		list := hostwork.Read(w, offsets, hostwork.Vector(int(m)+1, 1))
		out := make([]int32, nnz)
		for i := range int(m) {
			for at := list[i]; at < list[i+1]; at++ {
				out[at-int32(base)] = int32(i) + int32(base)
			}
		}
		hostwork.Write(w, rows, hostwork.Vector(len(out), 1), out)
	}, rows.Owner(), offsets.Owner())
}

// setValues and the functions for pointers have a matrix use other memory.
func setValues(h *cusparse.SparseMatrix, values cuda.Slice[uint8]) error {
	m, err := stateOf[sparse](h.State())
	if err != nil {
		return err
	}
	m.values = values
	h.SetState(&m)
	return nil
}

func setPointers(format cusparse.Format) func(h *cusparse.SparseMatrix, first, second, values cuda.Slice[uint8]) error {
	return func(h *cusparse.SparseMatrix, first, second, values cuda.Slice[uint8]) error {
		m, err := stateOf[sparse](h.State())
		switch {
		case err != nil:
			return err
		case m.format != format:
			return cusparse.StatusInvalidValue
		}
		m.first, m.second, m.values = first, second, values
		h.SetState(&m)
		return nil
	}
}

// setAttribute says which triangle of a matrix counts, and whether its diagonal is 1.
func setAttribute(h *cusparse.SparseMatrix, attribute cusparse.SpMatAttribute, data []uint8, size uint64) error {
	m, err := stateOf[sparse](h.State())
	switch {
	case err != nil:
		return err
	case size != 4 || len(data) < 4:
		return cusparse.StatusInvalidValue
	}
	v := binary.NativeEndian.Uint32(data)
	switch attribute {
	case cusparse.SpmatFillMode:
		m.upper = cusparse.FillMode(v) == cusparse.FillModeUpper
	case cusparse.SpmatDiagType:
		m.unit = cusparse.DiagType(v) == cusparse.DiagTypeUnit
	default:
		return cusparse.StatusInvalidValue
	}
	h.SetState(&m)
	return nil
}
