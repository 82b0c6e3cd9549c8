package extent

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSaturation(t *testing.T) {
	for _, test := range []struct{ a, b, sum, product int }{
		{0, 0, 0, 0},
		{3, 4, 7, 12},
		{math.MaxInt, 0, math.MaxInt, 0},
		{math.MaxInt, 1, math.MaxInt, math.MaxInt},
		{1 << 32, 1 << 31, 1<<32 + 1<<31, math.MaxInt},
		{1 << 32, 1<<31 - 1, 1<<32 + 1<<31 - 1, 1<<63 - 1<<32},
		{1 << 62, 1 << 62, math.MaxInt, math.MaxInt},
	} {
		assert.Equal(t, test.sum, Add(test.a, test.b), "Add(%d, %d)", test.a, test.b)
		assert.Equal(t, test.sum, Add(test.b, test.a), "Add(%d, %d)", test.b, test.a)
		assert.Equal(t, test.product, Mul(test.a, test.b), "Mul(%d, %d)", test.a, test.b)
		assert.Equal(t, test.product, Mul(test.b, test.a), "Mul(%d, %d)", test.b, test.a)
	}
	assert.Equal(t, math.MaxInt, Mul(-1, 5), "a negative factor never makes a check pass")
	assert.Equal(t, math.MaxInt, Mul(-1, -5))
}

func TestSpan(t *testing.T) {
	assert.Equal(t, 0, Span(0, 5, 5, 8, 8))
	assert.Equal(t, 2*8*10+3*10+7, Span(7, 4, 3, 10, 8))
	assert.Equal(t, math.MaxInt, Span(1, 2, 2, 1<<40, 1<<40))
}

func TestStride(t *testing.T) {
	for _, test := range []struct {
		width int
		size  uint64
		want  int
	}{{100, 4, 128}, {128, 4, 128}, {1, 12, 128}, {1, 1, 512}, {3, 512, 3}, {3, 1024, 3}, {math.MaxInt, 4, math.MaxInt}, {math.MaxInt - 127, 4, math.MaxInt - 127}} {
		assert.Equal(t, test.want, Stride(test.width, test.size, 512), "%+v", test)
	}
}

// TestOverlap compares with the bytes of all rows.
func TestOverlap(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	bytes := func(r Rows) map[uint64]bool {
		all := make(map[uint64]bool)
		for plane := range r.Depth {
			for row := range r.Height {
				for i := range r.Bytes {
					all[r.Addr+uint64(plane*r.PlaneRows+row)*r.Pitch+i] = true
				}
			}
		}
		return all
	}
	found := 0
	for range 3000 {
		width := 1 + random.Uint64N(4)
		rows := func() Rows {
			height := 1 + random.IntN(3)
			return Rows{random.Uint64N(40), width, width + random.Uint64N(8), height, 1 + random.IntN(3), height + random.IntN(2)}
		}
		a, b := rows(), rows()
		b.Height, b.Depth = a.Height, a.Depth
		b.PlaneRows = max(b.PlaneRows, b.Height)
		want, of := false, bytes(a)
		for at := range bytes(b) {
			want = want || of[at]
		}
		assert.Equal(t, want, Overlap(a, b), "%+v %+v", a, b)
		if want {
			found++
		}
	}
	assert.Greater(t, found, 100)
	assert.Less(t, found, 2900)
}
