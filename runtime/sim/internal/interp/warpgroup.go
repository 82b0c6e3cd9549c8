package interp

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: wgmma. A product is done when it is
// issued, so nothing waits for it.
func warpgroupForms() []bytecode.Form {
	const mma = "wgmma.mma_async.sync.aligned."
	const sparse = "wgmma.mma_async.sp.sync.aligned."
	return []bytecode.Form{
		{Pattern: "wgmma.fence.sync.aligned", Assemble: noOperands(bytecode.OpNothing)},
		{Pattern: "wgmma.commit_group.sync.aligned", Assemble: assembleWarpgroupCommit},
		{Pattern: "wgmma.wait_group.sync.aligned", Assemble: assembleWarpgroupWait},
		{Pattern: mma + warpgroupShapes("k16", false) + ".f16|f32.f16.f16", Assemble: assembleWarpgroupProduct},
		{Pattern: mma + warpgroupShapes("k16", false) + ".f32.bf16.bf16", Assemble: assembleWarpgroupProduct},
		{Pattern: mma + warpgroupShapes("k8", false) + ".f32.tf32.tf32", Assemble: assembleWarpgroupProduct},
		{Pattern: mma + warpgroupShapes("k32", false) + ".f16|f32.e4m3|e5m2.e4m3|e5m2", Assemble: assembleWarpgroupProduct},
		{Pattern: mma + warpgroupShapes("k32", true) + ".s32.u8|s8.u8|s8.satfinite?", Assemble: assembleWarpgroupProduct},
		{Pattern: mma + warpgroupShapes("k256", true) + ".s32.b1.b1.and.popc", Assemble: assembleWarpgroupProduct},
		{Pattern: sparse + warpgroupShapes("k32", false) + ".f16|f32.f16.f16", Assemble: assembleWarpgroupProduct},
		{Pattern: sparse + warpgroupShapes("k32", false) + ".f32.bf16.bf16", Assemble: assembleWarpgroupProduct},
		{Pattern: sparse + warpgroupShapes("k16", false) + ".f32.tf32.tf32", Assemble: assembleWarpgroupProduct},
		{Pattern: sparse + warpgroupShapes("k64", false) + ".f16|f32.e4m3|e5m2.e4m3|e5m2", Assemble: assembleWarpgroupProduct},
		{Pattern: sparse + warpgroupShapes("k64", true) + ".s32.u8|s8.u8|s8.satfinite?", Assemble: assembleWarpgroupProduct},
	}
}

// warpgroupShapes lists the shapes with k: from 8 to 256 columns, of integers only multiples of 16
// above 24.
func warpgroupShapes(k string, integers bool) string {
	var shapes []string
	for n := 8; n <= 256; n += 8 {
		if !integers || n <= 24 || n%16 == 0 {
			shapes = append(shapes, fmt.Sprintf("m64n%d%s", n, k))
		}
	}
	return strings.Join(shapes, "|")
}

func assembleWarpgroupCommit(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	d.Operands(in, 0)
	return bytecode.Performs(&warpgroupGroup{commit: true})
}

// assembleWarpgroupWait assembles a wait for all groups but the last so many.
func assembleWarpgroupWait(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	g := &warpgroupGroup{}
	if d.Operands(in, 1) {
		n, ok := in.Args[0].(ptx.Imm)
		if !ok || int64(n.Value) < 0 {
			d.Invalid("%s: the operand is not a constant from 0 on", in.Text)
		}
		g.last = n.Value
	}
	return bytecode.Performs(g)
}

// Parts of a warpgroup.
const (
	warpgroupWarps = 4
	warpRows       = 16 // of the 64 of the result, in each warp
)

// A warpgroupProduct is wgmma.mma_async{.sp} d, a, b{, metadata, selector}, scale-d{, scale-a, scale-b{, trans-a{,
// trans-b}}}. Each of the four warps computes the product of its 16 rows as mma does, with b, and a or its
// fragment of a, in shared memory. The shape is that of the compressed a, if a is sparse.
type warpgroupProduct struct {
	matrixProduct
	columns          int                // of a, and rows of b
	sparsity         *sparsity          // or nil
	matrixA, matrixB *sharedMatrix      // matrixA is nil where the fragment is in registers
	accumulates      bytecode.Predicate // scale-d: whether d is a summand
	negateA, negateB bool
}

func (p *warpgroupProduct) Registers() []*int32 {
	regs := append(p.matrixProduct.Registers(), &p.matrixB.at.In.A)
	if p.matrixA != nil {
		regs = append(regs, &p.matrixA.at.In.A)
	}
	if p.sparsity != nil {
		regs = append(regs, &p.sparsity.meta)
	}
	return regs
}

func assembleWarpgroupProduct(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	types, s := ElementTypes(in), ShapeOf(in)
	s.M = warpRows
	p := &warpgroupProduct{matrixB: &sharedMatrix{}, columns: s.K}
	sparse := 0 // operands
	if bytecode.Has(in, "sp") {
		sparse = 2
		s.K /= 2
	}
	p.Product = matrix.Product{
		Shape: s, Result: types[0], Saturate: bytecode.Has(in, "satfinite"),
		TypeA: matrix.Numerics[types[1]], TypeB: matrix.Numerics[types[2]], TypeC: matrix.Numerics[types[0]],
	}
	if types[1] == "b1" {
		p.Bitwise = func(a, b int64) int64 { return a & b }
	}
	p.a, p.c = matrix.FragmentOf('a', s, p.TypeA.Bits), matrix.FragmentOf('c', s, p.TypeC.Bits)
	p.d = p.c
	_, inRegisters := operandAt(in, 1).(ptx.Vector)
	scales, transposes := 2, 0
	switch {
	case p.TypeA.IsInteger():
		scales = 0
	case p.TypeA.Bits == 16 && inRegisters:
		transposes = 1
	case p.TypeA.Bits == 16:
		transposes = 2
	}
	if !d.Operands(in, 4+sparse+scales+transposes) {
		return bytecode.Performs(p)
	}
	p.regD = d.VectorOf(in, in.Args[0], p.d.Registers(), d.Dst, matrixRegister(types[0]))
	p.regC = p.regD
	for _, r := range p.regD {
		d.Read.Set(r)
	}
	if inRegisters {
		p.regA = d.VectorOf(in, in.Args[1], p.a.Registers(), d.Src, "b32")
	} else {
		p.matrixA = decodeSharedMatrix(d, in, in.Args[1], p.TypeA.Bits)
	}
	p.matrixB = decodeSharedMatrix(d, in, in.Args[2], p.TypeB.Bits)
	if sparse > 0 {
		metadata := decodeSparsity(d, in, in.Args[3], in.Args[4], p.TypeA.Bits, p.columns, true)
		p.sparsity = &metadata
	}
	rest := in.Args[3+sparse:]
	p.accumulates = scale(d, in, rest[0])
	if scales > 0 {
		p.negateA, p.negateB = decodeOneOf(d, in, rest[1], 1, -1) != 0, decodeOneOf(d, in, rest[2], 1, -1) != 0
	}
	if transposes > 0 {
		p.matrixB.Transposed = decodeOneOf(d, in, rest[2+transposes], 0, 1) != 0
	}
	if transposes > 1 {
		p.matrixA.Transposed = decodeOneOf(d, in, rest[3], 0, 1) != 0
	}
	return bytecode.Performs(p)
}

// operandAt returns an operand of in, or nil.
func operandAt(in *ptx.Instr, n int) ptx.Operand {
	if n < len(in.Args) {
		return in.Args[n]
	}
	return nil
}

// scale decodes scale-d: a predicate, 0 or 1.
func scale(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand) bytecode.Predicate {
	if imm, ok := op.(ptx.Imm); ok && imm.Value > 1 {
		d.Invalid("%s: the scale of d is a predicate, 0 or 1", in.Text)
	}
	return d.PredSrc(op)
}

// decodeOneOf returns which of two constants op is.
func decodeOneOf(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand, first, second int64) int {
	if imm, ok := op.(ptx.Imm); ok && int64(imm.Value) == first {
		return 0
	} else if ok && int64(imm.Value) == second {
		return 1
	}
	d.Invalid("%s: an operand that is %d or %d is something else", in.Text, first, second)
	return 0
}

func (p *warpgroupProduct) run(b *block, w *warp, _ *bytecode.Instr, pc int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	if first := w.number() / warpgroupWarps * warpgroupWarps; e != bytecode.Full || first+warpgroupWarps > len(b.warps) || b.warps[len(b.warps)-1].lanes != bytecode.Full {
		return b.fault(w, pc, 0, driver.ErrorLaunchFailed, "wgmma takes the 128 threads of a warpgroup, and some of them do not exist or have exited")
	}
	if scale := w.pred(p.accumulates); scale != 0 && scale != bytecode.Full {
		return b.fault(w, pc, 0, driver.ErrorLaunchFailed, "the lanes of the warp have different scales of d")
	}
	left, right, start, result := make([]uint64, p.M*p.K), make([]uint64, p.columns*p.N), make([]uint64, p.M*p.N), make([]uint64, p.M*p.N)
	if b.races != nil {
		b.races.beginProduct(w, pc)
		defer b.races.endProduct()
	}
	if fault := p.operands(b, w, pc, left, right); fault != nil {
		return fault
	}
	if w.pred(p.accumulates) != 0 {
		gatherMatrix(p.c, w, p.regC, start)
	}
	if p.sparsity == nil {
		p.Compute(left, right, start, result)
	} else if rows, fault := p.sparsity.columnsOf(b, w, pc); fault != nil {
		return fault
	} else {
		p.eachRow(rows, left, right, start, result, (*matrixProduct).Compute)
	}
	scatterMatrix(p.d, w, p.regD, result, e)
	return nil
}

// operands reads the 16 rows of a that w multiplies, and b.
func (p *warpgroupProduct) operands(b *block, w *warp, pc int32, left, right []uint64) *Failure {
	if p.matrixA == nil {
		gatherMatrix(p.a, w, p.regA, left)
	} else {
		from := w.number() % warpgroupWarps * warpRows
		if fault := p.matrixA.read(b, w, pc, from, p.M, p.K, func(row, k int, value uint64) { left[row*p.K+k] = value }); fault != nil {
			return fault
		}
	}
	if fault := p.matrixB.read(b, w, pc, 0, p.N, p.columns, func(col, k int, value uint64) { right[k*p.N+col] = value }); fault != nil {
		return fault
	}
	negate(left, p.TypeA.Bits, p.negateA)
	negate(right, p.TypeB.Bits, p.negateB)
	return nil
}

func negate(elements []uint64, bits int, yes bool) {
	for n := range elements {
		if yes {
			elements[n] ^= 1 << (bits - 1)
		}
	}
}

// A decodeSharedMatrix is an operand of wgmma in shared memory, which a descriptor in a register describes.
// Its rows are those of a, or the columns of b.
//
// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: Shared Memory Matrix Layout, Strides,
// Canonical Layouts, Matrix-Descriptor Format.
type sharedMatrix struct {
	matrix.Layout
	at bytecode.Address // of which only the register counts
}

func decodeSharedMatrix(d *bytecode.Decoder, in *ptx.Instr, op ptx.Operand, bits int) *sharedMatrix {
	return &sharedMatrix{at: bytecode.Address{In: bytecode.Instr{Space: bytecode.Shared, A: d.Src(op, "b64"), Mask: ^uint64(0)}}, Layout: matrix.Layout{Bits: bits}}
}

// read gives set the elements of rows rows from a row on, of k columns.
func (m *sharedMatrix) read(b *block, w *warp, pc int32, from, rows, k int, set func(row, k int, value uint64)) *Failure {
	d := matrix.DescriptorOf(w.regs[m.at.In.A][0])
	if d.Base != 0 {
		return b.fault(w, pc, 0, driver.ErrorNotSupported, "the simulated device takes no matrix descriptor with a base offset, and this one has %d: align the matrix to the span of its swizzle", d.Base)
	}
	for l := range bytecode.WarpSize {
		if w.regs[m.at.In.A][l] != w.regs[m.at.In.A][0] {
			return b.fault(w, pc, l, driver.ErrorLaunchFailed, "the lanes of the warp have different matrix descriptors")
		}
	}
	for c := range m.Chunks(d, from, rows, k) {
		p, fault := b.span(&m.at, w, pc, 0, c.Addr, tensormap.ChunkBytes, reads)
		if fault != nil {
			return fault
		}
		m.Unpack(unsafe.Slice((*byte)(p), tensormap.ChunkBytes), c, set)
	}
	return nil
}
