// Package leak tracks open objects: it keeps the stack that opened an object until the object
// is closed. It knows nothing of CUDA.
//
// Objects opened before Enable are not tracked. The environment variable CUDAGEN_LEAKS=1
// calls Enable when the program starts.
package leak

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

var enabled atomic.Bool

func init() {
	if os.Getenv("CUDAGEN_LEAKS") == "1" {
		Enable()
	}
}

// Enable notes what is opened from now on. It cannot be undone.
func Enable() { enabled.Store(true) }

// Enabled reports whether what is opened is noted.
func Enabled() bool { return enabled.Load() }

// A Record is something that was opened and is not closed. The nil Record is of
// something that was not noted. Any goroutine may call its methods.
type Record struct {
	what   string
	number uint64 // of the opening
	stack  []uintptr
	scope  *Scope
}

var open struct {
	sync.Mutex
	opened  uint64
	records map[*Record]bool
}

// A Scope is a part of what is opened, such as what is on one device. The nil Scope is the
// rest, which is noted only after Enable.
type Scope struct{ _ byte } // not of size 0: two have two addresses

// Enabled reports whether what is opened in s is noted.
func (s *Scope) Enabled() bool { return s != nil || Enabled() }

// Opened notes what, such as "a stream on device 0", with the stack of the caller's
// caller. It returns nil while not enabled.
func (s *Scope) Opened(what string) *Record {
	if !s.Enabled() {
		return nil
	}
	stack := make([]uintptr, 64)
	stack = stack[:runtime.Callers(3, stack)]
	open.Lock()
	defer open.Unlock()
	open.opened++
	r := &Record{what: what, number: open.opened, stack: slices.Clip(stack), scope: s}
	if open.records == nil {
		open.records = map[*Record]bool{}
	}
	open.records[r] = true
	return r
}

// Closed says that r was closed. It reports whether it was open until then.
func (r *Record) Closed() bool {
	if r == nil {
		return false
	}
	open.Lock()
	defer open.Unlock()
	was := open.records[r]
	delete(open.records, r)
	return was
}

// Lost reports on standard error that r, unless it was closed, can no longer be. r stays open.
func (r *Record) Lost() {
	open.Lock()
	lost := open.records[r]
	open.Unlock()
	if lost {
		fmt.Fprintf(os.Stderr, "cuda: leak: unreachable and not closed: %v\n", r)
	}
}

// String says what was opened and where.
func (r *Record) String() string {
	var b strings.Builder
	b.WriteString(r.what + ", opened by")
	frames := runtime.CallersFrames(r.stack)
	for {
		frame, more := frames.Next()
		if frame.Function != "" && !strings.HasPrefix(frame.Function, "runtime.") {
			fmt.Fprintf(&b, "\n\t%s\n\t\t%s:%d", frame.Function, frame.File, frame.Line)
		}
		if !more {
			return b.String()
		}
	}
}

// Open returns what is open, of all scopes, in the order of opening.
func Open() []*Record { return opened(func(*Record) bool { return true }) }

// Open returns what is open in s, in the order of opening.
func (s *Scope) Open() []*Record { return opened(func(r *Record) bool { return r.scope == s }) }

// Forget ends what is noted of s.
func (s *Scope) Forget() {
	for _, r := range s.Open() {
		r.Closed()
	}
}

func opened(wanted func(*Record) bool) (records []*Record) {
	open.Lock()
	defer open.Unlock()
	for r := range open.records {
		if wanted(r) {
			records = append(records, r)
		}
	}
	slices.SortFunc(records, func(a, b *Record) int { return cmp.Compare(a.number, b.number) })
	return records
}
