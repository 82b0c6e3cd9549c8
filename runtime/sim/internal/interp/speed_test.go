package interp

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A contest is a kernel and the plain Go loop that does the same.
type contest struct {
	kernel string
	cfg    driver.LaunchConfig
	args   func(m *machine) []any
	loop   func() any                // returns what the kernel computes
	result func(args []any) (at int) // which argument is the address of the result
}

// contests returns the kernels and loops. With scale 1 a round ends within the time that a busy
// system leaves a process; two cores want larger ones.
func contests(scale int) []contest {
	matmulSize, bodies, fractal, numbers := 64*scale, 256*scale, 64*scale, 1<<16*scale
	const iterations = 64
	a, b := floats(matmulSize*matmulSize), floats(2 * matmulSize * matmulSize)[matmulSize*matmulSize:]
	positions := floats(4 * bodies)
	x, y := floats(numbers), floats(numbers)
	data, ints := make([]uint8, numbers), make([]int32, numbers)
	for i := range data {
		data[i], ints[i] = uint8(uint32(i)*2654435761>>13), int32(i%1000)
	}
	tiles, blocks, columns := uint32(matmulSize/16), uint32(numbers/256), uint32(fractal/16)
	return []contest{
		{"matmul", config2(tiles, tiles, 16, 16), func(m *machine) []any {
			return []any{m.upload(a), m.upload(b), m.upload(make([]float32, matmulSize*matmulSize)), int32(matmulSize)}
		}, func() any { return matmulLoop(a, b, matmulSize) }, thirdArgument},
		{"nbody", config(uint32(bodies/256), 256, 0), func(m *machine) []any {
			return []any{m.upload(positions), m.upload(make([]float32, 4*bodies)), int32(bodies)}
		}, func() any { return nbodyLoop(positions) }, secondArgument},
		{"mandelbrot", config2(columns, columns, 16, 16), func(m *machine) []any {
			return []any{m.upload(make([]uint32, fractal*fractal)), int32(fractal), int32(fractal), float32(-2), float32(-1.25), 2.5 / float32(fractal), int32(iterations)}
		}, func() any { return mandelbrotLoop(fractal, fractal, -2, -1.25, 2.5/float32(fractal), iterations) }, firstArgument},
		{"saxpy", config(blocks, 256, 0), func(m *machine) []any {
			return []any{int32(numbers), float32(0), m.upload(x), m.upload(y)}
		}, func() any { return saxpyLoop(0, x, y) }, fourthArgument},
		{"reduce", config(16, 256, 0), func(m *machine) []any {
			return []any{m.upload(x), m.upload(make([]float32, 16)), int32(numbers)}
		}, func() any { return reduceLoop(x) }, nil},
		{"histogram", config(16, 256, 0), func(m *machine) []any {
			return []any{m.upload(data), m.upload(make([]uint32, 256)), int32(numbers)}
		}, func() any { return histogramLoop(data) }, nil},
		{"scan", config(blocks, 256, 0), func(m *machine) []any {
			return []any{m.upload(ints), m.upload(make([]int32, numbers)), m.upload(make([]int32, blocks))}
		}, func() any { return scanLoop(ints) }, secondArgument},
	}
}

func firstArgument([]any) int  { return 0 }
func secondArgument([]any) int { return 1 }
func thirdArgument([]any) int  { return 2 }
func fourthArgument([]any) int { return 3 }

func matmulLoop(a, b []float32, n int) []float32 {
	c := make([]float32, n*n)
	for i := range n {
		for j := range n {
			sum := float32(0)
			for k := range n {
				sum += a[i*n+k] * b[k*n+j]
			}
			c[i*n+j] = sum
		}
	}
	return c
}

func nbodyLoop(pos []float32) []float32 {
	acc := make([]float32, len(pos))
	for i := 0; i < len(pos); i += 4 {
		var ax, ay, az float32
		for j := 0; j < len(pos); j += 4 {
			p := pos[j : j+4 : j+4]
			dx, dy, dz := p[0]-pos[i], p[1]-pos[i+1], p[2]-pos[i+2]
			inv := 1 / float32(math.Sqrt(float64(dx*dx+dy*dy+dz*dz+1e-6)))
			s := p[3] * inv * inv * inv
			ax, ay, az = ax+dx*s, ay+dy*s, az+dz*s
		}
		acc[i], acc[i+1], acc[i+2] = ax, ay, az
	}
	return acc
}

func mandelbrotLoop(width, height int, x0, y0, step float32, limit int) []uint32 {
	out := make([]uint32, width*height)
	for py := range height {
		for px := range width {
			cx, cy := x0+float32(px)*step, y0+float32(py)*step
			x, y, n := float32(0), float32(0), 0
			for n < limit && x*x+y*y <= 4 {
				x, y = x*x-y*y+cx, 2*x*y+cy
				n++
			}
			out[py*width+px] = uint32(n)
		}
	}
	return out
}

func saxpyLoop(a float32, x, y []float32) []float32 {
	for i := range y {
		y[i] = a*x[i] + y[i]
	}
	return y
}

func reduceLoop(x []float32) float32 {
	sum := float32(0)
	for _, v := range x {
		sum += v
	}
	return sum
}

func histogramLoop(data []uint8) *[256]uint32 {
	counts := new([256]uint32)
	for _, v := range data {
		counts[v]++
	}
	return counts
}

func scanLoop(in []int32) []int32 {
	out := make([]int32, len(in))
	sum := int32(0)
	for i, v := range in {
		if i%256 == 0 {
			sum = 0
		}
		sum += v
		out[i] = sum
	}
	return out
}

func speedPTX(t testing.TB) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "speed.ptx"))
	require.NoError(t, err)
	return string(src)
}

// TestSpeedKernels compares what the kernels compute with the Go loops: two ways to multiply and
// add round differently, so floats may.
func TestSpeedKernels(t *testing.T) {
	for _, c := range contests(1) {
		if c.result == nil {
			continue
		}
		t.Run(c.kernel, func(t *testing.T) {
			m := newMachine(t, speedPTX(t))
			args := c.args(m)
			_, fault := m.launch(c.kernel, c.cfg, args...)
			require.Nil(t, fault)
			addr := args[c.result(args)].(uint64)
			switch want := c.loop().(type) {
			case []float32:
				got := make([]float32, len(want))
				m.download(addr, got)
				largest := 0.0
				for i := range want {
					largest = max(largest, math.Abs(float64(want[i])))
				}
				for i := range want {
					require.InDelta(t, want[i], got[i], 1e-4*largest, i)
				}
			case []int32:
				got := make([]int32, len(want))
				m.download(addr, got)
				assert.Equal(t, want, got)
			case []uint32: // points at the edge escape elsewhere
				got, same := make([]uint32, len(want)), 0
				m.download(addr, got)
				for i := range want {
					same += int(simd.Bit(want[i] == got[i]))
				}
				assert.Greater(t, same, len(want)*95/100)
			}
		})
	}
}

// BenchmarkBeside runs kernels on one core and the plain Go loops in turns. Of each it takes the
// fastest round, as other work on the machine only makes rounds slower.
func BenchmarkBeside(b *testing.B) {
	for _, c := range contests(1) {
		b.Run(c.kernel, func(b *testing.B) {
			m := newMachine(b, speedPTX(b))
			k := m.lib.Kernels[c.kernel]
			params := arguments(k, c.args(m)...)
			stop := new(atomic.Bool)
			sim, plain, executed := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), uint64(0)
			for b.Loop() {
				began := time.Now()
				n, fault := launch(k, &m.mem, c.cfg, params, stop, 1)
				sim = min(sim, time.Since(began))
				require.Nil(b, fault)
				executed = n
				began = time.Now()
				runtime.KeepAlive(c.loop())
				plain = min(plain, time.Since(began))
			}
			b.ReportMetric(float64(executed)/sim.Seconds()/1e6, "Mthread-inst/s")
			b.ReportMetric(float64(sim)/float64(plain), "×Go")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkEmptyThread is what a thread costs that does nothing.
func BenchmarkEmptyThread(b *testing.B) {
	m := newMachine(b, speedPTX(b))
	k := m.lib.Kernels["empty"]
	least := time.Duration(math.MaxInt64)
	const blocks = 4096
	for b.Loop() {
		began := time.Now()
		_, fault := launch(k, &m.mem, config(blocks, 256, 0), nil, new(atomic.Bool), 1)
		least = min(least, time.Since(began))
		require.Nil(b, fault)
	}
	b.ReportMetric(float64(least)/blocks/256, "ns/thread")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTwoCores is by how much two cores are faster than one, in one launch and, as what the
// machine gives at most, in launches on two devices that share nothing. Launches of a millisecond feel how long another
// core takes to wake; those that are named long do not.
func BenchmarkTwoCores(b *testing.B) {
	if runtime.GOMAXPROCS(0) < 2 {
		b.SkipNow()
	}
	for _, c := range contests(4) {
		b.Run(c.kernel, c.onTwoCores)
	}
	for _, long := range []struct {
		scale   int
		kernels []string
	}{{8, []string{"matmul"}}, {16, []string{"nbody", "mandelbrot"}}, {32, []string{"saxpy", "reduce", "histogram", "scan"}}} {
		for _, c := range contests(long.scale) {
			if slices.Contains(long.kernels, c.kernel) {
				b.Run(c.kernel+", long", c.onTwoCores)
			}
		}
	}
}

func (c *contest) onTwoCores(b *testing.B) {
	type device struct {
		*machine
		*bytecode.Kernel
		params []byte
	}
	var devices [2]device
	for n := range devices {
		m := newMachine(b, speedPTX(b))
		k := m.lib.Kernels[c.kernel]
		devices[n] = device{m, k, arguments(k, c.args(m)...)}
	}
	run := func(n, workers int) {
		d := &devices[n]
		_, fault := launch(d.Kernel, &d.mem, c.cfg, d.params, new(atomic.Bool), workers)
		assert.Nil(b, fault)
	}
	one, two, apart := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		began := time.Now()
		run(0, 1)
		one = min(one, time.Since(began))
		began = time.Now()
		run(0, 2)
		two = min(two, time.Since(began))
		began = time.Now()
		var wg sync.WaitGroup
		wg.Go(func() { run(1, 1) })
		run(0, 1)
		wg.Wait()
		apart = min(apart, time.Since(began))
	}
	b.ReportMetric(one.Seconds()*1e3, "ms-on-one-core")
	b.ReportMetric(float64(one)/float64(two), "×one-core")
	b.ReportMetric(2*float64(one)/float64(apart), "×one-core-apart")
	b.ReportMetric(0, "ns/op")
}

// muchPTX is PTX of at least size bytes: the kernels again and again.
func muchPTX(t testing.TB, size int) []byte {
	header, kernels, ok := strings.Cut(speedPTX(t), ".visible")
	require.True(t, ok)
	text := []byte(header)
	for n := 0; len(text) < size; n++ {
		text = append(text, regexp.MustCompile(`\.entry (\w+)\(`).ReplaceAllString(".visible"+kernels, ".entry ${1}"+strconv.Itoa(n)+"(")...)
	}
	return text
}

// BenchmarkLoadMegabyte is how long a module takes to load, and what memory it then needs, for
// each megabyte of PTX.
func BenchmarkLoadMegabyte(b *testing.B) {
	src, least := muchPTX(b, 1e5), time.Duration(math.MaxInt64)
	for b.Loop() {
		var mem memory.Memory
		began := time.Now()
		_, refused := loadImage(src, &mem)
		least = min(least, time.Since(began))
		require.Nil(b, refused)
	}
	var before, after runtime.MemStats
	var mem memory.Memory
	runtime.GC()
	runtime.ReadMemStats(&before)
	lib, _ := loadImage(src, &mem)
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(lib)
	b.ReportMetric(least.Seconds()*1e3*1e6/float64(len(src)), "ms/MB")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(src)), "MB/MB")
	b.ReportMetric(0, "ns/op")
}
