package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A graph of nothing but copies and fills of no elements is one of their device, as with elements.
func TestGraphsOfNothing(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, err := dev.NewStream()
		require.NoError(t, err)
		defer s.Close()
		x := upload(t, s, make([]int32, 4))
		none := x.Slice(2, 2)
		captured, err := cuda.Capture(s, func(s *cuda.Stream) error { return cuda.Copy(none, x.Slice(1, 1)).Launch(s) })
		require.NoError(t, err)
		fill := cuda.NewNode(cuda.Fill(none, 1))
		filled, err := cuda.DefineGraph(fill)
		require.NoError(t, err)
		for _, g := range []*cuda.Graph{captured, filled} {
			e, err := g.Instantiate()
			require.NoError(t, err)
			assert.NoError(t, e.Launch(s))
			require.NoError(t, e.Close())
		}
		closed := upload(t, s, make([]int32, 4))
		require.NoError(t, closed.Close())
		_, err = cuda.BuildGraph(cuda.NewNode(cuda.Fill(closed.Slice(0, 0), 1)))
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

// A graph in a node that has memory or a conditional of its own cannot be updated, and the error says that.
func TestUpdatesOfUniqueGraphs(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, err := dev.NewStream()
		require.NoError(t, err)
		defer s.Close()
		x := upload(t, s, make([]int32, 4))
		c := cuda.NewConditional(0)
		body, err := cuda.DefineGraph(cuda.NewNode(cuda.Fill(x.All(), 1)))
		require.NoError(t, err)
		inner, err := cuda.DefineGraph(c.If(body, nil))
		require.NoError(t, err)
		node := inner.ChildNode()
		e, err := cuda.BuildGraph(node)
		if err != nil {
			assert.False(t, dev.IsSimulated(), err) // not every driver has conditionals there
			return
		}
		defer e.Close()
		err = e.Update(node)
		assert.ErrorIs(t, err, cuda.ErrNeedsInstantiation)
		assert.ErrorContains(t, err, "a node of its graph is conditional, which cannot be updated")
	})
}
