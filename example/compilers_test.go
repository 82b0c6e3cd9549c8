package example_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// TestEveryCompiler generates the example with each compiler: the same Go but for the hash
// of the image, the same proof by all witnesses, and PTX that runs.
func TestEveryCompiler(t *testing.T) {
	source, err := os.ReadFile("kernels.cu")
	require.NoError(t, err)
	committed, err := os.ReadFile("kernels_cuda.go")
	require.NoError(t, err)
	for _, test := range []struct {
		compiler string
		need     testenv.Resource
	}{
		{"nvcc", testenv.NVCC},
		{"nvrtc", testenv.NVRTC},
		{"clang", testenv.Clang},
	} {
		t.Run(test.compiler, func(t *testing.T) {
			testenv.Need(t, test.need)
			dir := t.TempDir()
			path := filepath.Join(dir, "kernels.cu")
			require.NoError(t, os.WriteFile(path, source, 0o644))
			result, err := gen.Generate(t.Context(), gen.Options{
				Sources: []string{path}, Archs: []string{"compute_75"}, Package: "example", Compiler: test.compiler,
			})
			require.NoError(t, err)
			assert.Empty(t, result.Warnings)
			require.Len(t, result.Files, 1)
			assert.Regexp(t, "^"+test.compiler+` \d`, result.Files[0].Compiler)

			code, err := os.ReadFile(filepath.Join(dir, "kernels_cuda.go"))
			require.NoError(t, err)
			r, err := record.Read(filepath.Join(dir, "kernels.cudagen.json"))
			require.NoError(t, err)
			was, err := record.Read("kernels.cudagen.json")
			require.NoError(t, err)
			hash := func(r *record.Record) string { return r.Images[0].SHA256 }
			assert.Equal(t, without(t, committed, hash(was)), without(t, code, hash(r)), "the compiler changes nothing in Go")
			for _, k := range r.Kernels {
				for _, p := range k.Params {
					assert.Equal(t, []string{record.Source, record.PTX, record.Debug, record.Probe}, p.Witnesses, "%s %s", k.Name, p.Name)
				}
			}
			for _, s := range r.Structs {
				for _, f := range s.Fields {
					assert.Contains(t, f.Witnesses, record.Debug, "%s %s", s.Name, f.Name)
				}
			}

			ptx, err := os.ReadFile(filepath.Join(dir, "kernels.ptx"))
			require.NoError(t, err)
			runSaxpy(t, cuda.Image{Name: "kernels.ptx", Data: string(ptx), SHA256: hash(r)})
		})
	}
	assert.Len(t, compile.Names(), 3, "each compiler is tested")
}

// without returns code with an image's hash, and the sum that depends on it, left out.
func without(t *testing.T, code []byte, hash string) string {
	t.Helper()
	_, body, edited, ok := record.Sum(code)
	assert.True(t, ok && !edited)
	return strings.Replace(string(body), hash, "", 1)
}

// runSaxpy runs saxpy of image on the simulated device, through its generated wrapper.
func runSaxpy(t *testing.T, image cuda.Image) {
	t.Helper()
	dev := simtest.New(t)
	var k example.SaxpyKernel
	lib, err := dev.LoadKernels([]cuda.Image{image}, []cuda.Spec{{
		Kernel: &k.Kernel, Name: "saxpy", Symbol: "saxpy",
		Params: []cuda.ParamSpec{{Size: 4, Align: 4}, {Offset: 4, Size: 4, Align: 4}, {Offset: 8, Size: 8, Align: 8}, {Offset: 16, Size: 8, Align: 8}},
	}})
	require.NoError(t, err)
	defer lib.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	const n = 1000
	hostX, hostY, want := make([]float32, n), make([]float32, n), make([]float32, n)
	for i := range n {
		hostX[i], hostY[i], want[i] = float32(i), float32(2*i), float32(3*i+2*i)
	}
	x, err := cuda.Upload(s, hostX)
	require.NoError(t, err)
	defer x.Close()
	y, err := cuda.Upload(s, hostY)
	require.NoError(t, err)
	defer y.Close()
	require.NoError(t, k.Launch(s, 3, x.All(), y.All()))
	require.NoError(t, y.CopyTo(s, hostY))
	assert.Equal(t, want, hostY)
}
