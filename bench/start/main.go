// Command start measures the time from the start of a process to the end of its first
// launch: a Go program against a C program, in turns. Both have the example's image in
// them and launch saxpy.
//
//	CGO_ENABLED=0 go build -o first-go ./start/first
//	cc -O2 -o first-c start/c/first.c -ldl
//	go run ./start -go ./first-go -c ./first-c
//
// It prints the figures of bench/README.md as a table.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/cudagen/cudagen/bench/race"
)

func main() {
	defer race.End()
	inGo := flag.String("go", "./first-go", "the Go program, built from ./start/first")
	inC := flag.String("c", "./first-c", "the C program, built from start/c/first.c")
	rounds := flag.Int("rounds", 61, "paired rounds")
	flag.Parse()
	c := &race.Contestant{Name: "C", Run: func() (float64, error) { return first(*inC) }}
	g := &race.Contestant{Name: "Go", Run: func() (float64, error) { return first(*inGo) }}
	all := []*race.Contestant{c, g}
	race.Do(race.Run(all, *rounds))
	fmt.Printf("%d rounds of one process each\n\n", *rounds)
	fmt.Println("| program | ms to the end of the first launch (median) | ÷ C (median, 95 % interval) |\n|---|---|---|")
	for _, p := range all {
		ratio := race.Compare(p, c, race.Ratio)
		fmt.Printf("| %s | %.2f | %.3f (%.3f–%.3f) |\n", p.Name, p.Median()/1e6, ratio.Median, ratio.Low, ratio.High)
	}
}

// first runs program, and returns the nanoseconds from its start until it says that its
// launch has run.
func first(program string) (float64, error) {
	command := exec.Command(program)
	command.Stderr = os.Stderr
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	if err := command.Start(); err != nil {
		return 0, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	elapsed := time.Since(start)
	if err == nil && line != "done\n" {
		err = fmt.Errorf("it said %q", line)
	}
	return float64(elapsed.Nanoseconds()), errors.Join(err, command.Wait())
}
