// Command overhead measures what cudagen adds to a launch: generated launches, prepared
// calls and batches over a driver whose cuLaunchKernel is empty, against an empty call
// into C.
//
//	cc -O2 -shared -fPIC -pthread -DFAKE_VERSION=13000 -DFAKE_EMPTY_LAUNCH \
//	  -o libcuda.so.1 ../internal/fakecuda/src/libcuda.c
//	go run ./overhead -fake ./libcuda.so.1
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/ebitengine/purego"

	"github.com/cudagen/cudagen/bench/kernels"
	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	defer race.End()
	fake := flag.String("fake", "./libcuda.so.1", "the fake driver")
	rounds := flag.Int("rounds", 101, "paired rounds")
	count := flag.Int("count", 20000, "calls in a round")
	flag.Parse()
	run(*fake, *rounds, *count)
}

// batchCalls is how many calls a batch has.
const batchCalls = 16

func run(fake string, rounds, count int) {
	path := race.Must(filepath.Abs(fake))
	os.Setenv("CUDAGEN_LIBCUDA", path)
	dev := race.Must(cuda.Open(0))
	k := race.Must(example.LoadKernels(dev))
	own := race.Must(kernels.LoadKernels(dev))
	s := race.Must(dev.NewStream())
	x := race.Must(cuda.Alloc[float32](s, 1000))
	handle := race.Must(purego.Dlopen(path, purego.RTLD_NOW))
	empty := race.Must(purego.Dlsym(handle, "fake_empty"))
	var timeInC func(n uint64, count int32) uint64
	purego.RegisterLibFunc(&timeInC, handle, "fake_time_launches")
	xs := x.All()
	plate, in := example.Plate{}, xs
	var wide kernels.Wide
	args := example.SaxpyArgs{A: 2, X: xs, Y: xs}
	call := race.Must(k.Saxpy.PrepareDefault(args))
	twelve := race.Must(own.Twelve.PrepareDefault(kernels.TwelveArgs{Out: xs, A: xs, B: xs, C: xs}))
	large := race.Must(own.Large.PrepareDefault(kernels.LargeArgs{Out: xs}))
	node := cuda.NewNode(call)
	graph := race.Must(cuda.BuildGraph(node))
	calls := make([]cuda.Prepared, batchCalls)
	for i := range calls {
		calls[i] = call.Clone()
	}
	batch := race.Must(cuda.NewBatch(calls...))
	batch.NeverGraph() // launches are measured

	repeat := func(call func() error) func() (float64, error) { return race.Repeat(count, call) }
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(4), Block: cuda.Dim(256)}
	all := []*race.Contestant{
		{Name: "an empty call into C", Run: repeat(func() error { race.Cgocall(empty, nil); return nil })},
		{Name: "C, a loop over kernelParams", Run: func() (float64, error) { return float64(timeInC(uint64(count), 4)) / float64(count), nil }},
		{Name: "Saxpy.Launch (4 parameters, 1 inferred, 1 check)", Run: repeat(func() error { return k.Saxpy.Launch(s, 2, xs, xs) })},
		{Name: "Saxpy.LaunchWith", Run: repeat(func() error { return k.Saxpy.LaunchWith(s, cfg, 2, xs, xs) })},
		{Name: "a prepared call of Saxpy", Run: repeat(func() error { return call.Launch(s) })},
		{Name: "Twelve.Launch (12 parameters, 1 check)", Run: repeat(func() error { return own.Twelve.Launch(s, xs, xs, xs, xs, 1, 2, 3, 4, 5, 6, 7, 8) })},
		{Name: "Twelve.LaunchArgs", Run: repeat(func() error {
			return own.Twelve.LaunchArgs(s, &kernels.TwelveArgs{Out: xs, A: xs, B: xs, C: xs, I: 1, J: 2, M: 3, N: 4, F: 5, G: 6, D: 7, E: 8})
		})},
		{Name: "a prepared call of Twelve", Run: repeat(func() error { return twelve.Launch(s) })},
		{Name: "Large.Launch (a struct of 256 bytes, 1 check)", Run: repeat(func() error { return own.Large.Launch(s, xs, wide) })},
		{Name: "a prepared call of Large", Run: repeat(func() error { return large.Launch(s) })},
		{Name: "HeatStep.Launch (5 parameters, a struct of 40 bytes, 2 checks)", Run: repeat(func() error { return k.HeatStep.Launch(s, in, xs, plate, 20, 50) })},
		{Name: "Set of a call of Saxpy", Run: repeat(func() error { return call.Set(args) })},
		{Name: "Set and Update of a graph of one kernel", Run: repeat(func() error {
			if err := call.Set(args); err != nil {
				return err
			}
			return graph.Update(node)
		})},
	}
	all = append(all, pointers(own, s, x, repeat)...)
	batched := &race.Contestant{Name: fmt.Sprintf("a batch of %d calls of Saxpy, each launch", batchCalls), Run: func() (float64, error) {
		ns, err := repeat(func() error { return batch.Launch(s) })()
		return ns / batchCalls, err
	}}
	race.Do(race.Run(append(all, batched), rounds))
	report(all, batched, rounds, count)
}

// report prints the table: the first of all is the empty call.
func report(all []*race.Contestant, batched *race.Contestant, rounds, count int) {
	floor := all[0]
	fmt.Printf("%s/%s, %s, %d rounds of %d calls\n\n", runtime.GOOS, runtime.GOARCH, runtime.Version(), rounds, count)
	fmt.Println("| call | ns (median) | above the empty call (median, 95 % interval) | allocs |\n|---|---|---|---|")
	for _, c := range all {
		above := race.Compare(c, floor, race.Minus)
		fmt.Printf("| %s | %.1f | %.1f (%.1f–%.1f) | %.0f |\n", c.Name, c.Median(), above.Median, above.Low, above.High, race.Allocations(c.Run, count))
	}
	above := race.Compare(batched, floor, func(a, b float64) float64 { return a - b/batchCalls })
	fmt.Printf("| %s | %.1f | %.1f (%.1f–%.1f) above the empty call ÷ %d | %.0f |\n", batched.Name, batched.Median(), above.Median, above.Low, above.High, batchCalls, race.Allocations(batched.Run, count))
}
