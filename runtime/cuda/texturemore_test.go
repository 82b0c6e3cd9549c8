package cuda_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// furtherCases combine what other cases take apart.
func furtherCases() (all []textureCase) {
	add := func(c ...textureCase) { all = append(all, c...) }
	linear := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp}
	smooth := linear
	smooth.NormalizedFloat = true
	colours := smooth
	colours.SRGB = true

	// Other elements in three dimensions.
	const size = 16
	volume := cuda.ArrayConfig{Width: size, Height: size, Depth: size}
	at := random(90, 8192, 0, size)
	bytes := randomBytes(91, 4*size*size*size)
	add(
		inArray[vec.Float2]("sums of 8 × Float16", "read3D", volume, halves(92, size*size*size), linear, at),
		inArray[vec.Float4]("sums of 8 × uint8", "read3D", volume, as[vec.UChar4](bytes), smooth, at),
		inArray[vec.Float4]("sums of 8 × int8", "read3D", volume, as[vec.Char4](bytes), smooth, at),
		inArray[vec.Float2]("sums of 8 × uint16", "read3D", volume, as[vec.UShort2](bytes), smooth, at),
		inArray[vec.Float2]("sums of 8 × int16", "read3D", volume, as[vec.Short2](bytes), smooth, at),
		inArray[vec.Float4]("sums of 8 × sRGB", "read3D", volume, as[vec.UChar4](bytes), colours, at),
	)
	for _, mode := range []cuda.AddressMode{cuda.AddressWrap, cuda.AddressMirror, cuda.AddressBorder} {
		cfg := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: mode, Normalized: true, Border: [4]float32{-7.25}}
		add(inArray[float32](fmt.Sprint("sums of 8, address mode ", mode), "read3D", cuda.ArrayConfig{Width: 5, Height: 3, Depth: 4}, numbersFor(93, 60), cfg, random(94, 8192, -1.5, 2.5)))
	}

	// The smallest integers, and borders of integers.
	extremes := []int16{-32768, 32767, -32768, -32767, 0, -32768, 1, -1}
	add(inArray[float32]("filtered int16 with the smallest", "read1D", cuda.ArrayConfig{Width: len(extremes)}, extremes, smooth, sweep(-1, 9, 4096)))
	framed := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressBorder, NormalizedFloat: true, Border: [4]float32{0.3, -0.7, 1.5, -2}}
	frame := cuda.ArrayConfig{Width: 4, Height: 4}
	around := random(95, 8192, -1, 5)
	add(
		inArray[vec.Float4]("filtered uint8 with a border", "read2D", frame, as[vec.UChar4](bytes[:64]), framed, around),
		inArray[vec.Float4]("filtered int8 with a border", "read2D", frame, as[vec.Char4](bytes[:64]), framed, around),
		inArray[vec.Float4]("filtered uint16 with a border", "read2D", frame, as[vec.UShort4](bytes[:128]), framed, around),
		inArray[vec.Float4]("filtered int16 with a border", "read2D", frame, as[vec.Short4](bytes[:128]), framed, around),
	)

	// Infinite elements beside others, whose weights are rounded to 0 at some places.
	some := numbersFor(96, 64)
	for i := 3; i < len(some); i += 7 {
		some[i] = float32(math.Inf(1 - i%2*2))
	}
	some[40] = float32(math.NaN())
	add(inArray[float32]("sums of 4 with infinite elements", "read2D", cuda.ArrayConfig{Width: 8, Height: 8}, some, linear, random(97, 16384, 0, 8)))
	add(inArray[float32]("sums of 8 with infinite elements", "read3D", cuda.ArrayConfig{Width: 4, Height: 4, Depth: 4}, some, linear, random(98, 16384, 0, 4)))

	// Two levels of other elements and of three dimensions.
	trilinear := cuda.TextureConfig{Filter: cuda.FilterLinear, MipmapFilter: cuda.FilterLinear, Address: cuda.AddressClamp, Normalized: true, ExactTrilinear: true}
	smoothLevels := trilinear
	smoothLevels.NormalizedFloat = true
	colourLevels := smoothLevels
	colourLevels.SRGB = true
	square := cuda.ArrayConfig{Width: size, Height: size}
	places := random(99, 8192, 0, 1)
	for i := range places {
		places[i].W *= 5
	}
	add(
		inLevelsOf[vec.Float2]("levels of Float16", "level2D", square, squares(size, func(n, area int) []vec.Float16x2 { return halves(uint64(100+n), area) }), trilinear, places),
		inLevelsOf[vec.Float4]("levels of uint8", "level2D", square, bytesOfLevels[vec.UChar4](size, 110), smoothLevels, places),
		inLevelsOf[vec.Float4]("levels of int8", "level2D", square, bytesOfLevels[vec.Char4](size, 110), smoothLevels, places),
		inLevelsOf[vec.Float4]("levels of int16", "level2D", square, bytesOfLevels[vec.Short4](size, 120), smoothLevels, places),
		inLevelsOf[vec.Float4]("levels of sRGB", "level2D", square, bytesOfLevels[vec.UChar4](size, 130), colourLevels, places),
	)
	unfiltered := smoothLevels
	unfiltered.Filter = cuda.FilterPoint
	add(inLevelsOf[vec.Float4]("levels of int8, filter 0", "level2D", square, bytesOfLevels[vec.Char4](size, 110), unfiltered, places))
	cubes := make([][]float32, 5)
	for n := range cubes {
		edge := max(size>>n, 1)
		cubes[n] = numbersFor(uint64(140+n), edge*edge*edge)
	}
	add(inLevels("sums of 16", "level3D", volume, cubes, trilinear, places))

	// Gradients along no dimension, and of sizes that are no powers of two.
	between := cuda.TextureConfig{MipmapFilter: cuda.FilterLinear, Address: cuda.AddressClamp, Normalized: true, ExactTrilinear: true}
	slanted := random(150, 32768, 0, 1)
	for i := range slanted {
		p := &slanted[i]
		p.Z, p.W = float32(math.Exp2(float64(p.Z)*12-11)), float32(math.Exp2(float64(p.W)*12-11))
		if i%3 == 0 {
			p.W = p.Z * float32(i) / float32(len(slanted))
		}
	}
	for _, shape := range [][2]int{{512, 512}, {1000, 600}} {
		name := fmt.Sprintf("%d × %d", shape[0], shape[1])
		levels := make([][]float32, 10)
		for n := range levels {
			levels[n] = make([]float32, max(shape[0]>>n, 1)*max(shape[1]>>n, 1))
			for i := range levels[n] {
				levels[n][i] = float32(n)
			}
		}
		array := cuda.ArrayConfig{Width: shape[0], Height: shape[1]}
		add(inLevels("level of detail of slanted gradients, "+name, "slanted2D", array, levels, between, slanted))
		if shape[0] != 512 {
			add(inLevels("level of detail of gradients, "+name, "gradient2D", array, levels, between, slanted))
		}
	}
	return all
}

// squares returns the elements of levels, of which the first has size × size.
func squares[T any](size int, elements func(level, area int) []T) (levels [][]T) {
	for n := 0; size>>n > 0; n++ {
		levels = append(levels, elements(n, size>>n*(size>>n)))
	}
	return levels
}

// bytesOfLevels returns random elements for squares.
func bytesOfLevels[T any](size int, seed uint64) [][]T {
	var one T
	return squares(size, func(n, area int) []T { return as[T](randomBytes(seed+uint64(n), area*binary.Size(one))) })
}

// TestBorderOfSRGB checks that the simulated device refuses what was not measured.
func TestBorderOfSRGB(t *testing.T) {
	dev := openSimulator(t)
	array := arrayOf(t, newStream(t, dev), cuda.ArrayConfig{Width: 4, Height: 4}, randomBytes(1, 16))
	cfg := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressBorder, NormalizedFloat: true, SRGB: true}
	textureOf[float32](t, array, cfg)
	cfg.Border = [4]float32{0.5}
	_, err := cuda.NewTexture[float32](array, cfg)
	assert.ErrorContains(t, err, "CUDA_ERROR_NOT_SUPPORTED")
	cfg.Address = cuda.AddressClamp
	textureOf[float32](t, array, cfg)
}

// TestBorderRead compares borders around integers with what an H200 read.
func TestBorderRead(t *testing.T) {
	dev := openSimulator(t)
	s, lib := newStream(t, dev), loadLibrary(t, dev, texturesPTX(t))
	cfg := cuda.TextureConfig{Address: cuda.AddressBorder, NormalizedFloat: true, Border: [4]float32{0.1, 0.5, 0.25, -0.25}}
	at := []texturePoint{{X: -50, Y: -50}}
	for _, c := range []struct {
		c    textureCase
		want vec.UInt4
	}{
		{inArray[vec.Float4]("uint8", "read2D", cuda.ArrayConfig{Width: 4, Height: 4}, make([]vec.UChar4, 16), cfg, at), vec.UInt4{X: 0x3dc8c8c9, Y: 0x3efefeff, Z: 0x3e808081}},
		{inArray[vec.Float4]("int8", "read2D", cuda.ArrayConfig{Width: 4, Height: 4}, make([]vec.Char4, 16), cfg, at), vec.UInt4{X: 0x3dd1a347, Y: 0x3efdfbf8, Z: 0x3e810204, W: 0xbe810204}},
		{inArray[vec.Float4]("uint16", "read2D", cuda.ArrayConfig{Width: 4, Height: 4}, make([]vec.UShort4, 16), cfg, at), vec.UInt4{X: 0x3dccc8cd, Y: 0x3effff00, Z: 0x3e800080, W: 0x00000000}},
		{inArray[vec.Float4]("int16", "read2D", cuda.ArrayConfig{Width: 4, Height: 4}, make([]vec.Short4, 16), cfg, at), vec.UInt4{X: 0x3dccd19a, Y: 0x3efffe00, Z: 0x3e800100, W: 0xbe800100}},
	} {
		assert.Equal(t, []vec.UInt4{c.want}, c.c.read(t, lib, s), c.c.name)
	}
}

// TestBorderOfIntegers checks that the simulated device refuses borders of which two readings are
// possible, and no others.
func TestBorderOfIntegers(t *testing.T) {
	dev := openSimulator(t)
	s := newStream(t, dev)
	size := cuda.ArrayConfig{Width: 4, Height: 4}
	bytes, signed := arrayOf(t, s, size, randomBytes(1, 16)), arrayOf(t, s, size, as[int8](randomBytes(1, 16)))
	for _, c := range []struct {
		border                                   float32
		filteredUint8, uint8, filteredInt8, int8 bool
	}{
		{0, true, true, true, true},
		{1, true, true, true, true},
		{-1, true, true, true, true},
		{0.1, true, true, true, true},
		{0.3, true, true, true, true},
		{0.5, true, true, true, true},
		{0.3274898827, false, false, true, true}, // 83.51 of 255
		{-0.7, true, true, true, true},
		{2, true, true, true, true},
	} {
		cfg := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressBorder, NormalizedFloat: true, Border: [4]float32{c.border, 0.5}}
		point := cfg
		point.Filter = cuda.FilterPoint
		check := func(what string, want bool, array cuda.TextureSource, cfg cuda.TextureConfig) {
			texture, err := cuda.NewTexture[float32](array, cfg)
			if assert.Equal(t, want, err == nil, "%s, border %v: %v", what, c.border, err); err == nil {
				assert.NoError(t, texture.Close())
			} else {
				assert.ErrorContains(t, err, "CUDA_ERROR_NOT_SUPPORTED")
			}
		}
		check("filtered uint8", c.filteredUint8, bytes, cfg)
		check("uint8", c.uint8, bytes, point)
		check("filtered int8", c.filteredInt8, signed, cfg)
		check("int8", c.int8, signed, point)
	}
}
