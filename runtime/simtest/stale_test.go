package simtest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// empty is the image of testdata/fresh/k.cu and the others.
var empty = image(".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n")

// Code whose sources were edited since it was generated fails the tests that load it, once each.
func TestStale(t *testing.T) {
	for _, test := range []struct {
		name    string
		load    func(*cuda.Device) (*cuda.Library, error)
		options []Option
		want    string
	}{
		{"fresh", loadFresh, nil, ""},
		{"stale", loadStale, nil, "k.cu changed: run go generate, or undo the change"},
		{"allowed", loadStale, []Option{AllowStale()}, ""},
		{"the record of another run", loadOtherRun, nil, "the Go code that loads k.ptx is of another run than "},
		{"no record", loadUnrecorded, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &recorder{TB: t}
			dev := New(r, test.options...)
			for range 2 {
				library, err := test.load(dev)
				require.NoError(t, err)
				require.NoError(t, library.Close())
			}
			r.end()
			if test.want == "" {
				assert.Empty(t, r.errors)
				return
			}
			require.Len(t, r.errors, 1)
			assert.Contains(t, r.errors[0], test.want)
			assert.Contains(t, r.errors[0], "testdata")
		})
	}
}

// Main reports what any device loads.
func TestMainReportsStale(t *testing.T) {
	var out bytes.Buffer
	code := run(func() int {
		dev, err := cuda.OpenSimulator()
		require.NoError(t, err)
		defer dev.Close()
		_, err = loadStale(dev)
		require.NoError(t, err)
		return 0
	}, &out)
	assert.Equal(t, 1, code)
	assert.Contains(t, out.String(), "k.cu changed: run go generate")
}

// The functions stand where line directives say, as generated code stands in its folder: by the path of the
// module, as with -trimpath.

func loadFresh(dev *cuda.Device) (*cuda.Library, error) {
//line github.com/cudagen/cudagen/runtime/simtest/testdata/fresh/k_cuda.go:1
	return dev.LoadKernels([]cuda.Image{empty}, nil)
}

func loadStale(dev *cuda.Device) (*cuda.Library, error) {
//line github.com/cudagen/cudagen/runtime/simtest/testdata/stale/k_cuda.go:1
	return dev.LoadKernels([]cuda.Image{empty}, nil)
}

func loadOtherRun(dev *cuda.Device) (*cuda.Library, error) {
//line github.com/cudagen/cudagen/runtime/simtest/testdata/otherrun/k_cuda.go:1
	return dev.LoadKernels([]cuda.Image{empty}, nil)
}

func loadUnrecorded(dev *cuda.Device) (*cuda.Library, error) {
//line github.com/cudagen/cudagen/runtime/simtest/testdata/none/k_cuda.go:1
	return dev.LoadKernels([]cuda.Image{empty}, nil)
}
