package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/testenv"
)

// TestBuildsAreKept: what was compiled once is not compiled again, unless anything that it
// was made of is another.
func TestBuildsAreKept(t *testing.T) {
	testenv.Need(t, testenv.Long)
	dir := gentest.Module(t, map[string]string{"k.cu": "#include \"v.h\"\n#include <far.h>\n" + gentest.PlainSource, "v.h": "// v\n"})
	far := filepath.Join(t.TempDir(), "far.h")
	require.NoError(t, os.WriteFile(far, []byte("// far\n"), 0o644))
	t.Setenv("CUDAGEN_CACHE", t.TempDir())
	commands := 0
	o := gen.Options{
		Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75", "sm_80"}, Package: "p", FindCompiler: gentest.NVCC(t),
		Trace: func([]string) { commands++ },
	}
	o.Include = []string{filepath.Dir(far)}
	first := ""
	generate := func(t *testing.T) bool {
		t.Helper()
		commands = 0
		for _, name := range []string{"k.cudagen.json", "k.fatbin"} {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, name)))
		}
		result, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		files := fmt.Sprint(gentest.Snapshot(t, dir))
		if first == "" {
			first = files
		}
		assert.Equal(t, result.Files[0].Cached, commands == 0)
		return result.Files[0].Cached
	}
	assert.False(t, generate(t))
	assert.True(t, generate(t))
	assert.Equal(t, first, fmt.Sprint(gentest.Snapshot(t, dir)))

	for _, test := range []struct {
		name   string
		change func(t *testing.T)
	}{
		{"the source", func(t *testing.T) {
			require.NoError(t, os.WriteFile(o.Sources[0], []byte("#include \"v.h\"\n#include <far.h>\n"+gentest.PlainSource+"// more\n"), 0o644))
		}},
		{"a header outside of the module", func(t *testing.T) {
			require.NoError(t, os.WriteFile(far, []byte("// farther\n"), 0o644))
		}},
		{"a header", func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "v.h"), []byte("// w\n"), 0o644))
		}},
		{"the ends of lines", func(t *testing.T) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "v.h"), []byte("// w\r\n"), 0o644))
		}},
		{"a macro", func(*testing.T) { o.Define = []string{"N=2"} }},
		{"a flag", func(*testing.T) { o.CompilerFlags = []string{"--fmad=false"} }},
		{"a target", func(*testing.T) { o.Archs = []string{"compute_75"} }},
		{"the environment", func(t *testing.T) { t.Setenv("NVCC_APPEND_FLAGS", "-DM=1") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.change(t)
			assert.False(t, generate(t))
			assert.True(t, generate(t))
		})
	}
	t.Run("folders of headers in the environment", func(t *testing.T) {
		t.Setenv("CPATH", t.TempDir())
		assert.False(t, generate(t))
		assert.False(t, generate(t))
	})
	t.Run("force", func(t *testing.T) {
		o.Force = true
		defer func() { o.Force = false }()
		assert.False(t, generate(t))
	})
	t.Run("off", func(t *testing.T) {
		t.Setenv("CUDAGEN_CACHE", "off")
		assert.False(t, generate(t))
	})
	t.Run("the time", func(t *testing.T) {
		require.NoError(t, os.WriteFile(o.Sources[0], []byte("#include \"v.h\"\n#include <far.h>\n"+gentest.PlainSource+"// __TIME__\n"), 0o644))
		assert.False(t, generate(t))
		assert.False(t, generate(t))
	})
}

// One name in two folders is two sources, as go generate names them: it runs in the folder of each
// package. Images and answers have paths from the module on in them.
func TestCacheOfSeveralFolders(t *testing.T) {
	dir := gentest.Module(t, map[string]string{
		"p/k.cu": "#include \"s.h\"\n" + gentest.PlainSource, "p/s.h": "struct S { int x; };\n",
		"q/k.cu": "#include \"s.h\"\n" + gentest.PlainSource, "q/s.h": "struct S { int x; };\n",
	})
	t.Setenv("CUDAGEN_CACHE", t.TempDir())
	for _, folder := range []string{"p", "q"} {
		t.Chdir(filepath.Join(dir, folder))
		_, err := gen.Generate(t.Context(), gen.Options{Sources: []string{"k.cu"}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: gentest.NVCC(t)})
		require.NoError(t, err)
		image, err := os.ReadFile("k.ptx")
		require.NoError(t, err)
		assert.Contains(t, string(image), `"`+folder+`/k.cu"`)
	}
}
