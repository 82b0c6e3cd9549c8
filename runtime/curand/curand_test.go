package curand_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/clib"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/curand"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// onBoth runs a test on a simulated device, and on a GPU if there is one.
func onBoth(t *testing.T, test func(t *testing.T, d *cuda.Device, s *cuda.Stream)) {
	t.Run("simulated", func(t *testing.T) { run(t, simtest.New(t), test) })
	t.Run("GPU", func(t *testing.T) {
		testenv.Need(t, testenv.GPU)
		d, err := cuda.Open(0)
		require.NoError(t, err)
		t.Cleanup(func() { assert.NoError(t, d.Close()) })
		run(t, d, test)
	})
}

func run(t *testing.T, d *cuda.Device, test func(t *testing.T, d *cuda.Device, s *cuda.Stream)) {
	t.Helper()
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	test(t, d, s)
}

func generator(t *testing.T, d *cuda.Device, kind curand.Kind) *curand.Generator {
	t.Helper()
	g, err := curand.NewGenerator(d, kind)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	return g
}

// memory returns n elements.
func memory[T any](t *testing.T, s *cuda.Stream, n int) cuda.Slice[T] {
	t.Helper()
	b, err := cuda.Alloc[T](s, n)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, b.Close()) })
	return b.All()
}

// What cuRAND refuses has its status, on simulated devices as on a GPU.
func TestStatuses(t *testing.T) {
	onBoth(t, func(t *testing.T, d *cuda.Device, s *cuda.Stream) {
		x := memory[float32](t, s, 8)
		for _, kind := range []curand.Kind{curand.XORWOW, curand.MRG32k3a, curand.Philox4x32} {
			g := generator(t, d, kind)
			require.ErrorIs(t, g.SetOrdering(curand.OrderingQuasiDefault), curand.StatusOutOfRange)
			require.ErrorIs(t, g.SetOrdering(77), curand.StatusOutOfRange)
			require.ErrorIs(t, g.SetDimensions(2), curand.StatusTypeError)
			require.ErrorIs(t, g.GenerateUint64(s, memory[uint64](t, s, 1), 1), curand.StatusTypeError)
			require.NoError(t, g.GenerateNormal(s, x, 0, 0, 1))
			require.NoError(t, g.Generate(s, memory[uint32](t, s, 0), 0))
			err := g.GenerateNormal(s, x, 3, 0, 1)
			if kind == curand.Philox4x32 {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, curand.StatusLengthNotMultiple)
			}
			require.NoError(t, g.SetOrdering(curand.OrderingPseudoLegacy))
		}
		_, err := curand.NewGenerator(d, 99)
		assert.ErrorIs(t, err, curand.StatusTypeError)
	})
}

// The numbers of a source are those of its generator.
func TestSource(t *testing.T) {
	onBoth(t, func(t *testing.T, d *cuda.Device, s *cuda.Stream) {
		g := generator(t, d, curand.Philox4x32)
		require.NoError(t, g.SetSeed(5))
		all := memory[uint32](t, s, 12)
		require.NoError(t, g.Generate(s, all, 12))
		want, err := all.Download(s)
		require.NoError(t, err)
		require.NoError(t, g.SetOffset(0))
		source, err := curand.NewSource(g, s, 2)
		require.NoError(t, err)
		r := rand.New(source)
		for i := 0; i < len(want); i += 2 {
			assert.Equal(t, uint64(want[i+1])<<32|uint64(want[i]), r.Uint64())
		}
		require.NoError(t, source.Close())
		require.NoError(t, source.Close())
		assert.Panics(t, func() { r.Uint64() })
	})
}

// Where cuRAND goes on behind another seed depends on the numbers before; a capture makes other ones each time. A simulated device says that it
// has neither.
func TestNotSimulated(t *testing.T) {
	run(t, simtest.New(t), func(t *testing.T, d *cuda.Device, s *cuda.Stream) {
		g, x := generator(t, d, curand.XORWOW), memory[float32](t, s, 4)
		require.NoError(t, curand.Uniform(g, s, x))
		require.NoError(t, g.SetSeed(2))
		require.ErrorIs(t, curand.Uniform(g, s, x), clib.ErrNotSimulated)
		require.NoError(t, g.SetOffset(0))
		require.NoError(t, curand.Uniform(g, s, x))
		require.ErrorIs(t, g.SetOrdering(curand.OrderingPseudoDynamic), clib.ErrNotSimulated)
		require.ErrorIs(t, g.SetOrdering(curand.OrderingPseudoSeeded), clib.ErrNotSimulated)
		_, err := curand.NewGenerator(d, curand.Sobol32)
		require.ErrorIs(t, err, clib.ErrNotSimulated)
		require.ErrorIs(t, g.GeneratePoisson(s, memory[uint32](t, s, 4), 4, 2), clib.ErrNotSimulated)
		graph, err := cuda.Capture(s, func(s *cuda.Stream) error { return curand.Uniform(g, s, x) })
		require.ErrorIs(t, err, clib.ErrNotSimulated)
		require.Nil(t, graph)
	})
}
