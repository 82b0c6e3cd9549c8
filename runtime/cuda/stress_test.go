package cuda_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestStress runs all kinds of calls while the collector runs all the time, overwrites
// what it frees, and checks its marks; stacks grow between calls and goroutines migrate.
func TestStress(t *testing.T) {
	path := fakecuda.Build(t, fakecuda.Options{})
	for _, godebug := range []string{"clobberfree=1", "gccheckmark=1", "asyncpreemptoff=1,clobberfree=1"} {
		t.Run(godebug, func(t *testing.T) {
			out := inProcess(t, "stress", "CUDAGEN_LIBCUDA="+path, "GOGC=1", "GODEBUG="+godebug, "CUDAGEN_LEAKS=1")
			assert.Equal(t, "simulator: <nil>\nfake libcuda: <nil>\n", out)
		})
	}
	t.Run("control: results are looked at", func(t *testing.T) {
		assert.Contains(t, inProcess(t, "stress nothing", "CUDAGEN_LIBCUDA="+path), "simulator: got [")
	})
}

func stressAll(launch bool) int {
	dev, err := cuda.OpenSimulator()
	if err == nil {
		err = stress(dev, launch, 3)
	}
	fmt.Println("simulator:", err)
	library, err := fakecuda.LoadFile(os.Getenv("CUDAGEN_LIBCUDA"))
	if err == nil {
		dev, err = cuda.Open(0)
	}
	if err == nil {
		library.Slow(100 * time.Microsecond)
		err = stress(dev, launch, 20)
	}
	fmt.Println("fake libcuda:", err)
	return 0
}

// stress closes dev.
func stress(dev *cuda.Device, launch bool, rounds int) error {
	k, err := example.LoadKernels(dev)
	if err != nil {
		return err
	}
	wrong := make(chan error, 4)
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range rounds {
				if err := stressOnce(dev, k, int32(g*rounds+i), launch); err != nil {
					wrong <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(wrong)
	return errors.Join(<-wrong, k.Close(), dev.Close())
}

func stressOnce(dev *cuda.Device, k *example.Kernels, seed int32, launch bool) error {
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	host := make([]int32, 300)
	for i := range host {
		host[i] = seed + int32(i)
	}
	x, err := cuda.Upload(s, host)
	if err != nil {
		return err
	}
	grow(int(seed)%7 + 1)
	if launch {
		if err := k.AddDelta.Launch(s, x.All(), 1); err != nil {
			return err
		}
		runtime.Gosched()
		grow(int(seed)%5 + 1)
	}
	got := make([]int32, 300)
	if err := x.CopyTo(s, got); err != nil {
		return err
	}
	want := slices.Clone(host)
	for i := range want {
		if dev.IsSimulated() {
			want[i]++
		}
	}
	if !slices.Equal(want, got) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return errors.Join(x.Close(), s.Close())
}

// grow makes the goroutine's stack grow, and garbage.
func grow(n int) byte {
	var frame [1 << 12]byte
	frame[n] = byte(len(bytes.Repeat([]byte{1}, n)))
	if n == 0 {
		return frame[0]
	}
	return grow(n-1) + frame[n]
}

// TestArm64 runs the tests of closing and launching for linux/arm64 in an emulator.
func TestArm64(t *testing.T) {
	testenv.Need(t, testenv.Long)
	if runtime.GOARCH == "arm64" {
		return // all the other tests are this one
	}
	cc, qemu := testenv.CCArm64Path(t), testenv.QemuArm64Path(t)
	binary := filepath.Join(t.TempDir(), "cuda.test")
	build := exec.Command(testenv.GoPath(t), "test", "-c", "-o", binary, ".")
	build.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := exec.Command(qemu, "-L", "/usr/aarch64-linux-gnu", binary, "-test.run=Close|ArgumentBytes|AllocatesNothing")
	run.Env = append(os.Environ(), "CC="+cc)
	ran, err := run.CombinedOutput()
	require.NoError(t, err, "%s", ran)
	assert.Contains(t, string(ran), "PASS")
}
