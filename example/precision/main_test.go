package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// checkSums compares with plain Go: divisions and sums round once, and are the same on every device.
func checkSums(t *testing.T, dev *cuda.Device) {
	k, err := LoadPrecision(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	const n = 1000
	var float [2]float32
	var double [2]float64
	for i := 1; i <= n; i++ {
		float[0] += 1 / float32(i)
		float[1] += 1 / float32(n+1-i)
		double[0] += 1 / float64(i)
		double[1] += 1 / float64(n+1-i)
	}
	gotFloat, err := sums(s, n, k.Float.Launch)
	require.NoError(t, err)
	assert.Equal(t, float[:], gotFloat)
	gotDouble, err := sums(s, n, k.Double.Launch)
	require.NoError(t, err)
	assert.Equal(t, double[:], gotDouble)

	half, err := sums(s, n, k.Half.Launch)
	require.NoError(t, err)
	assert.InDelta(t, 7.08, half[0].Float32(), 0.01, "the sum stops to grow")
	assert.InDelta(t, exact(n), half[1].Float32(), 0.3)
}

func TestSums(t *testing.T) { checkSums(t, simtest.New(t)) }

func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	checkSums(t, dev)
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var out strings.Builder
	require.NoError(t, run(&out, 2000))
	assert.Contains(t, out.String(), "= 8.178368103610\n")
	assert.Contains(t, out.String(), "  double  8.178368103610     8.178368103610\n")
}
