package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// nearest rounds f by arithmetic of any precision to digits bits, at least multiples of
// 2^least, and to infinity from 2^over on.
func nearest(f float32, digits, least, over int) float64 {
	if f == 0 || math.IsInf(float64(f), 0) {
		return float64(f)
	}
	exact := new(big.Float).SetPrec(200).SetFloat64(float64(f))
	exponent := exact.MantExp(nil) // f = 0.1… × 2^exponent
	unit := max(exponent-digits, least)
	scaled := new(big.Float).SetMantExp(exact, -unit)
	// To the nearest whole number, of two the even one.
	whole, _ := new(big.Float).SetPrec(200).SetMode(big.ToNegativeInf).Add(scaled, big.NewFloat(0)).Int(nil)
	if scaled.Sign() < 0 && !scaled.IsInt() {
		whole.Sub(whole, big.NewInt(1))
	}
	rest := new(big.Float).Sub(scaled, new(big.Float).SetInt(whole))
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && whole.Bit(0) == 1 {
		whole.Add(whole, big.NewInt(1))
	}
	result, _ := new(big.Float).SetMantExp(new(big.Float).SetPrec(200).SetInt(whole), unit).Float64()
	if math.Abs(result) >= math.Ldexp(1, over) {
		return math.Copysign(math.Inf(1), result)
	}
	return math.Copysign(result, float64(f))
}

// samples calls f with values that are hard to round, and with random ones.
func samples(f func(float32)) {
	for _, v := range []uint32{0, 1, 0x7f7fffff, 0x7f800000, 0x477fefff, 0x477ff000, 0x477fe000, 0x33000000, 0x33000001, 0x32ffffff, 0x387fffff, 0x38800000, 0x387fe000, 0x387ff000, 0x7f7f7fff, 0x7f7f8000} {
		f(math.Float32frombits(v))
		f(math.Float32frombits(v | 1<<31))
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200000 {
		if v := math.Float32frombits(random.Uint32()); v == v {
			f(v)
		}
		v := math.Float32frombits(0x32000000 + random.Uint32()%(0x48000000-0x32000000)) // where halves are
		f(v)
		f(math.Float32frombits(math.Float32bits(v) &^ 0xfff)) // and half way between them
	}
}

func TestFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		h := Float16(bits)
		f := h.Float32()
		if f != f {
			assert.Equal(t, nanFloat16, NewFloat16(f))
			assert.True(t, bits&0x7c00 == 0x7c00 && bits&0x3ff != 0)
			continue
		}
		if NewFloat16(f) != h {
			t.Fatalf("%#04x is %v, which is %#04x", bits, f, NewFloat16(f))
		}
	}
	samples(func(f float32) {
		if got, want := float64(NewFloat16(f).Float32()), nearest(f, 11, -24, 16); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%v (%#x): got %v, want %v", f, math.Float32bits(f), got, want)
		}
	})
	assert.Equal(t, Float16(0x3c00), NewFloat16(1))
	assert.Equal(t, Float16(0x7bff), NewFloat16(65504))
}

func TestBFloat16(t *testing.T) {
	for bits := range 1 << 16 {
		b := BFloat16(bits)
		f := b.Float32()
		if f != f {
			assert.Equal(t, nanBFloat16, NewBFloat16(f))
			continue
		}
		if NewBFloat16(f) != b {
			t.Fatalf("%#04x is %v, which is %#04x", bits, f, NewBFloat16(f))
		}
	}
	samples(func(f float32) {
		if got, want := float64(NewBFloat16(f).Float32()), nearest(f, 8, -133, 128); got != want || math.Signbit(got) != math.Signbit(want) {
			t.Fatalf("%v (%#x): got %v, want %v", f, math.Float32bits(f), got, want)
		}
	})
	assert.Equal(t, BFloat16(0x3f80), NewBFloat16(1))
}
