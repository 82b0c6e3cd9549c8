package cuda_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// TestFewThreads: a configuration of the caller's with fewer threads than the directive threads
// states, or fewer blocks than grid, is an error of every launch, unless the caller means it.
func TestFewThreads(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x, short := upload(t, s, make([]float32, 1000)), upload(t, s, make([]float32, 32))
		pixels := upload(t, s, make([]vec.UChar4, 40*30))
		bytes, counts := upload(t, s, make([]byte, 10000)), upload(t, s, make([]uint32, 8))
		args := example.SaxpyArgs{A: 2, X: x.All(), Y: x.All()}
		for _, test := range []struct {
			name        string
			grid, block cuda.Dim3
			want        string // of the error, or empty
			launch      func(cuda.LaunchConfig) error
		}{
			{"LaunchWith", cuda.Dim(1), cuda.Dim(32), "cuda: check the launch configuration of saxpy on " + dev.String() + ": 32 threads in x, fewer than the 1000 of threads n: add blocks, or set LaunchConfig.Fewer if that is meant",
				func(c cuda.LaunchConfig) error { return k.Saxpy.LaunchWith(s, c, 2, x.All(), x.All()) }},
			{"one thread", cuda.Dim(1), cuda.Dim(1), "1 thread in x, fewer", func(c cuda.LaunchConfig) error { return k.Saxpy.LaunchWith(s, c, 2, x.All(), x.All()) }},
			{"just enough", cuda.Dim(4), cuda.Dim(250), "", func(c cuda.LaunchConfig) error { return k.Saxpy.LaunchWith(s, c, 2, x.All(), x.All()) }},
			{"too many", cuda.Dim(40), cuda.Dim(250), "", func(c cuda.LaunchConfig) error { return k.Saxpy.LaunchWith(s, c, 2, x.All(), x.All()) }},
			{"Prepare", cuda.Dim(3), cuda.Dim(256), "768 threads in x", func(c cuda.LaunchConfig) error { return second(k.Saxpy.Prepare(c, args)) }},
			{"Set", cuda.Dim(3), cuda.Dim(256), "768 threads in x", func(c cuda.LaunchConfig) error {
				call, err := k.Saxpy.Prepare(c, example.SaxpyArgs{A: 2, X: short.All(), Y: short.All()})
				require.NoError(t, err)
				return call.Set(args)
			}},
			{"Capture", cuda.Dim(1), cuda.Dim(32), "32 threads in x", func(c cuda.LaunchConfig) error {
				return second(cuda.Capture(s, func(s *cuda.Stream) error { return k.Saxpy.LaunchWith(s, c, 2, x.All(), x.All()) }))
			}},
			{"the second dimension", cuda.Dim(3, 1), cuda.Dim(16, 16), "16 threads in y, fewer than the 30 of threads height",
				func(c cuda.LaunchConfig) error {
					return k.Mandelbrot.LaunchWith(s, c, pixels.All(), 40, 30, vec.Double2{}, 1, 1)
				}},
			{"grid", cuda.Dim(2), cuda.Dim(256), "2 blocks in x, fewer than the 3 of grid (n+4095)/4096", func(c cuda.LaunchConfig) error {
				return k.Histogram.LaunchWith(s, c, bytes.All(), counts.All(), 8)
			}},
			{"grid, with larger blocks", cuda.Dim(2), cuda.Dim(512), "", func(c cuda.LaunchConfig) error {
				return k.Histogram.LaunchWith(s, c, bytes.All(), counts.All(), 8)
			}},
		} {
			err := test.launch(cuda.LaunchConfig{Grid: test.grid, Block: test.block})
			if test.want == "" {
				assert.NoError(t, err, test.name)
				continue
			}
			assert.ErrorContains(t, err, test.want, test.name)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue, test.name)
			assert.NoError(t, test.launch(cuda.LaunchConfig{Grid: test.grid, Block: test.block, Fewer: true}), test.name)
		}
		require.NoError(t, s.Synchronize())
		for want, cfg := range map[string]cuda.LaunchConfig{
			"the grid has no blocks in x":            {Block: cuda.Dim(256)},
			"the block has 2048 threads, limit 1024": {Grid: cuda.Dim(1), Block: cuda.Dim(2048), Fewer: true},
		} {
			assert.ErrorContains(t, k.Saxpy.LaunchWith(s, cfg, 2, x.All(), x.All()), want, "the device's own limits are said")
		}
		assert.ErrorContains(t, new(example.SaxpyKernel).LaunchWith(s, cuda.LaunchConfig{}, 2, x.All(), x.All()), "the kernel was not loaded")
	})
}

// TestSharedOfTheDirective: dynamic shared memory is that of the directive where the caller chooses none,
// also after Set, and less is an error.
func TestSharedOfTheDirective(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		data, counts := upload(t, s, []byte{1, 2, 2, 3}), upload(t, s, make([]uint32, 100))
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(64)}
		args := example.HistogramArgs{Data: data.All(), Counts: counts.All(), Bins: 8}
		require.NoError(t, k.Histogram.LaunchWith(s, cfg, data.All(), counts.All(), 8))
		call, err := k.Histogram.Prepare(cfg, args)
		require.NoError(t, err)
		require.NoError(t, call.Launch(s))
		assert.Equal(t, uint32(32), call.Config().SharedBytes)
		clone := call.Clone()
		for _, call := range []*example.HistogramCall{call, clone} {
			args.Bins = 100
			require.NoError(t, call.Set(args))
			assert.Equal(t, uint32(400), call.Config().SharedBytes, "it grows with the arguments")
			require.NoError(t, call.Launch(s))
			args.Bins = 4
			require.NoError(t, call.Set(args))
			assert.Equal(t, uint32(16), call.Config().SharedBytes, "and shrinks")
		}
		exec, err := cuda.BuildGraph(cuda.NewNode(call))
		require.NoError(t, err)
		require.NoError(t, exec.Launch(s))
		require.NoError(t, s.Synchronize())
		require.NoError(t, exec.Close())
		if !isFake(dev) {
			got, err := counts.Slice(0, 4).Download(s)
			require.NoError(t, err)
			assert.Equal(t, []uint32{0, 5, 10, 5}, got)
		}

		cfg.SharedBytes = 40
		require.NoError(t, k.Histogram.LaunchWith(s, cfg, data.All(), counts.All(), 10), "enough")
		own, err := k.Histogram.Prepare(cfg, args)
		require.NoError(t, err)
		assert.Equal(t, uint32(40), own.Config().SharedBytes, "the caller's")
		args.Bins = 11
		const want = "LaunchConfig.SharedBytes is 40, less than the 44 of shared 4*bins: leave it 0, which stands for that"
		assert.ErrorContains(t, own.Set(args), want)
		assert.ErrorContains(t, k.Histogram.LaunchWith(s, cfg, data.All(), counts.All(), 11), want)
		assert.ErrorContains(t, second(k.Histogram.Prepare(cfg, args)), want)
		assert.ErrorIs(t, own.Set(args), cuda.ErrInvalidValue)
		large := cuda.LaunchConfig{}
		assert.ErrorIs(t, cuda.Generated.Share(k.Histogram.Kernel, &large, "shared 4*bins", math.MaxUint32+1), cuda.ErrOverflow)
		assert.ErrorContains(t, cuda.Generated.Share(k.Histogram.Kernel, &large, "shared 4*bins", math.MaxUint32+1), "shared 4*bins is 4294967296, which is too large")
		assert.Zero(t, large)
	})
}

// TestAttributesOfTheDirectives: a launch without attributes has those of the directives, and attributes of
// the caller's that lack them are an error.
func TestAttributesOfTheDirectives(t *testing.T) {
	k, _ := loaded(t, openSimulator(t))
	both := &cuda.LaunchAttributes{Cluster: cuda.Dim(2), Cooperative: true}
	for _, test := range []struct {
		name string
		have *cuda.LaunchAttributes
		want string
	}{
		{"none", nil, ""},
		{"the same", &cuda.LaunchAttributes{Cluster: cuda.Dim(2), Cooperative: true}, ""},
		{"another cluster", &cuda.LaunchAttributes{Cluster: cuda.Dim(4), Cooperative: true, Programmatic: true}, ""},
		{"no cluster", &cuda.LaunchAttributes{Cooperative: true}, "the kernel has clusters of 2 by its directive: set LaunchAttributes.Cluster"},
		{"not cooperative", &cuda.LaunchAttributes{Cluster: cuda.Dim(2)}, "the kernel is cooperative by its directive: set LaunchAttributes.Cooperative"},
	} {
		cfg := cuda.LaunchConfig{Attributes: test.have}
		err := cuda.Generated.Attributes(k.Saxpy.Kernel, &cfg, both)
		if test.want != "" {
			assert.ErrorContains(t, err, test.want, test.name)
			assert.ErrorIs(t, err, cuda.ErrInvalidValue, test.name)
			continue
		}
		require.NoError(t, err, test.name)
		if test.have == nil {
			assert.Same(t, both, cfg.Attributes, test.name)
		} else {
			assert.Same(t, test.have, cfg.Attributes, test.name)
		}
	}
	plain := cuda.LaunchConfig{Attributes: &cuda.LaunchAttributes{Programmatic: true}}
	assert.NoError(t, cuda.Generated.Attributes(k.Saxpy.Kernel, &plain, new(cuda.LaunchAttributes)), "the control")
}

// TestDemandsAllocateNothing: what a launch demands of its configuration costs no memory.
func TestDemandsAllocateNothing(t *testing.T) {
	dev, _ := openFake(t)
	k, s := loaded(t, dev)
	x, data, counts := upload(t, s, make([]float32, 100)), upload(t, s, make([]byte, 100)), upload(t, s, make([]uint32, 8))
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(128)}
	call, err := k.Histogram.Prepare(cfg, example.HistogramArgs{Data: data.All(), Counts: counts.All(), Bins: 8})
	require.NoError(t, err)
	for name, launch := range map[string]func() error{
		"threads": func() error { return k.Saxpy.LaunchWith(s, cfg, 2, x.All(), x.All()) },
		"shared":  func() error { return k.Histogram.LaunchWith(s, cfg, data.All(), counts.All(), 8) },
		"Set":     func() error { return call.Set(example.HistogramArgs{Data: data.All(), Counts: counts.All(), Bins: 8}) },
		"no owner": func() error {
			return k.Saxpy.Launch(s, 2, cuda.SliceAt[float32](x.All().Address(), 100, cuda.Owner{}), x.All())
		},
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if err := launch(); err != nil {
				panic(err)
			}
		})
		if !raceEnabled {
			assert.Zero(t, allocs, name)
		}
	}
	cfg.Grid = cuda.Dim3{}
	assert.NotZero(t, testing.AllocsPerRun(10, func() { sink = k.Saxpy.LaunchWith(s, cfg, 2, x.All(), x.All()) }), "the control")
}
