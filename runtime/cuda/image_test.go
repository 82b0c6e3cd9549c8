package cuda_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestImageLineEnds: git's core.autocrlf gives PTX that was committed the line ends of Windows, and the Go file embeds
// it so. What is loaded is what was generated.
func TestImageLineEnds(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		image := imageOf(t, "")
		checkedOut := image
		checkedOut.Data = strings.ReplaceAll(image.Data, "\n", "\r\n")
		require.NotEqual(t, image.Data, checkedOut.Data)
		lib, err := dev.LoadKernels([]cuda.Image{checkedOut}, nil)
		require.NoError(t, err)
		defer lib.Close()
		same, err := dev.LoadLibrary(image)
		require.NoError(t, err)
		defer same.Close()
		assert.EqualValues(t, 1, dev.Stats().Images, "it is the same image")

		for name, data := range map[string]string{
			"another byte":     strings.Replace(checkedOut.Data, ".version", ".Version", 1),
			"a carriage alone": strings.Replace(image.Data, "\n", "\r", 1),
			"carriages twice":  strings.ReplaceAll(image.Data, "\n", "\r\r\n"),
		} {
			changed := image
			changed.Data = data
			_, err := dev.LoadKernels([]cuda.Image{changed}, nil)
			assert.ErrorIs(t, err, cuda.ErrABI, name)
		}
		machine := checkedOut
		machine.Targets = []string{"sm_90"}
		_, err = dev.LoadKernels([]cuda.Image{machine}, nil)
		assert.Error(t, err, "machine code has no lines")
		_, err = dev.LoadLibrary(checkedOut)
		assert.ErrorIs(t, err, cuda.ErrABI, "a program that made the image itself says what it means")
	})
}

// TestNewImage: data without generated code becomes an image that loads.
func TestNewImage(t *testing.T) {
	want := imageOf(t, "")
	got := cuda.NewImage(want.Name, want.Data)
	assert.Equal(t, want, got)
	got.Data += "\n"
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		_, err := dev.LoadLibrary(got)
		assert.ErrorContains(t, err, "make the Image with NewImage")
		assert.ErrorIs(t, err, cuda.ErrABI)
	})
}
