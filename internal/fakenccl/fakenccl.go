// Package fakenccl builds a fake libnccl for tests: it has the real ABI, checks arguments and the
// order of calls as NCCL demands it, and needs no GPU. Its ranks are in one process, on devices of
// the fake libcuda, whose memory it computes on.
//
// Tests set CUDAGEN_LIBNCCL to the path that Build returns, in a process of their own: a process
// loads NCCL once.
package fakenccl

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
)

//go:embed src/nccl.c
var source embed.FS

// Build returns the path of a fake libnccl.so.2 of a version, as NCCL writes it: 22809 is 2.28.9. It
// lacks the functions that came later. Without a C compiler the test is skipped, through testenv.
func Build(t testing.TB, version int) string {
	t.Helper()
	args := []string{"-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden",
		fmt.Sprintf("-DFAKE_VERSION=%d", version)}
	library := filepath.Join(t.TempDir(), "libnccl.so.2")
	if err := os.WriteFile(library, testenv.CompileC(t, testenv.CCPath(t), args, source, "src/nccl.c"), 0o700); err != nil {
		t.Fatalf("fakenccl: %v", err)
	}
	return library
}
