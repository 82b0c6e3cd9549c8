package cu

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Conditions on compilers have the values of GCC.
func TestHasOperators(t *testing.T) {
	conditions := map[string]bool{
		"__has_cpp_attribute(nodiscard) >= 201603": true, "__has_cpp_attribute(no_unique_address)": true, "__has_cpp_attribute(gnu::packed)": true, "__has_cpp_attribute(packed)": true,
		"__has_cpp_attribute(clang::trivial_abi)": false, "__has_attribute(__always_inline__)": true, "__has_attribute(overloadable)": false, "__has_builtin(__builtin_expect)": true, "__has_builtin(__builtin_assume)": false,
		"__cpp_if_constexpr >= 201606L": true, "defined(__cpp_concepts)": false, "__GLIBC_PREREQ(2, 17)": true, "__GLIBC_PREREQ(3, 0)": false, "_GLIBCXX_USE_CXX11_ABI": true, "__SIZE_MAX__ == 18446744073709551615UL": true,
		"'\\377' < 0": true, "'\\x80' == -128": true, "L'\\xffffffff' < 0": true, "u'\\xffff' < 0": false, "U'a' - U'b' > 0": true, "'ab' == 24930": true, "'\\0' == 0": true, "u8'z' == 122": true, "'\\u0041' == 'A'": true, "'\\'' == 39": true,
	}
	for condition, want := range conditions {
		t.Run(condition, func(t *testing.T) {
			file, err := ParseFile("t.cu", []byte("#if "+condition+"\nconst int yes = 1;\n#endif\n"))
			require.NoError(t, err)
			_, yes := file.Constants["yes"]
			assert.Equal(t, want, yes)
		})
	}
	t.Run("with GCC", func(t *testing.T) {
		var source strings.Builder
		for condition, want := range conditions {
			if want {
				condition = "!(" + condition + ")"
			}
			source.WriteString("#include <limits.h>\n#if " + condition + "\n#error " + condition + "\n#endif\n")
		}
		path := filepath.Join(t.TempDir(), "t.cc")
		require.NoError(t, os.WriteFile(path, []byte("#define _GLIBCXX_USE_CXX11_ABI 1\n"+source.String()), 0o666))
		out, err := exec.Command(testenv.CCPath(t), "-x", "c++", "-std=c++17", "-w", "-E", path).CombinedOutput()
		assert.NoError(t, err, "%s", out)
	})
	file, err := ParseFile("t.cu", []byte("#if '\\377' < 0\n#endif\n#if 'a' > 0\n#endif\n"))
	require.NoError(t, err)
	require.Len(t, file.Environment, 1, "whether char has a sign is the host's to say")
	assert.Equal(t, "__CHAR_UNSIGNED__", file.Environment[0].Macro)
}
