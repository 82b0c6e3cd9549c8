package cuda_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// onGPU is set in the process that runs tests on the machine's GPU: a process opens one
// libcuda, and in this one it is the fake.
const onGPU = "CUDAGEN_TEST_ON_GPU"

// onAll is onEach; in the process of TestOnGPU the test runs on the GPU alone.
func onAll(t *testing.T, test func(t *testing.T, dev *cuda.Device)) {
	if os.Getenv(onGPU) == "" {
		onEach(t, test)
		return
	}
	t.Run("GPU", func(t *testing.T) {
		dev, err := cuda.Open(0)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, dev.Close()) })
		test(t, dev)
	})
}

// TestOnGPU runs the tests that use onAll on the machine's GPU.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	if os.Getenv(onGPU) != "" {
		return // this is that process
	}
	self, err := os.Executable()
	require.NoError(t, err)
	command := exec.Command(self, "-test.v", "-test.run=^("+strings.Join([]string{
		"TestPreparedCall", "TestPrepareIsRefused", "TestBatch", "TestLaunchAttributes", "TestAttributesAreRefused",
		"TestSharedMemoryIsOptedInto", "TestOccupancy",
	}, "|")+")$")
	command.Env = append(os.Environ(), onGPU+"=1", "CUDAGEN_LIBCUDA=")
	out, err := command.CombinedOutput()
	assert.NoError(t, err, "%s", out)
	assert.Contains(t, string(out), "--- PASS: TestOccupancy/GPU", "the control: it ran there")
}
