package interp

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// byClang loads what clang makes of a file.
func byClang(t *testing.T, source string, flags ...string) *machine {
	t.Helper()
	testenv.Need(t, testenv.Clang)
	c, err := compile.FindClang(os.Getenv)
	require.NoError(t, err)
	out, err := c.Compile(t.Context(), compile.Request{Source: source, Arch: "compute_75", Flags: flags})
	require.NoError(t, err)
	return newMachine(t, string(out.Code))
}

// The example's kernels give what plain Go gives, whoever compiled them.
func TestExampleByClang(t *testing.T) {
	m := byClang(t, filepath.Join("..", "..", "..", "..", "example", "kernels.cu"))
	const n = 5000
	t.Run("saxpy", func(t *testing.T) {
		x, y := floats(n), floats(n)
		dy := m.upload(y)
		_, fault := m.launch("saxpy", config(20, 256, 0), int32(n), float32(2.5), m.upload(x), dy)
		require.Nil(t, fault)
		got := make([]float32, n)
		m.download(dy, got)
		for i := range got {
			assert.Equal(t, simd.Fma32(x[i], 2.5, y[i]), got[i], i)
		}
	})
	t.Run("sum", func(t *testing.T) {
		in, want := make([]int32, n), make([]int64, 5)
		for i := range in {
			in[i] = int32(i*7919) - 1<<30
			want[i/1024] += int64(in[i])
		}
		partial := m.upload(make([]int64, 5))
		_, fault := m.launch("sum", config(5, 256, 0), m.upload(in), partial, uint32(n))
		require.Nil(t, fault)
		got := make([]int64, 5)
		m.download(partial, got)
		assert.Equal(t, want, got)
	})
	t.Run("mandelbrot", func(t *testing.T) {
		const w, h = 70, 45
		image := m.upload(make([]uint8, 4*w*h))
		_, fault := m.launch("mandelbrot", config2(5, 3, 16, 16), image, int32(w), int32(h), [2]float64{-0.5, 0.1}, 3.0, int32(100))
		require.Nil(t, fault)
		got := make([]uint8, 4*w*h)
		m.download(image, got)
		assert.Equal(t, mandelbrot(w, h, -0.5, 0.1, 3, 100), got)
	})
	t.Run("histogram", func(t *testing.T) {
		const bins = 37
		data, want := make([]uint8, n), make([]uint32, bins)
		for i := range data {
			data[i] = uint8(i * i >> 3)
			want[data[i]%bins]++
		}
		counts := m.upload(make([]uint32, bins))
		_, fault := m.launch("_ZN5stats9histogramEPKhPjij", config(2, 256, 4*bins), m.upload(data), counts, int32(bins), uint32(n))
		require.Nil(t, fault)
		got := make([]uint32, bins)
		m.download(counts, got)
		assert.Equal(t, want, got)
	})
	t.Run("add_delta and transform", func(t *testing.T) {
		data := []int32{1, -2, math.MaxInt32}
		d := m.upload(data)
		_, fault := m.launch("add_delta", config(1, 128, 0), int32(3), d, int32(5))
		require.Nil(t, fault)
		m.download(d, data)
		assert.Equal(t, []int32{6, 3, math.MinInt32 + 4}, data)

		to := m.upload(make([]float32, 4))
		_, fault = m.launch("transform", config(1, 64, 0), m.upload([]float32{1, 2, 3, 4}), to, [8]float32{1, 2, 3, 4, 5, 6}, int32(2))
		require.Nil(t, fault)
		got := make([]float32, 4)
		m.download(to, got)
		assert.Equal(t, []float32{8, 20, 14, 38}, got)
	})
}

// Functions of libclc and of the back end's own headers against Go's, in units in the last
// place. Go computes in double: for float, what it gives counts as exact.
func TestMathByClang(t *testing.T) {
	m := byClang(t, filepath.Join("testdata", "math.cu"))
	of := func(f func(float64) float64) func(x, y float64) float64 {
		return func(x, _ float64) float64 { return f(x) }
	}
	lgamma := func(x float64) float64 { l, _ := math.Lgamma(x); return l }
	// Go's own takes a difference from π/2.
	acos := func(x float64) float64 { return 2 * math.Atan2(math.Sqrt(1-x), math.Sqrt(1+x)) }
	for _, tt := range []struct {
		name     string
		ulps     float64
		from, to float64 // of x
		want     func(x, y float64) float64
	}{
		{"exp", 3, -80, 80, of(math.Exp)}, {"exp2", 3, -100, 100, of(math.Exp2)}, {"expm1", 3, -5, 5, of(math.Expm1)},
		{"exp10", 3, -30, 30, of(func(x float64) float64 { return math.Pow(10, x) })},
		{"log", 3, 0.01, 1e6, of(math.Log)}, {"log2", 3, 0.01, 1e6, of(math.Log2)}, {"log10", 3, 0.01, 1e6, of(math.Log10)}, {"log1p", 3, -0.9, 100, of(math.Log1p)},
		{"sin", 4, -30, 30, of(math.Sin)}, {"cos", 4, -30, 30, of(math.Cos)}, {"tan", 5, -30, 30, of(math.Tan)},
		{"asin", 4, -1, 1, of(math.Asin)}, {"acos", 4, -1, 1, of(acos)}, {"atan", 5, -10, 10, of(math.Atan)},
		{"sinh", 4, -10, 10, of(math.Sinh)}, {"cosh", 4, -10, 10, of(math.Cosh)}, {"tanh", 5, -5, 5, of(math.Tanh)},
		{"asinh", 4, -10, 10, of(math.Asinh)}, {"acosh", 4, 1, 100, of(math.Acosh)}, {"atanh", 5, -0.99, 0.99, of(math.Atanh)},
		{"erf", 16, -4, 4, of(math.Erf)}, {"erfc", 16, -4, 4, of(math.Erfc)}, {"tgamma", 16, 0.5, 5, of(math.Gamma)}, {"lgamma", 16, 3, 50, of(lgamma)},
		{"cbrt", 2, -100, 100, of(math.Cbrt)}, {"sqrt", 0, 0, 100, of(math.Sqrt)}, {"rsqrt", 2, 0.01, 100, of(func(x float64) float64 { return 1 / math.Sqrt(x) })},
		{"logb", 0, -100, 100, of(math.Logb)}, {"floor", 0, -100, 100, of(math.Floor)}, {"ceil", 0, -100, 100, of(math.Ceil)}, {"trunc", 0, -100, 100, of(math.Trunc)},
		{"rint", 0, -100, 100, of(math.RoundToEven)}, {"round", 0, -100, 100, of(math.Round)}, {"fabs", 0, -100, 100, of(math.Abs)},
		{"pow", 16, 0.1, 20, math.Pow}, {"atan2", 6, -10, 10, math.Atan2}, {"hypot", 4, -100, 100, math.Hypot},
		{"fmod", 0, -100, 100, math.Mod}, {"remainder", 0, -100, 100, math.Remainder}, {"copysign", 0, -100, 100, math.Copysign},
		{"fdim", 0, -100, 100, math.Dim}, {"fmin", 0, -100, 100, math.Min}, {"fmax", 0, -100, 100, math.Max},
	} {
		const n = 1024
		x, y := make([]float64, n), make([]float64, n)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range x {
			x[i] = float64(float32(tt.from + (tt.to-tt.from)*r.Float64()))
			y[i] = float64(float32(20*r.Float64() - 10))
		}
		t.Run(tt.name+" double", func(t *testing.T) {
			z := m.upload(x)
			_, fault := m.launch(tt.name+"_d", config(1, n, 0), m.upload(x), m.upload(y), z)
			require.Nil(t, fault)
			got := make([]float64, n)
			m.download(z, got)
			for i := range got {
				want := tt.want(x[i], y[i])
				ulp := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
				require.LessOrEqual(t, math.Abs(got[i]-want), tt.ulps*ulp, "%s(%v, %v) = %v, want %v", tt.name, x[i], y[i], got[i], want)
			}
		})
		t.Run(tt.name+" float", func(t *testing.T) {
			x32, y32 := make([]float32, n), make([]float32, n)
			for i := range x {
				x32[i], y32[i] = float32(x[i]), float32(y[i])
			}
			z := m.upload(x32)
			_, fault := m.launch(tt.name+"_f", config(1, n, 0), m.upload(x32), m.upload(y32), z)
			require.Nil(t, fault)
			got := make([]float32, n)
			m.download(z, got)
			for i := range got {
				want := tt.want(x[i], y[i])
				near := math.Abs(float64(float32(want)))
				ulp := float64(math.Nextafter32(float32(near), math.MaxFloat32)) - near
				require.LessOrEqual(t, math.Abs(float64(got[i])-want), (tt.ulps+0.5)*ulp, "%s(%v, %v) = %v, want %v", tt.name, x[i], y[i], got[i], want)
			}
		})
	}
}

// libclc's sine loses digits when its sums of products are fused: the test above sees it.
func TestFusedLibclcIsSeen(t *testing.T) {
	m := byClang(t, filepath.Join("testdata", "math.cu"), "-ffp-contract=fast")
	x := []float64{29.145761489868164}
	z := m.upload(x)
	_, fault := m.launch("sin_d", config(1, 1, 0), m.upload(x), m.upload(x), z)
	require.Nil(t, fault)
	got := make([]float64, 1)
	m.download(z, got)
	assert.Greater(t, math.Abs(got[0]-math.Sin(x[0])), 5*0x1p-53)
}

// bfloat16 rounds an exact value: to nearest even, towards zero, up and down.
func bfloat16(x *big.Float) (nearest, zero, up, down uint16) {
	round := func(mode big.RoundingMode) uint16 {
		f, _ := new(big.Float).SetMode(mode).SetPrec(8).Set(x).Float32()
		return uint16(math.Float32bits(f) >> 16)
	}
	return round(big.ToNearestEven), round(big.ToZero), round(big.ToPositiveInf), round(big.ToNegativeInf)
}

// The headers' own roundings of bfloat16 against exact arithmetic.
func TestBfloat16ByClang(t *testing.T) {
	m := byClang(t, filepath.Join("testdata", "math.cu"))
	const n = 1024
	doubles, a, b, integers := make([]float64, n), make([]float32, n), make([]float32, n), make([]int64, n)
	r := rand.New(rand.NewPCG(5, 6))
	short := func() float32 { // of eight digits
		return math.Float32frombits(math.Float32bits(float32(math.Ldexp(r.Float64()-0.5, r.IntN(20)-10))) &^ 0xffff)
	}
	for i := range doubles {
		a[i], b[i] = short(), short()
		// Half of them lie on or just beside the middle between two neighbours.
		middle := float64(a[i]) + float64(math.Float32frombits(math.Float32bits(a[i])+1<<16)) - float64(a[i])
		doubles[i] = math.Nextafter((float64(a[i])+middle)/2, float64(r.IntN(3)-1)*1e30)
		integers[i] = (int64(r.IntN(511)-255)<<33 + int64(r.IntN(3)-1)) >> r.IntN(40)
	}
	floats := make([]float32, n)
	for i := range floats {
		floats[i] = float32(doubles[i]) + float32(r.IntN(3)-1)*1e-9
	}

	z := m.upload(make([]uint16, 4*n))
	_, fault := m.launch("bfloat16_arithmetic", config(1, n, 0), m.upload(a), m.upload(b), z)
	require.Nil(t, fault)
	got := make([]uint16, 4*n)
	m.download(z, got)
	for i := range a {
		x, y := big.NewFloat(float64(a[i])).SetPrec(200), big.NewFloat(float64(b[i])).SetPrec(200)
		for k, exact := range []*big.Float{new(big.Float).Add(x, y), new(big.Float).Sub(x, y), new(big.Float).Mul(x, y), new(big.Float).Quo(x, y)} {
			want, _, _, _ := bfloat16(exact)
			require.Equal(t, want, got[4*i+k], "%v %c %v", a[i], "+-*/"[k], b[i])
		}
	}

	z = m.upload(make([]uint16, 9*n))
	_, fault = m.launch("bfloat16_convert", config(1, n, 0), m.upload(doubles), m.upload(floats), m.upload(integers), z)
	require.Nil(t, fault)
	got = make([]uint16, 9*n)
	m.download(z, got)
	for i := range doubles {
		var want [9]uint16
		want[0], _, _, _ = bfloat16(big.NewFloat(doubles[i]))
		want[1], want[2], want[3], want[4] = bfloat16(big.NewFloat(float64(floats[i])))
		want[5], want[6], want[7], want[8] = bfloat16(new(big.Float).SetInt64(integers[i]))
		require.Equal(t, want[:], got[9*i:9*i+9], "%v %v %v", doubles[i], floats[i], integers[i])
	}
}
