package cuda_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A conditional has its initial value when its graph is launched, whatever the launch before has set. In a launch it keeps what
// was set: in all rounds of a While node, too.
func TestConditionalsBeginAnew(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		if !dev.IsSimulated() && os.Getenv(onGPU) == "" {
			return // the fake executes no PTX
		}
		s := newStream(t, dev)
		lib := loadLibrary(t, dev, imageOfPTX(modelPTX))
		type decides struct {
			H     cuda.ConditionalHandle
			X     cuda.Slice[int32]
			Limit int32
		}
		type affine struct {
			X       cuda.Slice[int32]
			N, A, B int32
		}
		decide, err := cuda.Bind[decides](lib, "decide")
		require.NoError(t, err)
		add, err := cuda.Bind[affine](lib, "affine")
		require.NoError(t, err)
		one := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
		// sets is a node that sets c to x[0] % limit, and halves x[0].
		sets := func(c *cuda.Conditional, x cuda.Slice[int32], limit int32) *cuda.Node {
			call, err := decide.Prepare(one, decides{c.Handle(), x, limit})
			require.NoError(t, err)
			return cuda.NewNode(call)
		}
		define := func(nodes ...*cuda.Node) *cuda.Graph {
			g, err := cuda.DefineGraph(nodes...)
			require.NoError(t, err)
			return g
		}
		numbers := upload(t, s, []int32{9, 0, 8, 1, 0, 0})
		counted := func(i int) *cuda.Graph {
			call, err := add.Prepare(one, affine{numbers.Slice(i, i+1), 1, 1, 1})
			require.NoError(t, err)
			return define(cuda.NewNode(call))
		}
		read := func() []int32 {
			list, err := numbers.All().Download(s)
			require.NoError(t, err)
			return list
		}

		branch := cuda.NewConditional(0)
		taken := branch.If(counted(1), nil)
		e, err := cuda.BuildGraph(sets(branch, numbers.Slice(0, 1), 5).After(taken))
		require.NoError(t, err)
		defer e.Close()
		for range 2 {
			require.NoError(t, e.Launch(s))
		}
		assert.Equal(t, []int32{2, 0}, read()[:2], "what was set behind the branch is gone")

		// Five rounds; in the first, which alone comes to first's body, inner is set to 1.
		loop, first, inner := cuda.NewConditional(1), cuda.NewConditional(1), cuda.NewConditional(0)
		once := sets(inner, numbers.Slice(3, 4), 5)
		begun := first.If(define(once, sets(first, numbers.Slice(4, 5), 5).After(once)), nil)
		counts := inner.If(counted(5), nil).After(begun)
		rounds, err := cuda.BuildGraph(loop.While(define(begun, counts, sets(loop, numbers.Slice(2, 3), 7).After(counts))))
		require.NoError(t, err)
		defer rounds.Close()
		require.NoError(t, rounds.Launch(s))
		assert.Equal(t, []int32{0, 0, 0, 5}, read()[2:], "inner keeps its value in the launch")
	})
}
