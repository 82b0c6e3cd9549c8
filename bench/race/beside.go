package race

import (
	"fmt"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Kernel is launched from Go and from C, each with its own memory, which the C side's setup makes there. Its
// Function(count) launches the kernel count times and returns the nanoseconds of one until all have run.
type Kernel struct {
	What            string // it does: the row of the table
	Goal            string // what the ratio to C is called
	Limit           float64
	C               CSide
	Function, Image string
	Stream          *cuda.Stream
	Launch          func() error
}

// BesideC times k in rounds of count launches and a synchronize, in turns with C, and prints its row and its goal.
func (k *Kernel) BesideC(rounds, count int) {
	inGo := &Contestant{Name: "Go, " + k.What, Run: func() (float64, error) {
		start := time.Now()
		for range count {
			if err := k.Launch(); err != nil {
				return 0, err
			}
		}
		err := k.Stream.Synchronize()
		return float64(time.Since(start).Nanoseconds()) / float64(count), err
	}}
	var many func(count int32) float64
	Do(k.C.Open([]byte(k.Image), map[string]any{k.Function: &many}))
	inC := InC(k.What, func() float64 { return many(int32(count)) })
	Do(Run([]*Contestant{inC, inGo}, rounds))
	ratio := Compare(inGo, inC, Ratio)
	fmt.Printf("%s, %d rounds of %d launches\n\n", Machine(k.Stream.Device()), rounds, count)
	fmt.Println("| kernel | C, µs (median) | Go, µs | Go ÷ C (median, 95 % interval) | allocs |\n|---|---|---|---|---|")
	fmt.Printf("| %s | %.1f | %.1f | %.3f (%.3f–%.3f) | %.2f |\n", k.What, inC.Median()/1e3, inGo.Median()/1e3,
		ratio.Median, ratio.Low, ratio.High, Allocations(inGo.Run, count))
	PrintGoals([]Goal{{What: k.Goal, Limit: k.Limit, Got: ratio}})
}
