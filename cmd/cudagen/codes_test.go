package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

// Diagnostics have their codes when the command prints them. No compiler is needed to find them.
func TestCodes(t *testing.T) {
	const k = `extern "C" __global__ void k(int n, float *x) {}` + "\n"
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  string
		want  diag.Code
	}{
		{"a flag", nil, "-aarch sm_90 k.cu", diag.Flags},
		{"a command", nil, "docter", diag.UnknownWord},
		{"a value", nil, "-std c++42 k.cu", diag.FlagValue},
		{"a file", nil, "gone.cu", diag.NoFile},
		{"a pattern", nil, "./gone/...", diag.NoFile},
		{"a compiler", nil, "-compiler icc k.cu", diag.FlagValue},
		{"a compiler that is not there", nil, "-compiler nvcc k.cu", diag.NoCompiler},
		{"an architecture", nil, "-arch sm90 k.cu", diag.UnsupportedArch},
		{"output that is missing", nil, "-check k.cu", diag.Stale},
		{"a damaged record", map[string]string{"k.cudagen.json": "{"}, "-check k.cu", diag.BadRecord},
		{"flags of the record", map[string]string{"k.cudagen.json": `{"format": 1, "source": "k.cu", "options": {"arch": ["compute_75"], "flags": ["-D", "X"]}}`}, "k.cu", diag.RecordedFlags},
		{"a template", map[string]string{"t.tmpl": "{{.Nothing"}, "-template t.tmpl k.cu", diag.BadTemplate},
		{"a template that is not there", nil, "-template t.tmpl k.cu", diag.BadTemplate},
		{"a type without a layout", map[string]string{"k.cu": "struct S { char a[1LL << 60]; char b[1LL << 62]; char c[1LL << 62]; };\n__global__ void k(S s) {}\n"}, "-check k.cu", diag.NoLayout},
		{"a type that no instance can have", map[string]string{"k.cu": "//cudagen:instantiate T=float float\ntemplate <class T> __global__ void k(T x) {}\n"}, "-check k.cu", diag.Template},
		{"types of functions", map[string]string{"k.cu": "//cudagen:instantiate <void()[]>\ntemplate <class T> __global__ void k(T *x) {}\n"}, "-check k.cu", diag.Template},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, name := range []string{"CUDAGEN_ARCH", "CUDAGEN_COMPILER", "GOPACKAGE", "NVCC", "CUDA_HOME", "CUDA_PATH"} {
				t.Setenv(name, "")
			}
			t.Setenv("NVCC", filepath.Join(t.TempDir(), "nvcc"))
			files := map[string]string{"go.mod": "module example.com/m\n", "k.cu": k}
			for name, text := range tt.files {
				files[name] = text
			}
			for name, text := range files {
				require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
			}
			var stdout, stderr bytes.Buffer
			code := run(t.Context(), append(strings.Fields(tt.args), "-json"), nil, &stdout, &stderr)
			assert.NotEqual(t, exitOK, code)
			var first diagnostic
			require.NoError(t, json.NewDecoder(&stdout).Decode(&first), "%s", &stderr)
			assert.Equal(t, tt.want, first.Code, first.Message)
		})
	}
}
