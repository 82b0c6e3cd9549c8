package cuda

import (
	"bytes"
	"reflect"
	"runtime"
	"sync"
)

// A call holds its epoch on the stack, in a function of this package, which generic functions and those that the compiler has inlined are
// in stack traces, too. The garbage collector sees it there, and so does who reads the stacks of all goroutines, which are stopped
// meanwhile. Of few goroutines that takes a hundredth of a collection.

// fewGoroutines is for how many the stacks are read.
const fewGoroutines = 100

// packagePath is what the names of functions of this package and those inside of it begin with.
var packagePath = []byte(reflect.TypeFor[Device]().PkgPath())

// harmless are functions that hold no epoch. What they call has frames of its own.
var harmless = map[string]bool{
	".(*Device).Close": true, ".(*Device).CloseContext": true, ".(*Device).close": true, ".(*Device).closeWithin": true, ".(*Device).closeWithin.func1": true,
	".(*Device).awaitClosing": true, ".(*Device).awaitCalls": true, ".(*Device).awaitCalls.func1": true, ".noneIsCalling": true,
	".(*Device).awaitCalls.func1.gowrap1": true, ".(*Device).endDue.func1": true, ".(*Device).endDue.func1.gowrap1": true,
	".(*Device).freeAll": true, ".(*Device).freeAll.func1": true, ".(*Device).freeAll.gowrap1": true, ".(*Device).free": true,
	".(*waiter).poll": true,
}

// stacks is what noneIsCalling reads.
var stacks struct {
	sync.Mutex
	text []byte
}

// noneIsCalling reports whether no goroutine is in a function of this package, but to close devices. It may report false although that
// is so.
func noneIsCalling() bool {
	if runtime.NumGoroutine() > fewGoroutines {
		return false
	}
	stacks.Lock()
	defer stacks.Unlock()
	if stacks.text == nil {
		stacks.text = make([]byte, 256<<10)
	}
	n := runtime.Stack(stacks.text, true)
	return n < len(stacks.text) && onlyClosing(stacks.text[:n])
}

// onlyClosing reports whether no stack has a function of this package but those that close.
func onlyClosing(traces []byte) bool {
	for line := range bytes.Lines(traces) {
		name, ours := bytes.CutPrefix(line, packagePath)
		arguments := bytes.LastIndexByte(name, '(')
		if !ours || arguments < 0 || name[0] != '.' && name[0] != '/' { // another package, of which the name begins so
			continue
		}
		if !harmless[string(name[:arguments])] {
			return false
		}
	}
	return true
}
