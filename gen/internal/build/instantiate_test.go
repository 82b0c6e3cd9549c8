package build_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

// Instances whose arguments are functions, packs or unnamed, or whose symbols spell types in
// terms of the template's parameters, are generated like others.
func TestInstantiateWithFunctionsAndPacks(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": `#include <type_traits>
__device__ float add(float a, float b) { return a + b; }
static __device__ float sub(float a, float b) { return a - b; }
namespace ns { template <int N, class T> __device__ T scale(T a, T) { return N * a; } }
//cudagen:instantiate op=add
//cudagen:instantiate <sub>
//cudagen:instantiate op=ns::scale<4>
//cudagen:instantiate <nullptr> Nothing
template <float (*op)(float, float)> __global__ void apply(float *x) { if (op) x[0] = op(x[0], x[1]); }
//cudagen:instantiate <float, int, double>
template <class, class... T> __global__ void pack(T... args) {}
template <class T> struct Traits { typedef double type; };
//cudagen:instantiate T=float,N=3
template <class T, int N> __global__ void dependent(typename Traits<T>::type *x, T (*rows)[N + 1]) {}
namespace { namespace {
//cudagen:instantiate T=int
template <class T> __global__ void local(T x) {} } inline namespace v {
//cudagen:instantiate T=int
template <class T> __global__ void versioned(T x) {} } }
//cudagen:instantiate T=float
template <class T> __global__ std::enable_if_t<std::is_floating_point<T>::value> limited(T *x, const T *y) {}
template <class T> struct Count { char x[T::value]; };
__global__ void tagged(Count<std::integral_constant<int, 3>> a, Count<std::integral_constant<int, 5>> b, float (*(*f)(int))(double)) {}
enum Kind { one = 1, two };
template <int N> struct Chars { char c[N]; };
//cudagen:instantiate <two, 3>
template <Kind K, int N> __global__ void computed(Chars<K> a, std::conditional_t<(N > 2), float, int> b, Chars<(N << 1)> c, Chars<N> d) {}
struct { float x; } unnamed;
__global__ void nameless(decltype(unnamed) *x) {}
`})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := gentest.Snapshot(t, dir)["k_cuda.go"]
	require.NoError(t, gentest.TypeCheck(t, code))
	for _, want := range []string{
		"type ApplyAddKernel struct", "type ApplySubKernel struct", "type ApplyScale4Kernel struct", "type NothingKernel struct",
		"type PackFloatIntDoubleKernel struct", "type DependentFloat3Kernel struct", "type LocalIntKernel struct", "type VersionedIntKernel struct", "type NamelessKernel struct", "type LimitedFloatKernel struct", "type TaggedKernel struct", "type Computed2_3Kernel struct",
		`Symbol: "_Z5applyIXadL_ZN2ns5scaleILi4EfEET0_S2_S2_EEEvPf"`,
	} {
		assert.Contains(t, code, want)
	}
	assert.Equal(t, 2, strings.Count(code, "_INTERNAL_"), "one kernel has a static function, one a type without a name")
}

// An instance that a directive asks for is compiled, too, when the source does not tell its
// parameters: the compiler does, and the record afterwards.
func TestInstancesThatACompilerTells(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": `template <class T> struct Odd { T v; double w; };
template <class T> __host__ __device__ auto odd(T v) { Odd<T> o{v, 1}; return o; }
//cudagen:instantiate T=float
template <class T> __global__ void t(decltype(odd(T())) p, float *o) { o[0] = p.v; }
`})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	reading := gen.NewReader(o).Read(o.Sources[0])
	require.Len(t, reading.File.Kernels, 2)
	require.True(t, reading.Kernels[reading.File.Kernels[1]].Unclear)
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := gentest.Snapshot(t, dir)["k_cuda.go"]
	assert.Contains(t, code, "func (k *TFloatKernel) LaunchWith(s *cuda.Stream, cfg cuda.LaunchConfig, p OddFloat, ")
	o.FindCompiler, o.Force = gentest.NoCompiler, false
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, result.OK(), "%+v", result)
}

// With -all, a compiler tells which instances of templates host code makes, and the image does afterwards:
// the front end does not know what run launches.
func TestInstancesOfImages(t *testing.T) {
	const source = `namespace ns {
enum class Mode { A, B };
namespace { struct Hidden { int x; }; }
template <class T, Mode M, unsigned long N> __global__ void fill(T *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = T(int(N) + int(M)); }
template <class H> __global__ void hidden(H h, int *p) { *p = h.x; }
template <class... A> __global__ void pack(float *x, A... a) { x[0] = (a + ...); }
template <class T> __global__ void twice(T *x) { *x = 1; }
template <class T> __global__ void twice(T *x, int n) { *x = n; }
template <class T> __global__ void never(T *x) {}
//cudagen:ignore
template <class T> __global__ void ignored(T *x) {}
}
template <class F> __global__ void apply(float *x, F f) { *x = f(*x); }
template <class T> void run(T *d) {
  auto three = [](auto v) { return v; }(3);
  ns::fill<T, ns::Mode::B, 7><<<1, three>>>(d, three);
  auto h = decltype(ns::Hidden{}){};
  auto same = [&] { return h; }();
  ns::hidden<<<1, 1>>>(same, (int *)nullptr);
  auto pair = [] { return 1.5; }();
  ns::pack<<<1, 1>>>((float *)nullptr, pair, three);
  auto p = d;
  ns::twice<<<1, 1>>>(p);
  ns::ignored<<<1, 1>>>(p);
  auto more = [] __device__ (float v) { return v + 1; };
  apply<<<1, 1>>>((float *)nullptr, more);
}
int main() {
  float *f = nullptr;
  auto g = [&] { return f; }();
  run(g);
}
`
	dir := gentest.Module(t, map[string]string{"k.cu": source})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", CompilerFlags: []string{"--extended-lambda"}, FindCompiler: gentest.NoCompiler}
	o.All = true
	_, err := gen.Generate(t.Context(), o)
	require.ErrorContains(t, err, "fill: is a template: add above it", "nobody can tell")

	o.FindCompiler = gentest.NVCC(t)
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := gentest.Snapshot(t, dir)["k_cuda.go"]
	require.NoError(t, gentest.TypeCheck(t, code))
	kernels := regexp.MustCompile(`(?m)^type (\w+)Kernel struct`).FindAllStringSubmatch(code, -1)
	var names []string
	for _, k := range kernels {
		names = append(names, k[1])
	}
	assert.Equal(t, []string{"FillFloat1_7", "HiddenHidden", "PackDoubleInt"}, names)
	notes := fmt.Sprint([]*diag.Error(result.Notes))
	assert.Contains(t, notes, "apply: the compiler makes the instance <", "the type of a lambda has no name")
	assert.Contains(t, notes, "twice: the compiler makes the instance <float> of it, which is not wrapped: several templates have this name")
	assert.Contains(t, notes, "never: is a template without instances here")
	assert.NotContains(t, notes, "of this launch are not known", "the image knows what is launched")
	assert.NotContains(t, notes, "ignored")

	o.FindCompiler = gentest.NoCompiler
	checked, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, checked.OK(), "%+v", checked)
	again, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, again.Written)
	reading := gen.NewReader(o).Read(o.Sources[0])
	assert.Empty(t, reading.Errors)
	assert.Len(t, reading.Kernels, 3, "of the committed image")

	// Without -all they are offered.
	o.FindCompiler, o.All = gentest.NVCC(t), false
	require.NoError(t, os.WriteFile(o.Sources[0], []byte(source+"__global__ void plain(int n) {}\n"), 0o666))
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint([]*diag.Error(result.Notes)), "pack: 1 of its instances in the image are not wrapped: add above it //cudagen:instantiate <double, int>, or give -all")
	assert.NotContains(t, gentest.Snapshot(t, dir)["k_cuda.go"], "Pack")
}

// What the image told is asked of the PTX alone, and of a stale one only as far as it still holds.
func TestInstancesOfStaleImages(t *testing.T) {
	const before = "struct V { virtual void f(); int x; };\ntemplate <class T> __global__ void one(T *p) { *p = 1; }\n__global__ void plain(int n) {}\n"
	const launch = "void host(float *p) { auto q = p; one<<<1, 1>>>(q); }\n"
	dir := gentest.Module(t, map[string]string{"k.cu": before + launch})
	path := filepath.Join(dir, "k.cu")
	o := gen.Options{Sources: []string{path}, Archs: []string{"compute_75", "sm_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	o.All = true

	var commands int
	dry := o
	dry.DryRun, dry.Trace = true, func([]string) { commands++ }
	_, err := gen.Generate(t.Context(), dry)
	require.NoError(t, err)
	assert.Equal(t, 4, commands, "of both targets and of the question, whose source is preprocessed before")

	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, gentest.Snapshot(t, dir)["k_cuda.go"], "type OneFloatKernel struct")

	ptx := filepath.Join(dir, "k.ptx")
	content, err := os.ReadFile(ptx)
	require.NoError(t, err)
	require.NoError(t, os.Remove(ptx))
	o.FindCompiler = gentest.NoCompiler
	checked, err := gen.Check(o)
	require.NoError(t, err)
	assert.Contains(t, fmt.Sprint(checked.Stale), "k.ptx is missing")
	require.NoError(t, os.WriteFile(ptx, content, 0o666))

	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(before, "(T *p)", "(T *p, V v)", 1)), 0o666))
	checked, err = gen.Check(o)
	require.NoError(t, err, "the instance of the stale image cannot be wrapped, and is gone")
	assert.Contains(t, fmt.Sprint(checked.Stale), "k.cu changed")

	// An image that has no more than the source says what launches make, too.
	require.NoError(t, os.WriteFile(path, []byte(before+"template __global__ void one<float>(float *);\n"+launch), 0o666))
	o.FindCompiler = gentest.NVCC(t)
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Notes)
}

// A source that is gone when its instances are read is an error, with -force, too.
func TestInstancesOfALostSource(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": "template <class T> __global__ void one(T *p) { *p = 1; }\nvoid host(float *p) { auto q = p; one<<<1, 1>>>(q); }\n"})
	path := filepath.Join(dir, "k.cu")
	find := gentest.NVCC(t)
	o := gen.Options{Sources: []string{path}, Archs: []string{"compute_75"}, Package: "p", Force: true}
	o.FindCompiler = func() (gen.Compiler, error) {
		compiler, err := find()
		return losing{compiler, path}, err
	}
	o.All = true
	_, err := gen.Generate(t.Context(), o)
	require.ErrorContains(t, err, "k.cu")
	assert.NoFileExists(t, filepath.Join(dir, "k_cuda.go"))
}

// losing is a compiler that removes a file when it has compiled.
type losing struct {
	gen.Compiler
	path string
}

func (l losing) Compile(ctx context.Context, r compile.Request) (*compile.Output, error) {
	out, err := l.Compiler.Compile(ctx, r)
	return out, errors.Join(err, os.Remove(l.path))
}

// The instances that are not wrapped are named, unless something else says which kernels are.
func TestInstancesAreOffered(t *testing.T) {
	const source = "template <class T> __global__ void fill(T *x) {}\n"
	const ptx = gentest.Plain + ".visible .entry _Z4fillIfEvPT_(.param .u64 p) { ret; }\n"
	for _, test := range []struct {
		name, plain string
		change      func(*gen.Options)
		want        int
	}{
		{"nothing is said", gentest.PlainSource, func(*gen.Options) {}, 1},
		{"all are wrapped", gentest.PlainSource, func(o *gen.Options) { o.All = true }, 0},
		{"a program compiles the source", gentest.PlainSource, func(o *gen.Options) { o.Embed = gen.EmbedSource }, 0},
		{"a directive", "//cudagen:kernel\n" + gentest.PlainSource, func(*gen.Options) {}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := gentest.Options(gentest.Write(t, "k.cu", source+test.plain), gentest.Makes(ptx))
			test.change(&o)
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			offered := 0
			for _, note := range result.Notes {
				if strings.Contains(note.Error(), "1 of its instances in the image are not wrapped: add above it //cudagen:instantiate <float>, or give -all") {
					offered++
				}
			}
			assert.Equal(t, test.want, offered, "%v", result.Notes)
		})
	}
}
