//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// fakeNVTX notes the calls in a file.
const fakeNVTX = `
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static void note(const char *what, uint64_t n, const char *text) {
  FILE *f = fopen(getenv("NVTX_CALLS"), "a");
  fprintf(f, "%s %llx %s\n", what, (unsigned long long)n, text);
  fclose(f);
}
uint64_t nvtxRangeStartA(const char *text) { note("start", 0, text); return 0x123456789abcdef0; }
void nvtxRangeEnd(uint64_t id) { note("end", id, ""); }
void nvtxNameCuStreamA(void *stream, const char *text) { note("stream", (uintptr_t)stream, text); }
`

// TestNVTX: ranges and names reach the library that a profiler listens to, with all 64 bits of their
// numbers, and only if there is a profiler.
func TestNVTX(t *testing.T) {
	testenv.Need(t, testenv.CC)
	dir := t.TempDir()
	source, library, calls := filepath.Join(dir, "nvtx.c"), filepath.Join(dir, "libnvtx3interop.so.1"), filepath.Join(dir, "calls")
	require.NoError(t, os.WriteFile(source, []byte(fakeNVTX), 0o600))
	out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, source).CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Setenv("NVTX_CALLS", calls)
	t.Setenv("CUDAGEN_NVTX", library)
	before := nvtx
	defer func() { nvtx = before }()

	t.Setenv("NVTX_INJECTION64_PATH", "")
	nvtx = openNVTX
	assert.Zero(t, StartRange("nobody listens"))
	EndRange(1)
	t.Setenv("NVTX_INJECTION64_PATH", "profiler.so")
	id := StartRange("step 1\x00more")
	assert.Equal(t, uint64(0x123456789abcdef0), id)
	NameStream(0x7f0012345678, "main")
	EndRange(id)
	text, err := os.ReadFile(calls)
	require.NoError(t, err)
	assert.Equal(t, "start 0 step 1\nstream 7f0012345678 main\nend 123456789abcdef0 \n", string(text))

	t.Setenv("CUDAGEN_NVTX", filepath.Join(dir, "none.so"))
	assert.Zero(t, StartRange("there is no library"))
}
