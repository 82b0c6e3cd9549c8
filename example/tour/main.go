// Command tour launches every kernel of the example and calls three of its programs: a reaction of two
// substances, bodies that attract each other, and a tiny transformer that is trained. It runs on a GPU
// when there is one and on the simulated device otherwise, and checks each result against plain Go.
//
// It prints a table and writes mandelbrot.png. CUDAGEN_DEVICE=sim chooses the
// simulated device, a number or a UUID a GPU.
package main

import (
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the device of last resort
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "tour:", err)
		os.Exit(1)
	}
}

// run opens the default device, shows the table and writes the picture.
func run(out io.Writer) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	major, minor, err := dev.ComputeCapability()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v, compute capability %d.%d\n\n", dev, major, minor)
	results, err := visit(dev)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "kernel\telements\ttime\tthroughput\tcheck")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%d\t%v\t%s\t%s\n", r.kernel, r.elements, r.elapsed.Round(time.Microsecond), rate(r.elements, r.elapsed), r.verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	const picture = "mandelbrot.png"
	if err := writePicture(picture, results); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nwrote %s\n\n%s", picture, more)
	return nil
}

// rate returns millions of elements a second, as text.
func rate(elements int, elapsed time.Duration) string {
	if elapsed <= 0 { // less than a tick of the clock, which may be 15 ms on Windows
		return "-"
	}
	return fmt.Sprintf("%.4g M/s", float64(elements)/elapsed.Seconds()/1e6)
}

// more names the programs that are the most fun.
const more = `more: go run ./example/grayscott     an animated picture, made by graphs
      go run ./example/transformer   training, to the last bit that of plain Go
      go run ./example/paint rings   commands that a template makes of kernels
`

// A session is a device with the example's kernels and a stream.
type session struct {
	dev     *cuda.Device
	kernels *example.Kernels
	stream  *cuda.Stream
}

// A stop is what the tour shows of one kernel. It launches the kernel and returns
// what came of it.
type stop struct {
	kernel string
	show   func(*session) (*result, error)
}

// stops are all kernels of the example, and three of the programs below it.
var stops = []stop{
	{"saxpy", saxpy},
	{"sum", sum},
	{"mandelbrot", mandelbrot},
	{"heat_step", heatStep},
	{"stats::histogram", histogram},
	{"add_delta", addDelta},
	{"transform", transform},
	{"smooth", smooth},
	{"grayscott", grayscott},
	{"nbody", nbody},
	{"transformer", transformer},
}

// A result is what a kernel computed, and whether it is right.
type result struct {
	kernel   string
	elements int
	elapsed  time.Duration
	output   output
	verdict  string
}

// visit makes every stop on dev. It fails when a result is wrong.
func visit(dev *cuda.Device) (results []*result, err error) {
	kernels, err := example.LoadKernels(dev)
	if err != nil {
		return nil, err
	}
	defer kernels.Close()
	stream, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	s := &session{dev: dev, kernels: kernels, stream: stream}
	for _, stop := range stops {
		r, err := stop.show(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", stop.kernel, err)
		}
		r.kernel = stop.kernel
		if r.verdict, err = r.output.check(); err != nil {
			return nil, fmt.Errorf("%s is wrong on %v: %w", stop.kernel, dev, err)
		}
		results = append(results, r)
	}
	return results, nil
}

// timed measures launch until the device has finished its work. The first run,
// which may load code, does not count.
func (s *session) timed(launch func() error) (time.Duration, error) {
	for _, count := range []bool{false, true} {
		start := time.Now()
		if err := launch(); err != nil {
			return 0, err
		}
		if err := s.stream.Synchronize(); err != nil {
			return 0, err
		}
		if count {
			return time.Since(start), nil
		}
	}
	panic("unreachable")
}
