package memory

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
)

// Provenance is what reports say of memory: its variable, and where it was allocated and freed. Places are
// noted only if Checks.Origins is set.
type Provenance struct {
	Name             string // of a variable of a module
	Allocated, Freed string // file:line, in Go or, for malloc, in a kernel
}

// String is what follows a sentence about memory.
func (p Provenance) String() (text string) {
	if p.Name != "" {
		text += ", of variable " + p.Name
	}
	if p.Allocated != "" {
		text += ", allocated at " + p.Allocated
	}
	if p.Freed != "" {
		text += ", freed at " + p.Freed
	}
	return text
}

// modulePath is what the names of this module's runtime packages begin with.
var modulePath = strings.TrimSuffix(reflect.TypeFor[Provenance]().PkgPath(), "sim/internal/memory")

// calledFrom returns the file and line from which the program has called the runtime. It is empty on goroutines of
// the runtime.
func calledFrom() string {
	var stack [48]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !isRuntime(frame) {
			return fmt.Sprintf("%s:%d", sourcefile.Shown(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

// isRuntime reports whether a frame is of this module's runtime, Go's or package testing's.
func isRuntime(f runtime.Frame) bool {
	if strings.HasPrefix(f.Function, modulePath) {
		return !strings.HasSuffix(f.File, "_test.go")
	}
	for _, std := range []string{"runtime.", "sync.", "testing.", "internal/"} {
		if strings.HasPrefix(f.Function, std) {
			return true
		}
	}
	return false
}
