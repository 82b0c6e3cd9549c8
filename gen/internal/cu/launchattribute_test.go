package cu_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/testenv"
)

// launchShapes are sources, and of each kernel in them that is not a template its name, its launch
// bounds, its __block_size__ and its __cluster_dims__.
var launchShapes = []struct{ name, source, want string }{
	{"an instance", "template <int N> __global__ __launch_bounds__(N * 32, 2) void k(int *p) {} template __global__ void k<3>(int *);", "k<3>[96 2][][]"},
	{"by a type", "template <class T> struct B { static constexpr int n = sizeof(T) * 32; }; template <class T> __global__ __launch_bounds__(B<T>::n) void k(T *p) {} template __global__ void k<double>(double *);", "k<double>[256][][]"},
	{"a constant of the parameter's name", "constexpr int N = 64; template <int N> __global__ __launch_bounds__(N) void k(int *p) {} template __global__ void k<256>(int *);", "k<256>[256][][]"},
	{"a pack", "template <int... N> __global__ __launch_bounds__(sizeof...(N) * 32) void k(int *p) {} template __global__ void k<1, 2>(int *);", "k<1, 2>[64][][]"},
	{"a launch", "template <int N> __global__ __launch_bounds__(N * 32) void k(int *p) {} void h() { k<5><<<1, 1>>>(nullptr); }", "k<5>[160][][]"},
	{"clusters of an instance", "template <int N> __global__ __cluster_dims__(N) void k(int *p) {} template __global__ void k<4>(int *);", "k<4>[][][4]"},
	{"blocks of an instance", "template <int N> __global__ __block_size__((N * 32, 2, 1), (N, 1, 1)) void k(int *p) {} template __global__ void k<2>(int *);", "k<2>[][64 2 1][2 1 1]"},
	{"an explicit instantiation's own", "template <int N> __global__ __launch_bounds__(128) void k(int *p) {} template __global__ __launch_bounds__(96) void k<3>(int *);", "k<3>[96][][]"},
	{"an explicit instantiation's alone", "template <int N> __global__ void k(int *p) {} template __global__ void __launch_bounds__(96) k<3>(int *);", "k<3>[96][][]"},
	{"a specialisation has the template's", "template <int N> __global__ __launch_bounds__(N * 32) void k(int *p) {} template <> __global__ void k<3>(int *p) {}", "k<3>[96][][]"},
	{"a specialisation's own", "template <int N> __global__ __launch_bounds__(N * 32) void k(int *p) {} template <> __global__ __launch_bounds__(64) void k<3>(int *p) {}", "k<3>[64][][]"},
	{"a specialisation that is declared first", "template <int N> __global__ __launch_bounds__(N * 32) void k(int *p); template <> __global__ __launch_bounds__(64) void k<3>(int *p); template <> __global__ void k<3>(int *p) {}", "k<3>[64][][]"},
	{"a template's declaration", "template <int N> __global__ __launch_bounds__(N) void k(int *p); template <int M> __global__ void k(int *p) {} template __global__ void k<96>(int *);", "k<96>[96][][]"},
	{"declarations with other names", "template <int N> __global__ __launch_bounds__(N) void k(int *p); template <int M> __global__ __launch_bounds__(M * 2) void k(int *p) {} template __global__ void k<96>(int *);", "k<96>[192][][]"},
	{"a declaration behind the definition", "__global__ __launch_bounds__(160) void k(int *p) {} __global__ __launch_bounds__(192) void k(int *p);", "k[192][][]"},
	{"the second number of an earlier declaration", "__global__ __launch_bounds__(160, 2) void k(int *p); __global__ __launch_bounds__(192) void k(int *p) {}", "k[192 2][][]"},
	{"clusters of a declaration", "__global__ __cluster_dims__(2, 1) void k(int *p); __global__ void k(int *p) {}", "k[][][2 1]"},
	{"blocks of a declaration", "__global__ __block_size__((64, 1, 1), (2, 1, 1)) void k(int *p); __global__ void k(int *p) {}", "k[][64 1 1][2 1 1]"},
	{"bounds and clusters of two declarations", "__global__ __launch_bounds__(64) __cluster_dims__(2) void k(int *p); __global__ __cluster_dims__(4) void k(int *p) {}", "k[64][][4]"},
	{"twice", "__global__ __launch_bounds__(64) __launch_bounds__(128) void k(int *p) {}", "k[128][][]"},
	{"a qualified name", "constexpr int N = 64; namespace q { constexpr int N = 32; __global__ void k(int *p); } __global__ __launch_bounds__(N) void q::k(int *p) {}", "q::k[64][][]"},
	{"a qualified name of a template", "constexpr int N = 64; namespace q { constexpr int N = 32; template <int K> __global__ __launch_bounds__(N) void k(int *p); } template <int K> __global__ __launch_bounds__(N * K) void q::k(int *p) {} template __global__ void q::k<2>(int *);", "q::k<2>[128][][]"},
	{"a parameter of the name", "constexpr int N = 64; __global__ __launch_bounds__(N) void k(int *N) {}", "k[64][][]"},
}

func TestLaunchShapes(t *testing.T) {
	for _, test := range launchShapes {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, k := range parseWith(t, test.source, "").Kernels {
				require.Empty(t, k.Errors)
				if !k.Template {
					got = append(got, fmt.Sprintf("%s%v%v%v", k.QualifiedName(), k.LaunchBounds, k.BlockSize, k.ClusterDims))
				}
			}
			assert.Equal(t, test.want, strings.Join(got, "; "))
		})
	}
}

// A template has no bounds that depend on its parameters, and nothing is known of a value that is
// not constant, whatever an earlier declaration says.
func TestLaunchShapesUnknown(t *testing.T) {
	for _, source := range []string{
		"constexpr int N = 64; template <int N> __global__ __launch_bounds__(N) void k(int *p) {}",
		"__global__ __launch_bounds__(64) void k(int *p); __global__ __launch_bounds__(unknown()) void k(int *p) {}",
	} {
		for _, k := range parseWith(t, source, "").Kernels {
			assert.Nil(t, k.LaunchBounds, source)
		}
	}
}

// nvcc says the same of each of launchShapes.
func TestLaunchShapesAreTheCompilers(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	var source strings.Builder
	var want []string
	shape := func(list []int64) [3]int {
		made := [3]int{}
		for i := range made {
			if len(list) > 0 {
				made[i] = 1
			}
			if i < len(list) {
				made[i] = int(list[i])
			}
		}
		return made
	}
	for i, test := range launchShapes {
		text := fmt.Sprintf("namespace c%d {\n%s\n}\n", i, test.source)
		source.WriteString(text)
		for _, k := range parseWith(t, text, "").Kernels {
			if !k.Template {
				want = append(want, fmt.Sprint(k.QualifiedName(), shape(k.LaunchBounds[:min(1, len(k.LaunchBounds))]), shape(k.BlockSize), shape(k.ClusterDims)))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source.String()), 0o644))
	compiler, err := compile.Find("nvcc", os.Getenv)
	require.NoError(t, err)
	out, err := compiler.Compile(t.Context(), compile.Request{Source: path, Arch: "compute_90", Flags: []string{"-std=c++20", "-w"}})
	require.NoError(t, err)
	img, err := image.ReadPTX("k.ptx", out.Code)
	require.NoError(t, err)
	var got []string
	for _, k := range img.Kernels {
		got = append(got, fmt.Sprint(k.Name, k.MaxThreads, k.ReqThreads, k.ReqCluster))
	}
	slices.Sort(want)
	slices.Sort(got)
	assert.Len(t, got, len(launchShapes))
	assert.Equal(t, want, got)
}
