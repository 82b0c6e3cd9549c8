package debugger

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/debugwire"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptxdebug"
	"github.com/cudagen/cudagen/internal/record"
)

// An image whose source changed is not compiled anew: the program runs the old one.
func TestChangedSource(t *testing.T) {
	folder := t.TempDir()
	write := func(text string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "k.cu"), []byte(text), 0o644))
	}
	write("// a\n")
	o := &origin{path: filepath.Join(folder, "k.cudagen.json"), record: &record.Record{Inputs: []record.Input{{Path: "k.cu", SHA256: record.HashInput([]byte("// a\n"))}}}}
	assert.Empty(t, o.changed())
	write("// b\n")
	assert.Equal(t, "k.cu", o.changed())
	_, err := o.compile(t.Context())
	assert.EqualError(t, err, "k.cu changed since the kernels were generated: run go generate")
	require.NoError(t, os.Remove(filepath.Join(folder, "k.cu")))
	assert.Equal(t, "k.cu", o.changed())
}

// Only compilers that know -G are tried, and clang is not.
func TestDescribing(t *testing.T) {
	t.Setenv("NVCC", "")
	t.Setenv("NVRTC_LIB", "")
	var tried []string
	err := describing(func(compiler string) error {
		tried = append(tried, compiler)
		return diag.NoCompiler.New("there is none")
	})
	assert.EqualError(t, err, "no nvcc or NVRTC is here, and clang makes no variables: run cudagen toolchain install")
	assert.Equal(t, []string{"nvcc", "nvrtc"}, tried)

	tried = nil
	assert.NoError(t, describing(func(compiler string) error {
		tried = append(tried, compiler)
		if compiler == "nvcc" {
			return diag.NoCompiler.New("there is none")
		}
		return nil
	}))
	assert.Equal(t, []string{"nvcc", "nvrtc"}, tried)

	refused := errors.New("it is refused")
	assert.Equal(t, refused, describing(func(string) error { return refused }))
	t.Setenv("NVCC", "/nowhere/nvcc")
	assert.EqualError(t, describing(func(compiler string) error { return diag.NoCompiler.New("no program " + compiler) }), "no program nvcc")
}

// Without debug information the reason is told, with what to do.
func TestWhy(t *testing.T) {
	kernels := map[string]*debugwire.Kernel{"b": nil, "a": nil}
	const known = "a, b: lines, parameters, registers and shared arrays are known, and no other variables: "
	for want, test := range map[string]struct {
		image image
		err   error
	}{
		"":                                  {image: image{info: new(ptxdebug.Info)}},
		known + `"debugInfo" is false`:      {image: image{origin: new(origin)}},
		known + "no compiler: install nvcc": {image{origin: new(origin)}, diag.NoCompiler.Errorf("no compiler: %w", diag.Do("install nvcc"))},
		known + "it is refused":             {image{origin: new(origin)}, errors.New("it is refused")},
		known + "the image with debug information is another one: k is missing: run go generate":                                                 {image: image{origin: new(origin), Loaded: debugwire.Loaded{Refused: "k is missing"}}},
		known + "no record of cudagen has the image: keep kernels.cudagen.json and kernels.ptx beside the generated Go file, or compile with -G": {image: image{}},
	} {
		test.image.kernels = kernels
		assert.Equal(t, want, test.image.why(test.err))
	}
}

// Machine code is not debugged, and the user hears what to generate.
func TestNotPTX(t *testing.T) {
	assert.NoError(t, notPTX([]byte(".version 7.0")))
	for _, image := range []string{"\x7fELF\x02", "\x50\xed\x55\xba\x01"} {
		assert.ErrorContains(t, notPTX([]byte(image)), "generate it with -arch compute_75")
	}
}

// Breakpoints are where code of a line or function begins.
func TestPlaces(t *testing.T) {
	k := debugwire.Kernel{Name: "k", Start: 3, Functions: []debugwire.Function{{Name: "_Z5twicei", Start: 0}}, Files: []string{"a.cu", "b.cuh"}, Places: []debugwire.Place{
		{PTX: 1, File: 1, Line: 2}, {PTX: 2, File: 1, Line: 2}, {PTX: 3, File: 1, Line: 3}, // twice
		{PTX: 5, File: 1, Line: 7}, {PTX: 6, File: 1, Line: 7}, {PTX: 7, File: 1, Line: 9}, {PTX: 8, File: 2, Line: 9}, {PTX: 9, File: 1, Line: 9}, {PTX: 10}, {PTX: 11, File: 1, Line: 12},
	}}
	folder := t.TempDir()
	im := newImage(debugwire.Loaded{Image: 1, Kernels: []debugwire.Kernel{k}}, nil, folder)
	a, b := real(filepath.Join(folder, "a.cu")), real(filepath.Join(folder, "b.cuh"))
	is := im.kernels["k"]
	assert.Equal(t, []int32{5, 7}, im.ofLine(is, a, 9))
	assert.Equal(t, []int32{6}, im.ofLine(is, b, 9))
	assert.Equal(t, []int32{0}, im.ofLine(is, a, 2))
	assert.Empty(t, im.ofLine(is, a, 8))
	assert.Equal(t, 9, im.nearest(a, 8))
	assert.Equal(t, 2, im.nearest(a, 1))
	assert.Equal(t, 0, im.nearest(a, 13))
	assert.Equal(t, 0, im.nearest(filepath.Join(folder, "c.cu"), 1))
	for name, want := range map[string]int32{"k": 5, "twice": 2, "_Z5twicei": 2} {
		pc, ok := im.ofFunction(is, name)
		assert.True(t, ok, name)
		assert.Equal(t, want, pc, name)
	}
	_, ok := im.ofFunction(is, "wice")
	assert.False(t, ok)
	path, line := im.place(is, 8)
	assert.Empty(t, path)
	assert.Zero(t, line)
}

// A breakpoint that nothing can hit says why, once it is known.
func TestUnbound(t *testing.T) {
	folder := t.TempDir()
	s := &session{images: make(map[uint64]*image)}
	line := &breakpoint{path: real(filepath.Join(folder, "a.cu")), line: 500}
	function := &breakpoint{function: "K"}
	other := &breakpoint{path: real(filepath.Join(folder, "b.cu")), line: 1}
	goFile := &breakpoint{path: real(filepath.Join(folder, "main.go")), line: 1}
	assert.Equal(t, "no image has been loaded yet that has code here", s.unbound(line))
	assert.Equal(t, "no image has been loaded yet that has code here", s.unbound(function))
	assert.Equal(t, "a Go file has no code of kernels", s.unbound(goFile))
	s.images[1] = newImage(debugwire.Loaded{Image: 1, Kernels: []debugwire.Kernel{{
		Name: "k", Start: 1, Functions: []debugwire.Function{{Name: "_Z5twicei"}, {Name: "_ZN1a1bEv"}}, Files: []string{"a.cu"}, Places: []debugwire.Place{{PTX: 1, File: 1, Line: 2}, {PTX: 2, File: 1, Line: 3}},
	}}}, nil, folder)
	assert.Equal(t, "the file has no code at or behind line 500", s.unbound(line))
	assert.Equal(t, "no kernel or function is called K; there are k, twice", s.unbound(function))
	assert.Equal(t, "no image that was loaded has code of the file", s.unbound(other))
	assert.Equal(t, "1, 2, 3, 4, 5, 6, 7, 8, …", some([]string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}))
}

// Tests run without a limit of time, one after another, and one by its name alone.
func TestTestArgs(t *testing.T) {
	assert.Equal(t, []string{"-test.run", "^TestSum$/^seed=7$", "-test.timeout=0", "-test.parallel=1"}, testArgs(&Configuration{Test: "TestSum/seed=7"}))
	assert.Equal(t, []string{"--test.timeout=5m", "-test.v", "-test.parallel=1"}, testArgs(&Configuration{Args: []string{"--test.timeout=5m", "-test.v"}}))
}

// A parameter has its recorded type, if that is an arithmetic type or a pointer to one, and else its bytes.
func TestTypeSpelled(t *testing.T) {
	for spelled, want := range map[string]struct {
		size int64
		kind ptxdebug.Kind
		text string
	}{
		"int": {4, ptxdebug.Signed, "int"}, "const float *": {8, ptxdebug.Pointer, "float *"}, "unsigned char**": {8, ptxdebug.Pointer, "unsigned char * *"}, "const int *__restrict__": {8, ptxdebug.Pointer, "int *"},
		"Pair": {16, ptxdebug.Unknown, "Pair"}, "Pair *": {8, ptxdebug.Pointer, "Pair *"}, "long": {4, ptxdebug.Unknown, "long"}, "": {12, ptxdebug.Unknown, "12 bytes"},
	} {
		is := typeSpelled(spelled, want.size)
		assert.Equal(t, want.kind, is.Kind, spelled)
		assert.Equal(t, want.size, is.Size, spelled)
		assert.Equal(t, want.text, is.String(), spelled)
	}
}
