package interp

import (
	"math"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

func floats(n int) []float32 {
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = r.Float32()*20 - 10
	}
	return x
}

func TestSaxpy(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	const n = 1000
	x, y := floats(n), floats(n)
	dx, dy := m.upload(x), m.upload(y)
	_, fault := m.launch("saxpy", config(4, 256, 0), int32(n), float32(2.5), dx, dy)
	require.Nil(t, fault)
	got := make([]float32, n)
	m.download(dy, got)
	for i := range got {
		assert.Equal(t, simd.Fma32(x[i], 2.5, y[i]), got[i], i)
	}
}

func TestSum(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	const n = 5000
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
}

func mandelbrot(width, height int, cx, cy, span float64, limit int) []uint8 {
	image := make([]uint8, 4*width*height)
	for py := range height {
		for px := range width {
			x0 := math.FMA(span, (float64(px)+0.5)/float64(width)-0.5, cx)
			half := float64(0.5 * float64(height))
			y0 := math.FMA(span, (float64(py)+0.5-half)/float64(width), cy)
			x, y, n := 0.0, 0.0, 0
			for n < limit {
				xx, yy := float64(x*x), float64(y*y)
				if xx+yy > 4 {
					break
				}
				y = math.FMA(2*x, y, y0)
				x = xx - yy + x0
				n++
			}
			shade := uint8(n * 7)
			if n == limit {
				shade = 0
			}
			copy(image[4*(py*width+px):], []uint8{shade, shade * 3, 255 - shade, 255})
		}
	}
	return image
}

func TestMandelbrot(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	const w, h = 70, 45
	image := m.upload(make([]uint8, 4*w*h))
	_, fault := m.launch("mandelbrot", config2(5, 3, 16, 16), image, int32(w), int32(h), [2]float64{-0.5, 0.1}, 3.0, int32(100))
	require.Nil(t, fault)
	got := make([]uint8, 4*w*h)
	m.download(image, got)
	assert.Equal(t, mandelbrot(w, h, -0.5, 0.1, 3, 100), got)
}

func TestHistogram(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	const n, bins = 10000, 37
	data, want := make([]uint8, n), make([]uint32, bins)
	for i := range data {
		data[i] = uint8(i * i >> 3)
		want[data[i]%bins]++
	}
	counts := m.upload(make([]uint32, bins))
	_, fault := m.launch("_ZN5stats9histogramEPKhPjij", config(3, 256, 4*bins), m.upload(data), counts, int32(bins), uint32(n))
	require.Nil(t, fault)
	got := make([]uint32, bins)
	m.download(counts, got)
	assert.Equal(t, want, got)
}

func TestAddDeltaAndTransform(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	data := []int32{1, -2, math.MaxInt32}
	d := m.upload(data)
	_, fault := m.launch("add_delta", config(1, 128, 0), int32(3), d, int32(5))
	require.Nil(t, fault)
	m.download(d, data)
	assert.Equal(t, []int32{6, 3, math.MinInt32 + 4}, data)

	from, to := m.upload([]float32{1, 2, 3, 4}), m.upload(make([]float32, 4))
	_, fault = m.launch("transform", config(1, 64, 0), from, to, [8]float32{1, 2, 3, 4, 5, 6}, int32(2))
	require.Nil(t, fault)
	got := make([]float32, 4)
	m.download(to, got)
	assert.Equal(t, []float32{8, 20, 14, 38}, got)
}

func TestHeatStep(t *testing.T) {
	m := newMachine(t, examplePTX(t))
	const w, h = 40, 20
	in := floats(w * h)
	out := m.upload(make([]float32, w*h))
	type plate struct {
		Columns, Rows uint32
		Periodic      int32
		_             [4]byte
		Dt            float64
		Conduct       [3]float32
		_             [4]byte
	}
	for _, periodic := range []int32{0, 1} {
		p := plate{Columns: w, Rows: h, Periodic: periodic, Dt: 0.25, Conduct: [3]float32{0.9, 0.3, 0.2}}
		_, fault := m.launch("heat_step", config2(2, 3, 32, 8), out, m.upload(in), p, uint32(w), uint32(h))
		require.Nil(t, fault)
		got := make([]float32, w*h)
		m.download(out, got)
		at := func(x, y int) float32 {
			if periodic != 0 {
				x, y = (x+w)%w, (y+h)%h
			}
			return in[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]
		}
		for y := range h {
			for x := range w {
				here := at(x, y)
				across := float32(at(x-1, y)+at(x+1, y)) - float32(here+here)
				along := float32(at(x, y-1)+at(x, y+1)) - float32(here+here)
				flow := simd.Fma32(p.Conduct[1], across, float32(p.Conduct[2]*along))
				assert.Equal(t, simd.Fma32(p.Conduct[0], here, float32(flow*float32(p.Dt))), got[y*w+x])
			}
		}
	}
}

// report turns thread instructions into the figure per core.
func report(b *testing.B, executed uint64) {
	b.ReportMetric(float64(executed)/b.Elapsed().Seconds()/1e6, "Mthread-inst/s")
}

func benchmark(b *testing.B, workers int, name string, cfg driver.LaunchConfig, args func(m *machine) []any) {
	m := newMachine(b, examplePTX(b))
	k := m.lib.Kernels[name]
	params := arguments(k, args(m)...)
	stop := new(atomic.Bool)
	executed := uint64(0)
	for b.Loop() {
		n, fault := launch(k, &m.mem, cfg, params, stop, workers)
		require.Nil(b, fault)
		executed += n
	}
	report(b, executed)
}

func BenchmarkSaxpy(b *testing.B) {
	const n = 1 << 20
	benchmark(b, 1, "saxpy", config(n/256, 256, 0), func(m *machine) []any {
		return []any{int32(n), float32(2), m.upload(floats(n)), m.upload(floats(n))}
	})
}

func BenchmarkMandelbrot(b *testing.B) {
	benchmark(b, 1, "mandelbrot", config2(16, 16, 16, 16), func(m *machine) []any {
		return []any{m.upload(make([]uint8, 4<<16)), int32(256), int32(256), [2]float64{-0.5, 0}, 3.0, int32(256)}
	})
}

func BenchmarkMandelbrotAllCores(b *testing.B) {
	benchmark(b, runtime.GOMAXPROCS(0), "mandelbrot", config2(16, 16, 16, 16), func(m *machine) []any {
		return []any{m.upload(make([]uint8, 4<<16)), int32(256), int32(256), [2]float64{-0.5, 0}, 3.0, int32(256)}
	})
}

func BenchmarkLoad(b *testing.B) {
	src := []byte(examplePTX(b))
	for b.Loop() {
		var mem memory.Memory
		_, refused := loadImage(src, &mem)
		require.Nil(b, refused)
	}
}
