package build_test

import (
	"bytes"
	"context"
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
)

// newPTX is PTX of a new ISA that uses nothing new.
var newPTX = strings.Replace(gentest.Plain, ".version 6.3", ".version 9.0", 1)

func TestPTXVersion(t *testing.T) {
	for _, test := range []struct{ name, option, ptx, want, from, err string }{
		{name: "the least", ptx: newPTX, want: "6.3", from: "9.0"},
		{name: "min", option: "min", ptx: newPTX, want: "6.3", from: "9.0"},
		{name: "keep", option: "keep", ptx: newPTX, want: "9.0"},
		{name: "a version", option: "7.8", ptx: newPTX, want: "7.8", from: "9.0"},
		{name: "the least already", ptx: gentest.Plain, want: "6.3"},
		{name: "an instruction that is not known", ptx: strings.Replace(newPTX, "ret;", "frobnicate.b32 %r1, %r2; ret;", 1), want: "9.0"},
		{name: "a version that it cannot have", option: "6.3", ptx: strings.Replace(newPTX, "ret;", ".reg .b32 %r<3>; redux.sync.add.s32 %r1, %r2, -1; ret;", 1), err: "needs PTX 7.0"},
		{name: "a version with what is not known", option: "7.8", ptx: strings.Replace(newPTX, "ret;", "frobnicate.b32 %r1, %r2; ret;", 1), err: "because of instruction frobnicate"},
		{name: "raised", option: "9.0", ptx: gentest.Plain, err: "that is not raised"},
		{name: "no version", option: "new", ptx: gentest.Plain, err: "-ptx-version new: write keep, min, or a version"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("PATH", t.TempDir()) // no ptxas: the texts are none
			t.Setenv("CUDA_HOME", "")
			t.Setenv("CUDA_PATH", "")
			t.Setenv("NVCC", "/none")
			path := gentest.Write(t, "k.cu", gentest.PlainSource)
			o := gentest.Options(path, gentest.Makes(test.ptx))
			o.PTXVersion = test.option
			_, err := gen.Generate(t.Context(), o)
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
				assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1)
				return
			}
			require.NoError(t, err)
			files := gentest.Snapshot(t, filepath.Dir(path))
			assert.Contains(t, files["k.ptx"], ".version "+test.want+"\n")
			r, err := record.Decode("", []byte(files["k.cudagen.json"]))
			require.NoError(t, err)
			assert.Equal(t, test.want, r.Images[0].Version)
			assert.Equal(t, test.from, r.Images[0].CompiledVersion)
			o.FindCompiler = gentest.NoCompiler
			_, err = gen.Generate(t.Context(), o)
			assert.NoError(t, err, "it is current")
			o.PTXVersion = "7.9"
			_, err = gen.Generate(t.Context(), o)
			assert.ErrorContains(t, err, "-ptx-version was ")
		})
	}
}

// A ptxas that is there has the last word.
func TestLoweredPTXIsAssembled(t *testing.T) {
	path := gentest.Write(t, "k.cu", gentest.PlainSource)
	o := gentest.Options(path, gentest.NVCC(t))
	result, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	assert.Empty(t, result.Warnings)
	assert.Contains(t, gentest.Snapshot(t, filepath.Dir(path))["k.cudagen.json"], `"checked": true`)

	o.FindCompiler, o.Force = gentest.Makes(strings.Replace(newPTX, "ret;", ".reg .b32 %r<3>; add.u32 %r1, %r2; ret;", 1)), true
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "k.cu: no GPU takes the PTX for compute_75, as ptxas says:\n", "with no version")

	// What no version takes, the compiler's own included, is an error also where the version is kept.
	o.PTXVersion = record.KeepPTXVersion
	_, err = gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "no GPU takes the PTX for compute_75, as")
}

// TestArchOfInlineAssembly: nvcc writes PTX for an architecture that lacks what inline assembly uses.
func TestArchOfInlineAssembly(t *testing.T) {
	path := gentest.Write(t, "k.cu", "__global__ void k(int *x) { asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); x[0] = 1; }\n")
	o := gentest.Options(path, gentest.NVCC(t))
	_, err := gen.Generate(t.Context(), o)
	assert.ErrorContains(t, err, "no GPU takes the PTX for compute_75; it compiles for compute_80: give -arch compute_80, as ptxas says:")
	assert.ErrorContains(t, diag.RemedyOf(err.(diag.List)[0]), "give -arch compute_80")
	assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1, "nothing is written")
	o.Archs = []string{"compute_80"}
	_, err = gen.Generate(t.Context(), o)
	assert.NoError(t, err)
}

// spoils is a compiler whose PTX of b.cu ptxas takes with no version.
type spoils struct{ compile.Compiler }

func (c spoils) Compile(ctx context.Context, r compile.Request) (*compile.Output, error) {
	out, err := c.Compiler.Compile(ctx, r)
	if err == nil && filepath.Base(r.Source) == "b.cu" {
		out.Code = bytes.Replace(out.Code, []byte("ret;"), []byte(".reg .b32 %spoilt; add.u32 %spoilt, %spoilt; ret;"), 1)
	}
	return out, err
}

// PTX of several sources is assembled together: one that ptxas refuses leaves the others
// checked, and so do two that define the same.
func TestLoweredPTXIsAssembledTogether(t *testing.T) {
	kernel := func(name string) string {
		return "__device__ int table[4] = {1, 2, 3, 4};\nextern \"C\" __global__ void " + name + "(int n, float *x) { x[0] = table[n]; }\n"
	}
	for _, test := range []struct {
		name    string
		spoilt  bool
		refused int
	}{{"good", false, 0}, {"one refused", true, 1}} {
		t.Run(test.name, func(t *testing.T) {
			dir := gentest.Module(t, map[string]string{"a.cu": kernel("one"), "b.cu": kernel("two"), "c.cu": kernel("three"), "d.cu": kernel("four")})
			var sources []string
			for _, name := range []string{"a", "b", "c", "d"} {
				sources = append(sources, filepath.Join(dir, name+".cu"))
			}
			compiler, err := gentest.NVCC(t)()
			require.NoError(t, err)
			if test.spoilt {
				compiler = spoils{compiler}
			}
			o := gen.Options{Sources: sources, Archs: []string{"compute_75"}, Package: "p", FindCompiler: func() (compile.Compiler, error) { return compiler, nil }}
			o.KeepGoing = true
			result, err := gen.Generate(t.Context(), o)
			require.NoError(t, err)
			require.Len(t, result.Refused, test.refused)
			files := gentest.Snapshot(t, dir)
			for _, name := range []string{"a", "b", "c", "d"} {
				refused := test.spoilt && name == "b"
				assert.Equal(t, !refused, strings.Contains(files[name+".cudagen.json"], `"checked": true`), name)
				assert.Equal(t, !refused, strings.Contains(files[name+".ptx"], ".version 6.3\n"), name)
				if refused {
					assert.ErrorContains(t, result.Refused, "b.cu: no GPU takes the PTX for compute_75")
				}
			}
		})
	}
}
