package proof_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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

// A witnessed is one way by which a type, an offset, a value or an alignment comes into the Go
// file, and who states it besides the source.
//
// The source has OTHER where the compiler is made to read something else than cudagen reads: see
// seen. Without the witnesses nothing would notice.
type witnessed struct {
	name      string
	source    string
	refusal   string   // what the difference is
	witnesses []string // besides the source, when there is no difference: of the type, or of its first field
	of        string   // the name in the record
}

var (
	debugAndProbe = []string{record.Debug, record.Probe}
	probeAlone    = []string{record.Probe}
)

const noKernel = "\nextern \"C\" __global__ void step(float *x) { x[0] = 1; }\n"

var everyWay = []witnessed{
	// Structs that no kernel has.
	{"exported struct", "//cudagen:export\nstruct S { int a; OTHER double b; int c; };" + noKernel, "struct S: field b: offset is 8 by the source and 16 by the compiler", debugAndProbe, "S"},
	{"its functions", "//cudagen:export\nstruct S { int a; __device__ int f() const { return a; } OTHER double b; };" + noKernel, "struct S: field b: offset", debugAndProbe, "S"},
	{"its size", "//cudagen:export\nstruct S { double b; int c; OTHER };" + noKernel, "struct S: number of fields is 2 by the source and 3 by the compiler", debugAndProbe, "S"},
	{"its alignment", "//cudagen:export\nstruct ALIGN S { float x, y, z, w; };" + noKernel, "struct S: alignment is 4 by the source and 16 by the compiler", debugAndProbe, "S"},
	{"an exported base", "struct B { char c; OTHER short s; };\n//cudagen:export\nstruct S : B { int b; };" + noKernel, "struct S: field s: offset is 2 by the source and 16 by the compiler", debugAndProbe, "S"},
	{"an exported union", "//cudagen:export\nunion S { float f; struct { char c; OTHER short s; } in; };" + noKernel, "union S: field in.s: offset is 2 by the source and 8 by the compiler", debugAndProbe, "S"},
	{"exported bit-fields", "//cudagen:export\nstruct S { unsigned a : 3; unsigned : BITS; unsigned b : 4; };" + noKernel, "struct S: field b: first bit is 4 by the source and 5 by the compiler", debugAndProbe, "S"},
	{"a typedef's struct", "//cudagen:export\ntypedef struct { char c; OTHER int i; } S;" + noKernel, "struct S: field i: offset", debugAndProbe, "S"},
	{"in an unnamed namespace", "namespace n { namespace {\n//cudagen:export\nstruct S { char c; OTHER int i; };\n} }" + noKernel, "field i: offset", debugAndProbe, "n::(anonymous namespace)::S"},
	{"a member's struct", "struct In { char c; OTHER int i; };\n//cudagen:export\nstruct S { In in[2]; };" + noKernel, "field in[].i: offset", debugAndProbe, "In"},
	{"a private member's struct", "//cudagen:export\nclass S { struct In { char c; OTHER int i; }; In in[2]; };" + noKernel, "struct S::In: field i: offset is 4 by the source and 16 by the compiler", debugAndProbe, "S::In"},
	{"a private pointee", "//cudagen:export\nclass S { struct In { char c; OTHER int i; }; In *in; };" + noKernel, "struct S::In: field i: offset is 4 by the source and 16 by the compiler", debugAndProbe, "S::In"},
	{"an unnamed member", "//cudagen:export\nstruct S { char c; struct { char d; OTHER int i; }; };" + noKernel, ".i: offset", nil, ""},

	// Structs that kernels only point at.
	{"pointee", "struct S { char c; __device__ int f() const { return c; } OTHER int i; };\n__global__ void step(const S *p, float *x) { x[0] = 1; }\n", "i: offset is 4 by the source and", debugAndProbe, "S"},
	{"pointer to pointer", "struct S { char c; __device__ int f() const { return c; } OTHER int i; };\n__global__ void step(S **p) { }\n", "i: offset is 4 by the source and", debugAndProbe, "S"},
	{"pointee of a field", "struct S { char c; OTHER int i; };\nstruct W { S *p; };\n__global__ void step(W w) { }\n", "p->i: offset", debugAndProbe, "S"},
	{"its alignment alone", "struct ALIGN S { float x, y, z, w; };\nstruct W { S *p; };\n__global__ void step(W w) { }\n", "struct S: alignment is 4 by the source and 16 by the compiler", debugAndProbe, "S"},
	{"an instance", "template <class T> struct S { T c; OTHER int i; };\n__global__ void step(S<char> **p) { }\n", "i: offset is 4 by the source and", debugAndProbe, "S<char>"},
	{"what a parameter in no code has", "struct S { PAIR int more[40]; };\n__global__ void step(S s, float *x) { x[0] = 1; }\n", "field a: kind is signed integer by the source and float by the compiler", debugAndProbe, "S"},
	{"an instance's pointee", "struct S { char c; OTHER int i; };\n//cudagen:instantiate T=S\ntemplate <class T> __global__ void step(T **p) { }\n", "i: offset is 4 by the source and", debugAndProbe, "S"},

	{"a Go type of the user's", "//cudagen:type S=example.com/other.S\nstruct S { char c; OTHER int i; };\n__global__ void step(S *p, float *x) { x[0] = 1; }\n", "i: offset is 4 by the source and", debugAndProbe, "S"},

	// Variables.
	{"a variable's struct", "struct S { PAIR };\n//cudagen:export\n__constant__ S v;\n__global__ void step(float *x) { x[0] = v.a; }\n", "v: its type, field a: kind is signed integer by the source and float by the compiler", debugAndProbe, "S"},
	{"a variable's unnamed struct", "//cudagen:export\n__constant__ struct { PAIR } v;\n__global__ void step(float *x) { x[0] = v.a; }\n", "v: its type, field a: kind is signed integer by the source and float by the compiler", nil, ""},
	{"a variable's pointee", "struct S { char c; __device__ int f() const { return c; } OTHER int i; };\n//cudagen:export\n__device__ S *v;\n__global__ void step(float *x) { x[0] = v != 0; }\n", "i: offset is 4 by the source and", debugAndProbe, "S"},
	{"a variable's kind", "//cudagen:export\n__device__ KIND v;\n__global__ void step(float *x) { x[0] = v; }\n", "v: its type: kind is float by the source and signed integer by the compiler", nil, ""},

	// Enumerations: values, and what is below them.
	{"exported enum", "//cudagen:export\nenum E { A, B = VALUE };" + noKernel, "enum E: value of B is 4 by the source and 5 by the compiler", debugAndProbe, "E"},
	{"below an enum", "//cudagen:export\nenum class E : BELOW { A, B = 3 };" + noKernel, "enum E: kind of the underlying type is signed integer by the source and unsigned integer by the compiler", debugAndProbe, "E"},
	{"a pointed enum", "enum class E { A, B = VALUE };\n__global__ void step(E **p) { }\n", "value of B is 4 by the source and 5 by the compiler", debugAndProbe, "E"},
	{"a field's enum", "struct S { enum { A, B = VALUE } e; };\n__global__ void step(S **p) { }\n", "value of B is 4 by the source and 5 by the compiler", debugAndProbe, "S"},

	// Constants.
	{"exported constant", "//cudagen:export\nconstexpr int N = 2 * VALUE;" + noKernel, "N is 8 by the source, which cudagen reads with another SEEN", probeAlone, "N"},
	{"exported macro", "//cudagen:export\n#define N (2 * VALUE)" + noKernel, "N is 8 by the source, which cudagen reads with another SEEN", probeAlone, "N"},
	{"a directive's", "namespace n { enum { N = 2 * VALUE };\n//cudagen:block N\n//cudagen:threads n\n__global__ void step(int n, float *x) { x[0] = 1; } }\n", "n::N is 8 by the source, which cudagen reads with another SEEN", probeAlone, "n::N"},
	{"launch bounds", "__global__ void __launch_bounds__(32 * VALUE) step(float *x) { x[0] = 1; }\n", "step: __launch_bounds__ is [128 1 1] by the source and [160 1 1] in the image", nil, ""},
}

// seen is put before each source: the compiler reads one half, cudagen the other.
const seen = `#ifdef SEEN
#define OTHER double other;
#define ALIGN alignas(16)
#define BITS 2
#define VALUE 5
#define BELOW unsigned short
#define KIND int
#define PAIR float b; int a;
#else
#define OTHER
#define ALIGN
#define BITS 1
#define VALUE 4
#define BELOW short
#define KIND float
#define PAIR int a; float b;
#endif
`

// A seeing compiler reads the source with a macro that cudagen does not know.
type seeing struct{ compile.Compiler }

func (s seeing) Compile(ctx context.Context, req compile.Request) (*compile.Output, error) {
	req.Flags = append(slices.Clone(req.Flags), "-D", "SEEN")
	return s.Compiler.Compile(ctx, req)
}

// Each way into the Go file has its witnesses, and each lie of the source is refused because of
// them.
func TestNothingPassesTheGate(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for _, compiler := range []struct {
		name string
		need testenv.Resource
		each int // of everyWay: they take their time
	}{{"nvrtc", testenv.NVRTC, 1}, {"clang", testenv.Clang, 5}, {"nvcc", testenv.NVCC, 9}} {
		t.Run(compiler.name, func(t *testing.T) {
			testenv.Need(t, compiler.need)
			t.Setenv("CUDAGEN_CACHE", "off")
			found, err := compile.Find(compiler.name, os.Getenv)
			require.NoError(t, err)
			for i, way := range everyWay {
				if i%compiler.each == 0 {
					t.Run(way.name, func(t *testing.T) { way.check(t, found) })
				}
			}
		})
	}
}

// check generates from the source as it is, and as a compiler reads it otherwise.
func (w *witnessed) check(t *testing.T, compiler compile.Compiler) {
	path := gentest.Write(t, "k.cu", seen+w.source)
	_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return seeing{compiler}, nil }))
	var all strings.Builder
	diag.Print(&all, err)
	assert.Contains(t, all.String(), w.refusal)
	code := diag.LayoutsDisagree
	if strings.Contains(w.refusal, "cudagen reads with another") {
		code = diag.OfCompiler // which evaluates an assertion
	}
	assert.Equal(t, code, diag.CodeOf(err))
	assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")

	_, err = gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return compiler, nil }))
	require.NoError(t, err)
	if w.witnesses != nil {
		assert.Equal(t, w.witnesses, confirmed(t, path, w.of))
	}
}

// confirmed returns who confirms what the record calls name, and all its parts, besides the
// source.
func confirmed(t *testing.T, path, name string) []string {
	t.Helper()
	r, err := gen.ReadRecord(path)
	require.NoError(t, err)
	var whole []string
	parts := make(map[string][]string)
	for _, s := range r.Structs {
		if s.Name == name {
			whole = s.Witnesses
			for _, f := range s.Fields {
				parts[f.Name] = f.Witnesses
			}
		}
	}
	for _, e := range r.Enums {
		if e.Name == name {
			whole = e.Witnesses
			for _, c := range e.Constants {
				parts[c.Name] = c.Witnesses
			}
		}
	}
	for _, c := range r.Constants {
		if c.Name == name {
			whole = c.Witnesses
		}
	}
	require.NotEmpty(t, whole)
	assert.Equal(t, record.Source, whole[0])
	for part, witnesses := range parts {
		if part != "" { // bit-fields, and members without a name
			assert.Equal(t, whole, witnesses, part)
		}
	}
	return whole[1:]
}

// A record whose inputs are unchanged is proof; one that does not say who confirms a type is worth
// one warning, and so is a compiler without debug information. A compiler that could say more and
// does not is no excuse.
func TestWithoutCompiler(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("CUDAGEN_CACHE", "off")
	const source = "enum Mode { A, B = 4 };\nstruct Pair { Mode m; double d; };\n//cudagen:export\n#define SIDE 4\nextern \"C\" __global__ void step(const Pair *p, float *x) { x[0] = p->d; }\n"
	real, err := compile.Find("nvrtc", os.Getenv)
	require.NoError(t, err)
	path := gentest.Write(t, "k.cu", source)
	o := gentest.Options(path, func() (compile.Compiler, error) { return real, nil })
	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	recordPath := filepath.Join(filepath.Dir(path), "k.cudagen.json")
	text, err := os.ReadFile(recordPath)
	require.NoError(t, err)
	files := gentest.Snapshot(t, filepath.Dir(path))

	o.FindCompiler = gentest.NoCompiler
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Warnings)
	assert.Empty(t, result.Written)

	t.Run("a record without witnesses", func(t *testing.T) {
		r, err := record.Decode(recordPath, text)
		require.NoError(t, err)
		r.Structs[0].Witnesses, r.Enums, r.Constants = nil, nil, nil
		require.NoError(t, os.WriteFile(recordPath, r.Encode(), 0o600))
		result, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		require.Len(t, result.Warnings, 1)
		assert.Equal(t, path+": no compiler confirms struct Pair, enum Mode and constant SIDE: k.cudagen.json does not say that one did (run cudagen -force where a compiler is installed)", result.Warnings[0].Error())
		assert.Equal(t, files["k_cuda.go"], gentest.Snapshot(t, filepath.Dir(path))["k_cuda.go"])
	})
	t.Run("a record that says otherwise", func(t *testing.T) {
		for _, change := range [][2]string{
			{`"value": "4"`, "enum Mode: value of B is 4 by the source and 5 by k.cudagen.json"},
			{`"value": 4`, "constant SIDE: value is 4 by the source and 5 by k.cudagen.json"},
		} {
			require.Equal(t, 1, strings.Count(string(text), change[0]))
			changed := strings.Replace(string(text), change[0], strings.Replace(change[0], "4", "5", 1), 1)
			require.NoError(t, os.WriteFile(recordPath, []byte(changed), 0o600))
			_, err := gen.Generate(t.Context(), o)
			assert.ErrorContains(t, err, change[1])
		}
	})
	t.Run("a compiler without debug information", func(t *testing.T) {
		path := gentest.Write(t, "k.cu", source)
		result, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(files["k.ptx"])))
		require.NoError(t, err)
		require.Len(t, result.Warnings, 1)
		assert.Contains(t, result.Warnings[0].Message.Error(), "no compiler confirms struct Pair, enum Mode and constant SIDE: stub 1 has no debug information")
	})
	for _, test := range []struct {
		name    string
		refuses func(compile.Request) bool
		want    string
	}{
		{"a compiler that is mute", func(compile.Request) bool { return true }, "k.cu:1:6: enum Mode: only the source states it, and nothing confirms it: the compiler fails when asked for types: "},
		{"a compiler that is not asked", func(r compile.Request) bool { return r.Suffix != "" }, "k.cu:3:1: constant SIDE: only the source states it, and nothing confirms it: nvrtc "},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", source)
			_, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return mute{real, test.refuses}, nil }))
			assert.ErrorContains(t, err, test.want)
			assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
		})
	}
}

// A type that only the compiler understands needs its debug information and its answers, also where
// it is a member of another.
func TestToldTypesHaveTwoWitnesses(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("CUDAGEN_CACHE", "off")
	const source = `struct Known { short s; };
__global__ void known(Known *k) { }
template <class T> __device__ auto same(T x) { return x; }
template <class T> struct In { decltype(same(T() + 1L)) v; };
struct Bare { char c; alignas(16) decltype(same(1L)) n; };
template <class T> struct Out { private: char c; In<T> in; Bare *at; enum { A, B = -3 } e; decltype(same(T())) t; union __storage { char c; T val; } storage; };
__global__ void step(Out<int> o, float *x) { x[0] = 1; }
`
	real, err := compile.Find("nvrtc", os.Getenv)
	require.NoError(t, err)
	path := gentest.Write(t, "k.cu", source)
	_, err = gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) { return real, nil }))
	require.NoError(t, err)
	r, err := gen.ReadRecord(path)
	require.NoError(t, err)
	for _, s := range r.Structs {
		if s.Name == "Known" {
			assert.Equal(t, []string{record.Source, record.Debug, record.Probe}, s.Witnesses)
			continue
		}
		assert.Equal(t, []string{record.Debug, record.Probe}, s.Witnesses, s.Name)
		for _, f := range s.Fields {
			assert.Equal(t, []string{record.Debug, record.Probe}, f.Witnesses, s.Name+" "+f.Name)
		}
	}
	assert.Len(t, r.Structs, 4, "Go has only the address of Bare")

	asked := 0
	path = gentest.Write(t, "k.cu", source)
	result, err := gen.Generate(t.Context(), gentest.Options(path, func() (compile.Compiler, error) {
		return mute{real, func(r compile.Request) bool {
			asked++
			return asked > 1 // what a compiler told is asked for in a second compilation
		}}, nil
	}))
	require.NoError(t, err)
	assert.ErrorContains(t, result.Notes, path+":7:17: step: parameter o is of a class that is bytes in Go, because only the debug information states all that it holds, and nothing confirms that")
	r, err = gen.ReadRecord(path)
	require.NoError(t, err)
	assert.Len(t, r.Structs, 1, "Known")
	assert.Equal(t, []string{record.PTX, record.Debug, record.Probe}, r.Kernels[1].Params[0].Witnesses)
}

// Before C++14 a private name cannot be said; then debug information alone has to do, or nothing.
func TestPrivateTypesBeforeCXX14(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("CUDAGEN_CACHE", "off")
	compiler, err := compile.Find("nvrtc", os.Getenv)
	require.NoError(t, err)
	for source, want := range map[string]string{
		"class S { struct In { char c; int i; }; In in; };\n__global__ void k(S s, float *x) { x[0] = sizeof(s); }\n":  "",
		"class S { struct In { char c; int i; }; In *in; };\n__global__ void k(S s, float *x) { x[0] = sizeof(s); }\n": "k.cu:1:18: struct S::In: only the source states it, and nothing confirms it: nvrtc",
	} {
		o := gentest.Options(gentest.Write(t, "k.cu", source), func() (compile.Compiler, error) { return compiler, nil })
		o.Std = "c++11"
		_, err := gen.Generate(t.Context(), o)
		if want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "-std c++14")
		o.Std = "c++14"
		_, err = gen.Generate(t.Context(), o)
		assert.NoError(t, err)
	}
}
