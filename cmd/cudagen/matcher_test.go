package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A problemMatcher is one of a file that cudagen matcher prints.
type problemMatcher struct {
	Owner, Severity string
	Pattern         matcherPatterns
}

// matcherPatterns is a pattern, or a list of them.
type matcherPatterns []struct {
	Regexp                                string
	File, Line, Column, Severity, Message int
}

func (p *matcherPatterns) UnmarshalJSON(text []byte) error {
	if text[0] == '{' {
		text = append(append([]byte{'['}, text...), ']')
	}
	return json.Unmarshal(text, (*[]struct {
		Regexp                                string
		File, Line, Column, Severity, Message int
	})(p))
}

// A problem is what a matcher finds in a line.
type problem struct {
	severity, file string
	line, column   int
	message        string
}

// find returns the problem in a line, as programs find it: the first matcher wins that matches and
// yields one of the severities that the program knows.
func find(t *testing.T, matchers []problemMatcher, severities []string, line string) (problem, bool) {
	for _, m := range matchers {
		require.Len(t, m.Pattern, 1)
		p := m.Pattern[0]
		groups := regexp.MustCompile(p.Regexp).FindStringSubmatch(line)
		if groups == nil {
			continue
		}
		group := func(n int) string {
			if n == 0 {
				return ""
			}
			return groups[n]
		}
		number := func(n int) int {
			value, err := strconv.Atoi("0" + group(n))
			require.NoError(t, err)
			return value
		}
		severity := group(p.Severity)
		if severity == "" {
			severity = m.Severity
		}
		for _, known := range severities {
			if severity == known {
				return problem{severity, group(p.File), number(p.Line), number(p.Column), group(p.Message)}, true
			}
		}
	}
	return problem{}, false
}

// printedMatchers returns the matchers for a program, and the severities that it knows, "" for an error.
func printedMatchers(t *testing.T, program string) (list []problemMatcher, severities []string) {
	var out, errs bytes.Buffer
	require.Equal(t, exitOK, run(t.Context(), []string{"matcher", program}, nil, &out, &errs), "%s", &errs)
	var file struct {
		ProblemMatcher []problemMatcher
		Tasks          []struct{ ProblemMatcher []problemMatcher }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &file))
	list, severities = file.ProblemMatcher, []string{"", "warning", "notice"}
	if program == "vscode" {
		require.Len(t, file.Tasks, 1)
		list, severities = file.Tasks[0].ProblemMatcher, []string{"", "warning", "note"}
	}
	require.NotEmpty(t, list)
	return list, severities
}

// What cudagen prints is found by the matchers, and what is no problem is not.
func TestMatchers(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("étage 2", 0o755))
	for name, text := range map[string]string{
		"go.mod":         "module example.com/m\n",
		"m.go":           "package m\n",
		"k.cu":           "//cudagen:blok 256\nextern \"C\" __global__ void k(int n) {}\n\n//cudagen:len n=4\nextern \"C\" __global__ void l(int n) {}\n",
		"étage 2/k.cu":   "#endif\n",
		"étage 2/p.go":   "package p\n",
		"stale.cu":       "extern \"C\" __global__ void k(int n) {}\n",
		"told.cu":        "#include \"missing.h\"\n#if MORE\n__global__ void more(int n) {}\n#endif\ntemplate <class T> __global__ void any(T x) {}\n__global__ void k(int n) {}\n",
		"wrong.tmpl":     "{{define \"model\"}}2{{end}}\n{{.Nothing",
		"helper/help.cu": "__device__ int help();\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	for _, tt := range []struct {
		args string
		want []problem // with the beginning of the message
	}{
		{"-check k.cu", []problem{{"", "k.cu", 1, 1, `unknown directive "blok"`}, {"", "k.cu", 4, 15, "l: len needs a pointer"}}},
		{"-check|étage 2/k.cu", []problem{{"", "étage 2/k.cu", 1, 1, "#endif without #if"}}},
		{"inspect told.cu", []problem{{"warning", "told.cu", 2, 1, "kernels are left out"}, {"note", "told.cu", 5, 36, "any: is a template without instances"}}},
		{"-check stale.cu", []problem{{"", "stale.ptx", 0, 0, "stale.ptx is stale: stale.cudagen.json is missing"}}},
		{"missing.cu", []problem{{"", "missing.cu", 0, 0, "missing.cu: there is no such file"}}},
		{"-template wrong.tmpl stale.cu", []problem{{"", "wrong.tmpl", 2, 1, "the template is not understood: unclosed action"}}},
		{"-frobnicate k.cu", nil},
		{"helper", nil},
		{"version", nil},
	} {
		t.Run(tt.args, func(t *testing.T) {
			args := strings.Fields(tt.args)
			if strings.Contains(tt.args, "|") {
				args = strings.Split(tt.args, "|")
			}
			var out, errs bytes.Buffer
			run(t.Context(), args, nil, &out, &errs)
			for _, program := range matchers.names {
				list, severities := printedMatchers(t, program)
				var found []problem
				for line := range strings.Lines(errs.String()) {
					if p, is := find(t, list, severities, strings.TrimRight(line, "\r\n")); is {
						found = append(found, p)
					}
				}
				require.Len(t, found, len(tt.want), "%s: %s", program, &errs)
				for i, want := range tt.want {
					if want.severity == "note" && program == "github" {
						want.severity = "notice"
					}
					assert.Equal(t, want.message, found[i].message[:min(len(want.message), len(found[i].message))])
					found[i].message = want.message
					assert.Equal(t, want, found[i], program)
				}
			}
		})
	}
	for _, line := range []string{
		"cudagen: wrote k_cuda.go", "cudagen: compiled k.cu with nvcc 13.0.88 (k.cu changed)", "cudagen: skipped helper.cu: it has no kernel",
		"cudagen: found in the cache: k.cu with nvcc (k.cu changed)", "cudagen: run cudagen k.cu", "    check.go:12: got 3", "12:30:45: a log", "ok  \texample.com/m\t0.1s",
	} {
		for _, program := range matchers.names {
			list, severities := printedMatchers(t, program)
			p, is := find(t, list, severities, line)
			assert.False(t, is, "%s: %q: %v", program, line, p)
		}
	}
	list, severities := printedMatchers(t, "github")
	p, is := find(t, list, severities, `C:\my src\k.cu:3: strange`)
	assert.True(t, is)
	assert.Equal(t, problem{"", `C:\my src\k.cu`, 3, 0, "strange"}, p)
}

// In a workflow of GitHub go generate runs in the folder of a package, and files are named from the
// repository on.
func TestFilesInWorkflows(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/m\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "k.cu"), []byte("#endif\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "l.cu"), []byte("extern \"C\" __global__ void l(int n) {}\n"), 0o644))
	t.Chdir(folder)
	t.Setenv("GOPACKAGE", "b")
	for _, tt := range []struct{ name, workspace, file, prefix string }{
		{"a workflow", root, "b.go", "a/b/"},
		{"its root", folder, "b.go", ""},
		{"not go generate", root, "", ""},
		{"no workflow", "", "b.go", ""},
		{"elsewhere", t.TempDir(), "b.go", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("GITHUB_WORKSPACE", tt.workspace)
			t.Setenv("GOFILE", tt.file)
			for args, want := range map[string]string{
				"-check k.cu": tt.prefix + "k.cu:1:1: #endif without #if",
				"-check l.cu": "cudagen: " + tt.prefix + "l.ptx is stale: l.cudagen.json is missing\n",
				"missing.cu":  "cudagen: " + tt.prefix + "missing.cu: there is no such file\n",
			} {
				var out, errs bytes.Buffer
				assert.Equal(t, exitInput, run(t.Context(), strings.Fields(args), nil, &out, &errs))
				assert.True(t, strings.HasPrefix(errs.String(), filepath.FromSlash(want)), "%s: %s", args, &errs)
			}
		})
	}
}
