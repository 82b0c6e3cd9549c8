package layout_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/testenv"
)

// The classes in the headers of CUDA, CCCL and the host's C++ library that are understood,
// some thousand written by many hands, lie as nvcc lays them out.
func TestHeadersAgainstNVCC(t *testing.T) {
	nvcc := testenv.NVCCPath(t)
	include := filepath.Join(filepath.Dir(filepath.Dir(nvcc)), "include")
	const headers = `#include <cooperative_groups.h>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/mdspan>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <cuda/barrier>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <vector>
`
	c := &cu.Config{Include: append([]string{include, filepath.Join(include, "cccl")}, hostFolders(t)...), Read: os.ReadFile, SizeOf: layout.Of}
	file, err := c.ParseFile("headers.cu", []byte(headers))
	require.NoError(t, err)
	var asserted []string
	for _, s := range file.Structs {
		class, err := layout.Struct(s)
		if err != nil || slices.Contains(s.Scope, ctype.AnonymousNamespace) {
			continue
		}
		name := s.QualifiedName()
		asserted = append(asserted, fmt.Sprintf("static_assert(sizeof(%[1]s) == %[2]d && alignof(%[1]s) == %[3]d, \"%[1]s\");", name, class.Size, class.Align))
		for _, m := range class.Members {
			if m.Name != "" && !m.BitField {
				asserted = append(asserted, fmt.Sprintf("static_assert(__builtin_offsetof(%s, %s) == %d, \"%[1]s\");", name, m.Name, m.Offset))
			}
		}
	}
	wrong, checked := refuted(t, nvcc, headers, asserted)
	assert.Empty(t, wrong[:min(len(wrong), 20)])
	assert.Greater(t, checked, 1000, "of %d", len(asserted))
	wrong, _ = refuted(t, nvcc, headers, []string{"static_assert(sizeof(dim3) == 16, \"control\");"})
	assert.Len(t, wrong, 1, "control")
}

// hostFolders returns the folders in which the host's compiler looks for headers.
func hostFolders(t *testing.T) (folders []string) {
	command := exec.Command(testenv.CCPath(t), "-x", "c++", "-E", "-v", os.DevNull)
	text, err := command.CombinedOutput()
	require.NoError(t, err, "%s", text)
	_, list, _ := strings.Cut(string(text), "#include <...> search starts here:")
	list, _, _ = strings.Cut(list, "End of search list")
	return strings.Fields(list)
}

var lineOf = regexp.MustCompile(`(?m)^in\.cu\((\d+)\): error: (static assertion failed)?`)

// refuted returns those of the assertions, one a line behind the headers, that nvcc says are
// wrong, and how many it understands: names that are private it does not let anybody say.
func refuted(t *testing.T, nvcc, headers string, asserted []string) (wrong []string, checked int) {
	dir := t.TempDir()
	source := headers + strings.Join(asserted, "\n") + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.cu"), []byte(source), 0o666))
	command := exec.Command(nvcc, "-w", "-ptx", "-std=c++17", "-Xcudafe", "--error_limit=100000", "-o", os.DevNull, "in.cu")
	command.Dir = dir
	text, _ := command.CombinedOutput()
	unsaid := make(map[int]bool)
	for _, m := range lineOf.FindAllStringSubmatch(string(text), -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		i := n - 1 - strings.Count(headers, "\n")
		require.GreaterOrEqual(t, i, 0, "%s", text)
		if m[2] == "" {
			unsaid[i] = true
		} else if !unsaid[i] {
			wrong = append(wrong, asserted[i])
		}
	}
	return wrong, len(asserted) - len(unsaid)
}
