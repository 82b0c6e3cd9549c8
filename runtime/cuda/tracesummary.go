package cuda

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

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A totalKind says what was counted.
type totalKind int

const (
	kernelTotal totalKind = iota
	graphTotal
	copyTotal
	otherTotal // is not in summaries
)

type totalKey struct {
	name   string
	device string // what errors call it
	kind   totalKind
}

// A total is what a summary says of a kernel, or of a kind of copies.
type total struct {
	key       totalKey
	occupancy atomic.Int64 // per mille

	mu     sync.Mutex
	bytes  uint64
	queue  histogram
	device histogram
	moved  uint64 // bytes of which device has the times
}

// total returns that of a key.
func (t *Trace) total(key totalKey) *total {
	if found, ok := t.totals.Load(key); ok {
		return found.(*total)
	}
	found, _ := t.totals.LoadOrStore(key, &total{key: key})
	return found.(*total)
}

// add counts one, which took so long to queue.
func (t *total) add(ns int64, bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue.add(ns)
	t.bytes += bytes
}

// ran counts an operation that took so long on the device.
func (t *total) ran(ns int64, bytes uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.device.add(ns)
	t.moved += bytes
}

// occupied returns how much of a multiprocessor a launch with cfg can fill, per mille of its threads;
// 0 if the driver does not say.
func (k *Kernel) occupied(cfg *LaunchConfig) int64 {
	defer k.hold().release()
	o, err := k.Occupancy(LaunchConfig{Block: cfg.Block, SharedBytes: cfg.SharedBytes})
	if err != nil {
		return 0
	}
	threads, r := k.dev.drv.DeviceGetAttribute(driver.MaxThreadsPerMultiprocessor, k.dev.dev)
	if r != driver.Success || threads == 0 {
		return 0
	}
	return int64(o.BlocksPerMultiprocessor) * int64(cfg.Block.count()) * 1000 / int64(threads)
}

// A TraceSummary says how often things were done during a trace, and how long that took. The kernels
// come first, then graphs, then copies, each sorted by the time they took.
type TraceSummary []TraceTotal

// A TraceTotal is a line of a TraceSummary.
type TraceTotal struct {
	Name   string // of a kernel, "graph", or the driver's function that copies
	Device string // its name in errors
	Kind   string // kernel, graph or copy
	Count  int

	// How long the program took to queue all of them, and half of them at most. Medians are exact to
	// 3 %.
	Queueing, MedianQueueing time.Duration

	// How long the device was at work, by events around each. Zero without TraceConfig.KernelTimes.
	Running, MedianRunning time.Duration

	Bytes          uint64  // of copies
	BytesPerSecond float64 // of copies while the device was at work; 0 without TraceConfig.KernelTimes
	Occupancy      float64 // of kernels, 0 to 1: the threads that a multiprocessor holds of the first launch, of those it could hold
}

// Summary returns what was done so far.
func (t *Trace) Summary() TraceSummary {
	if t == nil || t.file == nil {
		return nil
	}
	var all TraceSummary
	t.totals.Range(func(_, found any) bool {
		sum := found.(*total)
		if sum.key.kind != otherTotal {
			all = append(all, sum.summary())
		}
		return true
	})
	order := []string{"kernel", "graph", "copy"}
	slices.SortFunc(all, func(a, b TraceTotal) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Kind), slices.Index(order, b.Kind)), cmp.Compare(b.Running, a.Running),
			cmp.Compare(b.Queueing, a.Queueing), strings.Compare(a.Name, b.Name), strings.Compare(a.Device, b.Device))
	})
	return all
}

func (t *total) summary() TraceTotal {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := TraceTotal{
		Name: t.key.name, Device: t.key.device, Kind: []string{"kernel", "graph", "copy"}[t.key.kind], Count: int(t.queue.count),
		Queueing: time.Duration(t.queue.sum), MedianQueueing: t.queue.median(),
		Running: time.Duration(t.device.sum), MedianRunning: t.device.median(),
		Bytes: t.bytes, Occupancy: float64(t.occupancy.Load()) / 1000,
	}
	if t.device.sum > 0 {
		s.BytesPerSecond = float64(t.moved) / (float64(t.device.sum) / 1e9)
	}
	return s
}

// String returns s as a table.
func (s TraceSummary) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel, graph or copy\tdevice\tcount\tqueueing\tmedian\trunning\tmedian\tbytes\tGB/s\toccupancy")
	for _, t := range s {
		running, median, rate, occupancy, bytes := "-", "-", "-", "-", "-"
		if t.Running > 0 {
			running, median = t.Running.String(), t.MedianRunning.String()
		}
		if t.Kind == "copy" {
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
