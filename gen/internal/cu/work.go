package cu

import "github.com/cudagen/cudagen/gen/internal/cu/lex"

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
