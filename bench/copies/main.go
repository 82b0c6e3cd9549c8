// Command copies measures copies between a device and Go memory: on idle streams, of 64 MiB,
// and from many goroutines whose streams are busy and then end their work at once.
//
//	go run ./copies
//
// It uses nothing that older commits lack, to be built of them, too: there -goroutines must be
// less than 10,000, which had a thread each. It prints the figures of bench/README.md as a table.
package main

import (
	"flag"
	"fmt"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"

	"github.com/cudagen/cudagen/bench/race"
	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	defer race.End()
	goroutines := flag.Int("goroutines", 10000, "how many copy at a time")
	streams := flag.Int("streams", 8, "on how many streams")
	rounds := flag.Int("rounds", 1001, "copies on an idle stream")
	large := flag.Int("large", 64<<20, "bytes of a large copy")
	flag.Parse()
	run(*goroutines, *streams, *rounds, *large)
}

func run(goroutines, streams, rounds, large int) {
	dev := race.Must(cuda.Open(0))
	s := race.Must(dev.NewStream())
	fmt.Printf("%v, %s/%s, %s\n\n| what | CopyTo (median) | CopyFrom (median) |\n|---|---|---|\n", dev, runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, size := range []struct {
		bytes, rounds int
	}{{4, rounds}, {4096, rounds}, {large, max(3, rounds/50)}} {
		host := make([]byte, size.bytes)
		b := race.Must(cuda.Upload(s, host))
		to := median(size.rounds, func() error { return b.CopyTo(s, host) })
		from := median(size.rounds, func() error { return b.CopyFrom(s, host) })
		race.Do(b.Close())
		if size.bytes == large {
			fmt.Printf("| %d bytes, idle stream | %.2f GB/s | %.2f GB/s |\n", large, rate(large, to), rate(large, from))
			continue
		}
		fmt.Printf("| %d bytes, idle stream | %.2f µs | %.2f µs |\n", size.bytes, micros(to), micros(from))
	}
	fmt.Println("\n| goroutines in CopyTo | streams | bytes | threads before | threads while they wait | threads at most | of which Go's | all have copied after |\n|---|---|---|---|---|---|---|---|")
	for _, bytes := range []int{40, 5000, 100000} {
		many(dev, goroutines, streams, bytes)
	}
}

func rate(bytes int, d time.Duration) float64 { return float64(bytes) / float64(d.Nanoseconds()) }
func micros(d time.Duration) float64          { return float64(d.Nanoseconds()) / 1e3 }

// median returns the median time of f.
func median(rounds int, f func() error) time.Duration {
	times := make([]time.Duration, rounds)
	for i := range times {
		began := time.Now()
		race.Do(f())
		times[i] = time.Since(began)
	}
	return race.MedianTime(times)
}

// many has goroutines copy on streams that wait, releases these at once, and prints a row.
func many(dev *cuda.Device, goroutines, streams, bytes int) {
	gate := make(chan struct{})
	all := make([]*cuda.Stream, streams)
	buffers := make([]*cuda.Buffer[byte], streams)
	for i := range all {
		all[i] = race.Must(dev.NewStream())
		buffers[i] = race.Must(cuda.Upload(all[i], make([]byte, bytes)))
		race.Do(all[i].LaunchHostFunc(func() { <-gate }))
	}
	before := race.Status("Threads")
	var wg sync.WaitGroup
	failures := make(chan error, goroutines)
	for i := range goroutines {
		wg.Go(func() { failures <- buffers[i%streams].CopyTo(all[i%streams], make([]byte, bytes)) })
	}
	time.Sleep(2 * time.Second)
	during := race.Status("Threads")
	most, gos := during, goThreads()
	close(gate)
	released, done := time.Now(), make(chan time.Duration, 1)
	go func() { wg.Wait(); done <- time.Since(released) }()
	var took time.Duration
	for took == 0 {
		most, gos = max(most, race.Status("Threads")), max(gos, goThreads())
		select {
		case took = <-done:
		case <-time.After(time.Millisecond):
		}
	}
	close(failures)
	for failure := range failures {
		race.Do(failure)
	}
	for i := range all {
		race.Do(buffers[i].Close())
		race.Do(all[i].Close())
	}
	fmt.Printf("| %d | %d | %d | %d | %d | %d | %d | %v |\n", goroutines, streams, bytes, before, during, most, gos, took.Round(time.Millisecond))
}

// goThreads returns how many threads Go has created; the others are the driver's.
func goThreads() int { return pprof.Lookup("threadcreate").Count() }
