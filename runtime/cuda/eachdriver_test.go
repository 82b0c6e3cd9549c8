//go:build !race && !cudagen_portable

package cuda_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
)

// testedVersions are those that something came with: typed graph calls only, all nodes and
// edges, offsets of parameters, else and switch, and the newest.
var testedVersions = []int{12000, 12030, 12040, 12080, 13000}

// besideDrivers are tests that are not run on each version: those with drivers of their own,
// those that only wait, and TestSameCallsOnBothSides, whose other side has calls of 13.0.
const besideDrivers = "^(TestSuiteOnEachDriver|TestArm64|TestPeers|TestOldAndNewDrivers|TestFailNth|TestLaunchInContext|TestOpenDefault|TestDeviceInfo|" +
	"TestCopiesAreChecked|TestStreamCloseStopsAKernel|TestCloseStopsAKernel|TestTenThousandWaiters|TestCloseABufferDuringALaunch|TestCloseDuring.*|" +
	"TestDriverWithoutAttributes|TestTenThousandCopies|TestPoolLimit|TestLoadWithoutParamInfo|TestManyAreLinear|TestLateCalls|TestRequestsLeaveNothing|TestAfterAFault|TestEndOfLife|TestEndOfLifeIsFound|TestEndOfDevice|TestEndBeside|TestHandOver|TestOtherDevice|TestVetFindsCopies|TestMisuseIsComplete|TestStress|TestOnGPU|TestProgramsOnGPU|TestSameCallsOnBothSides)$|/^simulator$"

// TestSuiteOnEachDriver runs the tests that have used the fake driver before again for each version
// of the driver, which has the entry points of that version alone: for all in an exhaustive run, else
// for the oldest.
func TestSuiteOnEachDriver(t *testing.T) {
	testenv.Need(t, testenv.CC)
	t.Parallel() // after the tests that are not
	self, err := os.Executable()
	require.NoError(t, err)
	run := "."
	if len(onFake) > 0 {
		run = "^(" + strings.Join(slices.Sorted(maps.Keys(onFake)), "|") + ")$"
	}
	for _, version := range testedVersions[:testenv.Cases(1, len(testedVersions))] {
		t.Run(cudaText(version), func(t *testing.T) {
			t.Parallel()
			command := exec.Command(self, "-test.v", "-test.run="+run, "-test.skip="+besideDrivers)
			command.Env = append(os.Environ(), fmt.Sprintf("%s=%d", driverVersion, version), "CUDAGEN_LIBCUDA=", "CUDAGEN_DEVICE=")
			out, err := command.CombinedOutput()
			require.NoError(t, err, "%s", failures(string(out)))
			assert.Greater(t, len(regexp.MustCompile(`(?m)^ +--- PASS: \w+/fake_libcuda`).FindAll(out, -1)), 50, "tests on the fake driver")
		})
	}
	t.Run("the control: the driver is that of the version", func(t *testing.T) {
		command := exec.Command(self, "-test.v", "-test.run=^TestSameCallsOnBothSides$")
		command.Env = append(os.Environ(), driverVersion+"=12000", "CUDAGEN_LIBCUDA=")
		out, err := command.CombinedOutput()
		assert.Error(t, err)
		assert.Contains(t, string(out), `- (string) (len=20) "cuGraphAddKernelNode"`)
	})
}

func cudaText(version int) string { return fmt.Sprintf("%d.%d", version/1000, version%1000/10) }

// failures returns the end of a test's output, and the names of the tests that failed.
func failures(out string) string {
	failed := strings.Join(regexp.MustCompile(`(?m)^ *--- FAIL.*$`).FindAllString(out, -1), "\n")
	return out[max(0, len(out)-4000):] + "\n" + failed
}

// TestDriversAreDocumented: docs/drivers.md names the versions on which the tests are run.
func TestDriversAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/drivers.md")
	require.NoError(t, err)
	var list []string
	for _, version := range testedVersions {
		list = append(list, cudaText(version))
	}
	last := len(list) - 1
	assert.Contains(t, string(text), "| the fake one, CUDA "+strings.Join(list[:last], ", ")+" and "+list[last]+" |")
}
