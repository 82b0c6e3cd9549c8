package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func TestPrograms(t *testing.T) {
	t.Setenv("CUDAGEN_DEVICE", "sim")
	assert.Contains(t, output(t), "1000 steps of 48×48 cells: ")
}

// TestProgramsOnGPU has the GPU's results of the same programs, conditional nodes included.
func TestProgramsOnGPU(t *testing.T) {
	testenv.Need(t, testenv.GPU)
	t.Setenv("CUDAGEN_DEVICE", "0")
	assert.Contains(t, output(t), "1000 steps of 256×256 cells: ")
}

// output runs the programs and returns what they print.
func output(t *testing.T) string {
	picture := filepath.Join(t.TempDir(), "reaction.png")
	var out bytes.Buffer
	require.NoError(t, run(&out, picture))
	for _, want := range []string{
		"(1 + 2) * 3 * 3 = 27\n", "this runs on the host, and a[0] = 3\n", "this runs on the host, and a[0] = 5\n", "counted from 100 down to 42\n",
	} {
		assert.Contains(t, out.String(), want)
	}
	info, err := os.Stat(picture)
	require.NoError(t, err)
	assert.Positive(t, info.Size())
	t.Log(out.String())
	return out.String()
}

// TestHandlesBelongToGraphs: a kernel with the handle of a conditional runs in its graph only.
func TestHandlesBelongToGraphs(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	k, err := LoadKernels(dev)
	require.NoError(t, err)
	s, err := dev.NewStream()
	require.NoError(t, err)
	a, err := cuda.Upload(s, []int32{3})
	require.NoError(t, err)
	more, other := cuda.NewConditional(1), cuda.NewConditional(1)
	args := CountdownArgs{Conditional: more.Handle(), A: a.All()}
	count, err := k.Countdown.Prepare(one, args)
	require.NoError(t, err)
	assert.ErrorContains(t, count.Launch(s), "conditional exists only in a graph")
	node := cuda.NewNode(count)
	_, err = cuda.BuildGraph(node)
	assert.ErrorContains(t, err, "it has the handle of a conditional that no node of its graph, or of a graph around it, looks at")
	body, err := cuda.DefineGraph(node)
	require.NoError(t, err)
	_, err = cuda.BuildGraph(other.While(body))
	assert.ErrorContains(t, err, "it has the handle of a conditional")
	_, err = cuda.BuildGraph(more.While(body), more.If(body, nil))
	assert.ErrorContains(t, err, "another node has its condition")
	_, err = cuda.Capture(s, func(s *cuda.Stream) error { return count.Launch(s) })
	assert.NoError(t, err, "whether a graph has it shows when that is built")

	e, err := cuda.BuildGraph(more.While(body))
	require.NoError(t, err)
	defer e.Close()
	again, err := cuda.BuildGraph(more.While(body))
	require.NoError(t, err, "each graph has a handle of its own")
	defer again.Close()
	host := make([]int32, 1)
	run := func(e *cuda.GraphExec, want int32) {
		t.Helper()
		require.NoError(t, e.Launch(s))
		require.NoError(t, a.CopyTo(s, host))
		assert.Equal(t, want, host[0])
	}
	run(e, 0)
	args.Stop = -10
	require.NoError(t, count.Set(args))
	require.NoError(t, e.Update(node), "a node in a body")
	run(e, -10)
	run(again, -11)
}
