package cuda_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A texturePoint is where a kernel of testdata/textures.cu reads: x, y, z, w.
type texturePoint = vec.Float4

// A textureCase is a texture and where it is read.
type textureCase struct {
	name, kernel string
	at           []texturePoint
	open         func(t *testing.T, dev *cuda.Device, s *cuda.Stream) (handle uint64, owner cuda.Owner)
}

// readArgs are the arguments of the kernels that read textures.
type readArgs struct {
	T     uint64
	Owner cuda.Owner
	At    cuda.Slice[texturePoint]
	Out   cuda.Slice[vec.UInt4]
	N     int32
}

// read returns the bits that c reads on the device of s.
func (c *textureCase) read(t *testing.T, lib *cuda.Library, s *cuda.Stream) []vec.UInt4 {
	t.Helper()
	handle, owner := c.open(t, s.Device(), s)
	kernel, err := cuda.Bind[readArgs](lib, c.kernel)
	require.NoError(t, err)
	at := upload(t, s, c.at)
	out := upload(t, s, make([]vec.UInt4, len(c.at)))
	args := &readArgs{T: handle, Owner: owner, At: at.All(), Out: out.All(), N: int32(len(c.at))}
	require.NoError(t, kernel.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(uint32(len(c.at)+127) / 128), Block: cuda.Dim(128)}, args), c.name)
	got := make([]vec.UInt4, len(c.at))
	require.NoError(t, out.CopyTo(s, got), c.name)
	return got
}

// textureOf makes a texture that is closed at the end of the test.
func textureOf[R any](t *testing.T, from cuda.TextureSource, cfg cuda.TextureConfig) (uint64, cuda.Owner) {
	t.Helper()
	texture, err := cuda.NewTexture[R](from, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { texture.Close() })
	return texture.Handle(), texture.Owner()
}

// arrayOf makes an array with the given elements that is closed at the end of the test.
func arrayOf[T any](t *testing.T, s *cuda.Stream, cfg cuda.ArrayConfig, elements []T) *cuda.Array[T] {
	t.Helper()
	array, err := cuda.NewArray[T](s.Device(), cfg)
	require.NoError(t, err)
	t.Cleanup(func() { array.Close() })
	require.NoError(t, array.CopyFrom(s, elements))
	return array
}

// inArray is a case with an array of elements T that a kernel reads as R.
func inArray[R, T any](name, kernel string, array cuda.ArrayConfig, elements []T, cfg cuda.TextureConfig, at []texturePoint) textureCase {
	return textureCase{name: name, kernel: kernel, at: at, open: func(t *testing.T, _ *cuda.Device, s *cuda.Stream) (uint64, cuda.Owner) {
		return textureOf[R](t, arrayOf(t, s, array, elements), cfg)
	}}
}

// inLevels is a case with a mipmapped array, whose level n has the elements of levels[n].
func inLevels(name, kernel string, array cuda.ArrayConfig, levels [][]float32, cfg cuda.TextureConfig, at []texturePoint) textureCase {
	return inLevelsOf[float32](name, kernel, array, levels, cfg, at)
}

// inLevelsOf is inLevels for elements T that a kernel reads as R.
func inLevelsOf[R, T any](name, kernel string, array cuda.ArrayConfig, levels [][]T, cfg cuda.TextureConfig, at []texturePoint) textureCase {
	return textureCase{name: name, kernel: kernel, at: at, open: func(t *testing.T, dev *cuda.Device, s *cuda.Stream) (uint64, cuda.Owner) {
		m, err := cuda.NewMipmappedArray[T](dev, array, len(levels))
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, m.Close()) })
		for n, elements := range levels {
			require.NoError(t, m.Level(n).CopyFrom(s, elements))
		}
		return textureOf[R](t, m, cfg)
	}}
}

// numbersFor returns n floating-point numbers of very different sizes.
func numbersFor(seed uint64, n int) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(math.Ldexp(r.Float64()*2-1, r.IntN(24)-8))
	}
	return list
}

// alternating returns 0, 1, 0, 1 …: what linear filtering reads there is a weight.
func alternating(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(i % 2)
	}
	return list
}

func randomBytes(seed uint64, n int) []byte {
	list := make([]byte, n)
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range list {
		list[i] = byte(r.Uint32())
	}
	return list
}

// as returns the bytes of list as elements.
func as[T any](t []byte) []T {
	var zero T
	list := make([]T, len(t)/binary.Size(zero))
	if _, err := binary.Decode(t, binary.LittleEndian, list); err != nil {
		panic(err)
	}
	return list
}

// sweep returns steps points along the first coordinate.
func sweep(from, to float64, steps int) []texturePoint {
	list := make([]texturePoint, steps)
	for i := range list {
		list[i].X = float32(from + (to-from)*float64(i)/float64(steps))
	}
	return list
}

// around returns the numbers next to each of places, and those.
func around(places ...float64) (list []texturePoint) {
	for _, p := range places {
		x := float32(p)
		list = append(list, texturePoint{X: x}, texturePoint{X: math.Nextafter32(x, float32(math.Inf(1)))}, texturePoint{X: math.Nextafter32(x, float32(math.Inf(-1)))})
	}
	return list
}

// random returns points whose coordinates lie between from and to.
func random(seed uint64, n int, from, to float64) []texturePoint {
	r := rand.New(rand.NewPCG(seed, 3))
	next := func() float32 { return float32(from + (to-from)*r.Float64()) }
	list := make([]texturePoint, n)
	for i := range list {
		list[i] = texturePoint{X: next(), Y: next(), Z: next(), W: next()}
	}
	return list
}

// withZ returns points with whole numbers from lo to hi as their third coordinate.
func withZ(points []texturePoint, lo, hi int) []texturePoint {
	points = slices.Clone(points)
	for i := range points {
		points[i].Z = float32(lo + i%(hi-lo+1))
	}
	return points
}

// eighths returns the boundaries of eighths of elements from lo to hi, divided by n.
func eighths(lo, hi int, n float64) (list []float64) {
	for i := 8 * lo; i <= 8*hi; i++ {
		list = append(list, float64(i)/8/n)
	}
	return list
}

// textureCases are the cases whose values are compared.
func textureCases() (all []textureCase) {
	add := func(c ...textureCase) { all = append(all, c...) }
	linear := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp}
	normalized := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp, Normalized: true}
	point := cuda.TextureConfig{Address: cuda.AddressClamp, Normalized: true}

	// Which weights there are, and where they change.
	line := cuda.ArrayConfig{Width: 16}
	add(inArray[float32]("weights", "read1D", line, alternating(16), linear, sweep(-1, 17, 18*2048)))
	add(inArray[float32]("weights near steps", "read1D", line, alternating(16), linear, around(eighths(-1, 17, 1)...)))
	var halves []float64
	for i := range 16 * 512 {
		halves = append(halves, float64(i)/512)
	}
	add(inArray[float32]("weights near halves of 1/256", "read1D", line, alternating(16), linear, around(halves...)))
	for _, n := range []int{2, 3, 10, 16, 100, 1000, 4097, 131072} {
		size := cuda.ArrayConfig{Width: n}
		add(inArray[float32](fmt.Sprint("normalized weights of ", n), "read1D", size, alternating(n), normalized, slices.Concat(sweep(-0.25, 1.25, 8192), random(uint64(n), 4096, 0, 1))))
		elements := numbersFor(uint64(n), n)
		var edges []float64
		for i := range min(n, 2000) + 1 {
			edges = append(edges, float64(i)/float64(n))
		}
		add(inArray[float32](fmt.Sprint("points of ", n), "read1D", size, elements, point, slices.Concat(around(edges...), random(uint64(n)+1, 4096, -0.5, 1.5))))
	}
	add(inArray[float32]("points without normalization", "read1D", line, numbersFor(1, 16), cuda.TextureConfig{Address: cuda.AddressClamp}, slices.Concat(around(eighths(-2, 18, 1)...), random(2, 4096, -3, 19))))

	// How weighted elements are added.
	add(inArray[float32]("sums of 2", "read1D", cuda.ArrayConfig{Width: 256}, numbersFor(3, 256), linear, random(3, 16384, 0, 256)))
	add(inArray[float32]("sums of 4", "read2D", cuda.ArrayConfig{Width: 64, Height: 32}, numbersFor(4, 64*32), linear, random(4, 16384, 0, 64)))
	add(inArray[float32]("sums of 8", "read3D", cuda.ArrayConfig{Width: 16, Height: 16, Depth: 16}, numbersFor(5, 16*16*16), linear, random(5, 16384, 0, 16)))
	unit := make([]float32, 64*32)
	for i, b := range randomBytes(6, len(unit)) {
		unit[i] = float32(b) / 255
	}
	add(inArray[float32]("sums of numbers to 1", "read2D", cuda.ArrayConfig{Width: 64, Height: 32}, unit, linear, random(6, 16384, 0, 64)))
	add(inArray[float32]("products of weights", "read2D", cuda.ArrayConfig{Width: 2, Height: 2}, []float32{0, 0, 0, 1}, linear, random(7, 16384, 0.5, 1.5)))
	add(inArray[float32]("products of 3 weights", "read3D", cuda.ArrayConfig{Width: 2, Height: 2, Depth: 2}, []float32{0, 0, 0, 0, 0, 0, 0, 1}, linear, random(8, 16384, 0.5, 1.5)))

	// Address modes, by coordinates and filters.
	for _, mode := range []cuda.AddressMode{cuda.AddressWrap, cuda.AddressClamp, cuda.AddressMirror, cuda.AddressBorder} {
		for _, filter := range []cuda.FilterMode{cuda.FilterPoint, cuda.FilterLinear} {
			for _, isNormalized := range []bool{false, true} {
				cfg := cuda.TextureConfig{Address: mode, Filter: filter, Normalized: isNormalized, Border: [4]float32{-7.25, 3, 0.5, 99}}
				to, scale := 9.0, 1.0
				if isNormalized {
					to, scale = 3.5, 5
				}
				points := slices.Concat(random(uint64(mode)*7+uint64(filter), 4096, -to, to), around(eighths(-11, 16, scale)...))
				name := fmt.Sprintf("address mode %d, filter %d, normalized %v", mode, filter, isNormalized)
				add(inArray[vec.Float4](name, "read2D", cuda.ArrayConfig{Width: 5, Height: 3}, as[vec.Float4](floatBytes(numbersFor(9, 60))), cfg, points))
			}
		}
	}
	odd := []texturePoint{{X: float32(math.NaN()), Y: 1}, {X: float32(math.Inf(1)), Y: 1}, {X: float32(math.Inf(-1)), Y: 1}, {X: 1e30, Y: 1}, {X: -1e30, Y: 1}, {X: 1 << 30, Y: 1}, {X: 1e-40, Y: 1}, {X: 1, Y: float32(math.NaN())}}
	for _, mode := range []cuda.AddressMode{cuda.AddressWrap, cuda.AddressClamp, cuda.AddressMirror, cuda.AddressBorder} {
		for _, filter := range []cuda.FilterMode{cuda.FilterPoint, cuda.FilterLinear} {
			add(inArray[float32](fmt.Sprintf("odd coordinates, address mode %d, filter %d", mode, filter), "read2D", cuda.ArrayConfig{Width: 5, Height: 3}, numbersFor(10, 15),
				cuda.TextureConfig{Address: mode, Filter: filter, Normalized: true}, odd))
		}
	}

	// Elements of every format, and what channels that are not there read as.
	add(formatCases()...)
	nan := math.Float32frombits
	add(inArray[float32]("NaN and infinite elements", "read1D", cuda.ArrayConfig{Width: 8}, []float32{nan(0x7fc00001), nan(0xff812345), nan(0x7f800000), nan(0xff800000), 1, nan(1), nan(0x80000001), nan(0x80000000)}, point, sweep(0, 1, 8)))
	add(inArray[float32]("filtered NaN and infinite elements", "read1D", cuda.ArrayConfig{Width: 8}, []float32{nan(0x7fc00001), 1, nan(0x7f800000), 2, nan(1), 3, nan(0x80000000), nan(0x80000000)}, linear, sweep(0, 8, 128)))

	// Layers, cubes, gathering.
	add(inArray[float32]("layers of rows", "layered1D", cuda.ArrayConfig{Width: 8, Layers: 3}, numbersFor(11, 24), linear, withZ(random(11, 512, -1, 9), -2, 5)))
	add(inArray[float32]("layers", "layered2D", cuda.ArrayConfig{Width: 8, Height: 4, Layers: 3}, numbersFor(12, 96), linear, withZ(random(12, 512, -1, 9), -2, 5)))
	directions := random(13, 8192, -1, 1)
	for _, v := range [][3]float32{{1, 1, 1}, {-1, 1, 1}, {1, -1, 1}, {1, 1, -1}, {-1, -1, -1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0, -1, 1}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}} {
		directions = append(directions, texturePoint{X: v[0], Y: v[1], Z: v[2]})
	}
	for _, filter := range []cuda.FilterMode{cuda.FilterPoint, cuda.FilterLinear} {
		add(inArray[float32](fmt.Sprint("cube, filter ", filter), "cube", cuda.ArrayConfig{Width: 8, Height: 8, Cube: true}, numbersFor(13, 6*64), cuda.TextureConfig{Filter: filter, Address: cuda.AddressClamp, Normalized: true}, directions))
	}
	cubes := slices.Clone(directions)
	for i := range cubes {
		cubes[i].W = float32(i%4 - 1)
	}
	add(inArray[float32]("cubes", "layeredCube", cuda.ArrayConfig{Width: 4, Height: 4, Layers: 2, Cube: true}, numbersFor(14, 12*16), point, cubes))
	gather := cuda.ArrayConfig{Width: 8, Height: 4, Gather: true}
	add(inArray[vec.Float4]("gathered x", "gatherX", gather, as[vec.Float4](floatBytes(numbersFor(15, 128))), linear, random(15, 4096, -1, 9)))
	add(inArray[vec.Float4]("gathered w", "gatherW", gather, as[vec.Float4](floatBytes(numbersFor(15, 128))), normalized, random(16, 4096, -0.2, 1.2)))

	// Levels.
	levels := [][]float32{numbersFor(17, 256), numbersFor(18, 64), numbersFor(19, 16), numbersFor(20, 4), numbersFor(21, 1)}
	square := cuda.ArrayConfig{Width: 16, Height: 16}
	for _, mipmap := range []cuda.FilterMode{cuda.FilterPoint, cuda.FilterLinear} {
		for _, filter := range []cuda.FilterMode{cuda.FilterPoint, cuda.FilterLinear} {
			cfg := cuda.TextureConfig{Filter: filter, MipmapFilter: mipmap, Address: cuda.AddressClamp, Normalized: true, ExactTrilinear: true}
			name := fmt.Sprintf("levels, filter %d, between levels %d", filter, mipmap)
			add(inLevels(name, "level2D", square, levels, cfg, random(22, 8192, -1, 6)))
			cfg.MipmapBias, cfg.MinLevel, cfg.MaxLevel = 0.75, 0.5, 2.25
			add(inLevels(name+", biased", "level2D", square, levels, cfg, random(23, 8192, -1, 6)))
			add(inLevels(name+", not named", "read2D", square, levels, cfg, random(24, 512, 0, 1)))
			add(inLevels(name+", by gradients", "gradient2D", square, levels, cuda.TextureConfig{Filter: filter, MipmapFilter: mipmap, Address: cuda.AddressClamp, Normalized: true}, random(25, 8192, 0, 1)))
		}
	}
	steps := [][]float32{{0}, {1}, {0}, {1}, {0}}
	for n, elements := range steps {
		steps[n] = slices.Repeat(elements, max(16>>n, 1))
	}
	lods := sweep(0, 1, 16384)
	for i := range lods {
		lods[i].W = lods[i].X*6 - 1
	}
	for _, mipmap := range []cuda.FilterMode{cuda.FilterPoint, cuda.FilterLinear} {
		add(inLevels(fmt.Sprint("weights of levels, filter ", mipmap), "level1D", line, steps, cuda.TextureConfig{MipmapFilter: mipmap, Address: cuda.AddressClamp, Normalized: true}, lods))
	}

	add(weightCases()...)
	add(furtherCases()...)

	// Memory.
	add(textureCase{name: "linear memory", kernel: "fetch1D", at: sweep(-5, 105, 110), open: func(t *testing.T, _ *cuda.Device, s *cuda.Stream) (uint64, cuda.Owner) {
		return textureOf[vec.Float4](t, upload(t, s, as[vec.Float4](floatBytes(numbersFor(26, 400)))).All(), cuda.TextureConfig{})
	}}, textureCase{name: "linear bytes", kernel: "fetch1D", at: sweep(-5, 105, 110), open: func(t *testing.T, _ *cuda.Device, s *cuda.Stream) (uint64, cuda.Owner) {
		return textureOf[vec.Float2](t, upload(t, s, as[[2]int8](randomBytes(27, 200))).All(), cuda.TextureConfig{NormalizedFloat: true})
	}}, textureCase{name: "linear integers", kernel: "fetch1DBits", at: sweep(-5, 105, 110), open: func(t *testing.T, _ *cuda.Device, s *cuda.Stream) (uint64, cuda.Owner) {
		return textureOf[[2]int16](t, upload(t, s, as[[2]int16](randomBytes(28, 400))).All(), cuda.TextureConfig{})
	}}, textureCase{name: "pitched memory", kernel: "read2D", at: random(29, 4096, -1, 12), open: func(t *testing.T, _ *cuda.Device, s *cuda.Stream) (uint64, cuda.Owner) {
		shape, n, err := cuda.PitchedShape[float32](10, 7, 1)
		require.NoError(t, err)
		return textureOf[float32](t, upload(t, s, numbersFor(29, n)).All().Box(shape), cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressBorder, Border: [4]float32{5}})
	}})
	return all
}

// corners returns four elements of which each has the number 1 in a channel of its own.
func corners() []vec.Float4 { return []vec.Float4{{X: 1}, {Y: 1}, {Z: 1}, {W: 1}} }

// weightCases take single weights, sums and levels of detail apart.
func weightCases() (all []textureCase) {
	add := func(c ...textureCase) { all = append(all, c...) }
	linear := cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp}
	trilinear := cuda.TextureConfig{Filter: cuda.FilterLinear, MipmapFilter: cuda.FilterLinear, Address: cuda.AddressClamp, Normalized: true, ExactTrilinear: true}
	none := make([]vec.Float4, 4)

	// The weights of the eight elements of three dimensions, and of four in each of two levels.
	cube := cuda.ArrayConfig{Width: 2, Height: 2, Depth: 2}
	add(inArray[vec.Float4]("weights of the first four of 8", "read3D", cube, slices.Concat(corners(), none), linear, random(41, 32768, 0.5, 1.5)))
	add(inArray[vec.Float4]("weights of the last four of 8", "read3D", cube, slices.Concat(none, corners()), linear, random(41, 32768, 0.5, 1.5)))
	plane := cuda.ArrayConfig{Width: 2, Height: 2}
	add(inArray[vec.Float4]("weights of 4", "read2D", plane, corners(), linear, random(42, 16384, 0.5, 1.5)))
	quads := random(43, 32768, 0.375, 0.625)
	for i := range quads {
		quads[i].W = (quads[i].W - 0.375) * 4
	}
	inner := make([]vec.Float4, 16)
	for n, v := range corners() {
		inner[5+n%2+n/2*4] = v
	}
	one := make([]vec.Float4, 1)
	nothing := make([]vec.Float4, 16)
	four := cuda.ArrayConfig{Width: 4, Height: 4}
	add(inLevelsOf[vec.Float4]("weights of 4 of the first level", "level2D", four, [][]vec.Float4{inner, none, one}, trilinear, quads))
	add(inLevelsOf[vec.Float4]("weights of 4 of the second level", "level2D", four, [][]vec.Float4{nothing, corners(), one}, trilinear, quads))

	// Sums of fewer elements in three dimensions and of levels.
	volume := cuda.ArrayConfig{Width: 16, Height: 16, Depth: 16}
	for fixed := 1; fixed < 7; fixed++ {
		at := random(uint64(50+fixed), 8192, 0, 16)
		for i := range at {
			for dim, v := range []*float32{&at[i].X, &at[i].Y, &at[i].Z} {
				if fixed>>dim&1 != 0 {
					*v = float32(math.Floor(float64(*v))) + 0.5
				}
			}
		}
		add(inArray[float32](fmt.Sprintf("sums of 8, weights of %03b are 0", fixed), "read3D", volume, numbersFor(5, 16*16*16), linear, at))
	}
	near := make([]float32, 16*16*16) // numbers of one size
	for i, v := range randomBytes(57, len(near)) {
		near[i] = 1 + float32(v)/1024 + float32(i)/(1<<20)
	}
	add(inArray[float32]("sums of 8 numbers of one size", "read3D", volume, near, linear, random(58, 16384, 0, 16)))
	line := cuda.ArrayConfig{Width: 16}
	lods := sweep(0, 1, 4096)
	for i := range lods {
		lods[i].W = lods[i].X * 4
	}
	for seed := uint64(60); seed < 68; seed++ {
		constant := make([][]float32, 5)
		for n, v := range numbersFor(seed, 5) {
			constant[n] = slices.Repeat([]float32{v}, max(16>>n, 1))
		}
		add(inLevels(fmt.Sprint("levels of one number, ", seed), "level1D", line, constant, trilinear, lods))
	}
	two := make([][]float32, 5)
	for n := range two {
		two[n] = numbersFor(uint64(70+n), max(16>>n, 1))
	}
	along := random(75, 16384, 0, 1)
	for i := range along {
		along[i].W *= 4
	}
	add(inLevels("sums of 4 in two levels", "level1D", line, two, trilinear, along))

	// The level of detail that gradients make: each level has its number.
	const size = 512
	numbers := make([][]float32, 10)
	for n := range numbers {
		numbers[n] = slices.Repeat([]float32{float32(n)}, max(size>>n, 1)*max(size>>n, 1))
	}
	gradients := random(76, 32768, 0, 1)
	for i := range gradients {
		p := &gradients[i]
		p.Z, p.W = float32(math.Exp2(float64(p.Z)*12-11)), float32(math.Exp2(float64(p.W)*12-11))
		switch i % 4 {
		case 0:
			p.W = 0
		case 1:
			p.Z = 0
		case 2:
			p.W = p.Z
		}
	}
	between := cuda.TextureConfig{MipmapFilter: cuda.FilterLinear, Address: cuda.AddressClamp, Normalized: true, ExactTrilinear: true}
	add(inLevels("level of detail of gradients", "gradient2D", cuda.ArrayConfig{Width: size, Height: size}, numbers, between, gradients))

	// Integers of 8 bits as numbers, in pairs.
	const n = 65536
	row := cuda.ArrayConfig{Width: n}
	smooth := cuda.TextureConfig{NormalizedFloat: true, Address: cuda.AddressClamp, Filter: cuda.FilterLinear}
	smoothSRGB := smooth
	smoothSRGB.SRGB = true
	far := random(77, n, 0, n)
	bytes := randomBytes(78, 4*n)
	add(
		inArray[float32]("filtered int8", "read1D", row, as[int8](bytes[:n]), smooth, far),
		inArray[vec.Float2]("filtered rows of 2 × int8", "read1D", row, as[vec.Char2](bytes[:2*n]), smooth, far),
		inArray[vec.Float4]("filtered rows of 4 × int8", "read1D", row, as[vec.Char4](bytes), smooth, far),
		inArray[float32]("filtered rows of sRGB", "read1D", row, bytes[:n], smoothSRGB, far),
		inArray[float32]("filtered rows of uint8", "read1D", row, bytes[:n], smooth, far),
	)
	return all
}

func floatBytes(list []float32) []byte {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, list)
	return b.Bytes()
}

// formatCases read every format in every way.
func formatCases() (all []textureCase) {
	line := cuda.ArrayConfig{Width: 256}
	rows := cuda.ArrayConfig{Width: 256, Height: 8}
	at := sweep(0, 256, 256)
	for i := range at {
		at[i].X += 0.5
	}
	border := append(slices.Clone(at), texturePoint{X: -1}, texturePoint{X: 256})
	points := random(31, 8192, 0, 256)
	for i := range points {
		points[i].Y /= 32
	}
	normal := cuda.TextureConfig{NormalizedFloat: true, Address: cuda.AddressClamp}
	smooth := cuda.TextureConfig{NormalizedFloat: true, Address: cuda.AddressClamp, Filter: cuda.FilterLinear}
	srgb, smoothSRGB := normal, smooth
	srgb.SRGB, smoothSRGB.SRGB = true, true
	raw := cuda.TextureConfig{Address: cuda.AddressBorder, Border: [4]float32{1.5, -2, 1e30, math.Float32frombits(7)}}
	ascending := make([]byte, 256)
	for i := range ascending {
		ascending[i] = byte(i)
	}
	random2 := randomBytes(32, 256*8*8)
	every := make([]byte, 2*65536)
	for i := range 65536 {
		binary.LittleEndian.PutUint16(every[2*i:], uint16(i))
	}
	all16 := sweep(0, 65536, 65536)
	for i := range all16 {
		all16[i].X += 0.5
	}
	return append(all,
		inArray[float32]("uint8", "read1D", line, ascending, normal, at),
		inArray[float32]("int8", "read1D", line, as[int8](ascending), normal, at),
		inArray[float32]("sRGB", "read1D", line, ascending, srgb, at),
		inArray[vec.Float4]("4 × sRGB", "read2D", rows, as[vec.UChar4](random2[:256*8*4]), srgb, points),
		inArray[vec.Float4]("filtered 4 × sRGB", "read2D", rows, as[vec.UChar4](random2[:256*8*4]), smoothSRGB, points),
		inArray[float32]("uint16", "read1D", cuda.ArrayConfig{Width: 65536}, as[uint16](every), normal, all16),
		inArray[float32]("int16", "read1D", cuda.ArrayConfig{Width: 65536}, as[int16](every), normal, all16),
		inArray[float32]("Float16", "read1D", cuda.ArrayConfig{Width: 65536}, as[vec.Float16](every), cuda.TextureConfig{Address: cuda.AddressClamp}, all16),
		inArray[float32]("filtered uint8", "read2D", rows, random2[:256*8], smooth, points),
		inArray[vec.Float4]("filtered 4 × uint8", "read2D", rows, as[vec.UChar4](random2[:256*8*4]), smooth, points),
		inArray[vec.Float2]("filtered 2 × int8", "read2D", rows, as[vec.Char2](random2[:256*8*2]), smooth, points),
		inArray[vec.Float4]("filtered 4 × uint16", "read2D", rows, as[vec.UShort4](random2), smooth, points),
		inArray[float32]("filtered int16", "read2D", rows, as[int16](random2[:256*8*2]), smooth, points),
		inArray[vec.Float2]("filtered 2 × Float16", "read2D", rows, halves(33, 256*8), cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressClamp}, points),
		inArray[vec.Float2]("2 × float32", "read1D", line, as[vec.Float2](floatBytes(numbersFor(34, 512))), cuda.TextureConfig{Address: cuda.AddressBorder, Border: raw.Border}, border),
		inArray[vec.UChar4]("4 × uint8 as integers", "read1DBits", line, as[vec.UChar4](random2[:256*4]), raw, border),
		inArray[vec.Char2]("2 × int8 as integers", "read1DBits", line, as[vec.Char2](random2[:256*2]), raw, border),
		inArray[uint16]("uint16 as integers", "read1DBits", line, as[uint16](random2[:256*2]), raw, border),
		inArray[vec.Short4]("4 × int16 as integers", "read1DBits", line, as[vec.Short4](random2[:256*8]), raw, border),
		inArray[vec.UInt2]("2 × uint32", "read1DBits", line, as[vec.UInt2](random2[:256*8]), raw, border),
		inArray[vec.Int4]("4 × int32", "read2DBits", line2(128), as[vec.Int4](random2[:128*16]), raw, border),
	)
}

func line2(n int) cuda.ArrayConfig { return cuda.ArrayConfig{Width: n, Height: 1} }

func halves(seed uint64, n int) []vec.Float16x2 {
	list := make([]vec.Float16x2, n)
	for i, f := range numbersFor(seed, n) {
		list[i] = vec.Float16x2{X: vec.NewFloat16(f), Y: vec.NewFloat16(-3 * f)}
	}
	return list
}

// textureAnswers is where the hashes of the H200's values are kept.
const textureAnswers = "testdata/textures_h200.txt"

// textureDump names a folder into which TestTextureValues writes what a GPU reads: for each case
// a file with 16 bytes of coordinates and 16 of values for each point.
const textureDump = "CUDAGEN_TEXTURE_DUMP"

// TestTextureValues compares what the simulated device reads from textures with a GPU's values,
// bit by bit: those of this machine's GPU, or those that were kept.
func TestTextureValues(t *testing.T) {
	testenv.Need(t, testenv.Long)
	lib := func(dev *cuda.Device) *cuda.Library { return loadLibrary(t, dev, texturesPTX(t)) }
	simulated := openSimulator(t)
	s := newStream(t, simulated)
	kernels := lib(simulated)
	kept := keptAnswers(t)
	if os.Getenv(onGPU) == "" {
		for _, c := range textureCases() {
			t.Run(c.name, func(t *testing.T) {
				got := c.read(t, kernels, s)
				if want := kept[c.name]; want != "" {
					assert.Equal(t, want, hashOf(got), "what the H200 reads has this hash")
				}
			})
		}
		return
	}
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	there, kernelsThere := newStream(t, dev), lib(dev)
	var answers strings.Builder
	for _, c := range textureCases() {
		t.Run(c.name, func(t *testing.T) {
			want := c.read(t, kernelsThere, there)
			fmt.Fprintf(&answers, "%s\t%s\n", hashOf(want), c.name)
			dump(t, &c, want)
			got := c.read(t, kernels, s)
			report(t, &c, got, want, kept[c.name] != "")
		})
	}
	if folder := os.Getenv(textureDump); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(textureAnswers)), []byte(answers.String()), 0o644))
	}
}

// report says where the simulated device reads other values than the GPU. The test fails if they
// are known to be equal.
func report(t *testing.T, c *textureCase, got, want []vec.UInt4, equal bool) {
	differ := 0
	for i := range want {
		if got[i] == want[i] {
			continue
		}
		if differ++; differ <= 8 {
			at := c.at[i]
			t.Logf("at (%v, %v, %v, %v) = %#x: GPU %s, simulated %s", at.X, at.Y, at.Z, at.W, math.Float32bits(at.X), textBits(want[i]), textBits(got[i]))
		}
	}
	if equal {
		assert.Zero(t, differ, "of %d points differ", len(want))
	} else {
		t.Logf("%d of %d points differ, of a case without a hash", differ, len(want))
	}
}

func textBits(v vec.UInt4) string {
	f := math.Float32frombits
	return fmt.Sprintf("%08x %08x %08x %08x (%v %v %v %v)", v.X, v.Y, v.Z, v.W, f(v.X), f(v.Y), f(v.Z), f(v.W))
}

// dump writes what the GPU reads.
func dump(t *testing.T, c *textureCase, values []vec.UInt4) {
	folder := os.Getenv(textureDump)
	if folder == "" {
		return
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	var b bytes.Buffer
	for i, v := range values {
		require.NoError(t, binary.Write(&b, binary.LittleEndian, c.at[i]))
		require.NoError(t, binary.Write(&b, binary.LittleEndian, v))
	}
	name := strings.NewReplacer(" ", "_", ",", "", "/", "_", "×", "x").Replace(c.name) + ".bin"
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), b.Bytes(), 0o644))
}

func hashOf(values []vec.UInt4) string {
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, values)
	return fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))[:24]
}

func keptAnswers(t *testing.T) map[string]string {
	kept := make(map[string]string)
	text, err := os.ReadFile(textureAnswers)
	if os.IsNotExist(err) {
		return kept
	}
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		kept[name] = hash
	}
	return kept
}

func texturesPTX(t *testing.T) cuda.Image {
	ptx, err := os.ReadFile("testdata/textures.ptx")
	require.NoError(t, err)
	return imageOfPTX(string(ptx))
}

// TestTextureValuesOnGPU runs TestTextureValues on the machine's GPU.
func TestTextureValuesOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^TestTextureValues$")
	command.Env = append(os.Environ(), onGPU+"=1", "CUDAGEN_LIBCUDA=")
	out, err := command.CombinedOutput()
	t.Logf("%s", out)
	require.NoError(t, err)
}
