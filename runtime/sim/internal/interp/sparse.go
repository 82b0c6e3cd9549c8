package interp

import (
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: mma.sp.
func sparseForms() []bytecode.Form {
	const mma = "mma.sp|sp::ordered_metadata.sync.aligned."
	return []bytecode.Form{
		{Pattern: mma + "m16n8k16|m16n8k32.row.col.f16.f16.f16.f16", Assemble: assembleSparse},
		{Pattern: mma + "m16n8k16|m16n8k32.row.col.f32.f16.f16.f32", Assemble: assembleSparse},
		{Pattern: mma + "m16n8k16|m16n8k32.row.col.f32.bf16.bf16.f32", Assemble: assembleSparse},
		{Pattern: mma + "m16n8k8|m16n8k16.row.col.f32.tf32.tf32.f32", Assemble: assembleSparse},
		{Pattern: mma + "m16n8k64.row.col.f32.e4m3|e5m2.e4m3|e5m2.f32", Assemble: assembleSparse},
		{Pattern: mma + "m16n8k32|m16n8k64.row.col.satfinite?.s32.u8|s8.u8|s8.s32", Assemble: assembleSparse},
		{Pattern: mma + "m16n8k64|m16n8k128.row.col.satfinite?.s32.u4|s4.u4|s4.s32", Assemble: assembleSparse},
	}
}

// A sparsity is the metadata of a compressed matrix, and the register that has it.
type sparsity struct {
	matrix.Metadata
	meta int32
}

// columnsOf returns for each row the columns of its elements.
func (s *sparsity) columnsOf(b *block, w *warp, pc int32) (rows [matrix.SparseRows][]int, fault *Failure) {
	for row := range rows {
		for group := range s.Columns / s.Group() {
			lane, shift := s.At(row, group)
			var wrong string
			if rows[row], wrong = s.Place(rows[row], group, w.regs[s.meta][lane]>>shift&(1<<matrix.GroupBits-1)); wrong != "" {
				return rows, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the metadata of the sparse matrix is wrong in bits %d to %d: %s", shift, shift+matrix.GroupBits-1, wrong)
			}
		}
	}
	return rows, nil
}

// eachRow calls compute for each row of a product of a compressed matrix a and the whole b: with the
// elements of a, and the rows of b that they meet.
func (p *matrixProduct) eachRow(rows [matrix.SparseRows][]int, a, b, c, d []uint64, compute func(row *matrixProduct, a, b, c, d []uint64)) {
	one := *p
	one.M = 1
	met := make([]uint64, p.K*p.N)
	for i, columns := range rows {
		for j, column := range columns {
			copy(met[j*p.N:(j+1)*p.N], b[column*p.N:])
		}
		compute(&one, a[i*p.K:(i+1)*p.K], met, c[i*p.N:(i+1)*p.N], d[i*p.N:(i+1)*p.N])
	}
}

// A sparseProduct is mma.sp d, a, b, c, metadata, selector. Its shape is that of the compressed a.
type sparseProduct struct {
	matrixProduct
	sparsity sparsity
}

func (p *sparseProduct) Registers() []*int32 {
	return append(p.matrixProduct.Registers(), &p.sparsity.meta)
}

func assembleSparse(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	types, whole := ElementTypes(in), ShapeOf(in)
	s := whole
	s.K /= 2
	p := &sparseProduct{matrixProduct: matrixProduct{Product: matrix.Product{
		Shape: s, Result: types[0], Saturate: bytecode.Has(in, "satfinite"),
		TypeA: matrix.Numerics[types[1]], TypeB: matrix.Numerics[types[2]], TypeC: matrix.Numerics[types[3]],
	}}}
	p.a, p.b = matrix.FragmentOf('a', s, p.TypeA.Bits), matrix.FragmentOf('b', whole, p.TypeB.Bits)
	p.c, p.d = matrix.FragmentOf('c', s, p.TypeC.Bits), matrix.FragmentOf('c', s, matrix.Numerics[types[0]].Bits)
	if d.Operands(in, 6) {
		p.regD = d.VectorOf(in, in.Args[0], p.d.Registers(), d.Dst, matrixRegister(types[0]))
		p.regA = d.VectorOf(in, in.Args[1], p.a.Registers(), d.Src, "b32")
		p.regB = d.VectorOf(in, in.Args[2], p.b.Registers(), d.Src, "b32")
		p.regC = d.VectorOf(in, in.Args[3], p.c.Registers(), d.Src, matrixRegister(types[3]))
		p.sparsity = decodeSparsity(d, in, in.Args[4], in.Args[5], p.TypeA.Bits, whole.K, bytecode.Has(in, "sp::ordered_metadata"))
	}
	return bytecode.Performs(p)
}

// decodeSparsity decodes metadata and a selector.
func decodeSparsity(d *bytecode.Decoder, in *ptx.Instr, meta, selector ptx.Operand, bits, columns int, ordered bool) sparsity {
	s := sparsity{Metadata: matrix.Metadata{Bits: bits, Columns: columns, Ordered: ordered}, meta: d.Src(meta, "b32")}
	n, ok := selector.(ptx.Imm)
	if choices := uint64(s.Choices()); !ok || n.Value >= choices {
		d.Invalid("%s: the selector of the metadata is not a constant from 0 to %d", in.Text, choices-1)
		return s
	}
	s.Selector = int(n.Value)
	return s
}

func (p *sparseProduct) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	rows, fault := p.sparsity.columnsOf(b, w, pc)
	if fault != nil {
		return fault
	}
	p.each(w, e, rows, (*matrixProduct).Compute)
	return nil
}

// each has compute make each row from the registers of w.
func (p *sparseProduct) each(w *warp, e uint32, rows [matrix.SparseRows][]int, compute func(row *matrixProduct, a, b, c, d []uint64)) {
	a, b, c, d := make([]uint64, p.M*p.K), make([]uint64, 2*p.K*p.N), make([]uint64, p.M*p.N), make([]uint64, p.M*p.N)
	gatherMatrix(p.a, w, p.regA, a)
	gatherMatrix(p.b, w, p.regB, b)
	gatherMatrix(p.c, w, p.regC, c)
	p.eachRow(rows, a, b, c, d, compute)
	scatterMatrix(p.d, w, p.regD, d, e)
}

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
