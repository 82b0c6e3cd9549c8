//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package curand_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/clibtest"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/curand"
)

const refused = curand.Status(clibtest.Refused)

// What is nil, closed or too short never gets to C, and everything else does.
func TestArguments(t *testing.T) {
	if !clibtest.Alone(t) {
		return
	}
	d, s := clibtest.Refusing(t, "curand", "curand_clib.go", map[string]string{"curandCreateGenerator": clibtest.Makes, "curandDestroyGenerator": clibtest.Works, "curandSetStream": clibtest.Works})
	g, err := curand.NewGenerator(d, curand.XORWOW)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	closed, err := curand.NewGenerator(d, curand.XORWOW)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, err = curand.NewGenerator(nil, curand.XORWOW)
	require.ErrorIs(t, err, cuda.ErrInvalidValue)
	assert.Equal(t, 17, clibtest.NeverCalled(t, s, (*curand.Generator)(nil), new(curand.Generator), closed))

	const n = 4
	words, longs, singles, doubles := memory[uint32](t, s, n), memory[uint64](t, s, n), memory[float32](t, s, n), memory[float64](t, s, n)
	for name, call := range map[string]func(g *curand.Generator, s *cuda.Stream, n int) error{
		"SetSeed":        func(g *curand.Generator, _ *cuda.Stream, _ int) error { return g.SetSeed(1) },
		"SetOffset":      func(g *curand.Generator, _ *cuda.Stream, _ int) error { return g.SetOffset(1) },
		"SetOrdering":    func(g *curand.Generator, _ *cuda.Stream, _ int) error { return g.SetOrdering(1) },
		"SetDimensions":  func(g *curand.Generator, _ *cuda.Stream, _ int) error { return g.SetDimensions(1) },
		"GenerateSeeds":  func(g *curand.Generator, s *cuda.Stream, _ int) error { return g.GenerateSeeds(s) },
		"Generate":       func(g *curand.Generator, s *cuda.Stream, n int) error { return g.Generate(s, words, uint64(n)) },
		"GenerateUint64": func(g *curand.Generator, s *cuda.Stream, n int) error { return g.GenerateUint64(s, longs, uint64(n)) },
		"GenerateUniform": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateUniform(s, singles, uint64(n))
		},
		"GenerateUniformDouble": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateUniformDouble(s, doubles, uint64(n))
		},
		"GenerateNormal": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateNormal(s, singles, uint64(n), 0, 1)
		},
		"GenerateNormalDouble": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateNormalDouble(s, doubles, uint64(n), 0, 1)
		},
		"GenerateLogNormal": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateLogNormal(s, singles, uint64(n), 0, 1)
		},
		"GenerateLogNormalDouble": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateLogNormalDouble(s, doubles, uint64(n), 0, 1)
		},
		"GeneratePoisson": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GeneratePoisson(s, words, uint64(n), 2)
		},
		"GeneratePoissonMethod": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GeneratePoissonMethod(s, words, uint64(n), 2, 0)
		},
		"GenerateBinomial": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateBinomial(s, words, uint64(n), 1, 0.5)
		},
		"GenerateBinomialMethod": func(g *curand.Generator, s *cuda.Stream, n int) error {
			return g.GenerateBinomialMethod(s, words, uint64(n), 1, 0.5, 0)
		},
	} {
		require.ErrorIs(t, call(g, s, n), refused, name)
		assert.ErrorIs(t, call(nil, s, n), cuda.ErrInvalidValue, name)
		assert.ErrorIs(t, call(new(curand.Generator), s, n), cuda.ErrInvalidValue, name)
		assert.ErrorIs(t, call(closed, s, n), cuda.ErrClosed, name)
		if strings.HasPrefix(name, "Set") {
			continue
		}
		assert.ErrorIs(t, call(g, nil, n), cuda.ErrInvalidValue, name)
		if name != "GenerateSeeds" {
			assert.ErrorIs(t, call(g, s, n+1), cuda.ErrShortSlice, name)
			assert.ErrorIs(t, call(g, s, -1), cuda.ErrShortSlice, name)
		}
	}
}
