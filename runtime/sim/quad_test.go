package sim

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
)

// TestQuadProducts multiplies four pairs of matrices of halves, whose elements are in the lanes and registers
// that the ISA's formulas say.
func TestQuadProducts(t *testing.T) {
	value := func(matrix byte, quad, row, col int) int { return (int(matrix)+quad*3+row*5+col*2+row*col)%7 - 3 }
	for _, layouts := range []string{"row.row", "row.col", "col.row", "col.col"} {
		for _, types := range []string{"f16.f16.f16.f16", "f32.f16.f16.f16", "f32.f16.f16.f32"} {
			name := "mma.sync.aligned.m8n8k4." + layouts + "." + types
			typeD, typeC := types[:3], types[len(types)-3:]
			t.Run(name, func(t *testing.T) {
				var in [32][]uint64
				of := func(lane, i int, ty string) (row, col int) {
					if row, col = lane%4, i; ty == "f32" {
						row, col = lane&1+i&2, i&4+lane&2+i&1
					}
					return row + lane/16*4, col
				}
				for lane := range in {
					quad, upper := lane%16/4, lane/16*4
					for i := range 4 { // a, then b
						row, col := lane%4+upper, i
						if layouts[:3] == "col" {
							row, col = i+upper, lane%4
						}
						setLane(&in[lane], 0, i, 16, encode("f16", value('a', quad, row, col)))
						if row, col = i, lane%4+upper; layouts[4:] == "row" {
							row, col = lane%4, i+upper
						}
						setLane(&in[lane], 2, i, 16, encode("f16", value('b', quad, row, col)))
					}
					for i := range 8 {
						row, col := of(lane, i, typeC)
						setLane(&in[lane], 4, i, matrix.Numerics[typeC].Bits, encode(typeC, value('c', quad, row, col)))
					}
				}
				countC, countD := map[string]int{"f16": 4, "f32": 8}[typeC], map[string]int{"f16": 4, "f32": 8}[typeD]
				out := warpRun(t, fmt.Sprintf("%s %s, {%%r0, %%r1}, {%%r2, %%r3}, %s;", name, list("o", 0, countD), list("r", 4, countC)), in, countD)
				for lane := range 32 {
					quad := lane % 16 / 4
					for i := range 8 {
						row, col := of(lane, i, typeD)
						want := value('c', quad, row, col)
						for k := range 4 {
							want += value('a', quad, row, k) * value('b', quad, k, col)
						}
						r := matrix.PerRegister(matrix.Numerics[typeD].Bits)
						got := out[lane][i/r] >> (i % r * 16) & (1<<matrix.Numerics[typeD].Bits - 1)
						require.Equal(t, encode(typeD, want), got, "lane %d, element %d", lane, i)
					}
				}
			})
		}
	}
}

// setLane sets element i of a lane's fragment that begins with a register.
func setLane(lane *[]uint64, first, i, width int, value uint64) {
	at := first + i*width/32
	for len(*lane) <= at {
		*lane = append(*lane, 0)
	}
	(*lane)[at] |= value << (i * width % 32)
}

// TestNarrowWmma loads matrices of 4 bits and of bits, multiplies and stores.
func TestNarrowWmma(t *testing.T) {
	for _, test := range []struct {
		mma, typ string
		k, bits  int
		dot      func(a, b int) int
	}{
		{"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32", "s4", 32, 4, func(a, b int) int { return a * b }},
		{"wmma.mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32.satfinite", "u4", 32, 4, func(a, b int) int { return a * b }},
		{"wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "b1", 128, 1, func(a, b int) int { return bits.OnesCount(uint(a ^ b)) }},
		{"wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "b1", 128, 1, func(a, b int) int { return a & b }},
	} {
		t.Run(test.mma, func(t *testing.T) {
			value := func(row, k int) int {
				v := (row*7 + k*5 + row*k) % (1 << test.bits)
				if test.typ == "s4" {
					v -= 8
				}
				return v
			}
			const stride = 256 // elements, more than a row
			a, b, c := make([]byte, 8*stride*test.bits/8), make([]byte, 8*stride*test.bits/8), make([]uint32, 8*10)
			for row := range 8 {
				for k := range test.k {
					setBits(a, (row*stride+k)*test.bits, test.bits, uint64(value(row, k)))
					setBits(b, (row*stride+k)*test.bits, test.bits, uint64(value(row+3, k)))
				}
				for col := range 8 {
					c[row*10+col] = uint32(row - col)
				}
			}
			shape := fmt.Sprintf("m8n8k%d", test.k)
			m := newMachine(t, ptxHeader+strings.NewReplacer("SHAPE", shape, "TYPE", test.typ, "MMA", test.mma).Replace(`.entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {
.reg .b64 %p<9>; .reg .b32 %r<9>;
ld.param.u64 %p1, [a]; ld.param.u64 %p2, [b]; ld.param.u64 %p3, [c]; ld.param.u64 %p4, [d];
wmma.load.a.sync.aligned.row.SHAPE.global.TYPE {%r1}, [%p1], 256;
wmma.load.b.sync.aligned.col.SHAPE.TYPE {%r2}, [%p2], 256;
wmma.load.c.sync.aligned.row.SHAPE.global.s32 {%r3, %r4}, [%p3], 10;
MMA {%r5, %r6}, {%r1}, {%r2}, {%r3, %r4};
wmma.store.d.sync.aligned.col.SHAPE.global.s32 [%p4], {%r5, %r6}, 10;
ret; }`), driver.Checks{})
			d := m.upload(make([]uint32, 80))
			fault := m.launch("k", config(1, 32, 0), m.upload(a), m.upload(b), m.upload(c), d)
			require.Nil(t, fault)
			got := make([]uint32, 80)
			m.download(d, got)
			for row := range 8 {
				for col := range 8 {
					want := row - col
					for k := range test.k {
						want += test.dot(value(row, k), value(col+3, k))
					}
					assert.Equal(t, uint32(want), got[col*10+row], "%d %d", row, col)
				}
			}
		})
	}
}
