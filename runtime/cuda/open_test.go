package cuda_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// scenarios run in a process of their own, because a process opens one libcuda. Each
// prints what OpenDefault did.
var scenarios = map[string]func() int{
	"open": func() int { return printOpen() },
	"open without simulator": func() int {
		driver.RegisterSimulator(nil)
		return printOpen()
	},
	"open without devices": func() int {
		return withoutDevices()
	},
	"open without devices and simulator": func() int {
		driver.RegisterSimulator(nil)
		return withoutDevices()
	},
	"open by number": func() int {
		list, err := cuda.Devices()
		fmt.Println("list:", len(list), "error:", err)
		dev, err := cuda.Open(0)
		fmt.Println("opened:", dev, "error:", err)
		return 0
	},
	"list":              func() int { return printDevices(nil) },
	"two devices":       func() int { return printDevices(func(l *fakecuda.Library) { l.SetDevices(2) }) },
	"lose":              lose,
	"lose handles":      loseHandles,
	"close all":         closeAll,
	"stress":            func() int { return stressAll(true) },
	"stress nothing":    func() int { return stressAll(false) },
	"programs":          runPrograms,
	"launch in context": launchInContext,
	"fault":             openDefaultAfterFault,
	"serve":             serve,
	"pool limit":        makeLimitedPool,
	"no devices":        func() int { return printDevices(func(l *fakecuda.Library) { l.SetDevices(0) }) },
	"silent device": func() int {
		return printDevices(func(l *fakecuda.Library) { l.Fail("cuDeviceGetUuid", int(driver.ErrorNotSupported)) })
	},
	"attributes": printAttributedLaunch,
	"peers": func() int {
		fmt.Println("peers:", usePeers())
		return 0
	},
	"load": func() int {
		dev, err := cuda.Open(0)
		if err == nil {
			_, err = example.LoadKernels(dev)
		}
		fmt.Println("loaded:", err)
		return 0
	},
}

func printOpen() int {
	dev, err := cuda.OpenDefault()
	if err != nil {
		fmt.Println("error:", err)
		return 0
	}
	fmt.Println("opened:", dev, "simulated:", dev.IsSimulated())
	return 0
}

// withoutDevices opens the default device where the driver has none.
func withoutDevices() int {
	library, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	library.SetDevices(0)
	return printOpen()
}

// inProcess runs a scenario with variables added to the environment and returns what it printed.
func inProcess(t *testing.T, scenario string, env ...string) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), append(env, "CUDAGEN_TEST_SCENARIO="+scenario)...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func TestOpenDefault(t *testing.T) {
	good := fakecuda.Build(t, fakecuda.Options{})
	old := fakecuda.Build(t, fakecuda.Options{Version: 11080})
	broken := fakecuda.Build(t, fakecuda.Options{Without: []string{"cuStreamCreate"}})
	for _, test := range []struct {
		name, scenario, libcuda, device, want string
	}{
		{"a GPU", "open", good, "", "opened: device 0 (Fake GPU 0) simulated: false"},
		{"a GPU by number", "open", good, "0", "opened: device 0"},
		{"no such number", "open", good, "7", "error: cuda: open device 7: valid ordinals are 0 to 0\n"},
		{"a GPU by UUID", "open", good, "GPU-0", "opened: device 0"},
		{"a UUID without digits", "open", good, "GPU-", `error: cuda: open a device by its UUID: "GPU-" is not a UUID as nvidia-smi prints it`},
		{"no such UUID", "open", good, "GPU-ffffffff", "none of the 1 devices has this UUID"},
		{"the simulator wins when asked for", "open", good, "sim", "simulated: true"},
		{"nonsense", "open", good, "gpu", "error: cuda: CUDAGEN_DEVICE=gpu: want sim, an ordinal such as 0, or a UUID"},
		{"nonsense, for a program that opens by number", "open by number", good, "SIM", "list: 0 error: cuda: CUDAGEN_DEVICE=SIM: want sim, an ordinal such as 0, or a UUID such as GPU-…\nopened: no device error: cuda: CUDAGEN_DEVICE=SIM"},
		{"a number, for a program that opens by number", "open by number", good, "7", "list: 1 error: <nil>\nopened: device 0 (Fake GPU 0) error: <nil>"},
		{"sim is not linked in", "open without simulator", good, "sim", `import _ "github.com/cudagen/cudagen/runtime/sim"`},
		{"no GPU, but the simulator", "open without devices", good, "", "simulated: true"},
		{"no GPU and no simulator: both ways out", "open without devices and simulator", good, "", bothWaysOut},
		{"a number, and no GPU", "open without devices", good, "1", "error: cuda: open a device: no GPU with a CUDA driver here: install NVIDIA's driver, or set CUDAGEN_DEVICE=sim to run on the simulated device"},
		{"a UUID, and no GPU", "open without devices", good, "GPU-0", "or set CUDAGEN_DEVICE=sim to run on the simulated device"},
		{"old driver", "open", old, "", "11.8"},
		{"broken driver: no silent fallback", "open", broken, "", "cuStreamCreate"},
		{"no such library: no silent fallback", "open", "/no/such/libcuda.so", "", "error: cuda: open the CUDA driver"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := inProcess(t, test.scenario, "CUDAGEN_LIBCUDA="+test.libcuda, "CUDAGEN_DEVICE="+test.device)
			assert.Contains(t, out, test.want)
		})
	}
	t.Run("checks of a GPU", func(t *testing.T) { // which has none: not in silence
		out := inProcess(t, "open", "CUDAGEN_LIBCUDA="+good, "CUDAGEN_DEVICE=", "CUDAGEN_SIM_CHECKS=all")
		assert.Contains(t, out, "error: cuda: open device 0: CUDAGEN_SIM_CHECKS is set, and a GPU checks nothing; set CUDAGEN_DEVICE=sim, too, or unset it")
		out = inProcess(t, "open", "CUDAGEN_LIBCUDA="+good, "CUDAGEN_DEVICE=sim", "CUDAGEN_SIM_CHECKS=all")
		assert.Contains(t, out, "simulated: true")
		out = inProcess(t, "open", "CUDAGEN_LIBCUDA="+good, "CUDAGEN_DEVICE=", "CUDAGEN_SIM_CHECKS=everything")
		assert.Contains(t, out, `error: cuda: CUDAGEN_SIM_CHECKS=everything: there is no check "everything"`)
	})
}

// bothWaysOut is what OpenDefault says where nothing can be opened.
const bothWaysOut = `error: cuda: open a device: no GPU with a CUDA driver here: install NVIDIA's driver, or import _ "github.com/cudagen/cudagen/runtime/sim" to run on the simulated device: no CUDA driver`

// TestNoDriverAtAll looks for the system's driver. Where there is one, it is opened.
func TestNoDriverAtAll(t *testing.T) {
	out := inProcess(t, "open without simulator", "CUDAGEN_LIBCUDA=", "CUDAGEN_DEVICE=")
	if !strings.HasPrefix(out, "opened: device 0 (NVIDIA") {
		assert.Contains(t, out, bothWaysOut)
	}
	out = inProcess(t, "open", "CUDAGEN_LIBCUDA=", "CUDAGEN_DEVICE=")
	assert.Contains(t, out, "opened: device 0")
}

// TestLoadWithoutParamInfo: a driver before CUDA 12.4 cannot say where parameters are.
// What was proved at generation stands, and the kernels load.
func TestLoadWithoutParamInfo(t *testing.T) {
	silent := fakecuda.Build(t, fakecuda.Options{Without: []string{"cuKernelGetParamInfo"}})
	assert.Equal(t, "loaded: <nil>\n", inProcess(t, "load", "CUDAGEN_LIBCUDA="+silent))
}
