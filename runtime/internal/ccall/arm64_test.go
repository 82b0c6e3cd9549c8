//go:build linux && !cudagen_nodriver && !cudagen_portable && amd64

package ccall_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// arm64Root is where Debian's gcc-aarch64-linux-gnu has the C library.
const arm64Root = "/usr/aarch64-linux-gnu"

// TestArm64 builds this package's tests for linux/arm64 and runs them in an emulator, so that the arm64
// trampoline runs where there is no arm64 machine.
func TestArm64(t *testing.T) {
	testenv.Need(t, testenv.Long)
	_, err := os.ReadDir(".") // so go test runs this again when the assembly changes
	require.NoError(t, err)
	cc, qemu := testenv.CCArm64Path(t), testenv.QemuArm64Path(t)
	for _, tags := range []string{"", "cudagen_portable"} {
		binary := filepath.Join(t.TempDir(), "ccall.test")
		build := exec.Command(testenv.GoPath(t), "test", "-c", "-tags", tags, "-o", binary, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=arm64")
		out, err := build.CombinedOutput()
		require.NoError(t, err, "%s", out)

		command := exec.Command(qemu, "-L", arm64Root, binary)
		command.Env = append(os.Environ(), "CC="+cc)
		out, err = command.CombinedOutput()
		require.NoError(t, err, "-tags=%s: %s", tags, out)
		assert.Contains(t, string(out), "PASS")
	}
}
