package gen_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/gen/testdata/wave"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/nvrtc"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// TestSourceIsCompiledAtLoad runs every kernel of testdata/wave, which embeds its source,
// on the simulated device.
func TestSourceIsCompiledAtLoad(t *testing.T) {
	testenv.Need(t, testenv.NVRTC)
	t.Setenv("NVRTC_LIB", testenv.NVRTCPath(t))
	t.Setenv("CUDAGEN_CACHE", t.TempDir())
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	k, err := wave.LoadWave(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()

	points, err := cuda.Upload(s, []wave.Point{{Height: 1, Speed: 2}, {Height: 3, Speed: 4}})
	require.NoError(t, err)
	defer points.Close()
	heights := func() []wave.Point {
		host := make([]wave.Point, 2)
		require.NoError(t, points.CopyTo(s, host))
		return host
	}
	require.NoError(t, k.Pull.Launch(s, points.All(), wave.String{End: wave.Point{Height: 0.5}, Tension: 2}))
	assert.Equal(t, []wave.Point{{Height: 7.5, Speed: 2}, {Height: 9.5, Speed: 4}}, heights(), "-D STEPS=3 holds")
	require.NoError(t, k.PullBy.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, points.All(), 10))
	assert.Equal(t, []wave.Point{{Height: 17.5, Speed: 2}, {Height: 9.5, Speed: 4}}, heights())
	require.NoError(t, k.Still.Launch(s, points.All()))
	assert.Equal(t, make([]wave.Point, 2), heights())

	// Its variables, whichever symbols NVRTC chooses.
	require.NoError(t, k.Rest.Set(s, wave.Point{Height: 5, Speed: 6}))
	require.NoError(t, k.Still.Launch(s, points.All()))
	assert.Equal(t, []wave.Point{{Height: 5, Speed: 6}, {Height: 5, Speed: 6}}, heights())
	stills, err := k.Stills.Get(s)
	require.NoError(t, err)
	assert.Equal(t, uint32(4), stills)
	moved, err := k.Moved.Get(s)
	require.NoError(t, err)
	assert.Equal(t, int64(2), moved)
	require.NoError(t, k.Spare.Set(s, [2]int32{1, 2}))
	spare, err := k.Spare.Get(s)
	require.NoError(t, err)
	assert.Equal(t, [2]int32{1, 2}, spare)

	// Numbers of 16 bits, as parameters, in a struct, in memory and in a variable.
	h, b := vec.NewFloat16, vec.NewBFloat16
	halves, err := cuda.Upload(s, []vec.Float16{h(1), h(-2), h(100)})
	require.NoError(t, err)
	defer halves.Close()
	blended, err := cuda.Alloc[vec.BFloat16](s, 3)
	require.NoError(t, err)
	defer blended.Close()
	require.NoError(t, k.Gains.Set(s, vec.BFloat16x2{X: b(2), Y: b(-1)}))
	mix := wave.Mix{Weight: h(0.5), Range: vec.Float16x2{X: h(-0.5), Y: h(8)}, Offset: b(0.25)}
	require.NoError(t, k.Blend.Launch(s, halves.All(), blended.All(), mix))
	bits := make([]vec.BFloat16, 3)
	require.NoError(t, blended.CopyTo(s, bits))
	assert.Equal(t, []vec.BFloat16{b(0.5), b(-2), b(15)}, bits)

	x, err := cuda.Upload(s, []float32{3})
	require.NoError(t, err)
	defer x.Close()
	require.NoError(t, k.ScaleFloat.LaunchWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, x.All(), 5))
	host := make([]float32, 1)
	require.NoError(t, x.CopyTo(s, host))
	assert.Equal(t, []float32{15}, host)
}

// TestSourceWithoutNVRTC runs this test binary where there is no NVRTC.
func TestSourceWithoutNVRTC(t *testing.T) {
	if os.Getenv("CUDAGEN_TEST_NO_NVRTC") != "" {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		defer dev.Close()
		_, err = wave.LoadWave(dev)
		var missing *nvrtc.NotFoundError
		require.ErrorAs(t, err, &missing)
		assert.ErrorContains(t, err, "cuda: load wave.cu: it is compiled when it is loaded: ")
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self, "-test.run=^TestSourceWithoutNVRTC$")
	cmd.Env = append(os.Environ(), "CUDAGEN_TEST_NO_NVRTC=1", "NVRTC_LIB="+filepath.Join(t.TempDir(), "none.so"))
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%s", out)
}

// TestWaveIsCurrent: what is committed in testdata/wave is what is generated.
func TestWaveIsCurrent(t *testing.T) {
	t.Chdir(filepath.Join("testdata", "wave"))
	result, err := gen.Check(gen.Options{
		Sources: []string{"wave.cu"}, Archs: []string{"compute_75"}, Embed: gen.EmbedSource,
		SourceOptions: gen.SourceOptions{Include: []string{"include"}, Define: []string{"STEPS=3"}},
	})
	require.NoError(t, err)
	assert.True(t, result.OK(), "%+v", result)
}

// TestEmbedSource: what cannot be embedded, or would mean something else where it is
// compiled, is an error when generating.
func TestEmbedSource(t *testing.T) {
	for _, test := range []struct {
		name, source, want string
		files              map[string]string
		change             func(dir string, o *gen.Options)
	}{
		{name: "no header"},
		{name: "headers", source: "#include \"v.h\"\n#include \"cuda_fp16.h\"\n", files: map[string]string{"p/v.h": "#include \"sub/w.h\"\n", "p/sub/w.h": "#pragma once\n"}},
		{name: "a header above", source: "#include \"../v.h\"\n", files: map[string]string{"v.h": ""},
			want: "v.h: cannot be embedded (-embed source): it does not lie in the folder of "},
		{name: "a Go file elsewhere", want: "k.cu: cannot be embedded (-embed source): it does not lie in the folder of ", files: map[string]string{"q/doc.go": "package q\n"},
			change: func(dir string, o *gen.Options) { o.Output = filepath.Join(dir, "q", "k_cuda.go") }},
		{name: "another module", source: "#include \"sub/w.h\"\n", files: map[string]string{"p/sub/w.h": "", "p/sub/go.mod": "module sub\n"}, want: "it lies in another Go module"},
		{name: "a quote in a name", source: "#include \"it's.h\"\n", files: map[string]string{"p/it's.h": ""}, want: `the go command takes no '\''`},
		{name: "a macro", source: "#define V \"v.h\"\n#include V\n", files: map[string]string{"p/v.h": ""}, want: "k.cu:2:10: -embed source: #include names its file by a macro"},
		{name: "include_next", source: "#include_next \"v.h\"\n", files: map[string]string{"p/v.h": ""}, want: "k.cu:1:15: -embed source: #include_next of an own header"},
		{name: "__has_include", source: "#if __has_include(\"v.h\")\n#endif\n#include \"v.h\"\n", files: map[string]string{"p/v.h": ""}, want: "k.cu:1:5: -embed source: __has_include of the own header v.h"},
		{name: "__has_include of the toolkit's", source: "#if __has_include(<cuda_fp16.h>)\n#endif\n"},
		{name: "a folder elsewhere", want: "-I /usr/include is not in the Go module", change: func(_ string, o *gen.Options) { o.Include = []string{"/usr/include"} }},
		{name: "a folder behind --", want: "argument -Isub names a file or folder", change: func(_ string, o *gen.Options) { o.CompilerFlags = []string{"-Isub"} }},
		{name: "flags", change: func(_ string, o *gen.Options) {
			o.CompilerFlags = []string{"-ccbin", "g++", "-use_fast_math"}
			o.Define, o.Std = []string{"A=1"}, "c++20"
		}},
		{name: "no such form", want: "-embed sauce: write image or source", change: func(_ string, o *gen.Options) { o.Embed = "sauce" }},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"p/k.cu": test.source + gentest.PlainSource}
			for name, content := range test.files {
				files[name] = content
			}
			dir := gentest.Module(t, files)
			o := gentest.Options(filepath.Join(dir, "p", "k.cu"), gentest.Makes(gentest.Plain))
			o.Embed = gen.EmbedSource
			if test.change != nil {
				test.change(dir, &o)
			}
			_, err := gen.Generate(t.Context(), o)
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				if strings.Contains(test.want, "embed") {
					assert.Equal(t, diag.EmbeddedCode, diag.CodeOf(err))
				}
				assert.NoFileExists(t, filepath.Join(dir, "p", "k.ptx"))
				return
			}
			require.NoError(t, err)
			code, err := os.ReadFile(filepath.Join(dir, "p", "k_cuda.go"))
			require.NoError(t, err)
			assert.NoError(t, gentest.TypeCheck(t, string(code)))
			assert.NotContains(t, string(code), "k.ptx")
			for _, flag := range o.CompilerFlags[min(2, len(o.CompilerFlags)):] {
				assert.Contains(t, string(code), flag)
			}
		})
	}
	t.Run("a link", func(t *testing.T) {
		dir := gentest.Module(t, map[string]string{"k.cu": "#include \"v.h\"\n" + gentest.PlainSource, "other": ""})
		require.NoError(t, os.Symlink("other", filepath.Join(dir, "v.h")))
		o := gentest.Options(filepath.Join(dir, "k.cu"), gentest.Makes(gentest.Plain))
		o.Embed = gen.EmbedSource
		_, err := gen.Generate(t.Context(), o)
		assert.ErrorContains(t, err, "v.h: cannot be embedded (-embed source): it is a link")
	})
}

// The go command embeds what it is told to, whatever folder and file are called.
func TestEmbeddedSourceBuilds(t *testing.T) {
	testenv.Need(t, testenv.Long)
	goCommand := testenv.GoPath(t)
	dir := filepath.Join("testdata", "wave")
	output := runIn(t, dir, goCommand, "list", "-f", "{{.EmbedFiles}}", ".")
	assert.Equal(t, "[include/wave/point.h include/wave/string.h wave.cu]", strings.TrimSpace(output))
	runIn(t, dir, goCommand, "vet", ".")
}

// runIn runs a command in a folder and returns what it prints.
func runIn(t *testing.T, dir string, command ...string) string {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
