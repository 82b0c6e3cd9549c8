package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

var (
	docBlock   = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	docFile    = regexp.MustCompile(`^// (\S+\.cuh?)\n`)
	docKernels = regexp.MustCompile(`(?m)^k\.(\w+)\.(\w+)\(`)
)

// The files of docs/sources.md are generated from with the commands there, and the Go code has what
// it says.
func TestSourcesGuide(t *testing.T) {
	testenv.Need(t, testenv.NVCC)
	guide, err := os.ReadFile("../../docs/sources.md")
	require.NoError(t, err)
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("go.mod", []byte("module example.com/guide\n\ngo 1.26\n"), 0o644))
	files, commands, kernels := 0, 0, 0
	last := ""
	for _, block := range docBlock.FindAllStringSubmatch(string(guide), -1) {
		switch language, text := block[1], block[2]; language {
		case "cuda":
			m := docFile.FindStringSubmatch(text)
			require.NotNil(t, m, text)
			require.NoError(t, os.WriteFile(m[1], []byte(text), 0o644))
			files++
		case "sh":
			for line := range strings.Lines(text) {
				words := strings.Fields(line)
				require.Equal(t, "cudagen", words[0])
				var stdout, stderr bytes.Buffer
				code := run(t.Context(), append([]string{"-pkg", "guide"}, words[1:]...), nil, &stdout, &stderr)
				assert.Equal(t, exitOK, code, "%s\n%s%s", line, stdout.String(), stderr.String())
				last = words[len(words)-1]
				commands++
			}
		case "go":
			code, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(last, ".cu")+"_cuda.go"))
			require.NoError(t, err)
			for _, m := range docKernels.FindAllStringSubmatch(text, -1) {
				assert.Contains(t, string(code), "func (k *"+m[1]+"Kernel) "+m[2]+"(", last)
				kernels++
			}
		}
	}
	assert.Equal(t, []int{5, 5, 7}, []int{files, commands, kernels}, "files, commands and kernels in the guide")
}
