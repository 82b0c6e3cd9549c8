package cuda_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
)

var (
	modelFailing = flag.Int("model.failing", 1, "how many random programs TestModelFailing runs")
	failingSteps = flag.Int("model.failing.steps", 12, "how many steps a random program of TestModelFailing has")
	failingEvery = flag.Int("model.failing.every", 4, "one of how many driver calls fails in TestModelFailing")
)

// runFailing runs p on a device of which a driver call fails with injected. The program goes on if
// the operation leaves all as it was, and ends otherwise. It closes all that it has made.
func (p modelProgram) runFailing(injected error, blind bool) (r modelResult, err error) {
	done := make(chan struct{})
	w := &modelWorld{random: rand.New(rand.NewPCG(p.seed, 0)), known: modelClock{}, injected: injected, blind: blind}
	go func() {
		defer close(done)
		r.failure = p.guarded(w, &err)
		if text := (modelProgram{}).guardedClose(w); r.failure == "" {
			r.failure = text
		}
		r.trace = w.trace
	}()
	select {
	case <-done:
		return r, err
	case <-time.After(time.Minute):
		return modelResult{failure: "the program hangs", hangs: true}, nil
	}
}

func (p modelProgram) guarded(w *modelWorld, err *error) (failure string) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case stop:
			*err = v.err
		case mismatch:
			failure = v.text
		default:
			failure = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	w.begin(1)
	for _, s := range p.steps {
		w.random = rand.New(rand.NewPCG(s.seed, 2))
		w.say("// %s", modelSteps[s.kind].name)
		modelSteps[s.kind].do(w)
	}
	for _, m := range w.allMemory() {
		w.verify(m)
	}
	return ""
}

// guardedClose closes all.
func (modelProgram) guardedClose(w *modelWorld) (failure string) {
	defer func() {
		if v := recover(); v != nil {
			failure = fmt.Sprintf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	var err error
	for _, e := range w.execs {
		err = errors.Join(err, e.e.Close())
	}
	for _, b := range w.batches {
		b.b.NeverGraph()
	}
	for _, m := range w.memories {
		err = errors.Join(err, m.free())
	}
	for _, e := range w.events {
		err = errors.Join(err, e.e.Close())
	}
	for _, s := range w.plainStreams() {
		if failed := s.s.Close(); !errors.Is(failed, cuda.ErrHostFunc) {
			err = errors.Join(err, failed)
		}
	}
	for _, d := range w.devs {
		for _, f := range d.close {
			err = errors.Join(err, f())
		}
		err = errors.Join(err, d.dev.Close())
	}
	if err != nil && !errors.Is(err, w.injected) {
		return fmt.Sprintf("closing all: %v", err)
	}
	return ""
}

// TestModelFailing makes driver calls of random programs fail in turn: nothing panics, hangs or
// stays open, errors say what was tried, and what failed to change is as it was.
func TestModelFailing(t *testing.T) {
	testenv.Need(t, testenv.Long)
	if os.Getenv(onGPU) != "" || os.Getenv(driverVersion) != "" {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	run := func(t *testing.T, side side, blind bool) {
		for seed := *modelSeed; seed < *modelSeed+uint64(*modelFailing); seed++ {
			p := randomProgram(seed, *failingSteps)
			for nth := 1 + int(seed)%*failingEvery; ; nth += *failingEvery {
				if text := p.failsAt(side, nth, blind); text != "" && text != "over" {
					small := p.shrink(rightModel, func(q modelProgram) bool {
						for n := 1; ; n++ {
							if text := q.failsAt(side, n, blind); text != "" {
								nth = n
								return text != "over"
							}
						}
					})
					for n := 1; ; n++ {
						if text := small.failsAt(side, n, blind); text != "" {
							t.Fatalf("seed %d: %s", seed, text)
						}
					}
				} else if text == "over" {
					assert.Greater(t, nth, 30)
					break
				}
			}
		}
	}
	t.Run("simulator", func(t *testing.T) {
		t.Setenv("CUDAGEN_SIM_DEVICES", "1")
		dev, err := cuda.Open(0) // makes it
		require.NoError(t, err)
		require.NoError(t, dev.Close())
		s := new(simulatorSide)
		setBefore(t, s.before)
		run(t, s, false)
	})
	t.Run("fake libcuda", func(t *testing.T) {
		library := loadFake(t)
		dev, err := cuda.Open(0)
		require.NoError(t, err)
		require.NoError(t, dev.Close())
		run(t, fakeSide{library}, true)
	})
}

// failsAt returns what is wrong when the nth call of p fails, "" for nothing, or "over" if the
// program has fewer calls.
func (p modelProgram) failsAt(side side, nth int, blind bool) string {
	before := side.live()
	side.fail(nth, driver.ErrorOutOfMemory, false)
	r, err := p.runFailing(cuda.ErrOutOfMemory, blind)
	made := side.calls()
	side.fail(0, driver.Success, false)
	if nth > len(made) {
		if r.failure != "" || err != nil {
			return fmt.Sprintf("without a failure: %s %v\n%s", r.failure, err, strings.Join(r.trace, "\n"))
		}
		return "over"
	}
	at := fmt.Sprintf("call %d, %s: %v\n%s", nth, made[nth-1], err, strings.Join(r.trace, "\n"))
	if r.failure != "" {
		return at + "\n" + r.failure
	}
	for kind, n := range side.live() {
		stays := 0
		if slices.Contains(gives[made[nth-1]], kind) {
			stays = 1 // the driver has refused to take it back
		}
		if n > before[kind]+stays {
			return fmt.Sprintf("%s\n%d %s stay", at, n-before[kind], kind)
		}
	}
	return ""
}
