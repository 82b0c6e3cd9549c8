// Package race times several ways to do one thing against each other: in one process,
// in paired rounds, so that a machine whose speed drifts slows all of them.
package race

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// A Contestant is one way to do it. Run does it many times and returns the
// nanoseconds that one took.
type Contestant struct {
	Name  string
	Run   func() (float64, error)
	Times []float64 // by round
}

// Run times the contestants in turn, round by round; who goes first changes.
func Run(contestants []*Contestant, rounds int) error {
	const warmUp = 5
	for round := range rounds + warmUp {
		for i := range contestants {
			c := contestants[(i+round)%len(contestants)]
			ns, err := c.Run()
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			if round >= warmUp {
				c.Times = append(c.Times, ns)
			}
		}
	}
	return nil
}

// Repeat makes a contestant's Run of call. A round is count calls.
func Repeat(count int, call func() error) func() (float64, error) {
	return func() (float64, error) {
		start := time.Now()
		for range count {
			if err := call(); err != nil {
				return 0, err
			}
		}
		return float64(time.Since(start).Nanoseconds()) / float64(count), nil
	}
}

// Median returns the median over the rounds.
func (c *Contestant) Median() float64 { return summarize(c.Times).Median }

// A Summary is the median of a sample with its 95 % confidence interval.
type Summary struct{ Median, Low, High float64 }

// Compare summarizes f(a's time, b's time) over the rounds.
func Compare(a, b *Contestant, f func(a, b float64) float64) Summary {
	var paired []float64
	for round := range a.Times {
		paired = append(paired, f(a.Times[round], b.Times[round]))
	}
	return summarize(paired)
}

// summarize takes the interval from order statistics: the ranks by the normal
// approximation of the binomial distribution.
func summarize(sample []float64) Summary {
	sorted := slices.Sorted(slices.Values(sample))
	n := float64(len(sorted))
	half := 1.96 * math.Sqrt(n) / 2
	return Summary{
		Median: sorted[len(sorted)/2],
		Low:    sorted[max(0, int(n/2-half))],
		High:   sorted[min(len(sorted)-1, int(n/2+half))],
	}
}

// Allocations returns the heap allocations of one of count operations that run makes.
func Allocations(run func() (float64, error), count int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := run(); err != nil {
		return math.NaN()
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(count)
}
