package cuda_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// oldImage is an image for every driver from CUDA 12.0, and not the example's own.
func oldImage() cuda.Image {
	ptx, err := os.ReadFile("../../example/kernels.ptx")
	if err != nil {
		panic(err)
	}
	data := string(ptx) + "// Another image.\n"
	sum := sha256.Sum256([]byte(data))
	return cuda.Image{Name: "kernels.ptx", Data: data, SHA256: hex.EncodeToString(sum[:])}
}

// runPrograms says which of the programs do what on the driver of CUDAGEN_LIBCUDA.
func runPrograms() int {
	library, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, row := range programs {
		err := (&attempt{side: fakeSide{library}, image: oldImage()}).run(row.run)
		fmt.Printf("%s: %v\n", row.name, err)
	}
	fmt.Println("left:", fakeSide{library}.live())
	return 0
}

// allRun is what runPrograms prints when nothing goes wrong.
func allRun() string {
	var b strings.Builder
	for _, row := range programs {
		fmt.Fprintf(&b, "%s: <nil>\n", row.name)
	}
	return b.String() + nothingLeft
}

const nothingLeft = "left: map[contexts:0 execs:0 graphs:0 libraries:0 memory:0 streams:0]\n"

// TestOldAndNewDrivers runs the programs on each driver from CUDA 12.0, and on one that
// demands a context where driver 580 does not.
func TestOldAndNewDrivers(t *testing.T) {
	testenv.Need(t, testenv.CC)
	run := func(o fakecuda.Options) string {
		return inProcess(t, "programs", "CUDAGEN_LIBCUDA="+fakecuda.Build(t, o), "CUDAGEN_DEVICE=")
	}
	t.Run("13.0", func(t *testing.T) { assert.Equal(t, allRun(), run(fakecuda.Options{})) })
	t.Run("13.2", func(t *testing.T) { assert.Equal(t, allRun(), run(fakecuda.Options{Version: 13020})) })
	// CUDA 13.5 announces that these will go.
	t.Run("13.5 without the graph calls for one kind of node", func(t *testing.T) {
		o := fakecuda.Options{Version: 13050}
		for e := driver.GraphAddKernelNode; e < driver.EntryPoint(driver.NumEntryPoints); e++ {
			o.Without = append(o.Without, e.Symbol())
		}
		assert.Equal(t, allRun(), run(o))
		o.Without = append(o.Without, driver.GraphAddNode.Symbol())
		assert.NotEqual(t, allRun(), run(o), "the control: nodes are added by the general call")
	})
	t.Run("demands a context", func(t *testing.T) {
		assert.Equal(t, allRun(), run(fakecuda.Options{DemandsContext: true}))
	})
	for _, version := range []int{12000, 12030, 12040, 12090} {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			out := run(fakecuda.Options{Version: version})
			for line := range strings.Lines(strings.TrimSuffix(out, nothingLeft)) {
				_, err, _ := strings.Cut(strings.TrimSpace(line), ": ")
				if err != "<nil>" { // the example's own PTX is as new as the example's compiler
					assert.Contains(t, err, "kernels.ptx is PTX 9.0, newer than this driver")
				}
			}
			assert.Contains(t, out, "libraries: <nil>\n")
			assert.True(t, strings.HasSuffix(out, nothingLeft), out)
		})
	}
	t.Run("11.8", func(t *testing.T) {
		out := run(fakecuda.Options{Version: 11080})
		assert.Contains(t, out, "is a driver for CUDA 11.8, but cudagen needs CUDA 12.0")
	})
	for e := driver.EntryPoint(0); e < driver.EntryPoint(driver.NumEntryPoints); e += driver.EntryPoint(testenv.Stride(8)) {
		if e.Required() {
			continue
		}
		t.Run("without "+e.Name(), func(t *testing.T) {
			out := run(fakecuda.Options{Without: []string{e.Symbol()}})
			for line := range strings.Lines(strings.TrimSuffix(out, nothingLeft)) {
				_, err, _ := strings.Cut(strings.TrimSpace(line), ": ")
				if err != "<nil>" {
					assert.Contains(t, err, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER")
				}
			}
			assert.True(t, strings.HasSuffix(out, nothingLeft), out)
		})
	}
}

// The example's kernels are launched on a driver that demands a context, with the same
// arguments.
func launchInContext() int {
	library, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	dev, err := cuda.Open(0)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer dev.Close()
	fmt.Println(launchSaxpy(dev), library.Launches()[0].Arguments[:8])
	return 0
}

func launchSaxpy(dev *cuda.Device) error {
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	x, err := cuda.Alloc[float32](s, 1000)
	if err != nil {
		return err
	}
	return k.Saxpy.Launch(s, 2, x.All(), x.All())
}

func TestLaunchInContext(t *testing.T) {
	for _, demands := range []bool{false, true} {
		path := fakecuda.Build(t, fakecuda.Options{DemandsContext: demands})
		assert.Equal(t, "<nil> [232 3 0 0 0 0 0 64]\n", inProcess(t, "launch in context", "CUDAGEN_LIBCUDA="+path))
	}
}
