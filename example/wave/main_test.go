package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/simtest"
)

// inGo computes in Go what the library computes, with a speed of 1.
func inGo(n, steps int) []float32 {
	before, now := plucked(n), plucked(n)
	for range steps {
		next := make([]float32, n)
		for i := 1; i < n-1; i++ {
			next[i] = 2*now[i] - before[i] + (now[i-1] - 2*now[i] + now[i+1])
		}
		before, now = now, next
	}
	return now
}

// move moves a string of n points on dev.
func move(t *testing.T, dev *cuda.Device, n, steps int) []float32 {
	t.Helper()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	str, err := NewString(dev, 1)
	require.NoError(t, err)
	defer func() { assert.NoError(t, str.Close()) }()
	var states [3]*cuda.Buffer[float32]
	for i := range states {
		states[i], err = cuda.Upload(s, plucked(n))
		require.NoError(t, err)
		defer states[i].Close()
	}
	step := func(s *cuda.Stream, i int) error {
		return str.Step(s, int32(n), states[i%3].All(), states[(i+1)%3].All(), states[(i+2)%3].All())
	}
	for i := range steps - 3 {
		require.NoError(t, step(s, i))
	}
	graph, err := cuda.Capture(s, func(s *cuda.Stream) error { // the last three steps are a graph
		for i := steps - 3; i < steps; i++ {
			if err := step(s, i); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	exec, err := graph.Instantiate()
	require.NoError(t, err)
	defer exec.Close()
	require.NoError(t, exec.Launch(s))
	got, err := states[(steps+1)%3].All().Download(s)
	require.NoError(t, err)
	return got
}

func testString(t *testing.T, dev *cuda.Device) {
	for _, n := range []int{4, 5, 60, 1000} {
		assert.InDeltaSlice(t, inGo(n, 33), move(t, dev, n, 33), 1e-4, "%d points", n)
	}
	_, err := NewString(dev, 2)
	assert.ErrorIs(t, err, BadValue)
}

func TestSimulated(t *testing.T) { testString(t, simtest.New(t)) }

// The same on a GPU, with the library.
func TestGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	nvcc := testenv.NVCCPath(t)
	library := filepath.Join(t.TempDir(), "libwave.so")
	out, err := exec.Command(nvcc, "-shared", "-Xcompiler", "-fPIC", "-o", library, "wave.cu").CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Setenv("CUDAGEN_LIBWAVE", library)
	dev, err := cuda.Open(0)
	require.NoError(t, err)
	defer dev.Close()
	testString(t, dev)
}

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(&out, simtest.New(t)))
	assert.Len(t, strings.Fields(out.String()), 7)
	_, err := os.Stat("wavelib_clib.go")
	require.NoError(t, err)
}
