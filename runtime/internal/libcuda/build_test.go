//go:build linux && !cudagen_nodriver && !cudagen_portable && (amd64 || arm64)

package libcuda

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// goCommand runs the go command without cgo and returns what it printed.
func goCommand(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	command := exec.Command(testenv.GoPath(t), args...)
	command.Env = append(append(os.Environ(), "CGO_ENABLED=0"), env...)
	out, err := command.CombinedOutput()
	return string(out), err
}

// arm64Root is where Debian's gcc-aarch64-linux-gnu has the C library.
const arm64Root = "/usr/aarch64-linux-gnu"

// TestArm64 builds this package's tests for linux/arm64 and runs them in an emulator,
// so that the arm64 trampoline runs where there is no arm64 machine.
func TestArm64(t *testing.T) {
	testenv.Need(t, testenv.Long)
	if runtime.GOARCH == "arm64" {
		return // all the other tests are this one
	}
	cc, qemu := testenv.CCArm64Path(t), testenv.QemuArm64Path(t)
	binary := filepath.Join(t.TempDir(), "libcuda.test")
	out, err := goCommand(t, []string{"GOARCH=arm64"}, "test", "-c", "-o", binary, ".")
	require.NoError(t, err, out)

	command := exec.Command(qemu, "-L", arm64Root, binary, "-test.skip=TestMissingTrampolineDoesNotLink|TestAttributeIsTheHeaders|TestTextureLayoutsAreTheHeaders|TestNVTX")
	command.Env = append(os.Environ(), "CC="+cc, wrapperEnv+"="+qemu+" -L "+arm64Root)
	ran, err := command.CombinedOutput()
	require.NoError(t, err, "%s", ran)
	assert.Contains(t, string(ran), "PASS")
}

// TestMissingTrampolineDoesNotLink is the control of the assembly's presence: a
// program that is built without the trampoline does not exist, rather than crash.
func TestMissingTrampolineDoesNotLink(t *testing.T) {
	testenv.Need(t, testenv.Exhaustive)
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			dir := t.TempDir()
			name, err := filepath.Abs(assembly(t, arch, "launchTrampolineAddress"))
			require.NoError(t, err)
			empty := filepath.Join(dir, "empty.s")
			require.NoError(t, os.WriteFile(empty, nil, 0o600))
			overlay, err := json.Marshal(map[string]map[string]string{"Replace": {name: empty}})
			require.NoError(t, err)
			file := filepath.Join(dir, "overlay.json")
			require.NoError(t, os.WriteFile(file, overlay, 0o600))

			out, err := goCommand(t, []string{"GOARCH=" + arch}, "test", "-c", "-o", filepath.Join(dir, "test"), "-overlay", file, ".")
			assert.Error(t, err)
			assert.Contains(t, out, "launchTrampolineAddress not defined")
		})
	}
}
