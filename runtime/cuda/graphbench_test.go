package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// BenchmarkGraphs measures what bench/graphs does, over the fake driver, whose own work is in the
// figures: compare them with others of one run.
func BenchmarkGraphs(b *testing.B) {
	dev, library := openFake(b)
	k, s := loaded(b, dev)
	x, y := upload(b, s, make([]float32, 256)), upload(b, s, make([]float32, 256))
	args := example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()}
	const nodes = 1000
	calls := make([]*example.SaxpyCall, nodes)
	prepared := make([]cuda.Prepared, nodes)
	for i := range calls {
		call, err := k.Saxpy.PrepareDefault(args)
		require.NoError(b, err)
		calls[i], prepared[i] = call, call
	}
	chain := func(n int) []*cuda.Node {
		var all []*cuda.Node
		for i := range n {
			node := cuda.NewNode(calls[i])
			if i > 0 {
				node.After(all[i-1])
			}
			all = append(all, node)
		}
		return all
	}
	all := chain(20)
	exec, err := cuda.BuildGraph(all[19])
	require.NoError(b, err)
	defer exec.Close()
	batch, err := cuda.NewBatch(prepared[:16]...)
	require.NoError(b, err)
	for _, work := range []struct {
		name string
		do   func() error
	}{
		{"launch 20", func() error { return exec.Launch(s) }},
		{"update", func() error { return exec.Update(all[7]) }},
		{"set and update", func() error {
			args.A++
			if err := calls[7].Set(args); err != nil {
				return err
			}
			return exec.Update(all[7])
		}},
		{"launch prepared", func() error { return calls[7].Launch(s) }},
		{"launch batch of 16", func() error { return batch.Launch(s) }},
		{"build 1000", func() error {
			nodes := chain(nodes)
			e, err := cuda.BuildGraph(nodes[len(nodes)-1])
			if err != nil {
				return err
			}
			return e.Close()
		}},
	} {
		b.Run(work.name, func(b *testing.B) {
			library.Reset()
			b.ReportAllocs()
			for b.Loop() {
				if err := work.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
