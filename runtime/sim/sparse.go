package sim

import (
	"fmt"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: mma.sp.
func sparseForms() []form {
	const mma = "mma.sp|sp::ordered_metadata.sync.aligned."
	return []form{
		{mma + "m16n8k16|m16n8k32.row.col.f16.f16.f16.f16", assembleSparse},
		{mma + "m16n8k16|m16n8k32.row.col.f32.f16.f16.f32", assembleSparse},
		{mma + "m16n8k16|m16n8k32.row.col.f32.bf16.bf16.f32", assembleSparse},
		{mma + "m16n8k8|m16n8k16.row.col.f32.tf32.tf32.f32", assembleSparse},
		{mma + "m16n8k64.row.col.f32.e4m3|e5m2.e4m3|e5m2.f32", assembleSparse},
		{mma + "m16n8k32|m16n8k64.row.col.satfinite?.s32.u8|s8.u8|s8.s32", assembleSparse},
		{mma + "m16n8k64|m16n8k128.row.col.satfinite?.s32.u4|s4.u4|s4.s32", assembleSparse},
	}
}

// A sparsity says where the elements of a compressed matrix a of 16 rows belong. Of each group of
// neighbours in a row it has a half: one of two elements of 32 bits, two of four of 16 or 8 bits, two
// pairs of eight of 4 bits. The metadata has four bits for each group, the places of the two that are there.
//
// PTX ISA, Sparse matrix storage; Matrix fragments for sparse mma: metadata. The threads of a quad that
// the selector chooses contribute a word each.
type sparsity struct {
	bits     int // of an element
	columns  int // of the whole matrix
	meta     int32
	selector int
	ordered  bool // places must ascend
}

// sparsityRows is how many rows of a a warp has.
const sparsityRows = 16

// Of a word of metadata.
const (
	groupBits     = 4
	groupsPerWord = 32 / groupBits
)

// group is how many neighbours share a half of their elements.
func (s *sparsity) group() int {
	switch s.bits {
	case 4:
		return 8
	case 32:
		return 2
	}
	return 4
}

// threads is how many threads of a quad contribute metadata.
func (s *sparsity) threads() int {
	return sparsityRows * s.columns / s.group() / groupsPerWord / (warpSize / quadThreads)
}

// quadThreads is how many threads have elements of one row of a fragment.
const quadThreads = 4

// at returns which lane has the four bits about a group of a row, and how far they are shifted. A word is about 8
// groups of a row or, of elements of 16 and 32 bits, 4 groups of a row and as many of the row 8 further on.
func (s *sparsity) at(row, group int) (lane, shift int) {
	first := row%8*quadThreads + s.selector*s.threads()
	if s.bits >= 16 {
		return first + group/4, (group%4 + row/8*4) * groupBits
	}
	return first + group/groupsPerWord*2 + row/8, group % groupsPerWord * groupBits
}

// place appends the columns of the elements that a group has to columns. wrong is empty, or what is
// wrong with the four bits.
func (s *sparsity) place(columns []int, group int, nibble uint64) (_ []int, wrong string) {
	from, first, second := group*s.group(), int(nibble&3), int(nibble>>2)
	switch {
	case s.bits == 32 && nibble == 0b0100:
		return append(columns, from), ""
	case s.bits == 32 && nibble == 0b1110:
		return append(columns, from+1), ""
	case s.bits == 32:
		return append(columns, from), fmt.Sprintf("%#04b stands for no element: it is 0b0100 or 0b1110", nibble)
	case first == second:
		wrong = fmt.Sprintf("%#04b names one place twice", nibble)
	case s.ordered && first > second:
		wrong = fmt.Sprintf("the places of %#04b do not ascend, as the instruction wants them", nibble)
	}
	if s.bits == 4 {
		return append(columns, from+2*first, from+2*first+1, from+2*second, from+2*second+1), wrong
	}
	return append(columns, from+first, from+second), wrong
}

// columnsOf returns for each row the columns of its elements.
func (s *sparsity) columnsOf(b *block, w *warp, pc int32) (rows [sparsityRows][]int, fault *failure) {
	for row := range rows {
		for group := range s.columns / s.group() {
			lane, shift := s.at(row, group)
			var wrong string
			if rows[row], wrong = s.place(rows[row], group, w.regs[s.meta][lane]>>shift&(1<<groupBits-1)); wrong != "" {
				return rows, b.fault(w, pc, lane, driver.ErrorLaunchFailed, "the metadata of the sparse matrix is wrong in bits %d to %d: %s", shift, shift+groupBits-1, wrong)
			}
		}
	}
	return rows, nil
}

// eachRow calls compute for each row of a product of a compressed matrix a and the whole b: with the
// elements of a, and the rows of b that they meet.
func (p *matrixProduct) eachRow(rows [sparsityRows][]int, a, b, c, d []uint64, compute func(row *matrixProduct, a, b, c, d []uint64)) {
	one := *p
	one.m = 1
	met := make([]uint64, p.k*p.n)
	for i, columns := range rows {
		for j, column := range columns {
			copy(met[j*p.n:(j+1)*p.n], b[column*p.n:])
		}
		compute(&one, a[i*p.k:(i+1)*p.k], met, c[i*p.n:(i+1)*p.n], d[i*p.n:(i+1)*p.n])
	}
}

// A sparseProduct is mma.sp d, a, b, c, metadata, selector. Its shape is that of the compressed a.
type sparseProduct struct {
	matrixProduct
	sparsity sparsity
}

func (p *sparseProduct) registers() []*int32 {
	return append(p.matrixProduct.registers(), &p.sparsity.meta)
}

func assembleSparse(d *decoder, in *ptx.Instr) instr {
	types, whole := elementTypes(in), shapeOf(in)
	s := whole
	s.k /= 2
	p := &sparseProduct{matrixProduct: matrixProduct{
		shape: s, result: types[0], saturate: has(in, "satfinite"),
		typeA: numerics[types[1]], typeB: numerics[types[2]], typeC: numerics[types[3]],
	}}
	p.a, p.b = fragmentOf('a', s, p.typeA.bits), fragmentOf('b', whole, p.typeB.bits)
	p.c, p.d = fragmentOf('c', s, p.typeC.bits), fragmentOf('c', s, numerics[types[0]].bits)
	if d.operands(in, 6) {
		p.regD = d.vectorOf(in, in.Args[0], p.d.registers(), d.dst, matrixRegister(types[0]))
		p.regA = d.vectorOf(in, in.Args[1], p.a.registers(), d.src, "b32")
		p.regB = d.vectorOf(in, in.Args[2], p.b.registers(), d.src, "b32")
		p.regC = d.vectorOf(in, in.Args[3], p.c.registers(), d.src, matrixRegister(types[3]))
		p.sparsity = d.sparsity(in, in.Args[4], in.Args[5], p.typeA.bits, whole.k, has(in, "sp::ordered_metadata"))
	}
	return performs(p)
}

// sparsity decodes metadata and a selector.
func (d *decoder) sparsity(in *ptx.Instr, meta, selector ptx.Operand, bits, columns int, ordered bool) sparsity {
	s := sparsity{bits: bits, columns: columns, ordered: ordered, meta: d.src(meta, "b32")}
	n, ok := selector.(ptx.Imm)
	if choices := uint64(quadThreads / s.threads()); !ok || n.Value >= choices {
		d.invalid("%s: the selector of the metadata is not a constant from 0 to %d", in.Text, choices-1)
		return s
	}
	s.selector = int(n.Value)
	return s
}

func (p *sparseProduct) run(b *block, w *warp, _ *instr, pc int32, e uint32) *failure {
	if !w.together(e) {
		return wait
	}
	rows, fault := p.sparsity.columnsOf(b, w, pc)
	if fault != nil {
		return fault
	}
	p.each(w, e, rows, (*matrixProduct).compute)
	return nil
}

// each has compute make each row from the registers of w.
func (p *sparseProduct) each(w *warp, e uint32, rows [sparsityRows][]int, compute func(row *matrixProduct, a, b, c, d []uint64)) {
	a, b, c, d := make([]uint64, p.m*p.k), make([]uint64, 2*p.k*p.n), make([]uint64, p.m*p.n), make([]uint64, p.m*p.n)
	p.a.gather(w, p.regA, a)
	p.b.gather(w, p.regB, b)
	p.c.gather(w, p.regC, c)
	p.eachRow(rows, a, b, c, d, compute)
	p.d.scatter(w, p.regD, d, e)
}
