package vec

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAppendFloat32: all values of both types, bit by bit as one by one, at every place.
func TestAppendFloat32(t *testing.T) {
	halves, brains := make([]Float16, 1<<16), make([]BFloat16, 1<<16)
	for i := range halves {
		halves[i], brains[i] = Float16(i), BFloat16(i)
	}
	prefix := []float32{1, 2}
	fromHalves, fromBrains := AppendFloat32(prefix[:1:1], halves), AppendFloat32(nil, brains)
	assert.Equal(t, []float32{1, 2}, prefix, "dst is not written behind its length")
	for i := range halves {
		if got, want := math.Float32bits(fromHalves[i+1]), math.Float32bits(halves[i].Float32()); got != want {
			t.Fatalf("Float16 %#04x: got %#x, want %#x", i, got, want)
		}
		if got, want := math.Float32bits(fromBrains[i]), uint32(i)<<16; got != want {
			t.Fatalf("BFloat16 %#04x: got %#x, want %#x", i, got, want)
		}
	}
}

// TestAppendHalves: 2^22 values that are spread over all of float32, and every boundary of
// rounding, are converted as one by one; TestFloat16 compares that with arithmetic of any precision.
func TestAppendHalves(t *testing.T) {
	var src []float32
	random := rand.New(rand.NewPCG(3, 4))
	for i := range uint32(1 << 22) {
		src = append(src, math.Float32frombits(i<<10|random.Uint32()&0x3ff))
	}
	for i := range uint32(1 << 16) { // every half, half way to the next, and beside it
		for _, f := range []float32{Float16(i).Float32(), BFloat16(i).Float32()} {
			for _, offset := range []uint32{0, 1, 0xfff, 0x1000, 0x1001, 0x7fff, 0x8000, 0x8001} {
				src = append(src, math.Float32frombits(math.Float32bits(f)+offset))
			}
		}
	}
	halves, brains := AppendFloat16(nil, src), AppendBFloat16(nil, src)
	for i, f := range src {
		if halves[i] != NewFloat16(f) || brains[i] != NewBFloat16(f) {
			t.Fatalf("%v (%#x): got %#x and %#x", f, math.Float32bits(f), halves[i], brains[i])
		}
		if f != f && (halves[i] != nanFloat16 || brains[i] != nanBFloat16) {
			t.Fatalf("NaN %#x: got %#x and %#x", math.Float32bits(f), halves[i], brains[i])
		}
	}
	assert.NotEqual(t, NewFloat16(1), halves[len(halves)-1], "the control")
}

func TestAppendAllocates(t *testing.T) {
	src := make([]float32, 1000)
	halves, brains, back := make([]Float16, 0, 1000), make([]BFloat16, 1000), make([]float32, 1000)
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		halves = AppendFloat16(halves[:0], src)
		brains = AppendBFloat16(brains[:0], src)
		back = AppendFloat32(AppendFloat32(back[:0], halves[:500]), brains[:500])
	}))
	assert.Len(t, back, 1000)
	assert.NotZero(t, testing.AllocsPerRun(10, func() { halves = AppendFloat16(nil, src) }), "the control")
	assert.Empty(t, AppendFloat16(nil, nil))
}

func BenchmarkHalves(b *testing.B) {
	src := make([]float32, 1<<16)
	for i := range src {
		src[i] = float32(rand.NormFloat64())
	}
	halves, brains, back := AppendFloat16(nil, src), AppendBFloat16(nil, src), make([]float32, 0, len(src))
	for name, convert := range map[string]func(){
		"to Float16":    func() { halves = AppendFloat16(halves[:0], src) },
		"to BFloat16":   func() { brains = AppendBFloat16(brains[:0], src) },
		"from Float16":  func() { back = AppendFloat32(back[:0], halves) },
		"from BFloat16": func() { back = AppendFloat32(back[:0], brains) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(4 << 16)
			for b.Loop() {
				convert()
			}
		})
	}
}
