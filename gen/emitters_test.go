package gen_test

import (
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/testenv"
)

// writes is an emitter that writes one file with a content.
func writes(name, output, content string) gen.Emitter {
	return gen.Emitter{Name: name, Version: content + "1", Emit: func(f *model.File) ([]model.Output, error) {
		return []model.Output{{Name: output, Content: []byte(strings.ReplaceAll(content, "SOURCE", f.Source))}}, nil
	}}
}

// What emitters write is in the record. Nothing is compiled for it, and Check knows all of it.
func TestEmitters(t *testing.T) {
	dir := gentest.ExampleDir(t, "..")
	o := gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
	before := gentest.Snapshot(t, dir)
	o.Emitters = []gen.Emitter{writes("list", "kernels.txt", "kernels of SOURCE\n")}

	stale, err := gen.Check(o)
	require.NoError(t, err)
	assert.False(t, stale.OK())
	assert.Equal(t, []gen.Stale{{Path: filepath.Join(dir, "kernels.cudagen.json"), Reason: "-template list is new"}}, stale.Stale)
	assert.Contains(t, stale.Diff, "+kernels of kernels.cu\n")

	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "kernels.txt"), filepath.Join(dir, "kernels.cudagen.json")}, result.Written)
	assert.Equal(t, "kernels of kernels.cu\n", gentest.Snapshot(t, dir)["kernels.txt"])
	committed, err := gen.ReadRecord(o.Sources[0])
	require.NoError(t, err)
	assert.Equal(t, []record.Emitter{{Name: "list", Version: "kernels of SOURCE\n1", Program: true, Outputs: []record.Output{
		{File: "kernels.txt", SHA256: record.HashInput([]byte("kernels of kernels.cu\n"))},
	}}}, committed.Emitters)
	current := func(o gen.Options) *gen.CheckResult {
		t.Helper()
		result, err := gen.Check(o)
		require.NoError(t, err)
		return result
	}
	assert.True(t, current(o).OK())
	again, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, again.Written)

	changed := o
	changed.Emitters = []gen.Emitter{writes("list", "kernels.txt", "all kernels of SOURCE\n")}
	assert.Equal(t, []gen.Stale{{Path: filepath.Join(dir, "kernels.cudagen.json"), Reason: "the template list changed"}}, current(changed).Stale)
	_, err = gen.Generate(t.Context(), changed)
	require.NoError(t, err)
	assert.Equal(t, "all kernels of kernels.cu\n", gentest.Snapshot(t, dir)["kernels.txt"], "the record knows that cudagen wrote the file")

	// The flag is forgotten.
	forgotten := o
	forgotten.Emitters = nil
	left := current(forgotten)
	assert.Equal(t, []gen.Stale{{Path: filepath.Join(dir, "kernels.cudagen.json"), Reason: "it was made with -template list, which is missing"}}, left.Stale)
	require.Len(t, left.Left, 1)
	assert.Contains(t, left.Left[0].String(), "kernels.txt was made for "+o.Sources[0]+" by a template that is not given: generating removes it")
	removed, err := gen.Generate(t.Context(), forgotten)
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(dir, "kernels.txt")}, removed.Removed)
	assert.Equal(t, before, gentest.Snapshot(t, dir), "without emitters everything is as it was")
}

// Where images are stale, what emitters wrote is not taken for left over.
func TestEmittersOfStaleSource(t *testing.T) {
	dir := gentest.ExampleDir(t, "..")
	o := gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
	o.Emitters = []gen.Emitter{writes("list", "kernels.txt", "kernels of SOURCE\n")}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	source, err := os.ReadFile(o.Sources[0])
	require.NoError(t, err)
	more := strings.Replace(string(source), "extern \"C\" __global__ void saxpy(", "extern \"C\" __global__ void newer(", 1)
	require.NoError(t, os.WriteFile(o.Sources[0], []byte(more), 0o644))
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.NotEmpty(t, result.Stale)
	assert.Empty(t, result.Left)
}

// Emitters overwrite nothing that cudagen did not write, and nothing that it writes otherwise.
func TestEmittersOverwriteNothing(t *testing.T) {
	testenv.Need(t, testenv.Long)
	for name, test := range map[string]struct {
		existing string // content of the output before
		emitters []gen.Emitter
		want     string // "" for success
	}{
		"no Go":               {"", []gen.Emitter{writes("a", "x.go", "package example\n\nfunc {")}, "a: the output is not Go: x.go:3:6: expected 'IDENT', found '{'"},
		"panics":              {"", []gen.Emitter{{Name: "a", Version: "1", Emit: func(*model.File) ([]model.Output, error) { panic("oh") }}}, "a: the emitter panics: oh\ngoroutine "},
		"foreign":             {"mine\n", []gen.Emitter{writes("a", "x.txt", "new\n")}, "x.txt: exists, and cudagen did not generate it, or it was edited since"},
		"foreign Go":          {"package p\n", []gen.Emitter{writes("a", "x.txt", "new\n")}, "x.txt: exists, and cudagen did not generate it"},
		"the same":            {"new\n", []gen.Emitter{writes("a", "x.txt", "new\n")}, ""},
		"marked":              {"<!-- Code generated by cudagen. DO NOT EDIT. -->\n", []gen.Emitter{writes("a", "x.txt", "new\n")}, ""},
		"two of one name":     {"", []gen.Emitter{writes("a", "x.txt", "1"), writes("a", "y.txt", "2")}, "-template a: is given twice"},
		"one output twice":    {"", []gen.Emitter{writes("a", "x.txt", "1"), writes("b", "x.txt", "2")}, "b: the output DIR/x.txt for DIR/kernels.cu is also what a writes for DIR/kernels.cu: give it another name"},
		"in another case":     {"", []gen.Emitter{writes("a", "x.txt", "1"), writes("b", "X.txt", "2")}, "b: the output DIR/X.txt for DIR/kernels.cu is also what a writes"},
		"the Go file":         {"", []gen.Emitter{writes("a", "kernels_cuda.go", "package p")}, "is what cudagen itself writes for DIR/kernels.cu"},
		"the record":          {"", []gen.Emitter{writes("a", "kernels.cudagen.json", "1")}, "is what cudagen itself writes for"},
		"the fatbin":          {"", []gen.Emitter{writes("a", "kernels.fatbin", "1")}, "is what cudagen itself writes for"},
		"the source":          {"", []gen.Emitter{writes("a", "kernels.cu", "1")}, "is a source"},
		"the shared file":     {"", []gen.Emitter{writes("a", "cudagen_shared.go", "package p")}, "is where cudagen declares types"},
		"elsewhere":           {"", []gen.Emitter{writes("a", "../x.txt", "1")}, `a: the output "../x.txt" is not the name of a file beside the .cu file`},
		"absolute":            {"", []gen.Emitter{writes("a", "/x.txt", "1")}, "is not the name of a file"},
		"no name":             {"", []gen.Emitter{writes("a", "", "1")}, "is not the name of a file"},
		"of another source":   {"", []gen.Emitter{writes("a", "other_cuda.go", "package p")}, "is what cudagen wrote for DIR/other.cu"},
		"of another template": {"", []gen.Emitter{writes("a", "other.txt", "1")}, "is what cudagen wrote for DIR/other.cu"},
		"with a place": {"", []gen.Emitter{{Name: "a", Version: "1", Emit: func(*model.File) ([]model.Output, error) {
			return []model.Output{{Name: "kernels.ptx", Pos: token.Position{Filename: "a.tmpl", Line: 2, Column: 3}}}, nil
		}}}, "a.tmpl:2:3: the output"},
		"an error": {"", []gen.Emitter{{Name: "a", Version: "1", Emit: func(*model.File) ([]model.Output, error) {
			return nil, fmt.Errorf("no")
		}}}, "a: no"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gentest.ExampleDir(t, "..")
			other := filepath.Join(dir, "other.cu")
			require.NoError(t, os.WriteFile(other, []byte("extern \"C\" __global__ void other(int n) {}\n"), 0o644))
			o := gentest.Options(other, gentest.Makes(gentest.PTXOf(t, other)))
			o.Emitters = []gen.Emitter{writes("other", "other.txt", "other\n")}
			_, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			if test.existing != "" {
				require.NoError(t, os.WriteFile(filepath.Join(dir, "x.txt"), []byte(test.existing), 0o644))
			}
			before := gentest.Snapshot(t, dir)
			o = gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
			o.Emitters = test.emitters
			_, err = gen.Generate(t.Context(), o)
			if test.want == "" {
				require.NoError(t, err)
				assert.Equal(t, "new\n", gentest.Snapshot(t, dir)["x.txt"])
				return
			}
			assert.ErrorContains(t, err, strings.ReplaceAll(test.want, "DIR", dir))
			assert.Equal(t, before, gentest.Snapshot(t, dir), "nothing is written")
		})
	}
}

// An edited output is not overwritten, and not removed.
func TestEditedOutput(t *testing.T) {
	dir := gentest.ExampleDir(t, "..")
	o := gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
	o.Emitters = []gen.Emitter{writes("list", "kernels.txt", "1\n")}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	path := filepath.Join(dir, "kernels.txt")
	require.NoError(t, os.WriteFile(path, []byte("edited\n"), 0o644))
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, path+": exists, and cudagen did not generate it, or it was edited since")
	o.Emitters = nil
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	require.Len(t, result.Kept, 1)
	assert.Contains(t, result.Kept[0].String(), "because it was edited")
	assert.Equal(t, "edited\n", gentest.Snapshot(t, dir)["kernels.txt"])
}

// When the source is gone, so is what emitters wrote for it.
func TestOutputOfGoneSource(t *testing.T) {
	dir := gentest.ExampleDir(t, "..")
	o := gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
	o.Emitters = []gen.Emitter{writes("list", "kernels.txt", "1\n")}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	require.NoError(t, os.Remove(o.Sources[0]))
	other := filepath.Join(dir, "other.cu")
	require.NoError(t, os.WriteFile(other, []byte("extern \"C\" __global__ void other(int n) {}\n"), 0o644))
	o = gentest.Options(other, gentest.Makes(gentest.PTXOf(t, other)))
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Contains(t, result.Removed, filepath.Join(dir, "kernels.txt"))
}

// What emitters add to the Go file is there, at its place, with its imports.
func TestBlocks(t *testing.T) {
	dir := gentest.ExampleDir(t, "..")
	o := gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler)
	plain := gentest.Snapshot(t, dir)["kernels_cuda.go"]
	fills := func(b model.FileBlocks) gen.Emitter {
		return gen.Emitter{Name: "fills", Version: "1", Blocks: func(*model.File) (*model.FileBlocks, error) { return &b, nil }}
	}
	o.Tags = "linux"
	o.Emitters = []gen.Emitter{fills(model.FileBlocks{
		File: model.Blocks{model.FileHeader: "Copyright us.\n\n// All rights.", model.FileExtra: "func Extra() string { return strings.ToUpper(fmt2.Sprint(math.Pi)) }"},
		Kernels: map[string]model.Blocks{"Saxpy": {
			model.KernelDoc: "It is fast.", model.ArgsDoc: "A scales X.", model.KernelExtra: "func (k *SaxpyKernel) Double() int { return 2 }",
		}},
		Structs: map[string]model.Blocks{"Plate": {model.StructExtra: "func (p *Plate) Cells() uint32 { return p.Size.X * p.Size.Y }"}},
		Imports: []model.Import{{Name: "strings", Path: "strings"}, {Name: "fmt2", Path: "fmt"}, {Name: "math", Path: "math"}, {Name: "unused", Path: "example.com/unused"}},
	})}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	code := gentest.Snapshot(t, dir)["kernels_cuda.go"]
	assert.Regexp(t, `^// Code generated by cudagen. DO NOT EDIT\.\n// with the sum [0-9a-f]{32}\n\n// Copyright us\.\n//\n// All rights\.\n\n//go:build linux\n\npackage example\n\nimport \(\n`, code)
	for _, want := range []string{
		"\tfmt2 \"fmt\"\n", "\t\"strings\"\n",
		"// Saxpy computes y = a*x + y over n elements.\n//\n// It is fast.\ntype SaxpyKernel struct",
		"// SaxpyArgs are the arguments of saxpy (kernels.cu:13).\n//\n// A scales X.\ntype SaxpyArgs struct",
		"func (k *SaxpyKernel) Double() int { return 2 }\n\n// SumKernel is",
		"func (p *Plate) Cells() uint32 { return p.Size.X * p.Size.Y }\n",
		"\nfunc Extra() string { return strings.ToUpper(fmt2.Sprint(math.Pi)) }\n",
	} {
		assert.Contains(t, code, want)
	}
	assert.NotContains(t, code, "unused")
	committed, err := gen.ReadRecord(o.Sources[0])
	require.NoError(t, err)
	assert.True(t, committed.Emitters[0].Blocks)
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, result.OK(), result.Diff)

	o.Tags, o.Emitters = "", nil
	_, err = gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Equal(t, plain, gentest.Snapshot(t, dir)["kernels_cuda.go"])

	for want, b := range map[string]model.FileBlocks{
		"has none of that Go name": {Kernels: map[string]model.Blocks{"None": {model.KernelDoc: "x"}}},
		"fills: struct.extra takes methods of Plate: put other declarations into file.extra": {
			Structs: map[string]model.Blocks{"Plate": {model.StructExtra: "func (p *Plate) A() {}\nvar B int"}},
		},
		"a.tmpl:2:3: struct.extra takes methods of Plate": {
			Structs: map[string]model.Blocks{"Plate": {model.StructExtra: "func (p Affine) A() {}"}},
			Pos:     map[model.Block]token.Position{model.StructExtra: {Filename: "a.tmpl", Line: 2, Column: 3}},
		},
		"there is no block file.docs": {File: model.Blocks{"file.docs": "x"}},
		"emit kernels.cu: ":           {File: model.Blocks{model.FileExtra: "func ("}},
		`a block imports "example.com/math" as math, and that is "math" in this file`: {
			File: model.Blocks{model.FileExtra: "var X = math.X"}, Imports: []model.Import{{Name: "math", Path: "example.com/math"}},
		},
	} {
		o.Emitters = []gen.Emitter{fills(b)}
		_, err := gen.Generate(t.Context(), o)
		assert.ErrorContains(t, err, want)
	}
}

// Methods of a struct that two sources share are declared once, beside it, and with its imports.
func TestBlocksOfSharedTypes(t *testing.T) {
	dir := t.TempDir()
	kernel := "struct Point { float x, y; };\nextern \"C\" __global__ void NAME(Point *p) { p->x = 0; }\n"
	paths := []string{filepath.Join(dir, "a.cu"), filepath.Join(dir, "b.cu")}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cu")
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(kernel, "NAME", name)), 0o644))
	}
	o := gen.Options{Sources: paths, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t), Emitters: []gen.Emitter{{
		Name: "methods", Version: "1", Blocks: func(f *model.File) (*model.FileBlocks, error) {
			return &model.FileBlocks{
				Structs: map[string]model.Blocks{"Point": {model.StructExtra: "func (p *Point) String() string { return fmt.Sprint(p.X) }"}},
				Imports: []model.Import{{Name: "fmt", Path: "fmt"}},
			}, nil
		},
	}}}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	files := gentest.Snapshot(t, dir)
	assert.Contains(t, files["cudagen_shared.go"], "func (p *Point) String() string { return fmt.Sprint(p.X) }")
	assert.Contains(t, files["cudagen_shared.go"], "\t\"fmt\"\n")
	for _, name := range []string{"a_cuda.go", "b_cuda.go"} {
		assert.NotContains(t, files[name], "String()")
		assert.NotContains(t, files[name], `"fmt"`)
	}
	result, err := gen.Check(o)
	require.NoError(t, err)
	assert.True(t, result.OK(), "%v\n%s", result.Stale, result.Diff)
}

// Models are complete without any output being written.
func TestModels(t *testing.T) {
	dir := gentest.ExampleDir(t, "..")
	before := gentest.Snapshot(t, dir)
	models, err := gen.Models(t.Context(), gentest.Options(filepath.Join(dir, "kernels.cu"), gentest.NoCompiler))
	require.NoError(t, err)
	require.Len(t, models, 1)
	f := models[0]
	assert.Equal(t, []string{"kernels.cu", "kernels", "example", "Kernels", "LoadKernels"}, []string{f.Source, f.Stem, f.Package, f.GoName, f.LoadName})
	saxpy := f.Kernels[0]
	assert.Equal(t, []string{"SaxpyKernel", "SaxpyArgs", "SaxpyCall", "saxpyParams"}, []string{saxpy.TypeName, saxpy.ArgsName, saxpy.CallName, saxpy.ParamsName})
	var args []string
	for _, a := range saxpy.Args {
		args = append(args, strings.TrimSpace(a.Name+" "+a.Type.String()+" "+a.Direction))
	}
	assert.Equal(t, []string{"a float32", "x cuda.Slice[float32] in", "y cuda.Slice[float32] inout"}, args)
	assert.True(t, saxpy.Params[2].Const)
	assert.Equal(t, model.Pos{File: "kernels.cu", Line: 13, Column: 28}, saxpy.Pos)
	assert.Equal(t, []string{"source", "ptx", "debug", "probe"}, saxpy.Params[2].Witnesses)
	assert.Equal(t, model.Directive{Verb: "block", Args: "256", Pos: model.Pos{File: "kernels.cu", Line: 9, Column: 1}}, saxpy.Directives[1])
	assert.Equal(t, []string{"stats"}, f.Kernels[4].Namespace)
	assert.Equal(t, []string{"source", "debug", "probe"}, f.Structs[0].Witnesses)
	assert.Equal(t, before, gentest.Snapshot(t, dir))
}

// Data directives are in the model, for what they stand above.
func TestData(t *testing.T) {
	source := gentest.Write(t, "k.cu", `//cudagen:data of=file title="two words"

//cudagen:data empty=""

//cudagen:data of=enum
enum Mode { A };
//cudagen:data of=struct
struct Point { float x; Mode m; };
//cudagen:data of=variable
//cudagen:export
__constant__ float taps[5];
//cudagen:data of=kernel a.b-c=1e-3 path=x=y
//cudagen:data more=`+"`raw \"text\"`"+`
extern "C" __global__ void use(Point *p) { p->x = taps[0]; }
extern "C" __global__ void none() {}
`)
	models, err := gen.Models(t.Context(), gentest.Options(source, gentest.Makes(gentest.PTXOf(t, source))))
	require.NoError(t, err)
	f := models[0]
	assert.Equal(t, map[string]string{"of": "file", "title": "two words", "empty": ""}, f.Data)
	assert.Equal(t, map[string]string{"of": "enum"}, f.Enums[0].Data)
	assert.Equal(t, map[string]string{"of": "struct"}, f.Structs[0].Data)
	assert.Equal(t, map[string]string{"of": "variable"}, f.Variables[0].Data)
	assert.Equal(t, map[string]string{"of": "kernel", "a.b-c": "1e-3", "path": "x=y", "more": `raw "text"`}, f.Kernels[0].Data)
	assert.Nil(t, f.Kernels[1].Data)
}

// Data of an instance replaces that of its template.
func TestDataOfInstances(t *testing.T) {
	source := gentest.Write(t, "k.cu", `//cudagen:data size=1
template <class T> __global__ void twice(T *x) { *x *= 2; }
template __global__ void twice<float>(float *);
//cudagen:data size=2
template __global__ void twice<int>(int *);
`)
	models, err := gen.Models(t.Context(), gentest.Options(source, gentest.NVCC(t)))
	require.NoError(t, err)
	for _, k := range models[0].Kernels {
		assert.Equal(t, map[string]map[string]string{"float": {"size": "1"}, "int": {"size": "2"}}[k.TemplateArgs[0]], k.Data, k.CName)
	}
}

// Machine code says what kernels need on each target.
func TestModelsOfMachineCode(t *testing.T) {
	source := gentest.Write(t, "k.cu", `extern "C" __global__ void plain(float *x) { x[threadIdx.x] *= 2; }
extern "C" __global__ void tile(float *x) { __shared__ float t[100]; t[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = t[99 - threadIdx.x]; }
`)
	o := gentest.Options(source, gentest.NVCC(t))
	o.Archs = []string{"compute_75", "sm_80", "sm_90a"}
	models, err := gen.Models(t.Context(), o)
	require.NoError(t, err)
	for i, k := range models[0].Kernels {
		require.Len(t, k.Code, 2, k.GoName)
		assert.Equal(t, []string{"sm_80", "sm_90a"}, []string{k.Code[0].Target, k.Code[1].Target})
		for _, c := range k.Code {
			assert.Equal(t, "k.fatbin", c.Image)
			assert.Greater(t, c.Registers, 3)
			assert.Equal(t, []int64{0, 400}[i], c.SharedBytes, "%s on %s", k.GoName, c.Target)
		}
	}
}
