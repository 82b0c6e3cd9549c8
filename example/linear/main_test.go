package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// In the middle of a plate with one hot edge of four it is a quarter as hot, by symmetry.
func testPlate(t *testing.T, dev *cuda.Device) {
	p, err := newPlate(dev, 7)
	require.NoError(t, err)
	defer p.close()
	for _, solve := range []func() error{p.lu, p.cholesky} {
		wrong, middle, err := p.solved(solve)
		require.NoError(t, err)
		assert.Less(t, wrong, 1e-11)
		assert.InDelta(t, 25, middle, 1e-12)
	}

	// A matrix that is not positive definite has no factor of Cholesky.
	require.NoError(t, p.work.Clear(p.stream))
	assert.Equal(t, cusolver.Info(1), p.cholesky())
}

func TestSimulated(t *testing.T) { testPlate(t, simtest.New(t)) }

func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	testPlate(t, dev)
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	require.NoError(t, run(&out, 5))
	assert.Regexp(t, `^LU: 25 equations, 25\.0 degrees in the middle, \|A x - b\| = \S+\nCholesky: 25 equations, 25\.0 degrees in the middle, \|A x - b\| = \S+\n$`, out.String())
}

// A plate that cannot be made leaves nothing behind: the device of the test looks.
func TestNoPlate(t *testing.T) {
	_, err := newPlate(simtest.New(t), 1<<14)
	assert.Error(t, err)
}
