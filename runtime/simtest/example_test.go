package simtest_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// A test of a kernel. It fails on a wrong result, on a fault of the kernel, and if something
// is left open.
func ExampleNew() {
	_ = func(t *testing.T) {
		dev := simtest.New(t)
		k, err := example.LoadKernels(dev)
		if err != nil {
			t.Fatal(err)
		}
		defer k.Close()
		s, err := dev.NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		x, err := cuda.Upload(s, []int32{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if err := k.AddDelta.Launch(s, x.All(), 10); err != nil {
			t.Fatal(err)
		}
		got := make([]int32, 3)
		if err := x.CopyTo(s, got); err != nil {
			t.Fatal(err)
		}
		if want := []int32{11, 12, 13}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// Several devices, which copy between each other.
func ExampleNewDevices() {
	_ = func(t *testing.T) {
		devices := simtest.NewDevices(t, 2)
		s, err := devices[0].NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		other, err := devices[1].NewStream()
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		x, err := cuda.Upload(s, []int32{1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		y, err := cuda.Alloc[int32](other, 3)
		if err != nil {
			t.Fatal(err)
		}
		defer y.Close()
		if err := errors.Join(cuda.Copy(y.All(), x.All()).Launch(s), s.Synchronize()); err != nil {
			t.Fatal(err)
		}
	}
}

// A test under twenty orders of blocks and warps. It fails if the result depends on the order.
func ExampleSweep() {
	_ = func(t *testing.T) {
		simtest.Sweep(t, 20, func(t *testing.T, dev *cuda.Device) {
			k, err := example.LoadKernels(dev)
			if err != nil {
				t.Fatal(err)
			}
			defer k.Close()
			// Launch, and compare.
		})
	}
}

// What kernels print goes to a writer, in place of the test's log.
func ExampleOutput() {
	_ = func(t *testing.T) {
		var out strings.Builder
		dev := simtest.New(t, simtest.Output(&out))
		_ = dev // launch a kernel that calls printf, wait, look at out
	}
}
