//go:build unix

package build_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
)

// What ptxas says of a PTX is kept: it may take longer than the compiler. It is asked again when the PTX or
// ptxas is another, or with -force. One that refuses a version is asked about the compiler's, too.
func TestVerdictsOfPtxasAreKept(t *testing.T) {
	bin := t.TempDir()
	log := filepath.Join(bin, "log")
	ptxas := func(exit int) {
		text := fmt.Sprintf("#!/bin/sh\necho run >> %s\necho 'Unsupported .version'\nexit %d\n", log, exit)
		require.NoError(t, os.WriteFile(filepath.Join(bin, "ptxas"), []byte(text), 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(bin, "nvcc"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("NVCC", filepath.Join(bin, "nvcc"))
	t.Setenv("CUDAGEN_CACHE", t.TempDir())
	entry := ".visible .entry k(.param .u32 k_param_0) { ret; }\n"
	path := gentest.Write(t, "k.cu", "extern \"C\" __global__ void k(int n) {}\n")
	o := gentest.Options(path, func() (compile.Compiler, error) {
		return gentest.Stub(".version 9.0\n.target sm_75\n.address_size 64\n" + entry), nil
	})
	ran := 0
	generate := func(runs int, warning bool) {
		t.Helper()
		require.NoError(t, os.RemoveAll(filepath.Join(filepath.Dir(path), "k.cudagen.json")))
		result, err := gen.Generate(t.Context(), o)
		require.NoError(t, err)
		content, _ := os.ReadFile(log)
		ran += runs
		assert.Equal(t, ran, strings.Count(string(content), "run\n"))
		assert.Equal(t, warning, strings.Contains(fmt.Sprint(result.Warnings), "ptxas does not take"), "%v", result.Warnings)
	}
	ptxas(0)
	generate(1, false)
	generate(0, false)
	ptxas(10) // longer, so that it is another program
	generate(2, true)
	generate(0, true)
	entry += "// more\n"
	require.NoError(t, os.WriteFile(path, []byte("extern \"C\" __global__ void k(int n) {} // more\n"), 0o644))
	generate(2, true)
	generate(0, true)
	o.Force = true
	generate(2, true)
	generate(2, true)
}
