package sim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
)

// A sparseTest is a product whose matrix a is sparse.
type sparseTest struct {
	k                          int
	typeA, typeB, typeC, typeD string
	selectors                  int // that the instruction has
	tail                       string
}

var sparseTests = []sparseTest{
	{16, "f16", "f16", "f32", "f32", 4, ""}, {32, "f16", "f16", "f32", "f32", 2, ""},
	{16, "f16", "f16", "f16", "f16", 4, ""}, {32, "f16", "f16", "f16", "f16", 2, ""},
	{16, "bf16", "bf16", "f32", "f32", 4, ""}, {32, "bf16", "bf16", "f32", "f32", 2, ""},
	{8, "tf32", "tf32", "f32", "f32", 4, ""}, {16, "tf32", "tf32", "f32", "f32", 2, ""},
	{32, "s8", "u8", "s32", "s32", 2, ""}, {64, "u8", "s8", "s32", "s32", 1, ""}, {64, "s8", "s8", "s32", "s32", 1, "satfinite."},
	{64, "e4m3", "e5m2", "f32", "f32", 1, ""}, {64, "e5m2", "e4m3", "f32", "f32", 1, ""},
	{64, "s4", "u4", "s32", "s32", 2, ""}, {128, "u4", "s4", "s32", "s32", 1, "satfinite."},
}

func (c sparseTest) name(op string) string {
	return fmt.Sprintf("%s.sync.aligned.m16n8k%d.row.col.%s%s.%s.%s.%s", op, c.k, c.tail, c.typeD, c.typeA, c.typeB, c.typeC)
}

// A sparseMatrix is a, compressed: its elements, the metadata of its rows, and what it is as a whole.
type sparseMatrix struct {
	elements, whole [][]int
	nibbles         [][]uint64 // four bits for each group of a row
}

// sparseMatrixOf makes a matrix, as CUTLASS's uncompress reads one: the first two bits of a nibble say which
// element of a group, or pair of 4-bit elements, comes first, and the other two which comes second; of
// 32 bits 0x4 is the first of two and 0xe the second.
func sparseMatrixOf(rows, columns, bits int, ordered bool, value func(row, column int) int) (m sparseMatrix) {
	random := rand.New(rand.NewPCG(uint64(columns), uint64(bits)))
	for row := range rows {
		elements, whole, nibbles := []int(nil), make([]int, columns), []uint64(nil)
		put := func(column int) {
			whole[column] = value(row, column)
			elements = append(elements, whole[column])
		}
		for from := 0; from < columns; from += map[int]int{4: 8, 8: 4, 16: 4, 32: 2}[bits] {
			first, second := random.IntN(4), random.IntN(3)
			if second >= first {
				second++
			}
			if ordered {
				first, second = min(first, second), max(first, second)
			}
			switch bits {
			case 32:
				put(from + first/2)
				nibbles = append(nibbles, []uint64{0x4, 0xe}[first/2])
				continue
			case 4:
				put(from + 2*first)
				put(from + 2*first + 1)
				put(from + 2*second)
				put(from + 2*second + 1)
			default:
				put(from + first)
				put(from + second)
			}
			nibbles = append(nibbles, uint64(first|second<<2))
		}
		m.elements, m.whole, m.nibbles = append(m.elements, elements), append(m.whole, whole), append(m.nibbles, nibbles)
	}
	return m
}

// words packs nibbles of a row into words of so many bits.
func (m sparseMatrix) words(row, bits int) (words []uint64) {
	for n, nibble := range m.nibbles[row] {
		if n%(bits/4) == 0 {
			words = append(words, 0)
		}
		words[len(words)-1] |= nibble << (n % (bits / 4) * 4)
	}
	return words
}

// metadata are the words of the lanes. CUTLASS's reorder_meta interleaves rows of metadata, in units of 16 bits
// for elements of 16 and 32 bits and of 32 for others, and turns blocks of two by two around; two units that lie
// beside each other in ColumnMajorInterleaved<2> are what lanes load. A matrix with half of the columns has one
// unit of each row: the rows of its units follow one another as there.
func (m sparseMatrix) metadata(bits, selector, selectors int) (words [32]uint64) {
	unit := 32
	if bits >= 16 {
		unit = 16
	}
	for row := range 16 {
		for column, word := range m.words(row, unit) {
			switch {
			case unit == 16 && selectors == 4: // one lane has both rows
				words[row%8*4+selector] |= word << (row / 8 * 16)
			case unit == 16: // selector n is the nth of two tiles that CUTLASS interleaves
				to, at := row%8*4+row/8+2*selector, column
				if to%2 == 0 && at == 1 {
					to, at = to+1, 0
				} else if to%2 == 1 && at == 0 {
					to, at = to-1, 1
				}
				words[to] |= word << (at * 16)
			case selectors == 2:
				words[row%8*4+2*selector+row/8] = word
			default:
				to, at := row%8*2+row/8, column
				if to%2 == 0 && at == 1 {
					to, at = to+1, 0
				} else if to%2 == 1 && at == 0 {
					to, at = to-1, 1
				}
				words[to*2+at] = word
			}
		}
	}
	return words
}

// packed are the registers of elements, by where they are.
func packed(t string, count int, at func(i int) int) (words []uint64) {
	bits := matrix.Numerics[t].Bits
	for i := range count {
		if i%matrix.PerRegister(bits) == 0 {
			words = append(words, 0)
		}
		words[len(words)-1] |= encode(t, at(i)) & (1<<bits - 1) << (i % matrix.PerRegister(bits) * bits)
	}
	return words
}

// lanes returns the operands of each lane, a's words first, then b's, c's and the metadata, and the words of the
// result; text is the instruction that has them in registers from a first one on. turned is added to the metadata.
func (c sparseTest) lanes(op string, selector int, turned uint64) (in, want [32][]uint64, text func(first int) string) {
	value := func(n int, t string) int {
		if n = n * n % 5; t[0] != 'u' && n&1 == 1 {
			return -n
		}
		return n
	}
	bits, k := matrix.Numerics[c.typeA].Bits, c.k
	a := sparseMatrixOf(16, k, bits, strings.Contains(op, "ordered"), func(row, column int) int { return value(3*row+5*column+1, c.typeA) })
	b := func(row, column int) int { return value(7*row+2*column+3, c.typeB) }
	start := func(row, column int) int { return value(row+column, c.typeC) }
	metadata := a.metadata(bits, selector, c.selectors)
	per := 32 / bits
	var na, nb, nc int
	for lane := range in {
		group, thread := lane/4, lane%4
		// PTX ISA: the fragment of a is that of the compressed matrix, and b's goes on by blocks of rows.
		wa := packed(c.typeA, 16*k/2/32, func(i int) int {
			word := i / per
			return a.elements[group+word%2*8][word/2*4*per+thread*per+i%per]
		})
		wb := packed(c.typeB, k*8/32, func(i int) int { return b(i/per*4*per+thread*per+i%per, group) })
		wc := packed(c.typeC, 4, func(i int) int { return start(group+i/2*8, thread*2+i%2) })
		na, nb, nc = len(wa), len(wb), len(wc)
		in[lane] = append(append(append(wa, wb...), wc...), metadata[lane]^turned)
		want[lane] = packed(c.typeD, 4, func(i int) int {
			row, col := group+i/2*8, thread*2+i%2
			sum := start(row, col)
			for n := range k {
				sum += a.whole[row][n] * b(n, col)
			}
			return sum
		})
	}
	return in, want, func(first int) string {
		return fmt.Sprintf("%s %s, %s, %s, %s, %%r%d, %d;", c.name(op), list("o", 0, nc), list("r", first, na), list("r", first+na, nb), list("r", first+na+nb, nc), first+na+nb+nc, selector)
	}
}

// sparseCases are the same products for a GPU.
func sparseCases() (cases []hopperCase) {
	for _, c := range sparseTests {
		for selector := range c.selectors {
			const op = "mma.sp::ordered_metadata"
			in, want, text := c.lanes(op, selector, 0)
			h := hopperCase{name: fmt.Sprintf("%s/%d", c.name(op), selector), threads: 32}
			var body strings.Builder
			fmt.Fprintf(&body, ".reg .b32 %%o<9>; mul.wide.u32 %%l4, %%r1, %d; add.s64 %%l1, %%l1, %%l4; mul.wide.u32 %%l4, %%r1, %d; add.s64 %%l2, %%l2, %%l4;\n", 4*len(in[0]), 4*len(want[0]))
			for n := range in[0] {
				fmt.Fprintf(&body, "ld.global.b32 %%r%d, [%%l1+%d];\n", 10+n, 4*n)
			}
			body.WriteString(text(10) + "\n")
			for n := range want[0] {
				fmt.Fprintf(&body, "st.global.b32 [%%l2+%d], %%o%d;\n", 4*n, n)
			}
			for lane := range in {
				for _, word := range in[lane] {
					h.in = binary.LittleEndian.AppendUint32(h.in, uint32(word))
				}
				for _, word := range want[lane] {
					h.want = binary.LittleEndian.AppendUint32(h.want, uint32(word))
				}
			}
			h.out, h.ptx = make([]byte, len(h.want)), hopperEntry("", 16, body.String())
			cases = append(cases, h)
		}
	}
	return cases
}

// TestSparseProducts compares mma.sp with products of the whole matrix; control: with metadata of the other
// elements of each group it is another.
func TestSparseProducts(t *testing.T) {
	for _, c := range sparseTests {
		for _, op := range []string{"mma.sp", "mma.sp::ordered_metadata"} {
			for selector := range c.selectors {
				t.Run(fmt.Sprintf("%s/%d", c.name(op), selector), func(t *testing.T) {
					in, want, text := c.lanes(op, selector, 0)
					assert.Equal(t, want, warpRun(t, text(0), in, len(want[0])))
				})
			}
		}
		t.Run(c.name("mma.sp")+"/control", func(t *testing.T) {
			turned := uint64(0x55555555) // 0 and 1 exchanged, and 2 and 3
			if c.typeA == "tf32" {
				turned = 0xaaaaaaaa
			}
			in, want, text := c.lanes("mma.sp", 0, turned)
			assert.NotEqual(t, want, warpRun(t, text(0), in, len(want[0])))
		})
	}
}

// sparseKernel multiplies ones by b, whose rows are 1, 2, Inf and NaN, and repeat, with one metadata for all.
const sparseKernel = ptxHeader + `.entry k(.param .u64 out) { .reg .b32 %r<20>; .reg .f32 %f<9>; .reg .b64 %l<9>; .reg .pred %p;
mov.u32 %r1, %laneid; mov.b32 %r2, 0x3c003c00; and.b32 %r3, %r1, 1; setp.eq.u32 %p, %r3, 0; selp.b32 %r4, 0x40003c00, 0x7fff7c00, %p;
mov.f32 %f1, 0f00000000; WORD
OP.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f5, %f6, %f7, %f8}, {%r2, %r2}, {%r4, %r4}, {%f1, %f1, %f1, %f1}, %r5, 2;
ld.param.u64 %l1, [out]; mul.wide.u32 %l2, %r1, 4; add.s64 %l1, %l1, %l2; st.global.f32 [%l1], %f5; ret; }`

// TestSparseMetadata: what is missing is not multiplied, also not Inf by zero; metadata that says nothing is a fault.
func TestSparseMetadata(t *testing.T) {
	run := func(op, word string) (float32, string) {
		m := newMachine(t, strings.NewReplacer("OP", op, "WORD", word).Replace(sparseKernel), driver.Checks{})
		out := make([]float32, 32)
		addr := m.upload(out)
		fault := m.launch("k", config(1, 32, 0), addr)
		if fault != nil {
			return 0, fault.Reason
		}
		m.download(addr, out)
		return out[0], ""
	}
	const ordered = "mma.sp::ordered_metadata"
	sum, wrong := run(ordered, "mov.b32 %r5, 0x44444444;")
	assert.Equal(t, float32(12), sum)
	assert.Empty(t, wrong)
	sum, _ = run(ordered, "mov.b32 %r5, 0x88888888;")
	assert.Greater(t, sum, float32(1e30), "the control: Inf")
	_, wrong = run(ordered, "mov.b32 %r5, 0x44414444;")
	assert.Contains(t, wrong, "in bits 16 to 19: the places of 0b0001 do not ascend")
	sum, wrong = run("mma.sp", "mov.b32 %r5, 0x11111111;")
	assert.Equal(t, float32(12), sum)
	assert.Empty(t, wrong)
	_, wrong = run("mma.sp", "mov.b32 %r5, 0x44444445;")
	assert.Contains(t, wrong, "0b0101 names one place twice")
	// Only the third lane of a quad has metadata.
	_, wrong = run(ordered, "and.b32 %r7, %r1, 3; setp.eq.u32 %p, %r7, 2; selp.b32 %r5, 0x44444444, 0, %p;")
	assert.Empty(t, wrong)
	_, wrong = run(ordered, "and.b32 %r7, %r1, 3; setp.eq.u32 %p, %r7, 1; selp.b32 %r5, 0x44444444, 0, %p;")
	assert.Contains(t, wrong, "names one place twice")
}
