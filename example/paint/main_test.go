package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// Every kernel is a command with a flag for each of its parameters, and help of its comment.
func TestCommands(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	require.Len(t, commands, 3)
	for _, test := range []struct{ command, flag, help string }{
		{"rings", "-frequency=20.5", "Rings paints waves around two places."},
		{"checker", "-fields=0x10", "Checker paints a board that goes to the horizon."},
		{"triangles", "-shift=1", "Triangles paints the triangle of Sierpinski, by the bits of the place."},
	} {
		path := filepath.Join(t.TempDir(), "x.png")
		var out strings.Builder
		painted := func(flags ...string) (text string) {
			require.NoError(t, run(append([]string{test.command, "-width=40", "-height=24", "-o", path}, flags...), &out))
			file, err := os.Open(path)
			require.NoError(t, err)
			defer file.Close()
			img, err := png.Decode(file)
			require.NoError(t, err)
			assert.Equal(t, 40, img.Bounds().Dx())
			content, err := os.ReadFile(path)
			require.NoError(t, err)
			return string(content)
		}
		assert.NotEqual(t, painted(), painted(test.flag), "the flag reaches the kernel")
		assert.Error(t, run([]string{"nothing"}, &out))
		assert.Contains(t, out.String(), test.help)
	}
	var out strings.Builder
	assert.Error(t, run([]string{"triangles", "-shift=-1"}, &out), "an unsigned number")
	assert.Error(t, run([]string{"rings", "-fields=1"}, &out), "the flag of another kernel")
	assert.Contains(t, out.String(), "flag provided but not defined")
	assert.Error(t, run([]string{"rings", "-width=0"}, &out))
}

// checkTriangles compares a picture without rounding with Go.
func checkTriangles(t *testing.T, dev *cuda.Device) {
	triangles := func(k *Paint, s *cuda.Stream, pixels cuda.Slice[vec.UChar4], width, height int32) error {
		return k.Triangles.Launch(s, pixels, width, height, 1)
	}
	img, err := painted(dev, triangles, 50, 30)
	require.NoError(t, err)
	for y := range 30 {
		for x := range 50 {
			want := []byte{20, 20, 40, 255}
			if (x>>1)&(y>>1) == 0 {
				want = []byte{255, byte(200 - 200*y/30), 60, 255}
			}
			at := img.PixOffset(x, y)
			assert.Equal(t, want, img.Pix[at:at+4], "%d, %d", x, y)
		}
	}
}

func TestTriangles(t *testing.T) { checkTriangles(t, simtest.New(t)) }

func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	checkTriangles(t, dev)
}
