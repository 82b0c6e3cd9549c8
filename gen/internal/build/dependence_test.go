package build_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/record"
)

// What an image depends on is an input: a header that __has_include finds, by whatever name, and one of an absolute path outside
// of the module or of CPATH.
func TestDependencesAreInputs(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "u.h")
	require.NoError(t, os.WriteFile(outside, []byte("#define U 1\n"), 0o644))
	variable := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(variable, "v.h"), nil, 0o644))
	t.Setenv("CPATH", variable)
	dir := gentest.Module(t, map[string]string{
		"k.cu": "#include <v.h>\n#if __has_include(\"fast.h\")\n#endif\n#define OTHER <other.h>\n#if __has_include(OTHER)\n#endif\n#include \"" + filepath.ToSlash(outside) + "\"\n" +
			"//cudagen:kernel\nextern \"C\" __global__ void k(float *y) {}\n",
		"include/other.h": "",
	})
	t.Chdir(dir)
	inputs := func() (list []string) {
		o := gentest.Options("k.cu", gentest.NVCC(t))
		o.Include = []string{"include"}
		_, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		r, err := record.Read("k.cudagen.json")
		require.NoError(t, err)
		for _, i := range r.Inputs {
			list = append(list, filepath.Base(i.Path)+i.SHA256[:4])
		}
		return list
	}
	before := inputs()
	assert.Len(t, before, 4, "k.cu, other.h, u.h and v.h")
	require.NoError(t, os.WriteFile("fast.h", nil, 0o644))
	assert.Len(t, inputs(), 5, "fast.h is there")
	require.NoError(t, os.Remove("fast.h"))
	require.NoError(t, os.WriteFile(outside, []byte("#define U 2\n"), 0o644))
	after := inputs()
	assert.Len(t, after, 4)
	assert.NotEqual(t, before, after)
}
