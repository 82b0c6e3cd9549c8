//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package curand_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/curand"
)

// refusing is C code of a cuRAND whose functions refuse everything, with a status that cuRAND does not have.
const refusing = `
int curandCreateGenerator(void **g, int kind) { static int one; *g = &one; return 0; }
int curandDestroyGenerator(void *g) { return 0; }
int curandSetStream(void *g, void *s) { return 0; }
#define REFUSES(name) int name(void) { return 555; }
REFUSES(curandSetPseudoRandomGeneratorSeed) REFUSES(curandSetGeneratorOffset) REFUSES(curandSetGeneratorOrdering)
REFUSES(curandSetQuasiRandomGeneratorDimensions) REFUSES(curandGenerate) REFUSES(curandGenerateLongLong) REFUSES(curandGenerateUniform)
REFUSES(curandGenerateUniformDouble) REFUSES(curandGenerateNormal) REFUSES(curandGenerateNormalDouble) REFUSES(curandGenerateLogNormal)
REFUSES(curandGenerateLogNormalDouble) REFUSES(curandGeneratePoisson) REFUSES(curandGeneratePoissonMethod) REFUSES(curandGenerateBinomial)
REFUSES(curandGenerateBinomialMethod) REFUSES(curandGenerateSeeds)
`

const refused = curand.Status(555)

// What is nil, closed or too short never gets to C, and everything else does.
func TestArguments(t *testing.T) {
	driver := fakecuda.Build(t, fakecuda.Options{})
	image := testenv.CompileC(t, testenv.CCPath(t), strings.Fields("-std=gnu11 -O1 -fPIC -shared"), fstest.MapFS{"stub.c": &fstest.MapFile{Data: []byte(refusing)}}, "stub.c")
	path := filepath.Join(t.TempDir(), "libcurand.so")
	require.NoError(t, os.WriteFile(path, image, 0o700))
	t.Setenv("CUDAGEN_LIBCUDA", driver)
	t.Setenv("CUDAGEN_LIBCURAND", path)
	t.Setenv("CUDAGEN_DEVICE", "")
	d, err := cuda.Open(0)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, d.Close()) })
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	g, err := curand.NewGenerator(d, curand.XORWOW)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close()) })
	closed, err := curand.NewGenerator(d, curand.XORWOW)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, err = curand.NewGenerator(nil, curand.XORWOW)
	require.ErrorIs(t, err, cuda.ErrInvalidValue)

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
