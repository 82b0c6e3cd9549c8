package simtest

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/internal/goroutine"
)

// Goroutines inherit the profiling labels of the one that starts them. New gives the goroutine of the test a
// label of its own, and what has it at the end was started by the test: not by tests that run in parallel.

// goroutineLabel is the key of the label, which is in profiles of tests, too.
const goroutineLabel = "cudagen.simtest"

var labelled atomic.Uint64

// A starter is a test whose goroutines are known.
type starter struct {
	label  string // its value
	caller uint64 // the goroutine that has it
	before goroutine.Labels
}

// watchGoroutines notes which goroutines t starts from now on.
func watchGoroutines(t testing.TB) starter {
	s := starter{label: strconv.FormatUint(labelled.Add(1), 10) + " " + t.Name(), caller: goroutine.ID(), before: goroutine.CurrentLabels()}
	if with := s.before.With(goroutineLabel, s.label); with != s.before {
		with.Use()
	} else { // it is not known how to keep the others
		pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels(goroutineLabel, s.label)))
	}
	return s
}

// end takes the label from the goroutine of the test.
func (s starter) end() {
	if goroutine.ID() == s.caller {
		s.before.Use()
	}
}

// goroutinePatience is how long a goroutine may take to leave this module's packages after its test has ended.
var goroutinePatience = 10 * time.Second

// left returns the goroutines of the test that are in this module's packages and stay there.
func (s starter) left() (found []stack) {
	deadline := time.Now().Add(goroutinePatience)
	for pause := time.Millisecond; ; pause = min(2*pause, 100*time.Millisecond) {
		if found = stacksIn(goroutineProfile(), s.label); len(found) == 0 || time.Now().After(deadline) {
			return found
		}
		time.Sleep(pause)
	}
}

// goroutineProfile returns the stacks of all goroutines, with their labels.
func goroutineProfile() string {
	var text bytes.Buffer
	pprof.Lookup("goroutine").WriteTo(&text, 1)
	return text.String()
}

// A stack is one that goroutines have.
type stack struct {
	count  string
	frames []frame // the innermost first
}

type frame struct{ function, place string }

// String is the stack as stack traces print it, without what is within this module's packages.
func (s stack) String() string {
	var b strings.Builder
	for _, f := range s.frames {
		fmt.Fprintf(&b, "\n\t%s\n\t\t%s", f.function, f.place)
	}
	return b.String()
}

// stacksIn returns from a goroutine profile the stacks with a label that are in this module's packages and
// began outside of them.
func stacksIn(profile, label string) (found []stack) {
	quoted := strconv.Quote(goroutineLabel) + ":" + strconv.Quote(label)
	for _, record := range strings.Split(profile, "\n\n") {
		var s stack
		has := false
		for n, line := range strings.Split(strings.TrimSpace(record), "\n") {
			switch {
			case strings.HasPrefix(line, "goroutine profile:"):
			case strings.HasPrefix(line, "# labels:"):
				has = strings.Contains(line, quoted)
			case strings.HasPrefix(line, "#\t"):
				s.frames = append(s.frames, frameOf(line))
			case n < 2:
				s.count, _, _ = strings.Cut(line, " @")
			}
		}
		if has && s.usesModule() {
			found = append(found, s)
		}
	}
	return found
}

// frameOf parses a line of a profile: #, the address, the function and its offset, the place.
func frameOf(line string) frame {
	fields := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' })
	if len(fields) < 4 {
		return frame{}
	}
	function, _, _ := strings.Cut(fields[2], "+0x")
	return frame{strings.TrimSpace(function), strings.TrimSpace(fields[len(fields)-1])}
}

// looking is a function of the goroutine that looks for others.
const looking = "runtime/pprof.writeGoroutine"

// usesModule reports whether a goroutine that the program has started is in this module's packages. The
// goroutine of the test itself is not one of them.
func (s stack) usesModule() bool {
	inside, began := false, false
	for _, f := range s.frames {
		if strings.HasPrefix(f.function, "testing.") || f.function == looking {
			return false
		}
		ours := f.isModules()
		inside = inside || ours
		if !strings.HasPrefix(f.function, "sync.") && !strings.HasPrefix(f.function, "runtime.") {
			began = !ours
		}
	}
	return inside && began
}

// modulePath is what the names of this module's runtime packages begin with.
var modulePath = strings.TrimSuffix(reflect.TypeFor[cuda.Device]().PkgPath(), "cuda")

// isModules reports whether a function is in this module's packages.
func (f frame) isModules() bool {
	return strings.HasPrefix(f.function, modulePath) && !strings.Contains(f.place, "_test.go:")
}
