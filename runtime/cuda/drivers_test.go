package cuda_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
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
func assertTooOld(t testing.TB, dev *cuda.Device, last *cuda.Node, want string) {
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
		node         func(*cuda.Conditional, *cuda.Graph) *cuda.Node
		major, minor int
		want         string
	}{
		{"if", func(c *cuda.Conditional, g *cuda.Graph) *cuda.Node { return c.If(g, nil) }, 12, 3, "conditional nodes need CUDA 12.3"},
		{"while", func(c *cuda.Conditional, g *cuda.Graph) *cuda.Node { return c.While(g) }, 12, 3, "conditional nodes need CUDA 12.3"},
		{"else", func(c *cuda.Conditional, g *cuda.Graph) *cuda.Node { return c.If(g, g) }, 12, 8, "an else and a switch need CUDA 12.8"},
		{"switch", func(c *cuda.Conditional, g *cuda.Graph) *cuda.Node { return c.Switch(g) }, 12, 8, "an else and a switch need CUDA 12.8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x, err := dev.NewStream()
			require.NoError(t, err)
			defer x.Close()
			memory := upload(t, x, make([]int32, 4))
			body, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(memory.All(), 1)))
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

// TestParametersOfOwnImages: what was not generated is compared with the driver or, if that is too
// old to tell, with the PTX.
func TestParametersOfOwnImages(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		load := func(change func(string) string, params ...cuda.ParamSpec) error {
			lib, err := dev.LoadLibrary(ptxImage(t, change))
			require.NoError(t, err)
			defer lib.Close()
			_, err = lib.Kernel(cuda.Spec{Name: "saxpy", Symbol: "saxpy", Params: params})
			return err
		}
		right := []cuda.ParamSpec{{Size: 4, Align: 4}, {Offset: 4, Size: 4, Align: 4}, {Offset: 8, Size: 8, Align: 8}, {Offset: 16, Size: 8, Align: 8}}
		with := func(i int, p cuda.ParamSpec) []cuda.ParamSpec {
			list := slices.Clone(right)
			list[i] = p
			return list
		}
		assert.NoError(t, load(same, right...))
		assert.NoError(t, load(same, with(1, cuda.ParamSpec{Offset: 32, Size: 4, Align: 32})...), "hardware may move them")
		for want, params := range map[string][]cuda.ParamSpec{
			"parameter 2 has 8 bytes, 4 in the Go code": with(2, cuda.ParamSpec{Offset: 8, Size: 4, Align: 4}),
			"parameter 3 is at byte 16, at 24 in":       with(3, cuda.ParamSpec{Offset: 24, Size: 8, Align: 8}),
			"the Go code has 5":                         append(slices.Clone(right), cuda.ParamSpec{Offset: 24, Size: 4, Align: 4}),
			"it has 4 parameters, the Go code has 3":    right[:3],
		} {
			err := load(same, params...)
			assert.ErrorIs(t, err, cuda.ErrABI)
			assert.ErrorContains(t, err, want)
		}
		if !isFake(dev) { // which does not look at the text
			return
		}
		err := load(func(text string) string { return strings.Replace(text, "ret;", "ret ret ret", 1) }, right...)
		if !olderThan(dev, 12, 4) {
			assert.NoError(t, err, "the fake driver reads less than cudagen")
			return
		}
		assert.ErrorIs(t, err, cuda.ErrUnsupported)
		assert.ErrorContains(t, err, "kernels that are neither generated nor PTX, whose parameters the driver must tell, need CUDA 12.4")
	})
}
