package simtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestMain lets a process of this binary be a package whose tests have a Main.
func TestMain(m *testing.M) {
	if os.Getenv("CUDAGEN_TEST_ROLE") == "main" {
		Main(m)
	}
	os.Exit(m.Run())
}

// runsWith runs a test of this binary in a process of its own, and returns what it prints.
func runsWith(t *testing.T, role, test string, args ...string) (string, error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), self, append([]string{"-test.run=^" + test + "$", "-test.count=1"}, args...)...)
	command.Env = append(os.Environ(), "CUDAGEN_TEST_ROLE="+role)
	out, err := command.CombinedOutput()
	return string(out), err
}

// TestProfiled is what is profiled: two launches of 64 threads on devices of New, and one on another device.
func TestProfiled(t *testing.T) {
	runCovered(t)
	if os.Getenv("CUDAGEN_TEST_ROLE") != "main" {
		return
	}
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	lib, err := dev.LoadLibrary(image(covered))
	require.NoError(t, err)
	k, err := lib.Kernel(cuda.Spec{Name: "k", Symbol: "k"})
	require.NoError(t, err)
	require.NoError(t, cuda.Generated.Launch(k, s, &cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(64)}, false, nil))
	require.NoError(t, s.Synchronize())
}

// The flag -cudaprofile writes a profile that pprof reads, of devices of New, and with Main of all.
func TestProfileFlag(t *testing.T) {
	for role, launches := range map[string]int64{"tests": 2, "main": 3} {
		file := filepath.Join(t.TempDir(), "kernels.prof")
		out, err := runsWith(t, role, "TestProfiled", "-cudaprofile="+file)
		require.NoError(t, err, out)
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		p, err := profile.Parse(bytes.NewReader(written))
		require.NoError(t, err)
		byLine := map[int64]int64{}
		for _, s := range p.Sample {
			byLine[s.Location[0].Line[0].Line] += s.Value[0]
		}
		assert.Equal(t, map[int64]int64{3: 3 * 2 * launches, 5: launches, 7: 2 * 2 * launches, 9: 2 * launches}, byLine, role)
	}
}

// In words, where the name asks for them.
func TestProfileInWords(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernels.txt")
	out, err := runsWith(t, "tests", "TestProfiled", "-cudaprofile="+file)
	require.NoError(t, err, out)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Contains(t, string(text), "k<<<1, 64>>>: 2 launches of 1 block\n")
}

// A file that cannot be written fails the tests; control: without the flag nothing is written.
func TestProfileThatCannotBeWritten(t *testing.T) {
	for _, role := range []string{"tests", "main"} {
		out, err := runsWith(t, role, "TestProfiled", "-cudaprofile="+filepath.Join(t.TempDir(), "none", "kernels.prof"))
		assert.Error(t, err)
		assert.Contains(t, out, "simtest: -cudaprofile: open ")
	}
	out, err := runsWith(t, "tests", "TestProfiled")
	assert.NoError(t, err, out)
}
