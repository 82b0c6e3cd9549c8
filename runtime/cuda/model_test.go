package cuda_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/sim"
)

var (
	modelPrograms = flag.Int("model", 0, "how many random programs TestModel runs, an eighth of them at once, too; 0 for 8, or 40 in an exhaustive run")
	modelSeed     = flag.Uint64("model.seed", 1, "the first of the seeds of TestModel")
	modelLength   = flag.Int("model.steps", 60, "how many steps a random program of TestModel has")
)

// A modelStep is one step of a program: what it does, and a seed of all that it chooses.
type modelStep struct {
	kind int
	seed uint64
}

// A modelProgram is a random program. Without some of its steps it is a program, too.
type modelProgram struct {
	seed  uint64
	steps []modelStep
}

func randomProgram(seed uint64, length int) modelProgram {
	random := rand.New(rand.NewPCG(seed, 1))
	sum := 0
	for _, s := range modelSteps {
		sum += s.n
	}
	p := modelProgram{seed: seed}
	for range length {
		at := random.IntN(sum)
		kind := 0
		for ; at >= modelSteps[kind].n; kind++ {
			at -= modelSteps[kind].n
		}
		p.steps = append(p.steps, modelStep{kind, random.Uint64()})
	}
	return p
}

// A modelResult is what became of a program.
type modelResult struct {
	failure string // or ""
	trace   []string
	hangs   bool
}

// run runs p. A program that does not end is a failure.
func (p modelProgram) run(wrong modelMistake) modelResult {
	done := make(chan modelResult, 1)
	w := new(modelWorld)
	go func() {
		var r modelResult
		defer func() {
			switch v := recover().(type) {
			case nil:
			case mismatch:
				r.failure = v.text
			default:
				r.failure = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
			}
			r.trace = w.trace
			if r.failure != "" {
				w.abandon()
			}
			done <- r
		}()
		w.random, w.wrong, w.known = rand.New(rand.NewPCG(p.seed, 0)), wrong, modelClock{}
		w.begin(2)
		for _, s := range p.steps {
			w.random = rand.New(rand.NewPCG(s.seed, 2))
			w.say("// %s", modelSteps[s.kind].name)
			modelSteps[s.kind].do(w)
		}
		w.random = rand.New(rand.NewPCG(p.seed, 3))
		w.end()
	}()
	select {
	case r := <-done:
		return r
	case <-time.After(2 * time.Minute):
		stacks := make([]byte, 1<<20)
		return modelResult{failure: "the program hangs\n" + string(stacks[:runtime.Stack(stacks, true)]), hangs: true}
	}
}

// end compares all memory, closes everything, and counts what is left.
func (w *modelWorld) end() {
	w.say("// end")
	for _, m := range w.allMemory() {
		w.verify(m)
	}
	w.open()
	var closers []func()
	for _, e := range w.execs {
		closers = append(closers, func() { w.expect(e.e.Close(), nil, "%s.Close()", e.name) })
	}
	for _, b := range w.batches {
		b.b.NeverGraph()
	}
	for _, m := range w.memories {
		closers = append(closers, func() { w.expect(m.free(), nil, "%s.Close()", m.name) })
	}
	for _, e := range w.events {
		closers = append(closers, func() { w.expect(e.e.Close(), nil, "%s.Close()", e.name) })
	}
	for _, s := range w.plainStreams() {
		closers = append(closers, func() {
			errs := s.failing()
			if s.closed {
				errs = nil
			}
			w.mayFail(s.s.Close(), errs, s.mayFail, "%s.Close()", s.name)
		})
	}
	w.random.Shuffle(len(closers), func(i, j int) { closers[i], closers[j] = closers[j], closers[i] })
	if w.chance(30) {
		closers = closers[:len(closers)/2] // the device closes the others
	}
	for _, c := range closers {
		c()
	}
	all := len(closers)
	for _, d := range w.devs {
		cuda.AwaitCalls(d.dev) // graphs with host functions go later
		if s := d.dev.Stats(); all > 0 && len(closers) == len(w.execs)+len(w.memories)+len(w.events)+len(w.plainStreams()) && s.Graphs+s.Events+s.Buffers+s.Streams > 0 {
			w.fail("device%d has %+v when all is closed", d.n, s)
		}
	}
	for _, d := range w.devs {
		if w.chance(50) {
			for _, f := range d.close {
				w.expect(f(), nil, "close libraries and the pool of device%d", d.n)
			}
		}
		w.expect(d.dev.Close(), nil, "device%d.Close()", d.n)
	}
}

// abandon closes the devices of a program that has failed.
func (w *modelWorld) abandon() {
	defer func() { _ = recover() }()
	w.open()
	for _, d := range w.devs {
		d.dev.Close()
	}
}

// shrink returns the shortest program it finds that fails as p does.
func (p modelProgram) shrink(wrong modelMistake, fails func(modelProgram) bool) modelProgram {
	for size := max(1, len(p.steps)/2); ; size /= 2 {
		for at := 0; at < len(p.steps); {
			shorter := modelProgram{p.seed, slices.Delete(slices.Clone(p.steps), at, min(at+size, len(p.steps)))}
			if fails(shorter) {
				p = shorter
			} else {
				at += size
			}
		}
		if size <= 1 {
			return p
		}
	}
}

// shrunk is shrink of a program that fails with failure, and prints what is left.
func (p modelProgram) shrunk(wrong modelMistake, failure modelResult) (modelProgram, string) {
	if failure.hangs {
		return p, strings.Join(failure.trace, "\n") + "\n" + failure.failure
	}
	small := p.shrink(wrong, func(q modelProgram) bool {
		for range 2 {
			if r := q.run(wrong); r.failure != "" && kindOfFailure(r.failure) == kindOfFailure(failure.failure) {
				return true
			}
		}
		return false
	})
	r := small.run(wrong)
	if r.failure == "" {
		return small, "(not each time)\n" + strings.Join(failure.trace, "\n") + "\n" + failure.failure
	}
	return small, strings.Join(r.trace, "\n") + "\n" + r.failure
}

// kindOfFailure is what failures of shorter programs have in common.
func kindOfFailure(text string) string {
	if strings.HasPrefix(text, "panic: ") {
		first, _, _ := strings.Cut(text, "\n")
		return first
	}
	for _, part := range []string{" has\n", "CopyTo", "Stats", "left", "want no error", "no error, want", "hangs"} {
		if strings.Contains(text, part) {
			return part
		}
	}
	return "another error"
}

// TestModel runs random programs on two simulated devices, and compares all that can be seen with a
// model: bytes, errors by their kind, figures, and that nothing is left.
func TestModel(t *testing.T) {
	if os.Getenv(onGPU) != "" || os.Getenv(driverVersion) != "" {
		return
	}
	t.Setenv("CUDAGEN_SIM_DEVICES", "2")
	side := new(simulatorSide)
	before := side.live()
	goroutines := runtime.NumGoroutine()
	programs := uint64(cmp.Or(*modelPrograms, testenv.Cases(8, 40)))
	defer sim.OrderGraphs(0)
	for seed := *modelSeed; seed < *modelSeed+programs; seed++ {
		sim.OrderGraphs(seed % 4)
		p := randomProgram(seed, *modelLength)
		if r := p.run(rightModel); r.failure != "" {
			_, text := p.shrunk(rightModel, r)
			t.Errorf("seed %d: %s", seed, text)
		}
		if t.Failed() {
			return
		}
	}
	var together sync.WaitGroup
	for i := range programs / 8 {
		together.Go(func() {
			seed := *modelSeed + i
			if r := randomProgram(seed, *modelLength).run(rightModel); r.failure != "" {
				t.Errorf("seed %d beside others: %s\n%s", seed, strings.Join(r.trace, "\n"), r.failure)
			}
		})
	}
	together.Wait()
	assert.Equal(t, before, side.live(), "what the driver has")
	if !assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 }, time.Minute, time.Millisecond) {
		stacks := make([]byte, 1<<16)
		t.Logf("%s", stacks[:runtime.Stack(stacks, true)])
	}
}

// TestModelIsCompared is the control: each mistake of the model is found.
func TestModelIsCompared(t *testing.T) {
	if os.Getenv(onGPU) != "" || os.Getenv(driverVersion) != "" {
		return
	}
	t.Setenv("CUDAGEN_SIM_DEVICES", "2")
	for _, row := range []struct {
		name  string
		wrong modelMistake
		seed  uint64 // of a program that finds it, to be quick
	}{
		{"a fill", wrongFill, 1},
		{"a condition", wrongCondition, 90},
		{"a node that is left out", wrongDisable, 15},
		{"what is closed", wrongClose, 2},
	}[:testenv.Cases(1, 4)] {
		t.Run(row.name, func(t *testing.T) {
			wrong := row.wrong
			for seed := row.seed; seed < row.seed+300; seed++ {
				p := randomProgram(seed, *modelLength)
				r := p.run(wrong)
				if r.failure == "" {
					continue
				}
				small, text := p.shrunk(wrong, r)
				require.Less(t, len(small.steps), len(p.steps), "%s", text)
				t.Logf("seed %d: %d steps:\n%s", seed, len(small.steps), text)
				return
			}
			t.Error("no program has found it")
		})
	}
}
