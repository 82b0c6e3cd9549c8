package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
	"github.com/cudagen/cudagen/runtime/sim"
)

const simUsage = `cudagen sim prints what PTX needs that the simulated device does not have.

Usage:

	cudagen sim kernels.ptx…
	cudagen sim kernels.cu…

For a .cu file it reads the PTX that cudagen generated from it: kernels.ptx beside it. Each line
names a place in the source if the PTX has line numbers, the kernel, what it lacks, and the line
of the PTX. A kernel that lacks something cannot be launched; the others of its file run.
docs/simulator.md lists what the simulated device has.

The exit code is 0 if all kernels run, and 1 if not, or if a file cannot be read or is not PTX that
a device takes.
`

// runSim runs the subcommand sim.
func runSim(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cudagen sim", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	named, err := parseMixed(flags, args, simUsage, stdout)
	if err == nil {
		named, err = files(named, "a .ptx file, or a .cu file that cudagen has read")
	}
	if err != nil {
		return notRun("cudagen sim", err, stderr)
	}
	code := exitOK
	for _, path := range named {
		complete, err := simulated(path, stdout)
		if err != nil {
			fmt.Fprintf(stderr, "cudagen sim: %s\n", spoken(err))
		}
		if err != nil || !complete {
			code = exitInput
		}
	}
	return code
}

// simulated prints what the PTX of path lacks, and returns whether all its kernels run.
func simulated(path string, stdout io.Writer) (complete bool, err error) {
	file := path
	if filepath.Ext(path) == ".cu" {
		file = strings.TrimSuffix(path, ".cu") + ".ptx"
	}
	text, err := os.ReadFile(file)
	switch {
	case os.IsNotExist(err) && file != path:
		return false, diag.InFile(path, diag.NoFile.Errorf("there is no %s beside it: %w", filepath.Base(file), diag.Do("run %s first", diag.Call(path))))
	case os.IsNotExist(err):
		return false, source.NewError(path, diag.NoFile.New("there is no such file"))
	case err != nil:
		return false, source.Unreadable(file, err)
	}
	kernels, err := sim.Lacks(file, text)
	if err != nil {
		return false, fmt.Errorf("the simulated device refuses %s:\n%w", file, err)
	}
	running := 0
	for _, k := range kernels {
		if len(k.Lacks) == 0 {
			running++
		}
		for _, lack := range k.Lacks {
			place := fmt.Sprintf("%s:%d", file, lack.PTXLine)
			if lack.File != "" {
				fmt.Fprintf(stdout, "%s:%d: %s: %s (%s)\n", lack.File, lack.Line, inspect.KernelName(k.Name), lack.What, place)
			} else {
				fmt.Fprintf(stdout, "%s: %s: %s\n", place, inspect.KernelName(k.Name), lack.What)
			}
		}
	}
	fmt.Fprintf(stdout, "%s: %d of %d kernels run on the simulated device\n", file, running, len(kernels))
	return running == len(kernels), nil
}
