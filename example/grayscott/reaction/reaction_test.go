package reaction

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// made returns the frames that dev makes.
func (m Movie) made(t *testing.T, dev *cuda.Device) (frames [][]byte) {
	require.NoError(t, m.Show(dev, func(pixels []byte) { frames = append(frames, slices.Clone(pixels)) }))
	return frames
}

// Every pixel is that of plain Go.
func TestShow(t *testing.T) {
	m := Movie{Width: 37, Height: 33, Frames: 4, Steps: 20, Colors: 32}
	want := m.Plain()
	assert.NotEqual(t, want[0], want[3])
	assert.Equal(t, want, m.made(t, simtest.New(t)))
}

// A GPU makes the same pixels.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	m := Movie{Width: 256, Height: 200, Frames: 5, Steps: 40, Colors: 32}
	assert.Equal(t, m.Plain(), m.made(t, dev))
}
