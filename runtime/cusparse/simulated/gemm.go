package simulated

import (
	"cmp"
	"slices"

	"github.com/cudagen/cudagen/runtime/clib/hostwork"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusparse"
)

// A term is the product of two values, and the value that it is added to, by their numbers.
type term struct{ left, right, to int }

// A gemm is what an SpGEMMState is: a product of sparse matrices, as far as it was calculated.
type gemm struct {
	places []entry // by rows, and in each by columns
	terms  []term
	values []complex128 // alpha A B, of SpGEMM
	done   gemmPhase
}

type gemmPhase int

const (
	begun gemmPhase = iota
	estimated
	counted // the places are known
	copied
)

// multiplied returns the places and the terms of A B.
func multiplied(w *hostwork.Work, a, b *sparse) (places []entry, terms []term) {
	rows := make([][]entry, b.rows)
	for _, e := range b.entries(w) {
		rows[e.row] = append(rows[e.row], e)
	}
	at := make(map[[2]int]int)
	for _, e := range a.entries(w) {
		for _, f := range rows[e.col] {
			place := [2]int{e.row, f.col}
			to, ok := at[place]
			if !ok {
				to = len(places)
				at[place] = to
				places = append(places, entry{e.row, f.col, to})
			}
			terms = append(terms, term{e.at, f.at, to})
		}
	}
	slices.SortFunc(places, func(a, b entry) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) })
	number := make([]int, len(places))
	for i := range places {
		number[places[i].at], places[i].at = i, i
	}
	for i := range terms {
		terms[i].to = number[terms[i].to]
	}
	return places, terms
}

// add adds factor A B to values.
func (g *gemm) add(w *hostwork.Work, a, b *sparse, factor complex128, values []complex128) {
	left, right := a.readValues(w), b.readValues(w)
	for _, t := range g.terms {
		values[t.to] += factor * left[t.left] * right[t.right]
	}
}

// triple returns A, B and C of a product, and how far it is.
func triple(opA, opB cusparse.Operation, a, b, c *cusparse.SparseMatrix, state *cusparse.SpGEMMState) (left, right, to sparse, g gemm, err error) {
	if opA != cusparse.OperationNonTranspose || opB != cusparse.OperationNonTranspose {
		return left, right, to, g, notSimulated("products of transposed sparse matrices")
	}
	for _, one := range []struct {
		m  *sparse
		of *cusparse.SparseMatrix
	}{{&left, a}, {&right, b}, {&to, c}} {
		if *one.m, err = stateOf[sparse](one.of.State()); err != nil {
			return left, right, to, g, err
		}
		if m := one.m; m.format != cusparse.FormatCsr || m.base != cusparse.IndexBaseZero || m.firstType != cusparse.Index32I || m.secondType != cusparse.Index32I {
			return left, right, to, g, notSimulated("products of sparse matrices that are not CSR with indices of 32 bits from 0 on")
		}
	}
	if g, err = stateOf[gemm](state.State()); err != nil {
		return left, right, to, g, err
	}
	return left, right, to, g, same(left.kind, right.kind, to.kind)
}

func gemmEstimate[S scalar](h *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, _ S, a, b *cusparse.SparseMatrix, _ S, c *cusparse.SparseMatrix, _ cusparse.DataType, alg cusparse.SpGEMMAlg, state *cusparse.SpGEMMState, size *uint64, buffer cuda.Slice[uint8]) error {
	return estimate(h, s, opA, opB, a, b, c, alg, state, size, buffer)
}

// estimate counts the products, and waits.
func estimate(_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, a, b, c *cusparse.SparseMatrix, _ cusparse.SpGEMMAlg, state *cusparse.SpGEMMState, size *uint64, buffer cuda.Slice[uint8]) error {
	left, right, _, g, err := triple(opA, opB, a, b, c, state)
	if err != nil {
		return err
	}
	if buffer.IsZero() {
		*size = workspace
		return nil
	}
	err = hostwork.Run(s, func(w *hostwork.Work) { g.places, g.terms = multiplied(w, &left, &right) }, append(left.owners(), right.owners()...)...)
	if err == nil {
		g.done = estimated
		state.SetState(&g)
	}
	return err
}

// gemmCompute multiplies, and waits: C has as many values from then on.
func gemmCompute[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, alpha S, a, b *cusparse.SparseMatrix, _ S, c *cusparse.SparseMatrix, kind cusparse.DataType, _ cusparse.SpGEMMAlg, state *cusparse.SpGEMMState, size *uint64, buffer cuda.Slice[uint8]) error {
	left, right, to, g, err := triple(opA, opB, a, b, c, state)
	switch {
	case err != nil:
		return err
	case g.done != estimated && g.done != counted:
		return notSimulated("SpGEMMCompute before SpGEMMWorkEstimation")
	case left.kind != kind:
		return same(left.kind, kind)
	case buffer.IsZero():
		*size = workspace
		return nil
	}
	scale, owners := number(alpha, kind)
	err = hostwork.Run(s, func(w *hostwork.Work) {
		g.values = make([]complex128, len(g.places))
		g.add(w, &left, &right, scale(w), g.values)
	}, slices.Concat(left.owners(), right.owners(), owners)...)
	if err == nil {
		finish(&g, &to, state, c)
	}
	return err
}

// finish notes how many values C has.
func finish(g *gemm, to *sparse, state *cusparse.SpGEMMState, c *cusparse.SparseMatrix) {
	to.nnz, g.done = len(g.places), counted
	state.SetState(g)
	c.SetState(to)
}

// write writes the places of a product. cuSPARSE leaves the offsets of one without values as they are.
func (g *gemm) write(w *hostwork.Work, to *sparse) {
	if len(g.places) == 0 {
		return
	}
	columns := make([]int, len(g.places))
	for i, e := range g.places {
		columns[i] = e.col
	}
	writeIndices(w, to.first, to.firstType, to.offsets(g.places), to.base)
	writeIndices(w, to.second, to.secondType, columns, to.base)
}

func gemmCopy[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, _ S, a, b *cusparse.SparseMatrix, beta S, c *cusparse.SparseMatrix, kind cusparse.DataType, _ cusparse.SpGEMMAlg, state *cusparse.SpGEMMState) error {
	_, _, to, g, err := triple(opA, opB, a, b, c, state)
	switch {
	case err != nil:
		return err
	case g.done != counted || to.nnz != len(g.places) || g.values == nil:
		return notSimulated("SpGEMMCopy before SpGEMMCompute")
	case to.kind != kind:
		return same(to.kind, kind)
	}
	keep, owners := number(beta, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		out := to.kept(w, keep(w))
		for i, v := range g.values {
			out[i] += v
		}
		g.write(w, &to)
		to.writeValues(w, out)
	}, append(to.owners(), owners...)...)
}

// reuseCount finds the places of a product. C has as many values from then on.
func reuseCount(_ *cusparse.Handle, _ *cuda.Stream, opA, opB cusparse.Operation, a, b, c *cusparse.SparseMatrix, _ cusparse.SpGEMMAlg, state *cusparse.SpGEMMState, size2 *uint64, buffer2 cuda.Slice[uint8], size3 *uint64, buffer3 cuda.Slice[uint8], size4 *uint64, buffer4 cuda.Slice[uint8]) error {
	_, _, to, g, err := triple(opA, opB, a, b, c, state)
	switch {
	case err != nil:
		return err
	case g.done == begun:
		return notSimulated("SpGEMMreuseNnz before SpGEMMreuseWorkEstimation")
	case buffer2.IsZero() && buffer3.IsZero() && buffer4.IsZero():
		*size2, *size3, *size4 = workspace, workspace, workspace
		return nil
	case buffer2.IsZero() || buffer3.IsZero() || buffer4.IsZero():
		return notSimulated("SpGEMMreuseNnz with some buffers only")
	}
	finish(&g, &to, state, c)
	return nil
}

func reuseCopy(_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, a, b, c *cusparse.SparseMatrix, _ cusparse.SpGEMMAlg, state *cusparse.SpGEMMState, size *uint64, buffer cuda.Slice[uint8]) error {
	_, _, to, g, err := triple(opA, opB, a, b, c, state)
	switch {
	case err != nil:
		return err
	case g.done < counted || to.nnz != len(g.places):
		return notSimulated("SpGEMMreuseCopy before SpGEMMreuseNnz")
	case buffer.IsZero():
		*size = workspace
		return nil
	}
	g.done = copied
	state.SetState(&g)
	return hostwork.Queue(s, func(w *hostwork.Work) { g.write(w, &to) }, to.owners()...)
}

func reuseCompute[S scalar](_ *cusparse.Handle, s *cuda.Stream, opA, opB cusparse.Operation, alpha S, a, b *cusparse.SparseMatrix, beta S, c *cusparse.SparseMatrix, kind cusparse.DataType, _ cusparse.SpGEMMAlg, state *cusparse.SpGEMMState) error {
	left, right, to, g, err := triple(opA, opB, a, b, c, state)
	switch {
	case err != nil:
		return err
	case g.done != copied || to.nnz != len(g.places):
		return notSimulated("SpGEMMreuseCompute before SpGEMMreuseCopy")
	case to.kind != kind:
		return same(to.kind, kind)
	}
	scale, owners := number(alpha, kind)
	keep, more := number(beta, kind)
	return hostwork.Queue(s, func(w *hostwork.Work) {
		out := to.kept(w, keep(w))
		g.add(w, &left, &right, scale(w), out)
		to.writeValues(w, out)
	}, slices.Concat(left.owners(), right.owners(), to.owners(), owners, more)...)
}

func numProducts(h *cusparse.SpGEMMState) (int64, error) {
	g, err := stateOf[gemm](h.State())
	if err == nil && g.done == begun {
		err = notSimulated("SpGEMMGetNumProducts before SpGEMMWorkEstimation")
	}
	return int64(len(g.terms)), err
}
