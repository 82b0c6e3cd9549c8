// Package measure counts and times what a trace shows: it takes how long calls took to queue and when events around them
// completed, and returns totals and the times on a device. Which of a driver's calls copy how many bytes on which stream
// stands in Calls. It knows no kernel, no graph and no stream of package cuda.
package measure

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// A Kind says what was counted.
type Kind int

// The kinds, in the order of summaries.
const (
	Kernel Kind = iota
	Graph
	Copy
	Other // is not in summaries
)

// String returns what summaries call k.
func (k Kind) String() string { return [...]string{"kernel", "graph", "copy", "other"}[k] }

// A Key is what a Total counts.
type Key struct {
	Name   string
	Device string // what errors call it
	Kind   Kind
}

// A Total is what a summary says of a kernel, or of a kind of copies.
type Total struct {
	Occupancy atomic.Int64 // per mille

	key    Key
	mu     sync.Mutex
	bytes  uint64
	queue  histogram
	device histogram
	moved  uint64 // bytes of which device has the times
}

// Add counts one, which took so long to queue.
func (t *Total) Add(ns int64, bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue.add(ns)
	t.bytes += bytes
}

// ran counts an operation that took so long on the device.
func (t *Total) ran(ns int64, bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.device.add(ns)
	t.moved += bytes
}

// Totals has a Total for each Key. Any goroutine may call its methods.
type Totals struct{ byKey sync.Map } // Key → *Total

// Of returns the total of a key.
func (t *Totals) Of(key Key) *Total {
	if found, ok := t.byKey.Load(key); ok {
		return found.(*Total)
	}
	found, _ := t.byKey.LoadOrStore(key, &Total{key: key})
	return found.(*Total)
}

// A Line is a cuda.TraceTotal.
type Line struct {
	Name, Device, Kind string
	Count              int

	Queueing, MedianQueueing time.Duration
	Running, MedianRunning   time.Duration

	Bytes          uint64
	BytesPerSecond float64
	Occupancy      float64
}

// Lines returns what was counted so far: kernels, then graphs, then copies, each sorted by the time they took.
func (t *Totals) Lines() (all []Line) {
	t.byKey.Range(func(_, found any) bool {
		if sum := found.(*Total); sum.key.Kind != Other {
			all = append(all, sum.line())
		}
		return true
	})
	order := []string{Kernel.String(), Graph.String(), Copy.String()}
	slices.SortFunc(all, func(a, b Line) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(b.Running, a.Running),
			cmp.Compare(b.Queueing, a.Queueing), strings.Compare(a.Name, b.Name), strings.Compare(a.Device, b.Device))
	})
	return all
}

func (t *Total) line() Line {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := Line{
		Name: t.key.Name, Device: t.key.Device, Kind: t.key.Kind.String(), Count: int(t.queue.count),
		Queueing: time.Duration(t.queue.sum), MedianQueueing: t.queue.median(),
		Running: time.Duration(t.device.sum), MedianRunning: t.device.median(),
		Bytes: t.bytes, Occupancy: float64(t.Occupancy.Load()) / 1000,
	}
	if t.device.sum > 0 {
		l.BytesPerSecond = float64(t.moved) / (float64(t.device.sum) / 1e9)
	}
	return l
}

// Table returns lines as a table.
func Table(lines []Line) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel, graph or copy\tdevice\tcount\tqueueing\tmedian\trunning\tmedian\tbytes\tGB/s\toccupancy")
	for _, t := range lines {
		running, median, rate, occupancy, bytes := "-", "-", "-", "-", "-"
		if t.Running > 0 {
			running, median = t.Running.String(), t.MedianRunning.String()
		}
		if t.Kind == Copy.String() {
			bytes = fmt.Sprint(t.Bytes)
		}
		if t.BytesPerSecond > 0 {
			rate = fmt.Sprintf("%.3g", t.BytesPerSecond/1e9)
		}
		if t.Occupancy > 0 {
			occupancy = fmt.Sprintf("%.0f%%", 100*t.Occupancy)
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%v\t%v\t%s\t%s\t%s\t%s\t%s\n", t.Name, t.Device, t.Count, t.Queueing, t.MedianQueueing, running, median, bytes, rate, occupancy)
	}
	w.Flush()
	return b.String()
}

// A histogram counts durations in buckets, 32 for each power of two.
type histogram struct {
	count, sum int64
	buckets    map[uint16]int64
}

// histogramBits is how many bits of a duration its bucket has.
const histogramBits = 5

func (h *histogram) add(ns int64) {
	if h.buckets == nil {
		h.buckets = make(map[uint16]int64)
	}
	h.count++
	h.sum += ns
	h.buckets[bucketOf(uint64(max(ns, 0)))]++
}

// bucketOf returns the number of the bucket of n.
func bucketOf(n uint64) uint16 {
	shift := max(bits.Len64(n)-histogramBits-1, 0)
	return uint16(shift<<histogramBits) + uint16(n>>shift)
}

// leastOf returns the least number of a bucket.
func leastOf(bucket uint16) uint64 {
	shift := max(int(bucket>>histogramBits)-1, 0)
	return uint64(bucket-uint16(shift<<histogramBits)) << shift
}

func (h *histogram) median() time.Duration {
	var numbers []uint16
	for b := range h.buckets {
		numbers = append(numbers, b)
	}
	slices.Sort(numbers)
	seen := int64(0)
	for _, b := range numbers {
		if seen += h.buckets[b]; 2*seen >= h.count {
			return time.Duration((leastOf(b) + leastOf(b+1)) / 2)
		}
	}
	return 0
}
