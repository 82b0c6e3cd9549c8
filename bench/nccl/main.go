// Command nccl measures all-reduces over two GPUs, each with a process: cudagen against a C program that
// calls NCCL the same way, both also with a communicator that blocks, and torch.distributed, in turns.
//
//	CGO_ENABLED=0 go build -o nccl-go ./nccl/rank
//	cc -O2 -o nccl-c nccl/c/nccl.c -ldl
//	go run ./nccl -go ./nccl-go -c ./nccl-c
//
// It prints the figures of bench/README.md as tables: all-reduces of 4 B, 64 KiB and 1 GiB, the time from
// the start of the processes to the end of the first all-reduce, and how long after kill -9 of one process
// the other has its error. Who cannot run is reported and left out. Within a minute:
//
//	nccl -rounds 31 -starts 1 -kills 1
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cudagen/cudagen/bench/race"
)

func main() {
	defer race.End()
	inGo := flag.String("go", "./nccl-go", "the Go program, built from ./nccl/rank")
	inC := flag.String("c", "./nccl-c", "the C program, built from nccl/c/nccl.c")
	python := flag.String("python", "python3", "the Python that may have torch; empty for none")
	script := flag.String("script", "nccl/torch_rank.py", "the program in Python")
	rounds := flag.Int("rounds", 31, "paired rounds")
	starts := flag.Int("starts", 7, "paired rounds of starting the processes")
	kills := flag.Int("kills", 5, "how often a process is killed")
	row := flag.Int("row", 1000, "small all-reduces in a row")
	largest := flag.Int("largest", 1<<30, "bytes of the largest all-reduce")
	flag.Parse()
	programs := []program{{"cudagen", []string{*inGo}}, {"C", []string{*inC}}, {"cudagen" + blocking, []string{*inGo, "blocking"}}, {"C" + blocking, []string{*inC, "blocking"}}}
	if *python != "" {
		programs = append(programs, program{"torch.distributed", []string{*python, *script}})
	}
	run(programs, *rounds, *row, *starts, *kills, *largest)
}

// blocking ends the names of programs whose communicators block.
const blocking = ", blocking"

// A program is what a rank can be.
type program struct {
	name    string
	command []string
}

func run(programs []program, rounds, row, starts, kills, largest int) {
	pairs, err := startAll(programs, largest)
	for _, p := range pairs {
		defer p.end()
	}
	race.Do(err)
	fmt.Printf("%d rounds\n\n| all-reduce | program | µs (median) | ÷ C of the same kind (median, 95 %% interval) | allocations |\n|---|---|---|---|---|\n", rounds)
	for _, size := range []struct{ bytes, count int }{{4, row}, {64 << 10, row}, {largest, 3}} {
		compare(pairs, rounds, size.bytes, size.count)
	}
	for _, p := range pairs {
		p.end()
	}
	compareStarts(pairs, starts)
	killed(programs[0], kills)
}

// startAll starts the programs, at the same time. It leaves out those that cannot run, but for cudagen and C.
func startAll(programs []program, largest int) (pairs []*pair, err error) {
	all, errs := make([]*pair, len(programs)), make([]error, len(programs))
	var wg sync.WaitGroup
	for i, p := range programs {
		wg.Go(func() { all[i], errs[i] = start(p, largest) })
	}
	wg.Wait()
	for i, p := range programs {
		switch {
		case errs[i] == nil:
			pairs = append(pairs, all[i])
		case p.name == "cudagen" || p.name == "C":
			err = errors.Join(err, fmt.Errorf("%s: %w", p.name, errs[i]))
		default:
			fmt.Printf("%s is left out: %v\n\n", p.name, errs[i])
		}
	}
	return pairs, err
}

// base returns what c is compared with: C, with a communicator of the same kind.
func base(all []*race.Contestant, c *race.Contestant) *race.Contestant {
	want := "C"
	if strings.HasSuffix(c.Name, blocking) {
		want += blocking
	}
	for _, other := range all {
		if other.Name == want {
			return other
		}
	}
	return c
}

// compare times all-reduces of so many bytes.
func compare(pairs []*pair, rounds, bytes, count int) {
	all := make([]*race.Contestant, len(pairs))
	allocations := make([]float64, len(pairs))
	for i, p := range pairs {
		all[i] = &race.Contestant{Name: p.name, Run: func() (float64, error) {
			ns, allocs, err := p.time(bytes, count)
			allocations[i] = allocs
			return ns, err
		}}
	}
	race.Do(race.Run(all, rounds))
	for i, c := range all {
		ratio := race.Compare(c, base(all, c), race.Ratio)
		fmt.Printf("| %d B | %s | %.2f | %.3f (%.3f–%.3f) | %.2f |\n", bytes, c.Name, c.Median()/1e3, ratio.Median, ratio.Low, ratio.High, allocations[i])
	}
}

// compareStarts times processes from their start to the end of the first all-reduce.
func compareStarts(pairs []*pair, rounds int) {
	if rounds < 1 {
		return
	}
	var all []*race.Contestant
	for _, p := range pairs {
		all = append(all, &race.Contestant{Name: p.name, Run: func() (float64, error) {
			began := time.Now()
			ranks, err := start(p.program, 4)
			took := time.Since(began)
			if err == nil {
				ranks.end()
			}
			return float64(took.Nanoseconds()), err
		}})
	}
	for round := range rounds { // without those that race.Run throws away: nothing warms up here
		for i := range all {
			c := all[(round+i)%len(all)]
			c.Times = append(c.Times, race.Must(c.Run()))
		}
	}
	last := all[len(all)-1]
	fmt.Printf("\n| program | ms from the start to the first all-reduce (median) | ÷ %s (median, 95 %% interval) |\n|---|---|---|\n", last.Name)
	for _, c := range all {
		ratio := race.Compare(c, last, race.Ratio)
		fmt.Printf("| %s | %.1f | %.3f (%.3f–%.3f) |\n", c.Name, c.Median()/1e6, ratio.Median, ratio.Low, ratio.High)
	}
}

// killed kills a rank while the other waits for it.
func killed(p program, times int) {
	var took []time.Duration
	for range times {
		ranks := race.Must(start(p, 1<<20))
		race.Do(ranks.ranks[0].say("hang"))
		time.Sleep(200 * time.Millisecond)
		began := time.Now()
		ranks.ranks[1].Process.Kill()
		text, err := ranks.ranks[0].hear()
		if err != nil || !strings.HasPrefix(text, "error: ") {
			race.Do(fmt.Errorf("after kill -9: %q, %w", text, err))
		}
		took = append(took, time.Since(began))
		ranks.end()
		fmt.Fprintln(os.Stderr, text)
	}
	if len(took) > 0 {
		fmt.Printf("\nkill -9 of rank 1 to the error of rank 0: median %v, at most %v, of %d\n", race.MedianTime(took), slices.Max(took), len(took))
	}
}

// A pair is two ranks.
type pair struct {
	program
	ranks [2]*child
	ended bool
}

// A child is a process that answers lines.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts two ranks, and has them do an all-reduce.
func start(p program, bytes int) (*pair, error) {
	ranks := &pair{program: p}
	for i := range ranks.ranks {
		c := &child{Cmd: exec.Command(p.command[0], p.command[1:]...)}
		c.Env = append(os.Environ(), fmt.Sprint("CUDA_VISIBLE_DEVICES=", i))
		c.Stderr = os.Stderr
		var err error
		if c.in, err = c.StdinPipe(); err != nil {
			return nil, err
		}
		out, err := c.StdoutPipe()
		if err != nil {
			return nil, err
		}
		c.out = bufio.NewReader(out)
		if err := c.Start(); err != nil {
			return nil, err
		}
		ranks.ranks[i] = c
	}
	id, err := ranks.ranks[0].ask("id")
	if err != nil {
		ranks.end()
		return nil, err
	}
	for i, c := range ranks.ranks {
		if err := c.say(fmt.Sprintf("join %s %d 2 %d", id, i, bytes)); err != nil {
			ranks.end()
			return nil, err
		}
	}
	for _, c := range ranks.ranks {
		text, err := c.hear()
		if err == nil && text != "ready" {
			err = errors.New(text)
		}
		if err != nil {
			ranks.end()
			return nil, err
		}
	}
	return ranks, nil
}

// time returns the nanoseconds of an all-reduce, of the slower rank, and the allocations of rank 0.
func (p *pair) time(bytes, count int) (ns, allocations float64, err error) {
	for _, c := range p.ranks {
		if err := c.say(fmt.Sprintf("run %d %d", bytes, count)); err != nil {
			return 0, 0, err
		}
	}
	for i, c := range p.ranks {
		text, err := c.hear()
		if err != nil {
			return 0, 0, err
		}
		var took, allocs float64
		if _, err := fmt.Sscan(text, &took, &allocs); err != nil {
			return 0, 0, fmt.Errorf("%q: %w", text, err)
		}
		ns = max(ns, took)
		if i == 0 {
			allocations = allocs
		}
	}
	return ns, allocations, nil
}

// end ends the processes.
func (p *pair) end() {
	if p.ended {
		return
	}
	p.ended = true
	for _, c := range p.ranks {
		if c != nil {
			c.in.Close()
		}
	}
	for _, c := range p.ranks {
		if c == nil {
			continue
		}
		stop := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		c.Wait()
		stop.Stop()
	}
}

func (c *child) say(line string) error {
	_, err := fmt.Fprintln(c.in, line)
	return err
}

func (c *child) hear() (string, error) {
	text, err := c.out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the process has ended: %w", err)
	}
	return strings.TrimSpace(text), nil
}

func (c *child) ask(line string) (string, error) {
	if err := c.say(line); err != nil {
		return "", err
	}
	return c.hear()
}
