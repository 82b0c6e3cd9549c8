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

// plain computes rows in Go.
func plain(number uint8, width, rows int) [][]uint8 {
	row := make([]uint8, width)
	row[width/2] = 1
	list := [][]uint8{row}
	for len(list) < rows {
		next := make([]uint8, width)
		for i := range next {
			next[i] = number >> (4*row[(i+width-1)%width] + 2*row[i] + row[(i+1)%width]) & 1
		}
		list, row = append(list, next), next
	}
	return list
}

// Every cell is that of plain Go: the kernel calls the function of the other file, which reads the
// constant that Go has set.
func TestCompute(t *testing.T) {
	for _, number := range []uint8{0, 30, 90, 110, 255} {
		list, err := compute(simtest.New(t), number, 150, 40)
		require.NoError(t, err)
		assert.Equal(t, plain(number, 150, 40), list, number)
	}
}

func TestRun(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	var b strings.Builder
	require.NoError(t, run(&b, 90, 15, 5))
	assert.Equal(t, "       ▲\n      ▲ ▲\n     ▲   ▲\n    ▲ ▲ ▲ ▲\n   ▲       ▲\n", b.String())
	assert.Error(t, run(&b, 256, 15, 5))
	assert.Error(t, run(&b, 90, 0, 5))
}

func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	dev, err := cuda.OpenDefault()
	require.NoError(t, err)
	defer dev.Close()
	list, err := compute(dev, 30, 1000, 200)
	require.NoError(t, err)
	assert.Equal(t, plain(30, 1000, 200), list)
}
