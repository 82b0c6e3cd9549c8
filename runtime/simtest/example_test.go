package simtest_test

import (
	"slices"
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
