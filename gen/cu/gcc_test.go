package cu

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// versioned are the macros that follow the version of the host's compiler and libraries, or
// that other headers of CUDA define.
var versioned = words(`__GNUC__ __GNUC_MINOR__ __GNUC_PATCHLEVEL__ __GNUG__ __VERSION__ __GLIBC_MINOR__ _GLIBCXX_RELEASE __GLIBCXX__
	__CUDACC_VER_MINOR__ __CUDACC_VER_BUILD__ CUDART_VERSION __GXX_ABI_VERSION __GLIBC_PREREQ __GNUC_PREREQ __STDC_VERSION_STDINT_H__ CUDAAPI CUDA_CB __CUDA_ALIGN__`)

var definition = regexp.MustCompile(`(?m)^#define (\w+)(\([^)]*\))? ?(.*)$`)

// definitions returns the macros that text defines, with their values.
func definitions(text string) map[string]string {
	macros := make(map[string]string)
	for _, m := range definition.FindAllStringSubmatch(text, -1) {
		macros[m[1]] = strings.Join(strings.Fields(m[3]), " ")
	}
	return macros
}

// The predefined macros are those that nvcc has for device code.
func TestPredefinedAgainstNVCC(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	for _, std := range []string{"", "c++14", "c++17", "c++20"} {
		t.Run(std, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "empty.cu")
			require.NoError(t, os.WriteFile(path, nil, 0o666))
			arguments := []string{"-E", "-Xcompiler", "-dM", "-arch=compute_75", path}
			if std != "" {
				arguments = append(arguments, "-std="+std)
			}
			out, err := exec.Command(nvcc, arguments...).Output()
			require.NoError(t, err)
			want := definitions(string(out))
			require.Greater(t, len(want), 500)
			for name, value := range definitions(predefined(&Config{Std: std})) {
				if !versioned[name] {
					assert.Contains(t, want, name)
					assert.Equal(t, want[name], value, name)
				}
			}
			features := 0
			for name := range want {
				if strings.HasPrefix(name, "__cpp_") && !strings.HasPrefix(name, "__cpp_lib_") {
					features++
					assert.Contains(t, predefined(&Config{Std: std}), "#define "+name+" ", name)
				}
			}
			assert.Greater(t, features, 20)
		})
	}
}

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
