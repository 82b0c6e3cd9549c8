package texture

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// These values were read on an H200. TestTextureValues in runtime/cuda has many more of each kind.

func TestSplit(t *testing.T) {
	assert.Equal(t, [4]int64{35, 23, 103, 69}, split(230, 102, 192), "138·192/256 = 103.5: the weight below is rounded up")
	assert.Equal(t, [4]int64{110, 16, 110, 17}, split(253, 33, 128), "33·128/256 = 16.5: the weight above is rounded up")
	assert.Equal(t, [4]int64{96, 32, 0, 0}, split(128, 63, 0), "31.5 is rounded up")
	assert.Equal(t, [4]int64{unit, 0, 0, 0}, split(unit, 0, 0))
}

func TestLinears(t *testing.T) {
	for n, want := range map[int]float64{0: 0, 1: 20, 31: 896, 32: 944, 47: 1864, 63: 3264, 95: 7488, 135: 15872, 183: 30976, 247: 60928, 251: 62976, 255: 65536} {
		assert.Equal(t, want/65536, linears[n], "byte %d", n)
	}
	for n, v := range linears {
		step := linearStep(v)
		assert.Zero(t, math.Mod(v, step), "byte %d is no multiple of its step", n)
		assert.LessOrEqual(t, math.Abs(v-linearOfSRGB(float64(n)/255)), step/2, "byte %d", n)
	}
}

func TestFilteredIntegers(t *testing.T) {
	int8s := elements{driver.FormatInt8, 1}
	for sum, want := range map[int64]int{
		-64 * unit: -16512, 69 * unit: 17803, 127 * unit: 32767, -127 * unit: -32767, -128 * unit: -32767,
		108*49 - 8*207: 3664, 57*225 - 86*31: 10239, 63*188 + 97*68: 18585,
	} {
		assert.Equal(t, float64(want)/32767, int8s.ofIntegers(sum), "sum %d", sum)
	}
}

func TestLengths(t *testing.T) {
	last := func(bits float64) float32 { return float32(bits / 512) }
	assert.Equal(t, 1204.0, inElements(last(512+104), 1000), "1203.125 is rounded up")
	assert.Equal(t, 1450.0, inElements(last(512+231), 1000), "1451.17 is rounded down")
	assert.Equal(t, 817.0, inElements(last(817), 512))
	assert.Zero(t, inElements(0x1p-127, 512))
	assert.Equal(t, math.Inf(1), inElements(float32(math.Inf(-1)), 512))
	assert.Equal(t, 899.0+280, hypotenuse(899, 817), "(11 · 817 + 4) / 32 = 280.97")
	assert.Equal(t, 893.0+87, hypotenuse(253, 893), "253 is 1012 in its last bits, (11 · 1012 + 4) / 128 = 87")
	assert.Equal(t, 3.0, hypotenuse(0, 3))
}

func TestLogarithm(t *testing.T) {
	for v, want := range map[float64]float64{1: 0, 1.0038: 0, 1.0040: 2, 1.42: 129, 1.45: 137, 1.4525: 137, 1.4535: 138, 1.9999: 255} {
		assert.Equal(t, want/unit, logarithm(v), "logarithm of %v", v)
		assert.Equal(t, want/unit+7, logarithm(128*v), "logarithm of %v", 128*v)
	}
	assert.Equal(t, math.Inf(-1), logarithm(0))
}

// An element without weight does not decide how the others are cut, unless it is an infinity or a NaN that is reached.
func TestLargest(t *testing.T) {
	p := plane{elements: [4]Texel{{8}, {-2}, {4}, {16}}, weights: [4]int64{0, 1, 255, unit}, reached: [4]bool{true, true, true, false}}
	assert.Equal(t, 4.0, p.largest(0))
	p.weights[0] = 1
	assert.Equal(t, 8.0, p.largest(0))
	p.elements[1][0], p.weights[1] = math.Inf(-1), 0
	assert.Equal(t, math.Inf(1), p.largest(0))
	p.reached[1] = false
	assert.Equal(t, 8.0, p.largest(0))
}

// Elements are cut behind so many bits of the largest, whatever that is.
func TestSumIsCut(t *testing.T) {
	for _, largest := range []float64{0.5, 1, 2, 3} {
		p := plane{elements: [4]Texel{{largest}, {math.Ldexp(7, -12)}}, weights: [4]int64{1, 1}, reached: [4]bool{true, true}}
		step := math.Ldexp(1, math.Ilogb(largest)-10)
		assert.Equal(t, largest+math.Trunc(math.Ldexp(7, -12)/step)*step, p.sum(0, largest, 10), "largest %v", largest)
	}
	assert.True(t, math.Signbit((&plane{reached: [4]bool{true}}).sum(0, 0, 10)), "nothing with a weight is -0")
}
