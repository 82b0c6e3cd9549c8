package cuda_test

import (
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestGraphEmptyGrid: a kernel whose computed grid has no blocks does not run, at whatever place
// in a graph. Its arguments would let a block change all elements.
func TestGraphEmptyGrid(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if isFake(dev) {
			return // it runs no kernels
		}
		k, s := loaded(t, dev)
		x := upload(t, s, make([]int32, 4))
		params := &struct {
			n     int32
			data  cuda.Ptr[int32]
			delta int32
		}{4, x.All().Ptr(), 1}
		var call cuda.Call
		prepare := func(blocks uint32) {
			cfg := cuda.LaunchConfig{Grid: cuda.Dim3{X: blocks, Y: 1, Z: 1}, Block: cuda.Dim(32)}
			require.NoError(t, cuda.Generated.Prepare(&call, k.AddDelta.Kernel, cfg, true, unsafe.Pointer(params), nil, x.All().Argument(4)))
		}
		define := func(last *cuda.Node) *cuda.Graph {
			g, err := cuda.DefineGraph(last)
			require.NoError(t, err)
			return g
		}
		for name, at := range map[string]func(*cuda.Node) *cuda.Node{
			"outside":   func(n *cuda.Node) *cuda.Node { return n },
			"in a node": func(n *cuda.Node) *cuda.Node { return define(n).ChildNode() },
			"deeper":    func(n *cuda.Node) *cuda.Node { return (define(define(n).ChildNode())).ChildNode() },
			"in a body": func(n *cuda.Node) *cuda.Node { return cuda.NewConditional(1).If(define(n), nil) },
		} {
			t.Run(name, func(t *testing.T) {
				after := cuda.NewNode(cuda.Fill(x.Slice(3, 4), 7))
				prepare(0)
				n := at(after.After(cuda.NewNode(&call)))
				run := func(e *cuda.GraphExec, want []int32) {
					t.Helper()
					require.NoError(t, cuda.Fill(x.All(), 0).Launch(s))
					require.NoError(t, e.Launch(s))
					assert.Equal(t, want, numbersOf(t, s, x))
				}
				e := built(t, n)
				run(e, []int32{0, 0, 0, 7})
				prepare(1)
				run(built(t, n), []int32{1, 1, 1, 7}) // the control
				if strings.HasPrefix(n.String(), "graph of") {
					assert.ErrorIs(t, e.Update(n), cuda.ErrNeedsInstantiation, "the driver has no kernel there")
					full := built(t, n)
					prepare(0)
					assert.ErrorIs(t, full.Update(n), cuda.ErrNeedsInstantiation)
					run(full, []int32{1, 1, 1, 7})
				}
				run(e, []int32{0, 0, 0, 7})
			})
		}
	})
}
