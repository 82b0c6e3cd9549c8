package proof_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/proof"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// recorded returns the selection and the model of text, and what its record has of names.
func recorded(t *testing.T, text string) (*selection.Selection, *model.File, *record.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.cu")
	config := cu.Config{SizeOf: layout.Of, OffsetOf: layout.Offset}
	file, err := config.ParseFile(path, []byte(text))
	require.NoError(t, err)
	places, err := source.Places([]string{path}, "")
	require.NoError(t, err)
	s, err := read.Read(read.Source{Place: places[0], File: file}, read.Options{})
	require.NoError(t, err)
	c := new(bind.Compiled)
	r := new(record.Record)
	for _, k := range s.Kernels {
		c.KernelSymbols = append(c.KernelSymbols, k.QualifiedName()+k.Signature)
	}
	for _, v := range s.Variables {
		c.VariableSymbols = append(c.VariableSymbols, v.QualifiedName())
	}
	bound, err := new(bind.Packages).Bind(bind.Source{Selection: s, Compiled: c}, bind.Options{Package: "p"})
	require.NoError(t, err)
	for i, k := range s.Kernels {
		r.Kernels = append(r.Kernels, record.Kernel{Name: k.QualifiedName(), GoName: bound.Model.Kernels[i].GoName, Symbol: c.KernelSymbols[i]})
	}
	for i, v := range s.Variables {
		r.Variables = append(r.Variables, record.Variable{Name: v.QualifiedName(), GoName: bound.Model.Variables[i].GoName, Symbol: v.QualifiedName()})
	}
	for _, m := range bound.Model.Structs {
		r.Structs = append(r.Structs, record.Struct{Name: m.CName, GoName: m.GoName})
	}
	for _, m := range bound.Model.Enums {
		r.Enums = append(r.Enums, record.Enum{Name: m.CName, GoName: m.GoName})
	}
	for _, m := range bound.Model.Constants {
		r.Constants = append(r.Constants, record.Constant{Name: m.CName, GoName: m.GoName})
	}
	return s, bound.Model, r
}

// texts returns the messages of list, one a line.
func texts(list diag.List) (text string) {
	for _, e := range list {
		text += e.Message.Error() + "\n"
	}
	return text
}

// What has another Go name than the committed record says is said, and a name that means
// something else than before has to be confirmed.
func TestNames(t *testing.T) {
	const export = "//cudagen:export\n"
	for _, test := range []struct {
		name, before, after string
		want                string // part of the warning; empty for none
		err                 string
	}{
		{"a namespace more", "namespace a { __global__ void run(int *x) {} }\n", "namespace z { __global__ void run(int *x) {} }\nnamespace a { __global__ void run(int *x) {} }\n",
			"kernel a::run: its Go name was Run, and is ARun now: Run is ambiguous (//cudagen:kernel Run keeps it)", ""},
		{"another C++ name", "__global__ void step(int *x) {}\n", "namespace heat { __global__ void step(int *x) {} }\n",
			"kernel heat::step: has the Go name Step now, which was that of kernel step: programs that use the name compile, and mean something else", ""},
		{"other parameters", "__global__ void step(int *x) {}\n", "__global__ void step(float *x) {}\n", "", ""},
		{"a name passes", "//cudagen:kernel Go\n__global__ void run(int *x) {}\n", "//cudagen:kernel Run\n__global__ void run(int *x) {}\n__global__ void go(int *x) {}\n",
			"", "kernel go: has the Go name Go now, which was that of kernel run: programs that use the name compile, and mean something else (write //cudagen:kernel Go above it if you want that, or another name)"},
		{"a name passes, and that is meant", "//cudagen:kernel Go\n__global__ void run(int *x) {}\n", "//cudagen:kernel Run\n__global__ void run(int *x) {}\n//cudagen:kernel Go\n__global__ void go(int *x) {}\n",
			"kernel go: has the Go name Go now, which was that of kernel run", ""},
		{"a variable", export + "__device__ int gain;\n__global__ void k_(int n) { gain = n; }\n", "namespace a {\n" + export + "__device__ int gain;\n}\n__device__ int gain;\n__global__ void k_(int n) { gain = n; a::gain = n; }\n",
			"variable a::gain: has the Go name Gain now, which was that of variable gain", ""},
		{"a variable passes", "//cudagen:export Level\n__device__ int gain;\n__global__ void k_(int n) { gain = n; }\n", export + "__device__ int gain;\n" + export + "__device__ int level;\n__global__ void k_(int n) { gain = n; level = n; }\n",
			"", "variable level: has the Go name Level now, which was that of variable gain"},
		{"a constant passes", "//cudagen:export Level\nconstexpr int gain = 1;\n__global__ void k_(int n) {}\n", export + "constexpr int gain = 1;\n" + export + "constexpr int level = 2;\n__global__ void k_(int n) {}\n",
			"", "constant level: has the Go name Level now, which was that of constant gain"},
		{"a type", "namespace a { struct P { int x; }; }\n__global__ void k_(a::P p) {}\n", "namespace a { struct P { int x; }; }\nnamespace b { struct P { int x; }; }\n__global__ void k_(a::P p) {}\n__global__ void l(b::P p) {}\n",
			"struct a::P: its Go name was P, and is AP now: P is ambiguous (//cudagen:export P keeps it)", ""},
		{"an enumeration", "enum M { on };\n__global__ void k_(M m) {}\n", "enum N { on };\n//cudagen:export M\nenum Q { off };\n__global__ void k_(N m) {}\n", "enum Q: has the Go name M now, which was that of enum M", ""},
		{"nothing", "__global__ void a(int *x) {}\n", "__global__ void b(int *x) {}\n", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, old := recorded(t, test.before)
			s, m, r := recorded(t, test.after)
			warnings, err := proof.Names(old, r, s, m)
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
			} else {
				assert.NoError(t, err)
			}
			if test.want != "" {
				assert.Contains(t, texts(warnings), test.want)
			} else if test.err == "" {
				assert.Empty(t, warnings)
			}
			for _, record := range []*record.Record{nil, r} { // the first run, and the next one
				warnings, err = proof.Names(record, r, s, m)
				assert.NoError(t, err)
				assert.Empty(t, warnings, "it is said once")
			}
		})
	}
}

// A file whose kernel directives all have names wraps more kernels than with older versions, and the
// first run says so.
func TestKernelDirectivesWithNames(t *testing.T) {
	const (
		source = "//cudagen:kernel Sum\n__global__ void add(int *x) {}\n__global__ void second(int *x) {}\n"
		want   = "add: a kernel directive with a Go name leaves out no other kernel any more, so these are wrapped, too: second (add a line //cudagen:kernel above add to wrap only kernels with a directive)"
	)
	for name, test := range map[string]struct{ source, left, want string }{
		"more":         {source, "second", want},
		"no more":      {source, "", ""},
		"chosen":       {"//cudagen:kernel\n" + source, "", ""},
		"no directive": {source[len("//cudagen:kernel Sum\n"):], "second", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, m, r := recorded(t, test.source)
			old := new(record.Record)
			for _, k := range r.Kernels {
				if k.GoName = ""; k.Name != test.left {
					old.Kernels = append(old.Kernels, k)
				}
			}
			warnings, err := proof.Names(old, r, s, m)
			require.NoError(t, err)
			if test.want == "" {
				assert.Empty(t, warnings)
			} else {
				assert.ErrorContains(t, warnings.Err(), test.want)
			}
		})
	}
}
