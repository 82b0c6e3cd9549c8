// Command inspect measures how long cudagen takes to read a file with large headers,
// against the preprocessor of nvcc.
//
//	go build -o cudagen ../cmd/cudagen
//	go run ./inspect -cudagen ./cudagen -I $CUDA_HOME/include -I $CUDA_HOME/include/cccl thrust.cu
//
// It runs cudagen inspect and nvcc -E of each file in turns, and prints the figures of
// bench/README.md as a table.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/cudagen/cudagen/bench/race"
)

func main() {
	defer race.End()
	cudagen := flag.String("cudagen", "./cudagen", "the command")
	nvcc := flag.String("nvcc", cmp.Or(os.Getenv("NVCC"), filepath.Join(os.Getenv("CUDA_HOME"), "bin", "nvcc")), "the compiler")
	rounds := flag.Int("rounds", 7, "rounds, interleaved")
	var options []string
	flag.Func("I", "`folder` of included files; may be given more than once", func(folder string) error {
		options = append(options, "-I", folder)
		return nil
	})
	flag.Parse()
	run(*cudagen, *nvcc, *rounds, options, flag.Args())
}

func run(cudagen, nvcc string, rounds int, options, files []string) {
	if len(files) == 0 {
		race.Do(errors.New("give a .cu file"))
	}
	fmt.Println("| file | cudagen inspect, median | nvcc -E, median | ÷: medians; least and most of the rounds | CPU ÷ CPU | most memory |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, file := range files {
		arguments := append(slices.Clone(options), file)
		var inspect, preprocess series
		for range rounds {
			inspect.add(cudagen, append([]string{"inspect"}, arguments...))
			preprocess.add(nvcc, append([]string{"-E"}, arguments...))
		}
		ratios := make([]float64, rounds)
		for i := range ratios {
			ratios[i] = inspect.took[i].Seconds() / preprocess.took[i].Seconds()
		}
		fmt.Printf("| %s | %.2f s | %.2f s | %.2f; %.2f–%.2f | %.2f | %d MiB |\n", filepath.Base(file),
			race.MedianTime(inspect.took).Seconds(), race.MedianTime(preprocess.took).Seconds(),
			race.MedianTime(inspect.took).Seconds()/race.MedianTime(preprocess.took).Seconds(), slices.Min(ratios), slices.Max(ratios),
			race.MedianTime(inspect.cpu).Seconds()/race.MedianTime(preprocess.cpu).Seconds(), inspect.memory>>20)
	}
}

// A series is what the runs of one command took.
type series struct {
	took   []time.Duration
	cpu    []time.Duration // of the command and of those that it starts
	memory int64           // most bytes resident, of any one of its processes
}

// add runs a command.
func (s *series) add(name string, arguments []string) {
	cmd := exec.Command(name, arguments...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		race.Do(fmt.Errorf("%s: %w\n%s", name, err, &stderr))
	}
	state := cmd.ProcessState
	s.took = append(s.took, took)
	s.cpu = append(s.cpu, state.UserTime()+state.SystemTime())
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		s.memory = max(s.memory, usage.Maxrss<<10)
	}
}
