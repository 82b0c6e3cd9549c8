// Command waiters measures what goroutines cost that wait for streams: threads, and memory
// each. It does nothing else before, because Go gives goroutines larger stacks when those
// before them had large ones.
//
//	go run ./waiters
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	defer race.End()
	goroutines := flag.Int("goroutines", 10000, "how many wait")
	streams := flag.Int("streams", 8, "for how many streams")
	patience := flag.Duration("patience", 20*time.Second, "how long to wait until all of them do")
	flag.Parse()
	run(*goroutines, *streams, *patience)
}

func run(goroutines, streams int, patience time.Duration) {
	dev := race.Must(cuda.Open(0))
	gate := make(chan struct{})
	all := make([]*cuda.Stream, streams)
	for i := range all {
		all[i] = race.Must(dev.NewStream())
		race.Do(all[i].LaunchHostFunc(func() { <-gate }))
	}
	before := use()
	var wg sync.WaitGroup
	failures := make(chan error, goroutines)
	began := time.Now()
	for i := range goroutines {
		wg.Go(func() { failures <- all[i%streams].Wait(context.Background()) })
	}
	waiting := parked()
	for waiting < goroutines && time.Since(began) < patience {
		time.Sleep(10 * time.Millisecond)
		waiting = parked()
	}
	took := time.Since(began)
	during := use()
	close(gate)
	released := time.Now()
	wg.Wait()
	woken := time.Since(released)
	close(failures)
	for failure := range failures {
		race.Do(failure)
	}
	fmt.Printf("%v, %s/%s, %s: %d goroutines, %d streams; all wait after %v, and have been woken %v after the work\n\n", dev, runtime.GOOS, runtime.GOARCH, runtime.Version(), goroutines, streams, took.Round(time.Millisecond), woken.Round(time.Millisecond))
	fmt.Println("| goroutines that wait | threads before | threads in all | Go's memory, KiB each | resident, KiB each, with the driver's |\n|---|---|---|---|---|")
	each := func(before, during uint64) float64 {
		return (float64(during) - float64(before)) / 1024 / float64(goroutines)
	}
	fmt.Printf("| %d | %d | %d | %.2f | %.2f |\n", waiting, before.threads, during.threads, each(before.bytes, during.bytes), each(before.resident, during.resident))
	if waiting < goroutines {
		race.Do(fmt.Errorf("only %d of %d goroutines were waiting after %v", waiting, goroutines, patience))
	}
}

// parked returns how many goroutines are where Wait parks them.
func parked() int {
	stacks := make([]byte, 64<<20)
	return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte(" [select]:\n"))
}

// A usage is what the process takes.
type usage struct {
	threads  uint64
	bytes    uint64 // that Go has for objects and stacks
	resident uint64 // bytes
}

func use() usage {
	debug.FreeOSMemory() // what parked has used
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return usage{race.Status("Threads"), m.HeapInuse + m.StackInuse, race.Status("VmRSS") * 1024}
}
