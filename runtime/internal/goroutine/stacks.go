package goroutine

import (
	"bytes"
	"runtime"
	"sync"
)

// Few is for how many goroutines NoneIn reads the stacks. They are stopped meanwhile; of few that takes a hundredth of a garbage collection.
const Few = 100

// stacks is what NoneIn reads.
var stacks struct {
	sync.Mutex
	text []byte
}

// NoneIn reports whether no goroutine is in a function of the package of a path, or of packages below it, but for those that harmless names
// as stack traces do behind the path, as .(*T).Method or .F.func1. Generic functions and those that the compiler has inlined are in stack
// traces, too. It may report false although that is so, and does of more than Few goroutines.
func NoneIn(path string, harmless map[string]bool) bool {
	if runtime.NumGoroutine() > Few {
		return false
	}
	stacks.Lock()
	defer stacks.Unlock()
	if stacks.text == nil {
		stacks.text = make([]byte, 256<<10)
	}
	n := runtime.Stack(stacks.text, true)
	return n < len(stacks.text) && noneIn(stacks.text[:n], []byte(path), harmless)
}

// noneIn is NoneIn of traces.
func noneIn(traces, path []byte, harmless map[string]bool) bool {
	for line := range bytes.Lines(traces) {
		name, inside := bytes.CutPrefix(line, path)
		arguments := bytes.LastIndexByte(name, '(')
		if !inside || arguments < 0 || name[0] != '.' && name[0] != '/' { // another package, of which the path begins so
			continue
		}
		if !harmless[string(name[:arguments])] {
			return false
		}
	}
	return true
}
