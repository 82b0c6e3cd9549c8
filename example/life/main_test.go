package main

import (
	"image/gif"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// plain plays in Go.
func (g *game) plain() (generations [][]byte) {
	cells := g.begin()
	for range g.generations {
		next := make([]byte, len(cells))
		for i := range cells {
			sum, x, y := byte(0), i%g.width, i/g.width
			for _, dy := range []int{-1, 0, 1} {
				for _, dx := range []int{-1, 0, 1} {
					sum += cells[(y+dy+g.height)%g.height*g.width+(x+dx+g.width)%g.width]
				}
			}
			if sum == 3 || sum == 4 && cells[i] == 1 {
				next[i] = 1
			}
		}
		cells = next
		generations = append(generations, cells)
	}
	return generations
}

func (g *game) played(t *testing.T, devices []*cuda.Device) (generations [][]byte) {
	require.NoError(t, g.play(devices, func(cells []byte) { generations = append(generations, slices.Clone(cells)) }))
	return generations
}

// Every cell is that of plain Go, on any number of devices: with one, each row has itself as its
// neighbour.
func TestPlay(t *testing.T) {
	g := &game{width: 41, height: 23, generations: 20}
	want := g.plain()
	for _, n := range []int{1, 2, 3} {
		assert.Equal(t, want, g.played(t, simtest.NewDevices(t, n)), "%d devices", n)
	}
}

// The control: without the rows of neighbours the generations differ.
func TestRowsAreNeeded(t *testing.T) {
	g := &game{width: 41, height: 24, generations: 3}
	half := &game{width: 41, height: 12, generations: 3}
	assert.NotEqual(t, g.plain()[2][:41*12], half.plain()[2])
}

func TestRun(t *testing.T) {
	var out strings.Builder
	path := filepath.Join(t.TempDir(), "x.gif")
	t.Setenv("CUDAGEN_SIM_DEVICES", "1")
	assert.ErrorContains(t, (&game{width: 8, height: 8, generations: 1}).run(&out, path), "CUDAGEN_SIM_DEVICES=2")
	t.Setenv("CUDAGEN_SIM_DEVICES", "2")
	assert.Error(t, (&game{width: 8, height: 1, generations: 1}).run(&out, path))
	require.NoError(t, (&game{width: 20, height: 30, generations: 3}).run(&out, path))
	assert.Contains(t, out.String(), "3 generations on 2 devices")
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	require.Len(t, picture.Image, 3)
	assert.Contains(t, picture.Image[0].Pix[:20*15], uint8(1))
	assert.Contains(t, picture.Image[0].Pix[20*15:], uint8(2))
}

// All GPUs play the same generations, be it one or several.
func TestOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	infos, err := cuda.Devices()
	require.NoError(t, err)
	var devices []*cuda.Device
	for i := range infos {
		dev, err := cuda.Open(i)
		require.NoError(t, err)
		defer dev.Close()
		devices = append(devices, dev)
	}
	g := &game{width: 333, height: 257, generations: 50}
	assert.Equal(t, g.plain(), g.played(t, devices))
}

// docs/life.gif is what the program paints.
func TestPicture(t *testing.T) {
	file, err := os.Open("../../docs/life.gif")
	require.NoError(t, err)
	defer file.Close()
	picture, err := gif.DecodeAll(file)
	require.NoError(t, err)
	g := &game{width: 96, height: 64, generations: 60}
	for i, cells := range g.plain() {
		require.Equal(t, g.colored(cells, 2).Pix, picture.Image[i].Pix, "generation %d", i)
	}
}
