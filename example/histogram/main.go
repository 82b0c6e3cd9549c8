// Command histogram counts the bytes of files:
//
//	go run ./example/histogram go.mod README.md
//
// Without a name it counts its own kernel's source. It runs on a GPU if there is one, otherwise on
// the simulated device.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen histogram.cu

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "histogram:", err)
		os.Exit(1)
	}
}

//go:embed histogram.cu
var source []byte

// run counts the bytes of files, and prints the most frequent.
func run(names []string, out io.Writer) error {
	data := source
	if len(names) > 0 {
		data = nil
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		data = append(data, content...)
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	counts, err := histogram(dev, data)
	if err != nil {
		return err
	}
	print(out, counts)
	return nil
}

// shown is how many bytes are printed.
const shown = 10

// print prints a bar for each of the most frequent bytes.
func print(out io.Writer, counts []uint64) {
	order := make([]int, len(counts))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if counts[a] > counts[b] {
			return -1
		}
		if counts[a] < counts[b] {
			return 1
		}
		return 0
	})
	most := max(counts[order[0]], 1)
	for _, b := range order[:shown] {
		fmt.Fprintf(out, "%5q %8d %s\n", rune(b), counts[b], strings.Repeat("*", int(counts[b]*50/most)))
	}
}

// histogram returns how often each byte occurs in data, counted on dev.
func histogram(dev *cuda.Device, data []byte) ([]uint64, error) {
	k, err := LoadHistogram(dev)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	in, err := cuda.Upload(s, data)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	counts, err := cuda.Alloc[uint64](s, 256)
	if err != nil {
		return nil, err
	}
	defer counts.Close()
	if err := counts.Clear(s); err != nil {
		return nil, err
	}
	if err := k.Histogram.Launch(s, in.All(), counts.All()); err != nil {
		return nil, err
	}
	host := make([]uint64, counts.Len())
	return host, counts.CopyTo(s, host)
}
