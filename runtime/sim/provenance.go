package sim

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// provenance is what reports say of memory: its variable, and where it was allocated and freed. Places are
// noted only if Checks.Origins is set.
type provenance struct {
	name             string // of a variable of a module
	allocated, freed string // file:line, in Go or, for malloc, in a kernel
}

// String is what follows a sentence about memory.
func (p provenance) String() (text string) {
	if p.name != "" {
		text += ", of variable " + p.name
	}
	if p.allocated != "" {
		text += ", allocated at " + p.allocated
	}
	if p.freed != "" {
		text += ", freed at " + p.freed
	}
	return text
}

// provenanceOf returns what is known about the memory at addr, freed or not.
func provenanceOf(addr uint64) provenance {
	a := allocationOf(addr >> offsetBits)
	switch {
	case a == nil:
		return provenance{}
	case a.data != nil: // freed is written when its free is queued
		return provenance{name: a.from.name, allocated: a.from.allocated}
	}
	return a.from
}

// tellProvenance adds to f where the memory at its address comes from.
func (f *failure) tellProvenance() *failure {
	p := provenanceOf(f.Address)
	f.Reason += p.String()
	f.Allocated, f.Freed = p.allocated, p.freed
	return f
}

// noteAllocated notes where a is being allocated, unless that is known.
func (m *memory) noteAllocated(a *allocation) {
	if m.traced.Load() && a.from.allocated == "" && !a.variable {
		a.from.allocated = calledFrom()
	}
}

// noteFreed notes where a is being freed, unless that is known. m.mu is held.
func (m *memory) noteFreed(a *allocation) {
	if m.traced.Load() && a.from.freed == "" && !a.variable {
		a.from.freed = calledFrom()
	}
}

// modulePath is what the names of this module's runtime packages begin with.
var modulePath = strings.TrimSuffix(reflect.TypeFor[memory]().PkgPath(), "sim")

// calledFrom returns the file and line from which the program has called the runtime. It is empty on goroutines of
// the runtime.
func calledFrom() string {
	var stack [48]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack[:])])
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !isRuntime(frame) {
			return fmt.Sprintf("%s:%d", filepath.Base(frame.File), frame.Line)
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

// heapUse returns what kernels took with malloc and did not free, by the places where they did.
func (m *memory) heapUse() (uses []driver.HeapUse) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.living {
		a := allocationOf(id)
		if !a.heap {
			continue
		}
		n := slices.IndexFunc(uses, func(u driver.HeapUse) bool { return u.Allocated == a.from.allocated })
		if n < 0 {
			n = len(uses)
			uses = append(uses, driver.HeapUse{Allocated: a.from.allocated})
		}
		uses[n].Count++
		uses[n].Bytes += a.size
	}
	slices.SortFunc(uses, func(a, b driver.HeapUse) int { return strings.Compare(a.Allocated, b.Allocated) })
	return uses
}
