package cuda_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// driverVersion is the environment variable with the version of CUDA that the fake driver has
// in this process, as cuDriverGetVersion counts.
const driverVersion = "CUDAGEN_TEST_DRIVER"

// fakeOptions returns those of this process's fake driver.
func fakeOptions(t testing.TB) fakecuda.Options {
	text := os.Getenv(driverVersion)
	if text == "" {
		return fakecuda.Options{}
	}
	version, err := strconv.Atoi(text)
	require.NoError(t, err, driverVersion)
	return fakecuda.Options{Version: version, NewPTX: true}
}

// olderThan says whether dev's driver is older than a version of CUDA.
func olderThan(dev *cuda.Device, major, minor int) bool {
	has, hasMinor := dev.DriverVersion()
	return has < major || has == major && hasMinor < minor
}

// assertTooOld builds a graph that dev's driver is too old for.
func assertTooOld(t testing.TB, dev *cuda.Device, last cuda.Node, want string) {
	t.Helper()
	_, err := cuda.BuildGraph(last)
	assert.ErrorIs(t, err, cuda.ErrUnsupported)
	major, minor := dev.DriverVersion()
	assert.ErrorContains(t, err, fmt.Sprintf("node %v: cuda: build a graph on %v: this driver is for CUDA %d.%d: %s", last, dev, major, minor, want))
	assert.ErrorContains(t, err, "update NVIDIA's driver")
}

// TestNewerNodes: what the driver of this process is too old for is refused by name before it
// is asked, and nothing is left.
func TestNewerNodes(t *testing.T) {
	dev, library := openFake(t)
	for _, tt := range []struct {
		name         string
		node         func(*cuda.Conditional, *cuda.Graph) cuda.Node
		major, minor int
		want         string
	}{
		{"if", func(c *cuda.Conditional, g *cuda.Graph) cuda.Node { return cuda.NewIfNode(c, g, nil) }, 12, 3, "conditional nodes need CUDA 12.3"},
		{"while", func(c *cuda.Conditional, g *cuda.Graph) cuda.Node { return cuda.NewWhileNode(c, g) }, 12, 3, "conditional nodes need CUDA 12.3"},
		{"else", func(c *cuda.Conditional, g *cuda.Graph) cuda.Node { return cuda.NewIfNode(c, g, g) }, 12, 8, "an else and a switch need CUDA 12.8"},
		{"switch", func(c *cuda.Conditional, g *cuda.Graph) cuda.Node { return cuda.NewSwitchNode(c, g) }, 12, 8, "an else and a switch need CUDA 12.8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := dev.NewStream()
			require.NoError(t, err)
			defer x.Close()
			memory := upload(t, x, make([]int32, 4))
			body, err := cuda.DefineGraph(cuda.NewMemsetNode(memory.All(), 1))
			require.NoError(t, err)
			node := tt.node(cuda.NewConditional(1), body)
			before, execs := library.Live(fakecuda.Graph), library.Live(fakecuda.GraphExec)
			library.Reset()
			if olderThan(dev, tt.major, tt.minor) {
				assertTooOld(t, dev, node, tt.want)
				assert.NotContains(t, library.Calls(), "cuGraphConditionalHandleCreate")
			} else {
				exec, err := cuda.BuildGraph(node)
				require.NoError(t, err)
				assert.Contains(t, library.Calls(), "cuGraphConditionalHandleCreate")
				require.NoError(t, exec.Close())
			}
			assert.Equal(t, before, library.Live(fakecuda.Graph))
			assert.Equal(t, execs, library.Live(fakecuda.GraphExec))
		})
	}
	assert.ErrorIs(t, cuda.Code(driver.ErrorCallRequiresNewerDriver), cuda.ErrUnsupported)
	assert.NotErrorIs(t, cuda.ErrNotSupported, cuda.ErrUnsupported, "the control")
}
