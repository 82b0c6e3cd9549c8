package sim

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A warpgroupTest is a product, with the layouts of its operands in shared memory.
type warpgroupTest struct {
	shape, typeA, typeB, typeD string
	n, k                       int
	swizzleA, swizzleB         int // 0, or 1 to 3 for 32, 64 and 128 bytes
	transA, transB             bool
	fromRegisters              bool // a
	scales                     [2]int
	drops                      bool // d is no summand
	tail                       string
	into                       int // chunks of the span of a swizzle at which rows begin
	sparse                     bool
	selector, selectors        int // of the metadata
}

func warpgroupTests() (tests []warpgroupTest) {
	add := func(t warpgroupTest) {
		if t.scales[0] == 0 {
			t.scales = [2]int{1, 1}
		}
		t.shape = fmt.Sprintf("m64n%dk%d", t.n, t.k)
		tests = append(tests, t)
	}
	half := warpgroupTest{typeA: "f16", typeB: "f16", typeD: "f32", n: 8, k: 16}
	add(half)
	for _, n := range []int{16, 24, 64, 128, 256} {
		t := half
		t.n = n
		add(t)
	}
	for swizzle := range 4 {
		for _, trans := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
			t := half
			t.n, t.swizzleA, t.swizzleB, t.transA, t.transB = 32+32*swizzle, swizzle, 3-swizzle, trans[0], trans[1]
			add(t)
			t.typeA, t.typeB = "bf16", "bf16"
			add(t)
		}
		for _, types := range [][4]string{{"tf32", "tf32", "f32", "8"}, {"e4m3", "e5m2", "f32", "32"}, {"e5m2", "e5m2", "f16", "32"}, {"s8", "u8", "s32", "32"}, {"u8", "s8", "s32", "32"}, {"b1", "b1", "s32", "256"}} {
			t := warpgroupTest{typeA: types[0], typeB: types[1], typeD: types[2], n: 48, swizzleA: swizzle, swizzleB: swizzle, into: swizzle / 2 * 2}
			fmt.Sscan(types[3], &t.k)
			add(t)
			t.fromRegisters, t.n = true, 16
			add(t)
		}
	}
	t := half
	t.typeD, t.n, t.scales = "f16", 40, [2]int{-1, 1}
	add(t)
	t.fromRegisters, t.scales, t.transB, t.swizzleB = true, [2]int{-1, -1}, true, 3
	add(t)
	t.scales, t.drops, t.typeD = [2]int{1, -1}, true, "f32"
	add(t)
	add(warpgroupTest{typeA: "s8", typeB: "s8", typeD: "s32", n: 16, k: 32, tail: ".satfinite"})
	for swizzle := range 4 {
		for _, types := range [][4]string{{"f16", "f16", "f32", "32"}, {"bf16", "bf16", "f32", "32"}, {"f16", "f16", "f16", "32"}, {"tf32", "tf32", "f32", "16"}, {"e4m3", "e5m2", "f32", "64"}, {"e5m2", "e4m3", "f16", "64"}, {"s8", "u8", "s32", "64"}} {
			t := warpgroupTest{typeA: types[0], typeB: types[1], typeD: types[2], n: 24, swizzleA: swizzle, swizzleB: []int{3, 2, 0, 2}[swizzle], sparse: true, selectors: 2}
			fmt.Sscan(types[3], &t.k)
			if t.selector = swizzle % 2; t.k == 64 {
				t.selectors, t.selector = 1, 0
			}
			if types[3] == "32" {
				t.transA, t.transB = swizzle > 1, swizzle%2 == 1
			}
			add(t)
			t.fromRegisters, t.transA, t.n = true, false, 16
			add(t)
		}
	}
	add(warpgroupTest{typeA: "s8", typeB: "s8", typeD: "s32", n: 16, k: 64, sparse: true, selectors: 1, tail: ".satfinite"})
	return tests
}

func (c warpgroupTest) name() string {
	name := "wgmma/" + strings.Repeat("sp.", int(simd.Bit(c.sparse))) + c.shape + "." + c.typeD + "." + c.typeA + "." + c.typeB + c.tail
	if c.swizzleA+c.swizzleB+c.into > 0 || c.transA || c.transB || c.fromRegisters || c.drops {
		name += fmt.Sprintf("/%d%d%d%v%v%v%v%v", c.swizzleA, c.swizzleB, c.into, c.transA, c.transB, c.fromRegisters, c.drops, c.scales)
	}
	return name
}

// offset evaluates a layout as CUTLASS writes them: digits of an index by shape, times strides.
func offset(index int, shape, stride []int) (at int) {
	for n := range shape {
		at += index % shape[n] * stride[n]
		index /= shape[n]
	}
	return at
}

const anyExtent = 1 << 20

// bitOf is the bit at which an element lies in shared memory, of an operand that begins there.
//
// PTX ISA, Asynchronous Warpgroup Level Matrix Instructions: Canonical Layouts, as CUTLASS has them in
// make_gmma_desc: of MN-major operands ((T,W,m),(8,k)):((1,T,LBO),(WT,SBO)), without a swizzle
// ((T,1,m),(8,k)):((1,T,SBO),(T,LBO)), of K-major ones ((8,m),(T,2)):((WT,SBO),(1,T)), without a swizzle
// ((8,m),(T,2)):((T,SBO),(1,LBO)).
func bitOf(row, k, bits, swizzle int, transposed bool, into, leading, stride int) int {
	t, w := 128/bits, 1<<swizzle
	lbo, sbo := leading*8/bits, stride*8/bits
	element := 0
	switch {
	case transposed && swizzle == 0:
		element = offset(row, []int{t, anyExtent}, []int{1, sbo}) + offset(k, []int{8, anyExtent}, []int{t, lbo})
	case transposed:
		element = offset(row, []int{t, w, anyExtent}, []int{1, t, lbo}) + offset(k, []int{8, anyExtent}, []int{w * t, sbo})
	case swizzle == 0:
		element = offset(row, []int{8, anyExtent}, []int{t, sbo}) + offset(k, []int{t, anyExtent}, []int{1, lbo})
	default:
		element = offset(row, []int{8, anyExtent}, []int{w * t, sbo}) + k + into*t
	}
	bit := element * bits
	line, chunk := bit/8/128, bit/8%128/16
	chunk ^= line % 8 & []int{0, 1, 3, 7}[swizzle]
	return (line*128+chunk*16)*8 + bit%128
}

// distances are a leading and a stride offset with which the operand does not overlap itself.
func distances(rows, k, bits, swizzle int, transposed bool) (leading, stride int) {
	span := 16 << swizzle
	switch {
	case transposed && swizzle == 0:
		return rows * bits / 8 / 16 * 128, 128
	case transposed:
		return k * span, 8 * span
	case swizzle == 0:
		return 128, k * bits / 8 / 16 * 128
	}
	return 16, 8 * span
}

// wordOf puts bits of a value into memory at a bit.
func setBits(mem []byte, at, bits int, value uint64) {
	for n := range bits {
		if value>>n&1 != 0 {
			mem[(at+n)/8] |= 1 << ((at + n) % 8)
		}
	}
}

// warpgroupCases multiply small numbers, whose sums are exact in any order.
func warpgroupCases() (cases []hopperCase) {
	const startB, sharedBytes = 16 << 10, 40 << 10
	for _, c := range warpgroupTests() {
		bits, bitsD := matrix.Numerics[c.typeA].Bits, matrix.Numerics[c.typeD].Bits
		small := func(t string, i, j int) int {
			v := (i*3+j*5+i*j)%5 - 2
			switch t {
			case "u8":
				v += 2
			case "b1":
				v &= 1
			}
			return v
		}
		a := func(row, k int) int { return small(c.typeA, row, k) } // of the whole matrix
		heldA, columnsA := a, c.k                                   // what is in memory or registers
		var metadata [4][32]uint64
		if c.sparse {
			columnsA /= 2
			var parts [4]sparseMatrix
			for warp := range parts {
				parts[warp] = sparseMatrixOf(16, c.k, bits, true, func(row, k int) int { return small(c.typeA, 16*warp+row, k) })
				metadata[warp] = parts[warp].metadata(bits, c.selector, c.selectors)
			}
			a = func(row, k int) int { return parts[row/16].whole[row%16][k] }
			heldA = func(row, k int) int { return parts[row/16].elements[row%16][k] }
		}
		mem, registers := make([]byte, sharedBytes), make([]byte, 128*5*4)
		la, sa := distances(64, columnsA, bits, c.swizzleA, c.transA)
		lb, sb := distances(c.n, c.k, bits, c.swizzleB, c.transB)
		low := ^uint64(0) >> (64 - bits)
		for k := range c.k {
			for row := range 64 * simd.Bit(k < columnsA) {
				setBits(mem, bitOf(int(row), k, bits, c.swizzleA, c.transA, c.into, la, sa), bits, encode(c.typeA, heldA(int(row), k))&low)
			}
			for col := range c.n {
				setBits(mem, 8*startB+bitOf(col, k, bits, c.swizzleB, c.transB, c.into, lb, sb), bits, encode(c.typeB, small(c.typeB, col, k))&low)
			}
		}
		// PTX ISA, wgmma Register Fragments: a warp has 16 rows of a and d.
		perA := max(1, 32/bits)
		for thread := range 128 {
			setBits(registers, 128*4*32+thread*32, 32, metadata[thread/32][thread%32])
			for n := range 64 * columnsA / 128 {
				word, j := n/perA, n%perA
				row := thread/32*16 + thread%32/4 + word%2*8
				k := word/2*4*perA + thread%4*perA + j
				setBits(registers, (thread*4+word)*32+j*bits, bits, encode(c.typeA, heldA(row, k))&low)
			}
		}
		regs := c.n / 2 * bitsD / 32
		h := hopperCase{name: c.name(), in: append(mem, registers...), out: make([]byte, 128*regs*4), threads: 128, want: make([]byte, 128*regs*4)}
		for thread := range 128 {
			for n := range c.n / 2 {
				row, col := thread/32*16+thread%32/4+n/2%2*8, n/4*8+thread%4*2+n%2
				start, sum := small("s32", row, col)*3, 0
				if c.typeD == "f16" {
					start = small("f16", row, col)
				}
				if c.tail != "" && row%2 == 0 {
					start = 1<<31 - 1 - row*3
				}
				for k := range c.k {
					if c.typeA == "b1" {
						sum += small("b1", row, k) & small("b1", col, k)
					} else {
						sum += a(row, k) * small(c.typeB, col, k)
					}
				}
				if sum *= c.scales[0] * c.scales[1]; !c.drops {
					sum += start
				}
				if c.tail != "" {
					sum = min(sum, 1<<31-1)
				}
				at := (thread*regs*4)*8 + n*bitsD
				setBits(h.out, at, bitsD, encode(c.typeD, start)&(^uint64(0)>>(64-bitsD)))
				setBits(h.want, at, bitsD, encode(c.typeD, sum)&(^uint64(0)>>(64-bitsD)))
			}
		}
		h.ptx = hopperEntry("", sharedBytes, c.body(regs, len(mem), startB, la, sa, lb, sb))
		cases = append(cases, h)
	}
	return cases
}

// descriptorText is a descriptor without its address.
func descriptorText(leading, stride, swizzle int) string {
	return fmt.Sprintf("%#x", uint64(leading>>4)<<16|uint64(stride>>4)<<32|uint64([]int{0, 3, 2, 1}[swizzle])<<62)
}

func (c warpgroupTest) body(regs, bytes, startB, la, sa, lb, sb int) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(hopperTake, "BYTES", itoa(bytes)))
	fmt.Fprintf(&b, "mul.wide.u32 %%l10, %%r1, %d; add.s64 %%l10, %%l2, %%l10; mul.wide.u32 %%l11, %%r1, 16; add.s64 %%l11, %%l1, %%l11;\n", regs*4)
	for n := range regs {
		fmt.Fprintf(&b, "ld.global.b32 %%r%d, [%%l10+%d];\n", 20+n, 4*n)
	}
	a := "%l12"
	if c.fromRegisters {
		a = list("r", 10, 4)
		for n := range 4 {
			fmt.Fprintf(&b, "ld.global.b32 %%r%d, [%%l11+%d];\n", 10+n, bytes+4*n)
		}
	}
	sparse := ""
	if c.sparse {
		fmt.Fprintf(&b, "mul.wide.u32 %%l14, %%r1, 4; add.s64 %%l14, %%l1, %%l14; ld.global.b32 %%r19, [%%l14+%d];\n", bytes+128*4*4)
		sparse = fmt.Sprintf(", %%r19, %d", c.selector)
	}
	for n, operand := range []struct{ start, leading, stride, swizzle int }{{16 * c.into, la, sa, c.swizzleA}, {startB + 16*c.into, lb, sb, c.swizzleB}} {
		fmt.Fprintf(&b, "add.u32 %%r9, %%r2, %d; shr.u32 %%r9, %%r9, 4; cvt.u64.u32 %%l%d, %%r9; or.b64 %%l%d, %%l%d, %s;\n", operand.start, 12+n, 12+n, 12+n, descriptorText(operand.leading, operand.stride, operand.swizzle))
	}
	scale := "1"
	if c.drops {
		scale = "0"
	}
	tail := ""
	if c.typeD[0] == 'f' {
		tail = fmt.Sprintf(", %d, %d", c.scales[0], c.scales[1])
	}
	if bits := matrix.Numerics[c.typeA].Bits; bits == 16 {
		if !c.fromRegisters {
			tail += fmt.Sprintf(", %d", simd.Bit(c.transA))
		}
		tail += fmt.Sprintf(", %d", simd.Bit(c.transB))
	}
	mods := c.tail
	if c.typeA == "b1" {
		mods = ".and.popc"
	}
	fmt.Fprintf(&b, "wgmma.fence.sync.aligned;\nwgmma.mma_async%s.sync.aligned.%s.%s.%s.%s%s %s, %s, %%l13%s, %s%s;\n", strings.Repeat(".sp", int(simd.Bit(c.sparse))), c.shape, c.typeD, c.typeA, c.typeB, mods, list("r", 20, regs), a, sparse, scale, tail)
	b.WriteString("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n")
	for n := range regs {
		fmt.Fprintf(&b, "st.global.b32 [%%l10+%d], %%r%d;\n", 4*n, 20+n)
	}
	return b.String()
}

// TestWarpgroupFaults: what wgmma must not do is a fault.
func TestWarpgroupFaults(t *testing.T) {
	const text = `mov.u64 %l12, DESC; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l12, %l12, SCALE, 1, 1, 0, 0;`
	run := func(threads uint32, text, descriptor string) string {
		m := newMachine(t, hopperEntry("", 4096, strings.NewReplacer("DESC", descriptor, "SCALE", "1").Replace(text)), driver.Checks{})
		fault := m.launch("k", config(1, threads, 0), [16]uint64{}, uint64(0), uint64(0))
		if fault == nil {
			return ""
		}
		return fault.Reason
	}
	assert.Empty(t, run(128, text, "0x1000080000"))
	assert.Contains(t, run(96, text, "0x1000080000"), "the 128 threads of a warpgroup")
	assert.Contains(t, run(128, "setp.eq.u32 %p2, %r1, 77; @%p2 exit; "+text, "0x1000080000"), "some of them do not exist or have exited")
	assert.Contains(t, run(128, text, "0x2001000080000"), "a base offset")
	assert.Contains(t, run(128, text, "0x3fff00080000"), "is out of bounds")
	assert.Contains(t, run(128, strings.ReplaceAll(text, "mov.u64 %l12, DESC;", "cvt.u64.u32 %l12, %r1; or.b64 %l12, %l12, DESC;"), "0x1000080000"), "different matrix descriptors")
	assert.Contains(t, run(128, strings.ReplaceAll(text, "SCALE", "%p1"), "0x1000080000"), "different scales")
}

// TestWarpgroupUndefined: of an undefined byte in shared memory, those results are undefined that
// depend on it.
func TestWarpgroupUndefined(t *testing.T) {
	for name, test := range map[string]struct{ skipped, want string }{
		"all is written":       {"-1", ""},
		"a byte of b is not":   {"4096", "an undefined value decides"},
		"a byte of a is not":   {"0", "an undefined value decides"},
		"a byte beside is not": {"2000", ""},
	} {
		m := newMachine(t, hopperEntry("", 8192, strings.ReplaceAll(`mov.u32 %r5, %r1; L: setp.ge.u32 %p2, %r5, 8192; @%p2 bra E; add.u32 %r6, %r2, %r5; setp.ne.s32 %p4, %r5, SKIPPED; mov.b16 %h1, 0; @%p4 st.shared.b8 [%r6], %h1; add.u32 %r5, %r5, 128; bra L; E: bar.sync 0;
mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
mov.u64 %l12, 0x800080000; mov.u64 %l13, 0x800080100;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %l12, %l13, 1, 1, 1, 0, 0;
setp.gt.f32 %p3, %f0, 0f3F800000; @%p3 bra Z; Z:`, "SKIPPED", test.skipped)), driver.Checks{Undefined: true, SharedRaces: true, Stop: true})
		fault := m.launch("k", config(1, 128, 0), [16]uint64{}, uint64(0), uint64(0))
		if test.want == "" {
			assert.Nil(t, fault, name)
		} else if assert.NotNil(t, fault, name) {
			assert.Contains(t, fault.Reason, test.want, name)
		}
	}
}
