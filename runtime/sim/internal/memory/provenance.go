package memory

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
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

// ProvenanceOf returns what is known about the memory at addr, freed or not.
func ProvenanceOf(addr uint64) Provenance {
	a := AllocationOf(addr >> OffsetBits)
	switch {
	case a == nil:
		return Provenance{}
	case a.Data != nil: // freed is written when its free is queued
		return Provenance{Name: a.From.Name, Allocated: a.From.Allocated}
	}
	return a.From
}

// noteAllocated notes where a is being allocated, unless that is known.
func (m *Memory) noteAllocated(a *Allocation) {
	if m.Traced.Load() && a.From.Allocated == "" && !a.Variable {
		a.From.Allocated = calledFrom()
	}
}

// noteFreed notes where a is being freed, unless that is known. m.mu is held.
func (m *Memory) noteFreed(a *Allocation) {
	if m.Traced.Load() && a.From.Freed == "" && !a.Variable {
		a.From.Freed = calledFrom()
	}
}

// modulePath is what the names of this module's runtime packages begin with.
var modulePath = strings.TrimSuffix(reflect.TypeFor[Memory]().PkgPath(), "sim/internal/memory")

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

// HeapUse returns what kernels took with malloc and did not free, by the places where they did.
func (m *Memory) HeapUse() (uses []driver.HeapUse) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	for id := range m.Living {
		a := AllocationOf(id)
		if !a.Heap {
			continue
		}
		n := slices.IndexFunc(uses, func(u driver.HeapUse) bool { return u.Allocated == a.From.Allocated })
		if n < 0 {
			n = len(uses)
			uses = append(uses, driver.HeapUse{Allocated: a.From.Allocated})
		}
		uses[n].Count++
		uses[n].Bytes += a.Size
	}
	slices.SortFunc(uses, func(a, b driver.HeapUse) int { return strings.Compare(a.Allocated, b.Allocated) })
	return uses
}
