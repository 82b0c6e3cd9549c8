package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// The gradient is that of the loss, by differences, and the model gets better.
func testModel(t *testing.T, dev *cuda.Device) {
	const classes = 4
	m, err := newModel(dev, 200, classes)
	require.NoError(t, err)
	defer m.close()
	first, _, err := m.step(0.5)
	require.NoError(t, err)
	assert.InDelta(t, math.Log(classes), first, 1e-5)
	weights, err := m.weights.All().Download(m.stream)
	require.NoError(t, err)
	before, _, err := m.step(0)
	require.NoError(t, err)
	gradient, err := m.gradient.All().Download(m.stream)
	require.NoError(t, err)
	const small = 1e-2
	for i := range weights {
		moved := append([]float32(nil), weights...)
		moved[i] += small
		require.NoError(t, m.weights.CopyFrom(m.stream, moved))
		loss, _, err := m.step(0)
		require.NoError(t, err)
		assert.InDelta(t, gradient[i], (loss-before)/small, 0.03, "weight %d", i)
	}
	require.NoError(t, m.weights.CopyFrom(m.stream, weights))
	var loss, right float32
	for range 20 {
		loss, right, err = m.step(1)
		require.NoError(t, err)
	}
	assert.Less(t, loss, before)
	assert.Greater(t, right, float32(0.9))
}

func TestSimulated(t *testing.T) { testModel(t, simtest.New(t)) }

func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	testModel(t, dev)
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	require.NoError(t, run(&out, 300, 3, 20))
	assert.Regexp(t, `^step 0: loss 1\.099, 33\.3 % right\nstep 20: loss 0\.\d+, 9\d\.\d % right\n$`, out.String())
}

// A model that cannot be made leaves nothing behind: the device of the test looks.
func TestNoModel(t *testing.T) {
	_, err := newModel(simtest.New(t), -1, 3)
	assert.ErrorIs(t, err, cuda.ErrInvalidValue)
}
