package cu

import (
	"context"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// A work counts what reading takes. A step reads one name, type, operand, statement or declaration. Steps
// are counted, and time is not, so that every machine reads the same.
type work struct {
	steps int // taken so far
	most  int // for the whole file
	limit int // where the present question ends; 0 if there is none
	stop  func() error

	nesting   int // of declarations, types and expressions that are being read
	instances int // how many instances of templates and elements of packs may still be made
	calls     int // the same for calls and statements of constexpr functions

	// Steps that questions about launches may still take: those that begin in the main file, and those
	// of included files.
	own, included int
}

// allow sets what reading a file with n tokens may take.
func (w *work) allow(n int) {
	const least = 1 << 20
	w.most = 4*least + 16*n
	w.own, w.included = least+n, least+n
	w.instances, w.calls = 1<<14+n/4, 1<<20+n/4
}

// enter notes that something nests in what is being read. It reports false if most are nested already; leave
// has to follow otherwise.
func (w *work) enter(most int) bool {
	if w.nesting >= most {
		return false
	}
	w.nesting++
	return true
}

func (w *work) leave() { w.nesting-- }

// step counts one step. It panics if the caller of ParseFile no longer wants the file.
func (w *work) step() {
	const often = 1 << 10
	if w.steps++; w.steps%often == 0 && w.stop != nil {
		if err := w.stop(); err != nil {
			panic(&lex.Stopped{Err: err})
		}
	}
}

// spent reports whether the present question, or the whole file, has taken all of its steps. What a question
// finds out afterwards does not count.
func (w *work) spent() bool { return w.steps > w.most || w.limit > 0 && w.steps > w.limit }

// question calls ask with a bound on its steps. They are taken from left.
func (w *work) question(left *int, ask func()) {
	const most = 1 << 18
	if w.limit > 0 { // a part of one
		ask()
		return
	}
	begin := w.steps
	w.limit = max(1, begin+max(0, min(*left, most)))
	ask()
	w.limit = 0
	*left -= w.steps - begin
}

// leftFor returns what a question may take that root leads to, a name in the main file; nil for none.
func (w *work) leftFor(root *lex.Token) *int {
	if root != nil {
		return &w.own
	}
	return &w.included
}

// tooManyInstances counts one more instance of a template. It reports whether there are more than reading
// the file may make, or the present question is spent.
func (w *work) tooManyInstances() bool {
	w.instances--
	return w.instances < 0 || w.spent()
}

// rootOf returns the name in the main file that leads to l: l itself, if it stands there.
func (u *unit) rootOf(l *lex.Token) *lex.Token {
	if l.At.Origin != nil && l.At.File().Main {
		return l
	}
	return u.root
}

// tooMuchWork is the reason of a question that is spent.
func (u *unit) tooMuchWork(at *lex.Token) *ctype.Reason {
	return u.reasonf(at, diag.NotUnderstood, "finding out takes too many steps")
}

// stopOf returns what asks whether ctx is done; nil if it never is.
func stopOf(ctx context.Context) func() error {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return func() error {
		if ctx.Err() == nil {
			return nil
		}
		return context.Cause(ctx)
	}
}
