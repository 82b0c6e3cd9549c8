package proof_test

import (
	"context"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
)

// TestCompilerTells: what the front end does not understand, the compiler answers.
func TestCompilerTells(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": gentest.UnclearSource})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, 3, result.Files[0].Kernels)
	files := gentest.Snapshot(t, dir)
	require.NoError(t, gentest.TypeCheck(t, files["k_cuda.go"]))
	assert.Contains(t, files["k_cuda.go"], "w float64, p cuda.Slice[int64]) error")
	assert.Contains(t, files["k_cuda.go"], "at cuda.Slice[Pos], m Mode, out cuda.Slice[float32]) error")
	assert.Regexp(t, `type Three struct {\n\t_ +structs.HostLayout\n\tT +\w+\n\tMore \[3\]float32\n}`, files["k_cuda.go"])

	r, err := record.Decode("k.cudagen.json", []byte(files["k.cudagen.json"]))
	require.NoError(t, err)
	for _, k := range r.Kernels {
		told := k.Name != "plain"
		assert.Equal(t, told, k.Told != nil, k.Name)
		want := []string{record.PTX, record.Debug, record.Probe}
		if !told {
			want = append([]string{record.Source}, want...)
		}
		for _, p := range k.Params {
			assert.Equal(t, want, p.Witnesses, "%s %s", k.Name, p.Name)
		}
	}

	// Without a compiler the same comes again.
	require.NoError(t, os.Remove(filepath.Join(dir, "k_cuda.go")))
	o.FindCompiler = gentest.NoCompiler
	result, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "k_cuda.go")}, result.Written)
	assert.Equal(t, files, gentest.Snapshot(t, dir))
	check, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, check.OK(), "%+v", check)

	// Once the source changes it is not known any more.
	require.NoError(t, os.WriteFile(o.Sources[0], []byte(gentest.UnclearSource+"// more\n"), 0o644))
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "k.cu:7")
}

// What has no form in Go is refused, by both, and -keep-going remembers it.
func TestCompilerCannotTell(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": `struct V { virtual void f(); int x; };
template <class T> struct Wrap { decltype(T()) v; int n; };
__global__ void virtuals(Wrap<V> v, int *p) { p[0] = v.n; }
extern "C" __global__ void plain(int n, float *x) { x[0] = n; }
`})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	_, err := gen.Generate(t.Context(), o)
	require.ErrorContains(t, err, "k.cu:3")
	assert.ErrorContains(t, err, "virtuals: ")
	assert.Len(t, gentest.Snapshot(t, dir), 2, "nothing is written")

	o.KeepGoing = true
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.NotEmpty(t, result.Refused)
	o.FindCompiler = gentest.NoCompiler
	again, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, again.Written)
	assert.Equal(t, len(result.Refused), len(again.Refused))
}

// A mute compiler is a real one that refuses some of what is compiled with debug
// information.
type mute struct {
	compile.Compiler
	refuses func(req compile.Request) bool
}

func (m mute) Compile(ctx context.Context, req compile.Request) (*compile.Output, error) {
	if req.Debug && m.refuses(req) {
		return nil, diag.List{{Pos: token.Position{Filename: req.Source, Line: 1}, Message: diag.Message{Text: "not for witnesses"}}}
	}
	return m.Compiler.Compile(ctx, req)
}

// TestLostWitnessesAreTold: when a compiler makes the image and then refuses to be a
// witness, or to answer, the user is told so.
func TestLostWitnessesAreTold(t *testing.T) {
	real, err := gentest.NVCC(t)()
	require.NoError(t, err)
	for _, test := range []struct {
		name    string
		refuses func(req compile.Request) bool
		warning string // behind the file's name, before the reason
		want    []string
	}{
		{"nothing is refused", func(compile.Request) bool { return false }, "", []string{record.Source, record.PTX, record.Debug, record.Probe}},
		{
			"the questions", func(req compile.Request) bool { return req.Suffix != "" },
			"the compiler refuses the probe for kinds, so only its debug information confirms them", []string{record.Source, record.PTX, record.Debug},
		},
		{
			"debug information", func(compile.Request) bool { return true },
			"the compiler fails when asked for fields and kinds, so only the sizes and offsets of parameters are confirmed", []string{record.Source, record.PTX},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("CUDAGEN_CACHE", t.TempDir())
			path := gentest.Write(t, "k.cu", gentest.PlainSource)
			o := gentest.Options(path, func() (compile.Compiler, error) { return mute{real, test.refuses}, nil })
			for _, cached := range []bool{false, true} {
				result, err := gen.Generate(t.Context(), o)
				require.NoError(t, err)
				assert.Equal(t, cached, result.Files[0].Cached)
				r, err := gen.ReadRecord(path)
				require.NoError(t, err)
				assert.Equal(t, test.want, r.Kernels[0].Params[0].Witnesses)
				if test.warning == "" {
					assert.Empty(t, result.Warnings)
				} else if assert.Len(t, result.Warnings, 1) {
					assert.Equal(t, path+": "+test.warning+": "+path+":1: not for witnesses", result.Warnings[0].Error())
				}
				require.NoError(t, os.Remove(filepath.Join(filepath.Dir(path), "k.cudagen.json")))
			}
		})
	}
}

// With a compiler there are never fewer errors than without: what is wrong in directives is said
// beside what the compiler says, and what both say, once.
func TestErrorsBesideTheCompilers(t *testing.T) {
	const source = `//cudagen:kernel
//cudagen:block 256
//cudagen:threads n
//cudagen:len y=m
extern "C" __global__ void k(int n, float a, index_t i, float *y) { }
`
	const directive = "k.cu:4:17: k: there is no parameter or constant m"
	text := func(t *testing.T, find func() (compile.Compiler, error)) string {
		_, err := gen.Generate(t.Context(), gentest.Options(gentest.Write(t, "k.cu", source), find))
		var all strings.Builder
		diag.Print(&all, err)
		return all.String()
	}
	without := text(t, gentest.NoCompiler)
	assert.Contains(t, without, directive)
	assert.Contains(t, without, "k.cu:5:46: k: parameter i has unknown type index_t")
	for _, compiler := range []struct {
		name string
		need testenv.Resource
		want string
	}{
		{"nvrtc", testenv.NVRTC, `k.cu:5:46: identifier "index_t" is undefined`},
		{"nvcc", testenv.NVCC, `k.cu:5:46: identifier "index_t" is undefined`},
		{"clang", testenv.Clang, `k.cu:5:46: unknown type name 'index_t'`},
	} {
		t.Run(compiler.name, func(t *testing.T) {
			testenv.Need(t, compiler.need)
			with := text(t, func() (compile.Compiler, error) { return compile.Find(compiler.name, os.Getenv) })
			assert.Contains(t, with, directive)
			assert.Contains(t, with, compiler.want)
			assert.Equal(t, strings.Count(without, "\n"), strings.Count(with, "\n"), with)
		})
	}
}

// A kernel that shares its name with a function of the host is asked about by its parameters.
func TestHostFunctionOfTheSameName(t *testing.T) {
	testenv.Need(t, testenv.Clang)
	path := gentest.Write(t, "k.cu", "struct S { int i; };\n__global__ void f(const S *p, float *x) { x[0] = p->i; }\nvoid f(const S *p, float *x, int n) {}\n")
	result, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return compile.Find("clang", os.Getenv) }))
	require.NoError(t, err)
	assert.Empty(t, result.Warnings)
	r, err := gen.ReadRecord(path)
	require.NoError(t, err)
	assert.Equal(t, []string{record.Source, record.PTX, record.Debug, record.Probe}, r.Kernels[0].Params[1].Witnesses)
	assert.Equal(t, []string{record.Source, record.Debug, record.Probe}, r.Structs[0].Witnesses)
}
