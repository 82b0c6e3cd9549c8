package sim

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/tensormap"
)

// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: wgmma. A product is done when it is
// issued, so nothing waits for it.
func warpgroupForms() []form {
	const mma = "wgmma.mma_async.sync.aligned."
	const sparse = "wgmma.mma_async.sp.sync.aligned."
	return []form{
		{"wgmma.fence.sync.aligned", noOperands(opNothing)},
		{"wgmma.commit_group.sync.aligned", assembleWarpgroupCommit},
		{"wgmma.wait_group.sync.aligned", assembleWarpgroupWait},
		{mma + warpgroupShapes("k16", false) + ".f16|f32.f16.f16", assembleWarpgroupProduct},
		{mma + warpgroupShapes("k16", false) + ".f32.bf16.bf16", assembleWarpgroupProduct},
		{mma + warpgroupShapes("k8", false) + ".f32.tf32.tf32", assembleWarpgroupProduct},
		{mma + warpgroupShapes("k32", false) + ".f16|f32.e4m3|e5m2.e4m3|e5m2", assembleWarpgroupProduct},
		{mma + warpgroupShapes("k32", true) + ".s32.u8|s8.u8|s8.satfinite?", assembleWarpgroupProduct},
		{mma + warpgroupShapes("k256", true) + ".s32.b1.b1.and.popc", assembleWarpgroupProduct},
		{sparse + warpgroupShapes("k32", false) + ".f16|f32.f16.f16", assembleWarpgroupProduct},
		{sparse + warpgroupShapes("k32", false) + ".f32.bf16.bf16", assembleWarpgroupProduct},
		{sparse + warpgroupShapes("k16", false) + ".f32.tf32.tf32", assembleWarpgroupProduct},
		{sparse + warpgroupShapes("k64", false) + ".f16|f32.e4m3|e5m2.e4m3|e5m2", assembleWarpgroupProduct},
		{sparse + warpgroupShapes("k64", true) + ".s32.u8|s8.u8|s8.satfinite?", assembleWarpgroupProduct},
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

func assembleWarpgroupCommit(d *decoder, in *ptx.Instr) instr {
	d.operands(in, 0)
	return performs(&warpgroupGroup{commit: true})
}

// assembleWarpgroupWait assembles a wait for all groups but the last so many.
func assembleWarpgroupWait(d *decoder, in *ptx.Instr) instr {
	g := &warpgroupGroup{}
	if d.operands(in, 1) {
		n, ok := in.Args[0].(ptx.Imm)
		if !ok || int64(n.Value) < 0 {
			d.invalid("%s: the operand is not a constant from 0 on", in.Text)
		}
		g.last = n.Value
	}
	return performs(g)
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
	columns          int           // of a, and rows of b
	sparsity         *sparsity     // or nil
	matrixA, matrixB *sharedMatrix // matrixA is nil where the fragment is in registers
	accumulates      predicate     // scale-d: whether d is a summand
	negateA, negateB bool
}

func (p *warpgroupProduct) registers() []*int32 {
	regs := append(p.matrixProduct.registers(), &p.matrixB.at.in.a)
	if p.matrixA != nil {
		regs = append(regs, &p.matrixA.at.in.a)
	}
	if p.sparsity != nil {
		regs = append(regs, &p.sparsity.meta)
	}
	return regs
}

func assembleWarpgroupProduct(d *decoder, in *ptx.Instr) instr {
	types, s := elementTypes(in), shapeOf(in)
	s.m = warpRows
	p := &warpgroupProduct{matrixB: &sharedMatrix{}, columns: s.k}
	sparse := 0 // operands
	if has(in, "sp") {
		sparse = 2
		s.k /= 2
	}
	p.matrixProduct = matrixProduct{
		shape: s, result: types[0], saturate: has(in, "satfinite"),
		typeA: numerics[types[1]], typeB: numerics[types[2]], typeC: numerics[types[0]],
	}
	if types[1] == "b1" {
		p.bitwise = func(a, b int64) int64 { return a & b }
	}
	p.a, p.c = fragmentOf('a', s, p.typeA.bits), fragmentOf('c', s, p.typeC.bits)
	p.d = p.c
	_, inRegisters := operandAt(in, 1).(ptx.Vector)
	scales, transposes := 2, 0
	switch {
	case p.typeA.read == nil:
		scales = 0
	case p.typeA.bits == 16 && inRegisters:
		transposes = 1
	case p.typeA.bits == 16:
		transposes = 2
	}
	if !d.operands(in, 4+sparse+scales+transposes) {
		return performs(p)
	}
	p.regD = d.vectorOf(in, in.Args[0], p.d.registers(), d.dst, matrixRegister(types[0]))
	p.regC = p.regD
	for _, r := range p.regD {
		d.read[r] = true
	}
	if inRegisters {
		p.regA = d.vectorOf(in, in.Args[1], p.a.registers(), d.src, "b32")
	} else {
		p.matrixA = d.sharedMatrix(in, in.Args[1], p.typeA.bits)
	}
	p.matrixB = d.sharedMatrix(in, in.Args[2], p.typeB.bits)
	if sparse > 0 {
		metadata := d.sparsity(in, in.Args[3], in.Args[4], p.typeA.bits, p.columns, true)
		p.sparsity = &metadata
	}
	rest := in.Args[3+sparse:]
	p.accumulates = d.scale(in, rest[0])
	if scales > 0 {
		p.negateA, p.negateB = d.oneOf(in, rest[1], 1, -1) != 0, d.oneOf(in, rest[2], 1, -1) != 0
	}
	if transposes > 0 {
		p.matrixB.transposed = d.oneOf(in, rest[2+transposes], 0, 1) != 0
	}
	if transposes > 1 {
		p.matrixA.transposed = d.oneOf(in, rest[3], 0, 1) != 0
	}
	return performs(p)
}

// operandAt returns an operand of in, or nil.
func operandAt(in *ptx.Instr, n int) ptx.Operand {
	if n < len(in.Args) {
		return in.Args[n]
	}
	return nil
}

// scale decodes scale-d: a predicate, 0 or 1.
func (d *decoder) scale(in *ptx.Instr, op ptx.Operand) predicate {
	if imm, ok := op.(ptx.Imm); ok && imm.Value > 1 {
		d.invalid("%s: the scale of d is a predicate, 0 or 1", in.Text)
	}
	return d.predSrc(op)
}

// oneOf returns which of two constants op is.
func (d *decoder) oneOf(in *ptx.Instr, op ptx.Operand, first, second int64) int {
	if imm, ok := op.(ptx.Imm); ok && int64(imm.Value) == first {
		return 0
	} else if ok && int64(imm.Value) == second {
		return 1
	}
	d.invalid("%s: an operand that is %d or %d is something else", in.Text, first, second)
	return 0
}

func (p *warpgroupProduct) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	if !w.together(e) {
		return wait
	}
	if first := w.number() / warpgroupWarps * warpgroupWarps; e != full || first+warpgroupWarps > len(b.warps) || b.warps[len(b.warps)-1].lanes != full {
		return b.fault(w, pc, 0, driver.ErrorLaunchFailed, "wgmma takes the 128 threads of a warpgroup, and some of them do not exist or have exited")
	}
	if scale := w.pred(p.accumulates); scale != 0 && scale != full {
		return b.fault(w, pc, 0, driver.ErrorLaunchFailed, "the lanes of the warp have different scales of d")
	}
	left, right, start, result := make([]uint64, p.m*p.k), make([]uint64, p.columns*p.n), make([]uint64, p.m*p.n), make([]uint64, p.m*p.n)
	if b.races != nil {
		b.races.beginProduct(w, pc)
		defer b.races.endProduct()
	}
	if fault := p.operands(b, w, pc, left, right); fault != nil {
		return fault
	}
	if w.pred(p.accumulates)&1 != 0 {
		p.c.gather(w, p.regC, start)
	}
	if p.sparsity == nil {
		p.compute(left, right, start, result)
	} else if rows, fault := p.sparsity.columnsOf(b, w, pc); fault != nil {
		return fault
	} else {
		p.eachRow(rows, left, right, start, result, (*matrixProduct).compute)
	}
	p.d.scatter(w, p.regD, result, e)
	return nil
}

// operands reads the 16 rows of a that w multiplies, and b.
func (p *warpgroupProduct) operands(b *block, w *warp, pc int32, left, right []uint64) *failure {
	if p.matrixA == nil {
		p.a.gather(w, p.regA, left)
	} else {
		from := w.number() % warpgroupWarps * warpRows
		if fault := p.matrixA.read(b, w, pc, from, p.m, p.k, func(row, k int, value uint64) { left[row*p.k+k] = value }); fault != nil {
			return fault
		}
	}
	if fault := p.matrixB.read(b, w, pc, 0, p.n, p.columns, func(col, k int, value uint64) { right[k*p.n+col] = value }); fault != nil {
		return fault
	}
	negate(left, p.typeA.bits, p.negateA)
	negate(right, p.typeB.bits, p.negateB)
	return nil
}

func negate(elements []uint64, bits int, yes bool) {
	for n := range elements {
		if yes {
			elements[n] ^= 1 << (bits - 1)
		}
	}
}

// A sharedMatrix is an operand of wgmma in shared memory, which a descriptor in a register describes.
// Its rows are those of a, or the columns of b.
//
// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: Shared Memory Matrix Layout, Strides,
// Canonical Layouts, Matrix-Descriptor Format.
type sharedMatrix struct {
	at         address // of which only the register counts
	bits       int     // of an element
	transposed bool    // neighbours in memory are of one k, not of one row
}

func (d *decoder) sharedMatrix(in *ptx.Instr, op ptx.Operand, bits int) *sharedMatrix {
	return &sharedMatrix{at: address{in: instr{space: shared, a: d.src(op, "b64"), mask: ^uint64(0)}}, bits: bits}
}

// A matrixDescriptor is one, decoded: offsets in bytes.
type matrixDescriptor struct {
	start, leading, stride uint64
	base                   uint64
	swizzle                uint // 0, or 1 to 3 for spans of 32, 64 and 128 bytes
}

func descriptorOf(word uint64) matrixDescriptor {
	encoded := func(shift int) uint64 { return word >> shift & (1<<14 - 1) << 4 }
	d := matrixDescriptor{start: encoded(0), leading: encoded(16), stride: encoded(32), base: word >> 49 & 7}
	if mode := word >> 62; mode != 0 {
		d.swizzle = uint(4 - mode) // 1 is 128 bytes, 3 is 32
	}
	return d
}

// chunk returns the address of the 16 bytes that hold, of a matrix whose neighbours have one row,
// those from a byte of a row on, and of a transposed one, those from a row's byte on of one k.
func (d matrixDescriptor) chunk(row, k int, bits int, transposed bool) uint64 {
	span := uint64(1) << d.swizzle // in chunks
	addr := d.start
	if !transposed {
		n, column := uint64(row), uint64(k*bits/8/tensormap.ChunkBytes)
		addr += n%8*span*tensormap.ChunkBytes + n/8*d.stride
		if d.swizzle == 0 {
			addr += column * d.leading
		} else {
			addr += column * tensormap.ChunkBytes
		}
	} else {
		n, column := uint64(row*bits/8/tensormap.ChunkBytes), uint64(k)
		if d.swizzle == 0 {
			addr += n*d.stride + column%8*tensormap.ChunkBytes + column/8*d.leading
		} else {
			addr += n%span*tensormap.ChunkBytes + n/span*d.leading + column%8*span*tensormap.ChunkBytes + column/8*d.stride
		}
	}
	return tensormap.SwizzledAddress(addr&(1<<18-1), d.swizzle)
}

// read gives set the elements of rows rows from a row on, of k columns.
func (m *sharedMatrix) read(b *block, w *warp, pc int32, from, rows, k int, set func(row, k int, value uint64)) *failure {
	d := descriptorOf(w.regs[m.at.in.a][0])
	if d.base != 0 {
		return b.fault(w, pc, 0, driver.ErrorNotSupported, "the simulated device takes no matrix descriptor with a base offset, and this one has %d: align the matrix to the span of its swizzle", d.base)
	}
	for l := range warpSize {
		if w.regs[m.at.in.a][l] != w.regs[m.at.in.a][0] {
			return b.fault(w, pc, l, driver.ErrorLaunchFailed, "the lanes of the warp have different matrix descriptors")
		}
	}
	return m.chunks(d, from, rows, k, func(row, column int, addr uint64) *failure {
		p, fault := m.at.span(b, w, pc, 0, addr, tensormap.ChunkBytes, reads)
		if fault == nil {
			m.unpack(unsafe.Slice((*byte)(p), tensormap.ChunkBytes), row, column, set)
		}
		return fault
	})
}

// chunks calls do for each chunk of the matrix with its first element, counted from a row on.
func (m *sharedMatrix) chunks(d matrixDescriptor, from, rows, k int, do func(row, column int, addr uint64) *failure) *failure {
	across, along := 1, tensormap.ChunkBytes*8/m.bits
	if m.transposed {
		across, along = along, across
	}
	for row := 0; row < rows; row += across {
		for column := 0; column < k; column += along {
			if fault := do(row, column, d.chunk(from+row, column, m.bits, m.transposed)); fault != nil {
				return fault
			}
		}
	}
	return nil
}

// unpack gives set the elements of a chunk whose first one is at row and column.
func (m *sharedMatrix) unpack(chunk []byte, row, column int, set func(row, k int, value uint64)) {
	for n := range tensormap.ChunkBytes * 8 / m.bits {
		at := n * m.bits
		value := readWord(chunk[at/8:min(len(chunk), at/8+8)]) >> (at % 8) & (1<<m.bits - 1)
		if m.transposed {
			set(row+n, column, value)
		} else {
			set(row, column+n, value)
		}
	}
}
