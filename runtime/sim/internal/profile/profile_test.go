package profile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// one returns counts of a kernel of one instruction.
func one(text string) *Counts {
	return New(&bytecode.Kernel{Program: &bytecode.Program{Code: make([]bytecode.Instr, 1), Places: []bytecode.Place{{Text: text}}}}, 1)
}

// counted is what one request of the lanes e counts.
func counted(in bytecode.Instr, e uint32, addrs *simd.Lanes) (counts driver.InstructionCounts, worst driver.WorstRequests) {
	c := one("")
	c.Begin(0)
	c.Count(&in, 0, 0, bytecode.Full, e, []simd.Lanes{*addrs})
	all, requests := c.Profile()
	return all[0], requests[0]
}

// inPairs reports whether each lane and the one so far from it in a group of twice as many access the same, or one of them nothing.
func inPairs(e uint32, addrs *simd.Lanes, apart int) bool {
	for l := range addrs {
		if both := e>>l&1 != 0 && e>>(l^apart)&1 != 0; both && addrs[l] != addrs[l^apart] {
			return false
		}
	}
	return true
}

// naive counts as the manuals say it, word by word.
func naive(space bytecode.Space, width uint64, op bytecode.Opcode, e uint32, addrs *simd.Lanes) (want driver.InstructionCounts) {
	bytes, sectors, lines, updated := map[uint64]bool{}, map[uint64]bool{}, map[string]bool{}, map[uint64]uint64{}
	lanes := uint64(0)
	for l, addr := range addrs {
		if e>>l&1 == 0 {
			continue
		}
		lanes++
		updated[addr]++
		for b := addr; b < addr+width; b++ {
			bytes[b], sectors[b/32] = true, true
			lines[fmt.Sprint(b/4, l/8)] = true // eight threads' words are a sector of local memory
		}
	}
	filled := (uint64(len(bytes)) + 31) / 32
	switch space {
	case bytecode.Global:
		want.GlobalRequests, want.GlobalSectors, want.GlobalIdeal = 1, uint64(len(sectors)), filled
	case bytecode.Local:
		want.LocalRequests, want.LocalSectors, want.LocalBytes = 1, uint64(len(lines)), lanes*width
	case bytecode.Shared:
		want.SharedRequests = 1
		each := 32 / max(1, int(width/4))
		if width > 4 && op == bytecode.OpLoad && (inPairs(e, addrs, 1) || inPairs(e, addrs, 2)) {
			each *= 2
		}
		for from := 0; from < 32; from += each {
			asked := map[uint64]map[uint64]bool{} // words by bank
			for l := from; l < from+each; l++ {
				for b := addrs[l]; e>>l&1 != 0 && b < addrs[l]+width; b++ {
					bank := b / 4 % 32
					if asked[bank] == nil {
						asked[bank] = map[uint64]bool{}
					}
					asked[bank][b/4] = true
				}
			}
			most := 0
			for _, words := range asked {
				most = max(most, len(words))
			}
			want.SharedWavefronts += uint64(most)
			want.SharedIdeal += uint64(min(most, 1))
		}
	}
	if op == bytecode.OpAtomic {
		want.AtomicRequests = 1
		for _, n := range updated {
			want.AtomicRounds = max(want.AtomicRounds, n)
		}
	}
	return want
}

// addresses returns addresses of 32 lanes in one of the ways in which kernels have them.
func addresses(r *rand.Rand, width uint64) (addrs simd.Lanes) {
	base := width * r.Uint64N(64)
	stride := width * []uint64{0, 1, 1, 2, 3, 4, 8, 16, 17, 32, 33, 1024, 1025}[r.IntN(13)]
	row := width * []uint64{0, 1, 16, 17, 32, 48, 64, 100, 1024}[r.IntN(9)]
	for l := range addrs {
		switch n := uint64(l); r.IntN(40) {
		case 0:
			if stride%3 == 0 {
				addrs[l] = width * r.Uint64N(256)
				continue
			}
			fallthrough
		default:
			switch row % 3 {
			case 0:
				addrs[l] = base + n*stride
			case 1:
				addrs[l] = base + n%16*stride + n/16*row
			default:
				addrs[l] = base + (31-n)*stride
			}
		}
	}
	if r.IntN(5) == 0 {
		for l := range addrs {
			addrs[l] = width * r.Uint64N(1+r.Uint64N(512))
		}
	}
	if apart := r.IntN(8); apart == 1 || apart == 2 {
		for l := range addrs {
			addrs[l] = addrs[l&^apart]
		}
	}
	return addrs
}

// Requests count as the manuals say it, whatever the addresses, widths and lanes.
func TestRequests(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	spaces := []bytecode.Space{bytecode.Global, bytecode.Shared, bytecode.Local}
	windows := map[bytecode.Space]uint64{bytecode.Global: 9 << memory.OffsetBits, bytecode.Shared: memory.SharedWindow << memory.OffsetBits, bytecode.Local: memory.LocalWindow << memory.OffsetBits}
	for range 3000 {
		width := uint64(1) << r.IntN(5)
		elems := uint64(1)
		for width/elems > 8 || width/elems > 1 && elems < 4 && r.IntN(3) == 0 {
			elems *= 2
		}
		space := spaces[r.IntN(len(spaces))]
		in := bytecode.Instr{Op: []bytecode.Opcode{bytecode.OpLoad, bytecode.OpStore, bytecode.OpAtomic}[r.IntN(3)], Space: space, Mask: ^uint64(0), Size: int(width / elems), Elems: int(elems)}
		if space == bytecode.Local || width > 8 {
			in.Op = bytecode.OpLoad
		}
		addrs, e := addresses(r, width), bytecode.Full
		switch r.IntN(4) {
		case 0:
			e = r.Uint32() | 1
		case 1:
			e = bytecode.Full >> r.IntN(32)
		}
		want := naive(space, width, in.Op, e, &addrs)
		if r.IntN(2) == 0 {
			in.Space = bytecode.Generic
			for l := range addrs {
				addrs[l] += windows[space]
			}
		}
		in.Offset = 64
		for l := range addrs {
			addrs[l] -= 64
		}
		got, worst := counted(in, e, &addrs)
		assert.Equal(t, uint64(1), got.Warps)
		got.Warps, got.Threads, got.Executed = 0, 0, 0
		require.Equal(t, want, got, "%v of %d bytes, lanes %#x: %v", space, width, e, addrs)
		for n, wasteful := range []bool{got.GlobalSectors > got.GlobalIdeal, got.SharedWavefronts > got.SharedIdeal, got.AtomicRounds > got.AtomicRequests} {
			assert.Equal(t, wasteful, worst[n] != nil)
		}
	}
}

// Patterns that blocks find out are counted as addresses are.
func TestPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		width := uint64(1) << r.IntN(5)
		a, b := width*r.Uint64N(200), width*r.Uint64N(200)
		var offsets simd.Lanes
		pattern := []simd.Pattern{simd.Anywhere, simd.Equal, simd.Consecutive, simd.HalfEqual, simd.HalfConsecutive}[r.IntN(5)]
		for l := range offsets {
			n := uint64(l)
			offsets[l] = map[simd.Pattern]uint64{simd.Equal: a, simd.Consecutive: a + n*width, simd.HalfEqual: a, simd.HalfConsecutive: a + n%16*width, simd.Anywhere: a + n*b}[pattern]
			if l >= 16 && (pattern == simd.HalfEqual || pattern == simd.HalfConsecutive) {
				offsets[l] += b - a
			}
		}
		space := []bytecode.Space{bytecode.Global, bytecode.Shared}[r.IntN(2)]
		in := bytecode.Instr{Op: bytecode.OpLoad, Space: space, Size: int(width), Elems: 1}
		c, by := one(""), width*r.Uint64N(9)
		c.Whole(&in, 0, 0, by, &offsets, pattern)
		for l := range offsets {
			offsets[l] += by
		}
		counts, _ := c.Profile()
		require.Equal(t, naive(space, width, bytecode.OpLoad, bytecode.Full, &offsets), counts[0], "%v, pattern %d of %d bytes: %v", space, pattern, width, offsets)
	}
}

// What is known by heart.
func TestKnownRequests(t *testing.T) {
	lanes := func(address func(l uint64) uint64) *simd.Lanes {
		var addrs simd.Lanes
		for l := range addrs {
			addrs[l] = address(uint64(l))
		}
		return &addrs
	}
	for _, test := range []struct {
		name   string
		space  bytecode.Space
		width  int
		addrs  *simd.Lanes
		taken  uint64
		needed uint64
	}{
		{"floats side by side", bytecode.Global, 4, lanes(func(l uint64) uint64 { return 4 * l }), 4, 4},
		{"… that begin at an odd float", bytecode.Global, 4, lanes(func(l uint64) uint64 { return 4*l + 4 }), 5, 4},
		{"rows of 4096 bytes", bytecode.Global, 4, lanes(func(l uint64) uint64 { return 4096 * l }), 32, 4},
		{"one float for all", bytecode.Global, 4, lanes(func(uint64) uint64 { return 8 }), 1, 1},
		{"an array of structs of 16 bytes", bytecode.Global, 4, lanes(func(l uint64) uint64 { return 16 * l }), 16, 4},
		{"float4", bytecode.Global, 16, lanes(func(l uint64) uint64 { return 16 * l }), 16, 16},
		{"a column of a tile of 32 floats", bytecode.Shared, 4, lanes(func(l uint64) uint64 { return 128 * l }), 32, 1},
		{"… of 33", bytecode.Shared, 4, lanes(func(l uint64) uint64 { return 132 * l }), 1, 1},
		{"every other word", bytecode.Shared, 4, lanes(func(l uint64) uint64 { return 8 * l }), 2, 1},
		{"bytes side by side", bytecode.Shared, 1, lanes(func(l uint64) uint64 { return l }), 1, 1},
		{"doubles", bytecode.Shared, 8, lanes(func(l uint64) uint64 { return 8 * l }), 2, 2},
		{"a column of doubles", bytecode.Shared, 8, lanes(func(l uint64) uint64 { return 256 * l }), 32, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, all := counted(bytecode.Instr{Op: bytecode.OpLoad, Space: test.space, Mask: ^uint64(0), Size: min(8, test.width), Elems: max(1, test.width/8)}, bytecode.Full, test.addrs)
			assert.Equal(t, test.taken, got.GlobalSectors+got.SharedWavefronts)
			assert.Equal(t, test.needed, got.GlobalIdeal+got.SharedIdeal)
			worst := all[driver.GlobalSectors-1]
			if test.space == bytecode.Shared {
				worst = all[driver.SharedWavefronts-1]
			}
			if test.taken == test.needed {
				assert.Nil(t, worst)
				return
			}
			assert.Equal(t, test.taken, uint64(worst.Count))
			assert.Equal(t, [32]uint64(*test.addrs), worst.Addresses)
		})
	}
}

// The worst request of an instruction is kept, the first in the grid if there are several.
func TestWorst(t *testing.T) {
	in := bytecode.Instr{Op: bytecode.OpLoad, Space: bytecode.Global, Mask: ^uint64(0), Size: 4, Elems: 1}
	request := func(c *Counts, block uint64, stride uint64) {
		var addrs simd.Lanes
		for l := range addrs {
			addrs[l] = stride * uint64(l)
		}
		c.Begin(block)
		c.Count(&in, 0, 0, bytecode.Full, bytecode.Full, []simd.Lanes{addrs})
	}
	a, b := one(""), one("")
	request(a, 7, 4096)
	request(a, 9, 8)
	request(b, 5, 64)
	request(b, 6, 4096)
	request(b, 1, 4)
	a.Add(b)
	_, worst := a.Profile()
	assert.Equal(t, uint64(5), worst[0][0].Block)
	assert.Equal(t, uint64(64), worst[0][0].Addresses[1])
}

// The warps that come to a barrier early wait as long as the last one computes more.
func TestBarrierWaits(t *testing.T) {
	c := New(&bytecode.Kernel{Program: &bytecode.Program{Code: make([]bytecode.Instr, 2), Places: make([]bytecode.Place, 2)}}, 3)
	c.Begin(0)
	for warp, n := range []int{10, 4, 7} {
		c.Line(0, 1, warp, bytecode.Full)
		for range n - 1 {
			c.Count(&bytecode.Instr{Op: bytecode.OpNothing}, 0, warp, bytecode.Full, bytecode.Full, nil)
		}
		c.Arrive(3, warp, 1)
	}
	for warp := range 3 {
		c.Depart(3, warp, 1)
	}
	c.Complete(3)
	for warp := range 3 { // they have waited, and are even
		c.Arrive(3, warp, 1)
	}
	for warp := range 3 {
		c.Depart(3, warp, 1)
	}
	counts, _ := c.Profile()
	assert.Equal(t, uint64(6), counts[1].BarrierArrivals)
	assert.Equal(t, uint64(6+3), counts[1].BarrierWaits)
	assert.Equal(t, uint64(21), counts[0].Warps)
}

// Lanes that wait while others of their warp go on, and exit, have waited for nobody.
func TestBarrierBesideItself(t *testing.T) {
	c := New(&bytecode.Kernel{Program: &bytecode.Program{Code: make([]bytecode.Instr, 2), Places: make([]bytecode.Place, 2)}}, 1)
	c.Begin(0)
	c.Line(0, 1, 0, 0xffff)
	c.Arrive(0, 0, 1)
	for range 100 {
		c.Line(0, 1, 0, 0xffff0000)
	}
	c.Depart(0, 0, 1)
	counts, _ := c.Profile()
	assert.Zero(t, counts[1].BarrierWaits)
}

// Operations count what they move: a sector once, and rows of ldmatrix as accesses of 16 bytes.
func TestOperations(t *testing.T) {
	c := one("@%p1 ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1}, [%r2];")
	for lane := range 32 {
		c.Move(bytecode.Shared, 0, 0, lane, uint64(lane)*32, 16, false) // rows of 32 bytes: half of each bank is asked twice
	}
	counts, worst := c.Profile()
	assert.Equal(t, driver.InstructionCounts{SharedRequests: 1, SharedWavefronts: 8, SharedIdeal: 4}, counts[0])
	assert.Equal(t, uint32(8), worst[0][driver.SharedWavefronts-1].Count)

	c = one("cp.async.cg.shared.global [%r1], [%rd1], 16;")
	for lane := range 32 {
		c.Move(bytecode.Shared, 0, 0, lane, uint64(lane)*16, 16, true)
		c.Move(bytecode.Generic, 0, 0, lane, 5<<memory.OffsetBits+uint64(lane)*64, 16, false)
	}
	counts, worst = c.Profile()
	assert.Equal(t, driver.InstructionCounts{SharedRequests: 1, SharedWavefronts: 4, SharedIdeal: 4, GlobalRequests: 1, GlobalSectors: 32, GlobalIdeal: 16}, counts[0])
	require.NotNil(t, worst[0][driver.GlobalSectors-1])
	assert.Equal(t, uint32(16), worst[0][driver.GlobalSectors-1].Width)
	assert.Equal(t, uint64(64), worst[0][driver.GlobalSectors-1].Addresses[1])

	c = one("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 100, [%r2];")
	c.Move(bytecode.Shared, 0, 0, 0, 0, 128, true)
	c.Move(bytecode.Global, 0, 0, 0, 16, 128, false)
	counts, worst = c.Profile()
	assert.Equal(t, driver.InstructionCounts{GlobalRequests: 1, GlobalSectors: 5, GlobalIdeal: 4}, counts[0])
	assert.Nil(t, worst[0][driver.GlobalSectors-1], "one thread copies it")

	c = one("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1, 0, 0;")
	c.Move(bytecode.Shared, 0, 0, 0, 0, 16, false)
	counts, _ = c.Profile()
	assert.Zero(t, counts[0])
}

// Parts of an instruction count once, and lanes that wait for others count when they go on.
func TestPartsAndWaits(t *testing.T) {
	c := New(&bytecode.Kernel{Program: &bytecode.Program{Code: make([]bytecode.Instr, 3), Places: []bytecode.Place{{Part: true}, {}, {}}}}, 1)
	c.Begin(0)
	c.Line(0, 2, 0, 0xff)
	c.Count(&bytecode.Instr{Op: bytecode.OpShuffle}, 2, 0, 0xff, 0x0f, nil)
	c.Again(2, 0, 0x0f, true)
	c.Count(&bytecode.Instr{Op: bytecode.OpShuffle}, 2, 0, bytecode.Full, bytecode.Full, nil)
	assert.Equal(t, uint64(2), c.clocks[0])
	counts, _ := c.Profile()
	assert.Zero(t, counts[0])
	assert.Equal(t, driver.InstructionCounts{Warps: 1, Threads: 8, Executed: 8}, counts[1])
	assert.Equal(t, driver.InstructionCounts{Warps: 1, Threads: 36, Executed: 32}, counts[2])
}
