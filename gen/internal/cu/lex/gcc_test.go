package lex

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
