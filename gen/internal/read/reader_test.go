package read_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// crowded is a source in which most plain Go names are taken.
const crowded = `
//cudagen:type ns::Vec=image.Point
namespace ns { struct Vec { long x, y; }; struct Plate { int i; }; enum class Mode { A, B }; }
struct Plate { float f; };
struct K { union { int i; float f; }; struct { short a; } in[2]; };
typedef struct { char c; } Kernels;
//MARK
extern "C" __global__ void one(ns::Vec v, Plate p, ns::Plate q, ns::Mode m, K k, Kernels s, int type, int n, float N, int, const ns::Plate *) {}
//MARK
extern "C" __global__ void One(int n) {}
//MARK
extern "C" __global__ void heat_step(ns::Mode *m) {}
//cudagen:kernel Special
extern "C" __global__ void two(Plate *p) {}
//cudagen:export
__constant__ Plate scale[3];
//cudagen:export Shift
__device__ ns::Plate shift;
//cudagen:export Wide
struct Size { int w; };
//cudagen:ignore
extern "C" __global__ void left_out(Size s) {}
`

// readReport reports on a source in a file k.cu.
func readReport(t testing.TB, source string) *inspect.Report {
	t.Helper()
	return inspect.New(gen.NewReader(gen.Options{}).Read(gentest.Write(t, "k.cu", source)), inspect.Options{})
}

var (
	paramsStruct = regexp.MustCompile(`(?s)\ntype (\w+)Params struct \{\n(.*?)\n\}`)
	paramsField  = regexp.MustCompile(`(\w+) +(\S+) +// offset (\d+)`)
)

// wrongNames returns which kernels of a report have other names and types in generated code.
func wrongNames(report *inspect.Report, code string) (wrong []string) {
	blocks := make(map[string][][]string)
	for _, m := range paramsStruct.FindAllStringSubmatch(code, -1) {
		blocks[m[1]] = paramsField.FindAllStringSubmatch(m[2], -1)
	}
	for _, k := range report.Kernels {
		if !k.Generated {
			continue
		}
		want := fmt.Sprint(k.GoName)
		for _, p := range k.Params {
			want += fmt.Sprintf(" %s %s %d", p.GoField, p.GoType, p.Offset)
		}
		got := ""
		launch := regexp.MustCompile(`func \(k \*` + k.GoName + `Kernel\) LaunchWith\(s[^,]*, cfg[^,]*(.*)\) error`).FindStringSubmatch(code)
		if fields, ok := blocks[goname.Hidden(k.GoName)]; ok && launch != nil {
			got = k.GoName
			for i, m := range fields {
				got += fmt.Sprintf(" %s %s %s", m[1], m[2], m[3])
				if !regexp.MustCompile(`, ` + k.Params[i].GoName + `[ ,]`).MatchString(launch[1]) {
					got += " (not " + k.Params[i].GoName + ")"
				}
			}
		}
		if got != want {
			wrong = append(wrong, fmt.Sprintf("%s: read as %s, generated as %s", k.Name, want, got))
		}
	}
	return wrong
}

// What is read has the names and types that are generated.
func TestReadAgreesOnNames(t *testing.T) {
	for name, mark := range map[string]string{"one is named": "", "all are marked": "//cudagen:kernel"} {
		t.Run(name, func(t *testing.T) {
			source := strings.ReplaceAll(crowded, "//MARK", mark)
			if mark == "" {
				source = strings.Replace(source, "//cudagen:type", "// type", 1)
			}
			code, _, err := gentest.GenerateSource(t, source, nil)
			require.NoError(t, err)
			report := readReport(t, source)
			assert.True(t, report.Accepted, "%v", report.Refused)
			require.Len(t, report.Kernels, 5)
			assert.Empty(t, wrongNames(report, code))
			assert.Equal(t, "Special", report.Kernels[3].GoName)
			assert.True(t, report.Kernels[0].Generated)
			assert.Equal(t, inspect.OK, report.Kernels[4].Status)
			assert.Equal(t, "Wide", report.Kernels[4].Params[0].GoType, "the name of the type, which is exported")
			require.Len(t, report.Variables, 2)
			for i, want := range []string{"Scale  cuda.Symbol[[3]", "Shift cuda.Symbol["} {
				v := report.Variables[i]
				field := fmt.Sprintf(`\b%s +cuda\.Symbol\[%s\]`, v.GoName, regexp.QuoteMeta(v.GoType))
				assert.Regexp(t, field, code, want)
			}

			// A control.
			last := &report.Kernels[3]
			last.Params[0].GoName += "Other"
			assert.Len(t, wrongNames(report, code), 1)
		})
	}
}

// The names of a source depend on it alone, whatever was read before.
func TestReadNamesEachSourceByItself(t *testing.T) {
	dir := t.TempDir()
	reader := gen.NewReader(gen.Options{})
	var types []string
	for i, source := range []string{
		"struct P { int i; }; __global__ void a(P p) {}",
		"struct P { int i; }; namespace n { struct P { float f; }; } __global__ void b(n::P q, P p) {}",
		"struct P { int i, j; }; __global__ void c(P p) {}",
	} {
		path := filepath.Join(dir, fmt.Sprintf("f%d.cu", i))
		require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
		report := inspect.New(reader.Read(path), inspect.Options{})
		for _, p := range report.Kernels[0].Params {
			types = append(types, p.GoType)
		}
		assert.True(t, report.Accepted, "%v", report.Refused)
	}
	assert.Equal(t, []string{"P", "NP", "X_P", "P"}, types)
}

// What generating refuses from source alone is read with the same messages and places.
func TestReadAgreesOnRefusals(t *testing.T) {
	for name, source := range map[string]string{
		"unknown verb":          "//cudagen:blok 256\nextern \"C\" __global__ void k(int n) {}",
		"unknown parameter":     "//cudagen:block 256\n//cudagen:threads m\nextern \"C\" __global__ void k(int n) {}",
		"near a directive":      "// cudagen:block 256\nextern \"C\" __global__ void k(int n) {}",
		"stray":                 "//cudagen:block 256\nint x;\nextern \"C\" __global__ void k(int n) {}",
		"no kernel":             "int x;",
		"all ignored":           "//cudagen:ignore\n__global__ void k(int n) {}",
		"template":              "//cudagen:len x=1\ntemplate <class T> __global__ void k(T x) {}\nextern \"C\" __global__ void l(int n) {}",
		"wrong instance":        "//cudagen:instantiate U=float\ntemplate <class T> __global__ void k(T x) {}",
		"half marked":           "//cudagen:kernel\nextern \"C\" __global__ void a() {}\n//cudagen:block 1\nextern \"C\" __global__ void b() {}",
		"declared":              "//cudagen:block 1\n__global__ void k(int n);\nextern \"C\" __global__ void l(int n) {}",
		"virtual":               "struct V { virtual void f(); };\nextern \"C\" __global__ void k(V v) {}",
		"unknown among refused": "__global__ void k(Strange s) {}\n//cudagen:blok\n__global__ void l(int n) {}",
		"too large":             "struct B { char c[32765]; };\nextern \"C\" __global__ void k(B b) {}",
		"Go name twice":         "//cudagen:kernel K1\nextern \"C\" __global__ void a() {}\n//cudagen:kernel K1\nextern \"C\" __global__ void b() {}",
		"Go name of the file":   "//cudagen:export K\nstruct S { int i; };\nextern \"C\" __global__ void a(S s) {}",
		"export of nothing":     "//cudagen:export\n\nint f();\nextern \"C\" __global__ void a() {}",
		"const variable":        "//cudagen:export\n__constant__ const int c = 3;\nextern \"C\" __global__ void a() {}",
		"two variables":         "//cudagen:export\n__device__ int c, d;\nextern \"C\" __global__ void a() {}",
		"mapping unused":        "//cudagen:type S=image.Point\nextern \"C\" __global__ void a() {}",
		"mapping not read":      "//cudagen:type S\nextern \"C\" __global__ void a() {}",
		"broken":                "extern \"C\" __global__ void a(int n) { if (n) {",
	} {
		t.Run(name, func(t *testing.T) {
			path := gentest.Write(t, "k.cu", source)
			report := inspect.New(gen.NewReader(gen.Options{}).Read(path), inspect.Options{})
			_, err := gen.Generate(t.Context(), gentest.Options(path, gentest.Makes(gentest.PTXOf(t, path))))
			var list diag.List
			require.ErrorAs(t, err, &list)
			var want, got []string
			for _, e := range list {
				want = append(want, e.Error())
			}
			for _, m := range report.Refused {
				got = append(got, m.String())
			}
			assert.Equal(t, want, got)
			assert.False(t, report.Accepted)

			// Each stands once: with the file or with a kernel or variable.
			var placed []string
			for _, m := range report.Errors {
				placed = append(placed, m.String())
			}
			for _, k := range report.Kernels {
				if len(k.Errors) > 0 {
					assert.NotEqual(t, inspect.OK, k.Status)
				}
				for _, m := range k.Errors {
					placed = append(placed, m.String())
				}
			}
			for _, v := range report.Variables {
				for _, m := range v.Errors {
					placed = append(placed, m.String())
				}
			}
			assert.ElementsMatch(t, want, placed)
		})
	}
}

// A kernel that a compiler may explain is not refused.
func TestReadUnclear(t *testing.T) {
	report := readReport(t, "__global__ void k(Strange s, int n) {}\n__global__ void k(float *p) {}\n__global__ void K(int n) {}\n")
	assert.True(t, report.Accepted, "%v", report.Refused)
	require.Len(t, report.Kernels, 3)
	assert.Equal(t, inspect.Unsupported, report.Kernels[0].Status)
	assert.True(t, report.Kernels[0].Unclear)
	assert.Empty(t, report.Kernels[1].GoName, "it depends on the types of the other overload")
	assert.Equal(t, inspect.OK, report.Kernels[1].Status)
	assert.NotEmpty(t, report.Kernels[2].GoName)
}

// What a compiler has explained is in the record, which counts while it is current.
func TestReadRecallsWhatCompilersTell(t *testing.T) {
	dir := gentest.Module(t, map[string]string{"k.cu": gentest.UnclearSource})
	path := filepath.Join(dir, "k.cu")
	o := gen.Options{Sources: []string{path}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)}
	before := inspect.New(gen.NewReader(o).Read(path), inspect.Options{})
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := gentest.Snapshot(t, dir)["k_cuda.go"]
	after := inspect.New(gen.NewReader(o).Read(path), inspect.Options{})
	require.Len(t, after.Kernels, 3)
	unclear := 0
	for i, k := range after.Kernels {
		assert.Equal(t, inspect.OK, k.Status, k.Reason)
		if before.Kernels[i].Status != inspect.OK {
			unclear++
		}
	}
	assert.Positive(t, unclear, "the source alone is not enough")
	assert.Empty(t, wrongNames(after, code))

	require.NoError(t, os.WriteFile(path, []byte(gentest.UnclearSource+"// more\n"), 0o644))
	assert.Equal(t, before.Kernels[0].Status, inspect.New(gen.NewReader(o).Read(path), inspect.Options{}).Kernels[0].Status)
}
