package cuda_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestGraphDOT shows names, configurations, arguments and what is disabled.
func TestGraphDOT(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		fill := cuda.NewNode(cuda.Fill(x.All(), 1)).Named(`say "one"`)
		inner, err := cuda.DefineGraph(cuda.NewNode(adding(t, k, x, 1)))
		require.NoError(t, err)
		e := built(t, inner.ChildNode().After(fill))
		require.NoError(t, e.Disable(fill))
		dot := e.DOT()
		for _, want := range []string{
			`n0 [label="say \"one\" (fill 4 × 4 bytes with 1)" style=dashed]`, "n0 -> n1", `n1 [label="graph of 1 nodes"]`,
			"subgraph cluster_n1_0_ {", `add_delta<<<1,128>>>\n20 bytes of parameters\nn = 4\ndata = 0x`, `\ndelta = 1"]`, "n1 -> n1_0_0 [style=dotted]",
		} {
			assert.Contains(t, dot, want)
		}
		assert.Equal(t, strings.Count(dot, "{"), strings.Count(dot, "}"))
		assert.NotContains(t, e.Definition().DOT(), "dashed")
	})
}

// TestGraphDOTArguments: values are typed where the generated code knows the types, else bytes.
func TestGraphDOTArguments(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		out, in := upload(t, s, make([]float32, 16)), upload(t, s, make([]float32, 16))
		step, err := k.HeatStep.PrepareDefault(example.HeatStepArgs{Out: out.All(), In: in.All(), Columns: 4, Rows: 4})
		require.NoError(t, err)
		saxpy, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 2.5, X: in.Slice(0, 0), Y: in.Slice(0, 0)})
		require.NoError(t, err)
		numbers := upload(t, s, make([]int32, 4))
		g, err := cuda.Capture(s, func(s *cuda.Stream) error {
			require.NoError(t, adding(t, k, numbers, 259).Launch(s))
			return k.AddDelta.Launch(s, numbers.All(), 258)
		})
		require.NoError(t, err)
		last := g.ChildNode().After(cuda.NewNode(step), cuda.NewNode(saxpy), cuda.NewNode(new(example.SaxpyCall)))
		all, err := cuda.DefineGraph(last)
		require.NoError(t, err)
		dot := all.DOT()
		for _, want := range []string{fmt.Sprintf(`\nn = 0\na = 2.5\nx = %#x\ny = %#[1]x"`, in.All().Address()), `\ncolumns = 4\nrows = 4"`, `\nn = bytes 04 00 00 00\ndata = 0x`, `\ndelta = bytes 02 01 00 00"`, `\ndelta = 259"`, "no arguments yet"} {
			assert.Contains(t, dot, want)
		}
	})
}

// A picture of a bound kernel shows its parameters, not the owners behind them, and a struct that looks like an address.
func TestGraphDOTOfBoundKernels(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		lib, s := loadLibrary(t, dev, examplesPTX(t)), newStream(t, dev)
		type owned struct {
			N    int32
			A    float32
			X, Y cuda.Slice[float32]
			Own  cuda.Owner
			More []cuda.Owner
		}
		saxpy, err := cuda.Bind[owned](lib, "saxpy")
		require.NoError(t, err)
		x := upload(t, s, make([]float32, 4))
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(32)}
		call, err := saxpy.Prepare(cfg, owned{4, 2.5, x.All(), x.All(), x.All().Owner(), []cuda.Owner{x.All().Owner()}})
		require.NoError(t, err)
		g, err := cuda.Capture(s, call.Launch)
		require.NoError(t, err)
		assert.Contains(t, g.DOT(), `\nN = 4\nA = 2.5\nX = 0x`)

		type delta struct{ addr int32 }
		type added struct {
			N     int32
			Data  cuda.Slice[int32]
			Delta delta
		}
		add, err := cuda.Bind[added](lib, "add_delta")
		require.NoError(t, err)
		adding, err := add.Prepare(cfg, added{32, upload(t, s, make([]int32, 32)).All(), delta{7}})
		require.NoError(t, err)
		g, err = cuda.DefineGraph(cuda.NewNode(adding))
		require.NoError(t, err)
		assert.Contains(t, g.DOT(), `\nDelta = {addr:7}`)
	})
}

// TestGraphTimedDOT times the nodes, which do their work once more.
func TestGraphTimedDOT(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		off := cuda.NewNode(cuda.Fill(x.All(), 1))
		n := cuda.NewNode(adding(t, k, x, 1)).After(off)
		e := built(t, n)
		require.NoError(t, e.Disable(off))
		dot, err := e.TimedDOT(s)
		require.NoError(t, err)
		assert.Regexp(t, `n1 \[label="add_delta.*\\ndelta = 1\\n[0-9.]+(ns|µs|ms|s)"\]`, dot)
		assert.Regexp(t, `n0 \[label="fill 4 × 4 bytes with 1" style=dashed\]`, dot, "it was not run")
		if got := numbersOf(t, s, x); !isFake(dev) {
			assert.Equal(t, int32(1), got[0], "once")
		}
		require.NoError(t, e.Update(n), "the exec has its nodes")
		require.NoError(t, e.Launch(s))
		_, err = e.TimedDOT(nil)
		assert.ErrorIs(t, err, cuda.ErrInvalidValue)
		require.NoError(t, x.Close())
		_, err = e.TimedDOT(s)
		assert.ErrorIs(t, err, cuda.ErrClosed)
		require.NoError(t, e.Close())
		_, err = e.TimedDOT(s)
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}
