// Command copies measures copies between a device and Go memory: on idle streams, of 64 MiB,
// and from many goroutines whose streams are busy and then end their work at once.
//
//	go run ./copies
//
// It uses nothing that older commits lack, to be built of them, too: there -goroutines must be
// less than 10,000, which had a thread each. It prints the figures of bench/README.md as a table.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"sync"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
)

func main() {
	goroutines := flag.Int("goroutines", 10000, "how many copy at a time")
	streams := flag.Int("streams", 8, "on how many streams")
	rounds := flag.Int("rounds", 1001, "copies on an idle stream")
	large := flag.Int("large", 64<<20, "bytes of a large copy")
	flag.Parse()
	if err := run(*goroutines, *streams, *rounds, *large); err != nil {
		fmt.Fprintln(os.Stderr, "copies:", err)
		os.Exit(1)
	}
}

func run(goroutines, streams, rounds, large int) error {
	dev, err := cuda.Open(0)
	if err != nil {
		return err
	}
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	fmt.Printf("%v, %s/%s, %s\n\n| what | CopyTo (median) | CopyFrom (median) |\n|---|---|---|\n", dev, runtime.GOOS, runtime.GOARCH, runtime.Version())
	for _, size := range []struct {
		bytes, rounds int
	}{{4, rounds}, {4096, rounds}, {large, max(3, rounds/50)}} {
		host := make([]byte, size.bytes)
		b, err := cuda.Upload(s, host)
		if err != nil {
			return err
		}
		to, toErr := median(size.rounds, func() error { return b.CopyTo(s, host) })
		from, fromErr := median(size.rounds, func() error { return b.CopyFrom(s, host) })
		if err := errors.Join(toErr, fromErr, b.Close()); err != nil {
			return err
		}
		if size.bytes == large {
			fmt.Printf("| %d bytes, idle stream | %.2f GB/s | %.2f GB/s |\n", large, rate(large, to), rate(large, from))
			continue
		}
		fmt.Printf("| %d bytes, idle stream | %.2f µs | %.2f µs |\n", size.bytes, micros(to), micros(from))
	}
	fmt.Println("\n| goroutines in CopyTo | streams | bytes | threads before | threads while they wait | threads at most | of which Go's | all have copied after |\n|---|---|---|---|---|---|---|---|")
	for _, bytes := range []int{40, 5000, 100000} {
		if err := many(dev, goroutines, streams, bytes); err != nil {
			return err
		}
	}
	return nil
}

func rate(bytes int, d time.Duration) float64 { return float64(bytes) / float64(d.Nanoseconds()) }
func micros(d time.Duration) float64          { return float64(d.Nanoseconds()) / 1e3 }

// median returns the median time of f.
func median(rounds int, f func() error) (time.Duration, error) {
	times := make([]time.Duration, rounds)
	for i := range times {
		began := time.Now()
		if err := f(); err != nil {
			return 0, err
		}
		times[i] = time.Since(began)
	}
	slices.Sort(times)
	return times[rounds/2], nil
}

// many has goroutines copy on streams that wait, releases these at once, and prints a row.
func many(dev *cuda.Device, goroutines, streams, bytes int) error {
	gate := make(chan struct{})
	all := make([]*cuda.Stream, streams)
	buffers := make([]*cuda.Buffer[byte], streams)
	var err error
	for i := range all {
		if all[i], err = dev.NewStream(); err != nil {
			return err
		}
		if buffers[i], err = cuda.Upload(all[i], make([]byte, bytes)); err != nil {
			return err
		}
		if err := all[i].LaunchHostFunc(func() { <-gate }); err != nil {
			return err
		}
	}
	before := threads()
	var wg sync.WaitGroup
	failures := make(chan error, goroutines)
	for i := range goroutines {
		wg.Go(func() { failures <- buffers[i%streams].CopyTo(all[i%streams], make([]byte, bytes)) })
	}
	time.Sleep(2 * time.Second)
	during := threads()
	most, gos := during, goThreads()
	close(gate)
	released, done := time.Now(), make(chan time.Duration, 1)
	go func() { wg.Wait(); done <- time.Since(released) }()
	var took time.Duration
	for took == 0 {
		most, gos = max(most, threads()), max(gos, goThreads())
		select {
		case took = <-done:
		case <-time.After(time.Millisecond):
		}
	}
	close(failures)
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	for i := range all {
		err = errors.Join(err, buffers[i].Close(), all[i].Close())
	}
	if err != nil {
		return err
	}
	fmt.Printf("| %d | %d | %d | %d | %d | %d | %d | %v |\n", goroutines, streams, bytes, before, during, most, gos, took.Round(time.Millisecond))
	return nil
}

// goThreads returns how many threads Go has created; the others are the driver's.
func goThreads() int { return pprof.Lookup("threadcreate").Count() }

// threads returns how many threads the process has.
func threads() int {
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return 0
	}
	return len(tasks)
}
