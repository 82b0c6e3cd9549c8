// Command graphs measures what graphs cost, each against C in one process and in paired rounds:
// launching one of 20 kernels, updating a kernel of it, building one of 1,000 kernels, and a
// batch of 16 kernels as a graph.
//
//	cc -O2 -shared -fPIC -o graphs.so graphs/c/graphs.c -ldl
//	go run ./graphs -c ./graphs.so
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// elements are few, so that the host is what is measured; the others are c/graphs.c's.
const (
	elements = 256
	nodes    = 20
	updated  = 7 // which of the nodes
	many     = 1000
	batch    = 16

	fewLaunches = 4 // of a batch, the last one as a graph
)

// A chain is launches of saxpy, one after the other, on a stream's own buffers.
type chain struct {
	calls []*example.SaxpyCall
	nodes []*cuda.Node
	args  example.SaxpyArgs
	exec  *cuda.GraphExec
	batch *cuda.Batch
}

// newBatch makes a batch of the calls.
func (c *chain) newBatch() (*cuda.Batch, error) {
	calls := make([]cuda.Prepared, len(c.calls))
	for i, call := range c.calls {
		calls[i] = call
	}
	return cuda.NewBatch(calls...)
}

// A bench works on one GPU, from Go and from C.
type bench struct {
	count   int
	dev     *cuda.Device
	kernels *example.Kernels
	streams *race.Streams
	c       cSide

	chains, batches [race.NumStreams]chain
}

// cSide is c/graphs.c.
type cSide struct {
	launch, update, batch func(number, count int32) float64
	build                 func(number int32) float64
}

// contestants are what runs in turns: C's ways and cudagen's.
type contestants struct {
	launchC, updateC, batchC, buildC *race.Contestant
	launch, update, set, build       *race.Contestant // of a graph
	unchanged, changed               *race.Contestant // a batch of 16 as a graph
	itself, itselfChanged            *race.Contestant // one that became a graph by itself
	newGraph, newNever               *race.Contestant // one that is made and launched a few times
}

func main() {
	defer race.End()
	c, image := race.NewCSide("graphs"), race.ImageFlag()
	rounds := flag.Int("rounds", 201, "paired rounds")
	count := flag.Int("count", 50, "operations in a round, then a synchronize")
	builds := flag.Int("builds", 15, "paired rounds of building")
	commands := race.PeerFlag("a command that launches a graph of 20 saxpys, too (may be given again)")
	flag.Parse()
	b := newBench(c, *image, *count)
	peers, end := race.OpenPeers(*commands, *image, *count)
	defer end()
	all := b.contestants()
	short := []*race.Contestant{all.launchC, all.launch, all.updateC, all.update, all.set, all.batchC, all.unchanged, all.changed, all.itself, all.itselfChanged, all.newNever, all.newGraph}
	race.Do(race.Run(append(short, peers...), *rounds))
	race.Do(race.Run([]*race.Contestant{all.buildC, all.build}, *builds))
	fmt.Printf("%s, %d rounds of %d, %d of building\n\n", race.Machine(b.dev), *rounds, *count, *builds)
	all.print(peers, *count)
}

// contestants are b's.
func (b *bench) contestants() contestants {
	inC := func(name string, f func(number, count int32) float64) *race.Contestant {
		return race.InC(name, func() float64 { return f(int32(b.streams.Next()), int32(b.count)) })
	}
	inGo := func(name string, f func(s *cuda.Stream) error) *race.Contestant {
		return &race.Contestant{Name: "Go, " + name, Run: b.streams.Repeat(b.count, 1, f)}
	}
	graph := func() *chain { return &b.chains[b.streams.Number()] }
	batch := func() *chain { return &b.batches[b.streams.Number()] }
	return contestants{
		launchC: inC("cuGraphLaunch of 20", b.c.launch),
		updateC: inC("cuGraphExecKernelNodeSetParams", b.c.update),
		batchC:  inC("16 launches", b.c.batch),
		buildC:  race.InC("build", func() float64 { return b.c.build(int32(b.streams.Next())) }),

		launch: inGo("GraphExec.Launch of 20", func(s *cuda.Stream) error { return graph().exec.Launch(s) }),
		update: inGo("Update", func(*cuda.Stream) error { c := graph(); return c.exec.Update(c.nodes[updated]) }),
		set:    inGo("Set and Update", func(*cuda.Stream) error { return graph().setAndUpdate() }),
		build:  &race.Contestant{Name: "Go, build", Run: b.build},

		unchanged:     inGo("batch of 16 as a graph", func(s *cuda.Stream) error { return batch().exec.Launch(s) }),
		changed:       inGo("batch of 16 as a graph, all updated", func(s *cuda.Stream) error { return batch().updateAll(s) }),
		itself:        inGo("batch of 16 that became a graph", func(s *cuda.Stream) error { return batch().batch.Launch(s) }),
		itselfChanged: inGo("batch of 16 that became a graph, all set", func(s *cuda.Stream) error { return batch().setAll(s) }),
		newGraph:      inGo("a new batch, launched four times", func(s *cuda.Stream) error { return batch().launchNew(s, false) }),
		newNever:      inGo("… NeverGraph", func(s *cuda.Stream) error { return batch().launchNew(s, true) }),
	}
}

// setAndUpdate changes the arguments of one kernel of the graph.
func (c *chain) setAndUpdate() error {
	c.args.A++
	if err := c.calls[updated].Set(c.args); err != nil {
		return err
	}
	return c.exec.Update(c.nodes[updated])
}

// updateAll launches the graph, all kernels of which are updated before.
func (c *chain) updateAll(s *cuda.Stream) error {
	for _, n := range c.nodes {
		if err := c.exec.Update(n); err != nil {
			return err
		}
	}
	return c.exec.Launch(s)
}

// setAll launches the batch, all calls of which get arguments before.
func (c *chain) setAll(s *cuda.Stream) error {
	for _, call := range c.calls {
		if err := call.Set(c.args); err != nil {
			return err
		}
	}
	return c.batch.Launch(s)
}

// launchNew makes a batch of the calls and launches it a few times.
func (c *chain) launchNew(s *cuda.Stream, never bool) error {
	batch, err := c.newBatch()
	if err != nil {
		return err
	}
	if never {
		batch.NeverGraph()
	}
	for range fewLaunches {
		if err := batch.Launch(s); err != nil {
			return err
		}
	}
	return nil
}

// print prints the table and the goals.
func (c *contestants) print(peers []*race.Contestant, count int) {
	fmt.Println("| what | C, ns (median) | Go, ns (median) | Go ÷ C (median, 95 % interval) | ns more (median, 95 % interval) | allocs |\n|---|---|---|---|---|---|")
	type row struct {
		what        string
		c, goes     *race.Contestant
		allocations bool
	}
	rows := []row{
		{"launch a graph of 20 kernels", c.launchC, c.launch, true}, {"update a kernel: Update", c.updateC, c.update, true},
		{"update a kernel: Set and Update", c.updateC, c.set, true}, {"build a chain of 1,000 prepared calls", c.buildC, c.build, false},
		{"a batch of 16 as a graph, beside 16 launches", c.batchC, c.unchanged, true}, {"… all 16 updated before", c.batchC, c.changed, true},
		{"a batch of 16 that became a graph, beside 16 launches", c.batchC, c.itself, true}, {"… all 16 set before", c.batchC, c.itselfChanged, true},
		{"a new batch of 16, launched 4 times, beside NeverGraph", c.newNever, c.newGraph, false},
	}
	for _, peer := range peers {
		rows = append(rows, row{"launch a graph of 20 kernels: " + peer.Name, c.launchC, peer, false})
	}
	for _, row := range rows {
		ratio, more := race.Compare(row.goes, row.c, race.Ratio), race.Compare(row.goes, row.c, race.Minus)
		allocs := "–"
		if row.allocations {
			allocs = fmt.Sprintf("%.2f", race.Allocations(row.goes.Run, count))
		}
		fmt.Printf("| %s | %.0f | %.0f | %.3f (%.3f–%.3f) | %.0f (%.0f–%.0f) | %s |\n", row.what, row.c.Median(), row.goes.Median(),
			ratio.Median, ratio.Low, ratio.High, more.Median, more.Low, more.High, allocs)
	}
	race.PrintGoals(append([]race.Goal{
		{What: "GraphExec.Launch of 20 kernels ÷ C", Limit: 1.05, Got: race.Compare(c.launch, c.launchC, race.Ratio)},
		{What: "Update of a kernel: ns more than C", Limit: 60, Got: race.Compare(c.update, c.updateC, race.Minus)},
		{What: "Set and Update: ns more than C", Limit: 100, Got: race.Compare(c.set, c.updateC, race.Minus)},
		{What: "building a chain of 1,000 calls ÷ C", Limit: 1.2, Got: race.Compare(c.build, c.buildC, race.Ratio)},
		{What: "a batch of 16 as a graph ÷ 16 launches", Limit: 0.05, Got: race.Compare(c.unchanged, c.batchC, race.Ratio)},
		{What: "… all 16 updated before", Limit: 0.12, Got: race.Compare(c.changed, c.batchC, race.Ratio)},
	}, race.PeerGoals("GraphExec.Launch", c.launch, peers)...))
}

// build builds a chain of 1,000 prepared calls and returns how long that took, without closing
// it.
func (b *bench) build() (float64, error) {
	c := &b.chains[b.streams.Next()]
	start := time.Now()
	var last *cuda.Node
	for i := range many {
		n := cuda.NewNode(c.calls[i%len(c.calls)])
		if last != nil {
			n.After(last)
		}
		last = n
	}
	exec, err := cuda.BuildGraph(last)
	elapsed := time.Since(start)
	if err != nil {
		return 0, err
	}
	return float64(elapsed.Nanoseconds()), exec.Close()
}

func newBench(c race.CSide, image string, count int) *bench {
	dev := race.Must(cuda.Open(0))
	b := &bench{count: count, dev: dev, kernels: race.Must(example.LoadKernels(dev)), streams: race.NewStreams(dev)}
	for i, s := range b.streams.All {
		b.make(&b.chains[i], s, nodes)
		b.make(&b.batches[i], s, batch)
	}
	race.Do(c.Open(race.Must(os.ReadFile(image)), map[string]any{"launch": &b.c.launch, "update": &b.c.update, "batch": &b.c.batch, "build": &b.c.build}))
	return b
}

// make fills c with n launches on s, and launches their graph once.
func (b *bench) make(c *chain, s *cuda.Stream, n int) {
	x := race.Must(cuda.Upload(s, make([]float32, elements)))
	y := race.Must(cuda.Upload(s, make([]float32, elements)))
	c.args = example.SaxpyArgs{A: 2, X: x.All(), Y: y.All()}
	for i := range n {
		call := race.Must(b.kernels.Saxpy.PrepareDefault(c.args))
		node := cuda.NewNode(call)
		if i > 0 {
			node.After(c.nodes[i-1])
		}
		c.calls, c.nodes = append(c.calls, call), append(c.nodes, node)
	}
	c.exec = race.Must(cuda.BuildGraph(c.nodes[n-1]))
	c.batch = race.Must(c.newBatch())
	for range fewLaunches {
		race.Do(c.batch.Launch(s))
	}
	race.Do(c.exec.Launch(s))
	race.Do(s.Synchronize())
}
