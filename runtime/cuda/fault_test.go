package cuda_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// faulted makes a kernel on dev access what is not its own, and returns the error that
// comes of it, with what is still open then.
func faulted(dev *cuda.Device) (k *example.Kernels, s *cuda.Stream, x *cuda.Buffer[int32], err error) {
	if k, err = example.LoadKernels(dev); err != nil {
		return
	}
	if s, err = dev.NewStream(); err != nil {
		return
	}
	if x, err = cuda.Upload(s, make([]int32, 100)); err != nil {
		return
	}
	if err = k.AddDelta.Launch(s, cuda.Stretched(x.All(), 1<<30), 1); err != nil {
		return
	}
	return k, s, x, s.Synchronize()
}

// afterFault says what does not hold of a device that a kernel's fault has ended. In its
// place the simulator opens another; no driver does.
func afterFault(open func() (*cuda.Device, error), fault func(dev *cuda.Device) (*example.Kernels, *cuda.Stream, *cuda.Buffer[int32], error)) error {
	dev, err := open()
	if err != nil {
		return err
	}
	k, s, x, err := fault(dev)
	var first, later *cuda.Error
	if !errors.As(err, &first) || !errors.Is(err, cuda.ErrIllegalAddress) || first.First != nil {
		return fmt.Errorf("the first error: %w", err)
	}
	for name, call := range map[string]func() error{
		"launch":      func() error { return k.AddDelta.Launch(s, x.All(), 1) },
		"copy":        func() error { return x.CopyTo(s, make([]int32, 100)) },
		"synchronize": dev.Synchronize,
		"allocate":    func() error { _, err := cuda.Alloc[int32](s, 10); return err },
	} {
		if err := call(); !errors.As(err, &later) || later.First != first {
			return fmt.Errorf("%s after the first error: %w", name, err)
		}
	}
	x.Close()
	s.Close()
	k.Close()
	if err := dev.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	simulated := dev.IsSimulated()
	dev, err = open()
	switch {
	case !simulated && (!errors.Is(err, cuda.ErrIllegalAddress) || !strings.Contains(err.Error(), "start the process again")):
		return fmt.Errorf("open again on a driver: %w", err)
	case !simulated:
		return nil
	case err != nil:
		return fmt.Errorf("open again: %w", err)
	}
	if err := small(dev); err != nil {
		return fmt.Errorf("work again: %w", err)
	}
	return dev.Close()
}

// TestFaultEndsTheDevice: after a kernel's fault every call names it, and the simulated
// device can be opened again.
func TestFaultEndsTheDevice(t *testing.T) {
	t.Run("simulator", func(t *testing.T) {
		assert.NoError(t, afterFault(cuda.OpenSimulator, faulted))
	})
	t.Run("fake libcuda", func(t *testing.T) {
		library := loadFake(t)
		assert.NoError(t, afterFault(func() (*cuda.Device, error) { return cuda.Open(0) },
			func(dev *cuda.Device) (*example.Kernels, *cuda.Stream, *cuda.Buffer[int32], error) {
				k, s, x, err := faulted(dev)
				require.NoError(t, err, "the fake runs no kernel")
				library.FailLate(1, int(driver.ErrorIllegalAddress))
				s.Synchronize()
				return k, s, x, s.Synchronize()
			}))
	})
	t.Run("GPU", func(t *testing.T) {
		testenv.Need(t, testenv.GPU)
		assert.Equal(t, "<nil>\n", inProcess(t, "fault", "CUDAGEN_LIBCUDA="))
	})
}

func openDefaultAfterFault() int {
	fmt.Println(afterFault(cuda.OpenDefault, faulted))
	return 0
}
