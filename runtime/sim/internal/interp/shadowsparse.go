package interp

import (
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// sparse follows mma.sp: an element depends on the elements of its row of a, on those of b that they meet, on a
// summand and on the metadata of the row.
func (s *shadow) sparse(w *warp, ws *warpShadow, p *sparseProduct, e uint32) {
	rows, fault := p.sparsity.columnsOf(s.b, w, 0)
	if fault != nil {
		return
	}
	shadowed := &warp{regs: append([]simd.Lanes(nil), ws.regs...)}
	vague, i := p.sparsity.vague(ws), 0
	p.each(shadowed, e, rows, func(row *matrixProduct, a, b, c, d []uint64) {
		row.spread(a, b, c, d)
		spoilRow(d, vague[i], p.d.Bits)
		i++
	})
	for _, r := range p.regD {
		s.set(ws, r, &shadowed.regs[r], e)
	}
}

// metadataOf returns the metadata that o takes, or nil.
func metadataOf(o bytecode.Operation) *sparsity {
	switch o := o.(type) {
	case *sparseProduct:
		return &o.sparsity
	case *warpgroupProduct:
		return o.sparsity
	}
	return nil
}

// undefined calls do with each row and lane whose metadata is undefined.
func (s *sparsity) undefined(ws *warpShadow, do func(row, lane int)) {
	if !ws.dirty.Has(s.meta) {
		return
	}
	for row := range matrix.SparseRows {
		for group := range s.Columns / s.Group() {
			if lane, shift := s.At(row, group); ws.regs[s.meta][lane]>>shift&(1<<matrix.GroupBits-1) != 0 {
				do(row, lane)
			}
		}
	}
}

// vague says of which rows the metadata is undefined.
func (s *sparsity) vague(ws *warpShadow) (rows [matrix.SparseRows]bool) {
	s.undefined(ws, func(row, _ int) { rows[row] = true })
	return rows
}

// undefinedIn returns the lanes whose metadata counts and is undefined.
func (s *sparsity) undefinedIn(ws *warpShadow) (set uint32) {
	s.undefined(ws, func(_, lane int) { set |= 1 << lane })
	return set
}

// spoilRow makes elements undefined, if yes.
func spoilRow(elements []uint64, yes bool, bits int) {
	for n := range elements {
		if yes {
			elements[n] = ^uint64(0) >> (64 - bits)
		}
	}
}
