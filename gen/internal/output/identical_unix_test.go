//go:build unix

package output_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/testenv"
)

// identicalFiles are sources with everything that compilers make names of paths of, or
// write paths for.
var identicalFiles = map[string]string{
	"p/a.cu": `#include "plate.h"
#include <assert.h>
namespace { struct Local { int n; }; __global__ void hidden(Local l, float *x) { x[0] = l.n; } }
static __global__ void inside(Plate p, float *x) { assert(p.n > 0); x[0] = p.dt; }
//cudagen:instantiate T=float,N=4
template <class T, int N> __global__ void repeat(T *x) { for (int i = 0; i < N; i++) x[i] += table[i]; }
__global__ void named(const char **name) { *name = __FILE__; }
`,
	"p/b.cu":          "#include \"plate.h\"\nextern \"C\" __global__ void heat(Plate p, float *x) { x[threadIdx.x] = p.dt * table[1]; }\n",
	"include/plate.h": "#pragma once\nstruct Plate { float dt; int n; };\nnamespace { __device__ float table[4] = {1, 2, 3, 4}; }\n",
}

// TestOutputIsIdentical: whoever generates, wherever and whenever, all files are the same,
// byte for byte.
func TestOutputIsIdentical(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for _, test := range []struct {
		compiler string
		need     testenv.Resource
		archs    []string // those of clang need ptxas beside PTX
		unnamed  string   // what unnamed namespaces become: NVRTC refuses machine code of them
	}{
		{"nvcc", testenv.NVCC, []string{"compute_75", "sm_80", "sm_90"}, ""},
		{"nvrtc", testenv.NVRTC, []string{"compute_75"}, ""},
		{"nvrtc", testenv.NVRTC, []string{"compute_75", "sm_80", "sm_90"}, "inline namespace local"},
		{"clang", testenv.Clang, []string{"compute_75"}, ""},
	} {
		t.Run(fmt.Sprint(test.compiler, len(test.archs)), func(t *testing.T) {
			testenv.Need(t, test.need)
			t.Setenv("CUDAGEN_CACHE", "off")
			files := func() map[string]string {
				files := maps.Clone(identicalFiles)
				for name := range files {
					if test.unnamed != "" {
						files[name] = strings.ReplaceAll(files[name], "namespace {", test.unnamed+" {")
					}
				}
				return files
			}
			generate := func(t *testing.T, folder, include string, sources ...string) map[string]string {
				o := gen.Options{Sources: sources, Archs: test.archs, Compiler: test.compiler, Force: true}
				o.Include, o.Define = []string{include}, []string{"LIMIT=1"}
				_, err := gen.Generate(t.Context(), o)
				require.NoError(t, err)
				return gentest.Snapshot(t, folder)
			}
			here := gentest.Module(t, files())
			t.Chdir(here)
			want := generate(t, "p", "include", "p/a.cu", "p/b.cu")
			assert.Len(t, want, 3+2*(2+min(2, len(test.archs))))

			for name, value := range map[string]string{"LANG": "tr_TR.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Pacific/Chatham", "USER": "somebody"} {
				t.Setenv(name, value)
			}
			for _, name := range []string{"HOME", "TMPDIR", "XDG_CACHE_HOME"} {
				dir := filepath.Join(t.TempDir(), "it's "+name)
				require.NoError(t, os.Mkdir(dir, 0o755))
				t.Setenv(name, dir)
			}
			umask := syscall.Umask(0o077)
			defer syscall.Umask(umask)
			real := filepath.Join(gentest.Module(t, map[string]string{}), "wide folder", "étage")
			require.NoError(t, os.MkdirAll(filepath.Dir(real), 0o755))
			require.NoError(t, os.Rename(gentest.Module(t, files()), real))
			link := filepath.Join(t.TempDir(), "a link")
			require.NoError(t, os.Symlink(real, link))
			t.Chdir("/")
			assert.Equal(t, want, generate(t, filepath.Join(real, "p"), filepath.Join(real, "include"), filepath.Join(real, "p", "a.cu"), filepath.Join(real, "p", "b.cu")))
			t.Chdir(filepath.Join(link, "p"))
			assert.Equal(t, want, generate(t, ".", "../include", "a.cu", "b.cu"), "through a link")
		})
	}
}
