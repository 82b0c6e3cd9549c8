// Command bugs runs kernels with the bugs of docs/testing.md, the ten classic ones and further ones, one at a time:
//
//	go run ./example/bugs                          # lists them
//	go run ./example/bugs -case offbyone           # the simulated device, or a GPU
//	go run ./example/bugs -case offbyone -mended
//	CUDAGEN_SIM_CHECKS=all go run ./example/bugs -case missingbarrier
//
// It is what compute-sanitizer is run on, to see what it finds:
//
//	go build ./example/bugs && compute-sanitizer --tool memcheck ./bugs -case offbyone
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen offbyone.cu
//go:generate go run ../../cmd/cudagen missingbarrier.cu
//go:generate go run ../../cmd/cudagen lostupdate.cu
//go:generate go run ../../cmd/cudagen accumulator.cu
//go:generate go run ../../cmd/cudagen divergentbarrier.cu
//go:generate go run ../../cmd/cudagen wrongmask.cu
//go:generate go run ../../cmd/cudagen useafterfree.cu
//go:generate go run ../../cmd/cudagen doublefree.cu
//go:generate go run ../../cmd/cudagen deadlock.cu
//go:generate go run ../../cmd/cudagen stackoverflow.cu
//go:generate go run ../../cmd/cudagen -arch compute_80 further.cu

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "bugs:", err)
		os.Exit(1)
	}
}

// numbers is how many numbers a kernel has: not a multiple of its blocks' threads.
const numbers = 100

// run runs the case that args name, or lists all.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bugs", flag.ContinueOnError)
	name := flags.String("case", "", "the bug")
	mended := flags.Bool("mended", false, "run the kernel without the bug")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *name == "" {
		for _, b := range all() {
			fmt.Fprintf(out, "%-16s %s\n", b.name, b.what)
		}
		return nil
	}
	i := slices.IndexFunc(all(), func(b bug) bool { return b.name == *name })
	if i < 0 {
		return fmt.Errorf("no case %q: run bugs without arguments for a list", *name)
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	results, err := all()[i].on(dev, *mended)
	if err == nil {
		fmt.Fprintf(out, "%s: %v …\n", *name, results[:8])
	}
	return errors.Join(err, dev.Close())
}

// all returns every bug.
func all() []bug { return slices.Concat(bugs, further) }

// A launch runs a kernel on numbers.
type launch func(s *cuda.Stream, out, in cuda.Slice[int32]) error

// A bug is a kernel that has it, and one that has not.
type bug struct {
	name, what string
	load       func(dev *cuda.Device) (library io.Closer, wrong, right launch, err error)
}

// on runs a kernel of b on the numbers from 0 on.
func (b bug) on(dev *cuda.Device, mended bool) (results []int32, err error) {
	library, wrong, right, err := b.load(dev)
	if err != nil {
		return nil, err
	}
	defer library.Close()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	in := make([]int32, numbers)
	for i := range in {
		in[i] = int32(i)
	}
	x, err := cuda.Upload(s, in)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := cuda.Alloc[int32](s, numbers)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	kernel := wrong
	if mended {
		kernel = right
	}
	if err := kernel(s, y.All(), x.All()); err != nil {
		return nil, err
	}
	results, err = y.All().Download(s)
	return results, errors.Join(err, s.Synchronize())
}
