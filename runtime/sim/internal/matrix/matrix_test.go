package matrix

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFragmentsCoverTheMatrix: the lanes of a warp hold each element, and each of them once; quads hold a matrix each.
func TestFragmentsCoverTheMatrix(t *testing.T) {
	covers := func(f *Fragment, elements int) {
		times := make([]int, elements)
		for _, at := range f.At {
			require.Len(t, at, len(f.At[0]))
			for _, index := range at {
				times[index]++
			}
		}
		for index, n := range times {
			require.Equal(t, 1, n, "%d of %d×%d", index, f.Rows, f.Cols)
		}
	}
	for _, s := range []Shape{{16, 8, 16}, {8, 8, 4}, {16, 8, 64}, {32, 8, 16}, {16, 16, 16}, {16, 256, 32}} {
		for _, bits := range []int{1, 4, 8, 16, 32} {
			if s.K*bits%128 != 0 {
				continue
			}
			covers(FragmentOf('a', s, bits), s.M*s.K)
			covers(FragmentOf('b', s, bits), s.K*s.N)
		}
		covers(FragmentOf('c', s, 32), s.M*s.N)
		assert.Equal(t, s.M*s.N/lanesOfWarp, FragmentOf('c', s, 32).Registers())
	}
	for _, f := range []*Fragment{QuadA(true), QuadA(false), QuadB(true), QuadB(false)} {
		covers(f, Quads*8*4)
	}
	covers(QuadC("f16"), Quads*8*8)
	covers(QuadC("f32"), Quads*8*8)
}

// TestMetadata: a group has as many elements as it should, and wrong metadata is told.
func TestMetadata(t *testing.T) {
	for _, test := range []struct {
		bits    int
		nibble  uint64
		ordered bool
		columns []int
		wrong   string
	}{
		{16, 0b1001, false, []int{4 + 1, 4 + 2}, ""},
		{16, 0b0110, false, []int{4 + 2, 4 + 1}, ""},
		{16, 0b0110, true, []int{4 + 2, 4 + 1}, "do not ascend"},
		{8, 0b1111, false, []int{4 + 3, 4 + 3}, "names one place twice"},
		{4, 0b1000, false, []int{8, 9, 8 + 4, 8 + 5}, ""},
		{32, 0b0100, false, []int{2}, ""},
		{32, 0b1110, false, []int{3}, ""},
		{32, 0b0000, false, []int{2}, "stands for no element"},
	} {
		m := &Metadata{Bits: test.bits, Columns: 32, Ordered: test.ordered}
		columns, wrong := m.Place(nil, 1, test.nibble)
		assert.Equal(t, test.columns, columns, test)
		if test.wrong == "" {
			assert.Empty(t, wrong)
		} else {
			assert.Contains(t, wrong, test.wrong)
		}
	}
}

// TestChunksEnd: chunks cover a matrix in shared memory once, and a loop over them may end.
func TestChunksEnd(t *testing.T) {
	for _, l := range []Layout{{16, false}, {16, true}, {8, false}, {32, false}} {
		for mode := range uint64(4) {
			d := DescriptorOf(mode<<62 | 64<<32 | 64<<16)
			seen := map[[2]int]int{}
			addresses := map[uint64]bool{}
			for c := range l.Chunks(d, 0, 8, 64/l.Bits*2) {
				addresses[c.Addr] = true
				l.Unpack(make([]byte, 16), c, func(row, k int, _ uint64) { seen[[2]int{row, k}]++ })
			}
			assert.Len(t, addresses, len(seen)*l.Bits/128, "no two chunks lie in one place")
			for at, n := range seen {
				require.Equal(t, 1, n, at)
			}
			require.NotEmpty(t, seen)
			for range l.Chunks(d, 0, 8, 64/l.Bits*2) {
				break
			}
		}
	}
}

// TestProductAddsC: floats and doubles add what C holds, with its sign.
func TestProductAddsC(t *testing.T) {
	f32, f64 := func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }, math.Float64bits
	for _, test := range []struct {
		kind string
		bits func(v float64) uint64
	}{{"f32", f32}, {"f64", f64}} {
		number, ok := Numerics[test.kind]
		require.True(t, ok)
		p := Product{Shape: Shape{1, 1, 2}, TypeA: number, TypeB: number, TypeC: number, Result: test.kind}
		d := make([]uint64, 1)
		p.Compute([]uint64{test.bits(2), test.bits(3)}, []uint64{test.bits(5), test.bits(7)}, []uint64{test.bits(-40)}, d)
		assert.Equal(t, test.bits(-9), d[0], test.kind)
	}
}
