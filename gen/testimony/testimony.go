// Package testimony knows what a compiler is asked besides compiling, and what it says:
// which classes, kernels and constants it is asked about, in which C++, and how its debug
// information and its answers belong to them. It runs no compiler and compares nothing.
package testimony

import (
	"fmt"
	"go/scanner"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/witness"
	"github.com/cudagen/cudagen/internal/ptx"
)

// A Testimony is what a compiler says of the kernels of a source besides the images: of one
// extra compilation, beside those that make the images.
type Testimony struct {
	Image     *image.Image // the kernels, with their symbols there
	Compiler  string       // who says so: "nvcc 13.0.88"
	Companion bool         // it is the companion's: the compiler itself has the last word
	Silence   string       // why the compiler itself does not answer, or says nothing at all

	Subjects  []Subject // the classes and enumerations that Go may declare
	Debug     *witness.Debug
	Answers   map[*cu.Kernel][]witness.Answer // by selection.Kernel.Origin; without those that it does not answer
	Types     map[any]Account                 // by layout.Identity: those that were asked for
	Constants map[string]ConstantAccount      // by qualified name: those that were asked for
}

// A ConstantAccount is what a compiler says of a constant.
type ConstantAccount struct {
	Value   int64
	Silence string // why it does not say it; empty when it does
}

// Of returns the questions about kernels, types and constants.
func Of(s *selection.Selection) *Questions {
	q := about(needed(s))
	for _, k := range s.All() {
		q.kernels = append(q.kernels, kernelQuestion{origin: k.Origin, query: k.Query, typed: k.TypedQuery()})
	}
	for _, name := range slices.Sorted(maps.Keys(s.UsedConstants())) {
		q.constants = append(q.constants, constantQuestion{name: name})
	}
	return q
}

// needed returns the classes and enumerations that Go may declare.
func needed(s *selection.Selection) []Subject {
	var roots []Root
	for _, k := range s.All() {
		for i, p := range k.Params {
			if p.Type != nil {
				roots = append(roots, Root{Type: p.Type, Says: witness.ParamType(&k.Query, i)})
			}
		}
	}
	for _, v := range s.Variables {
		query := selection.Query(v.Namespace, v.Name, nil, nil)
		roots = append(roots, Root{Type: v.Type, Says: witness.VariableType(query.Name)})
	}
	for _, e := range s.Exports {
		if e.Type != nil {
			roots = append(roots, Root{Type: e.Type})
		}
	}
	return Subjects(roots)
}

// Heard is what a compilation with questions behind the source gave.
type Heard struct {
	Output    *compile.Output
	Refusals  []scanner.ErrorList // of questions, before the compiler answered the others
	Unasked   string              // why Output does not answer any question; empty when it does
	Companion bool                // it is the companion's
}

// Read reads what the compiler says of s. refused says of a question about a kernel that
// is not answered why, and is empty otherwise.
func Read(s *selection.Selection, h Heard) (t *Testimony, refused []string, err error) {
	path := s.Place.Path
	q := Of(s)
	t = &Testimony{Compiler: h.Output.Compiler, Companion: h.Companion, Silence: h.Unasked, Subjects: q.subjects()}
	if t.Debug, err = witness.ReadDebug(path, h.Output.Code); err != nil {
		return nil, nil, fmt.Errorf("%s: the debug information of %s: %w", path, h.Output.Compiler, err)
	}
	module, err := ptx.Parse(path, h.Output.Code)
	if err != nil {
		return nil, nil, err
	}
	if t.Image, err = image.OfPTX(path, module); err != nil {
		return nil, nil, fmt.Errorf("%s: the PTX of %s: %w", path, h.Output.Compiler, err)
	}
	in := q.Replay(h.Refusals)
	if h.Unasked != "" {
		q.RefuseAll(h.Unasked)
		in = q.Inquiry()
	}
	if err := t.take(path, q, in, module); err != nil {
		return nil, nil, err
	}
	for _, k := range q.kernels {
		if k.refused != "" && h.Unasked == "" {
			refused = append(refused, k.refused)
		}
	}
	return t, refused, nil
}

// take takes what the compiler says in answer to questions.
func (t *Testimony) take(path string, q *Questions, in *Inquiry, module *ptx.Module) error {
	answers, err := in.Read(module)
	if err != nil {
		return fmt.Errorf("%s: the answers of %s: %w", path, t.Compiler, err)
	}
	t.Answers = make(map[*cu.Kernel][]witness.Answer)
	for i, k := range in.kernels {
		t.Answers[q.kernels[k].origin] = answers.Kernels[i]
	}
	t.Types = q.accounts(in, t.Debug, answers)
	t.Constants = make(map[string]ConstantAccount)
	for _, c := range q.constants {
		t.Constants[c.name] = ConstantAccount{Silence: c.refused}
	}
	for i, c := range in.constants {
		t.Constants[q.constants[c].name] = ConstantAccount{Value: answers.Constants[i]}
	}
	return nil
}

// Explained returns t for s, which is its selection with what compilers told of unclear kernels.
func (t *Testimony) Explained(s *selection.Selection) *Testimony {
	explained := *t
	explained.Subjects = needed(s)
	return &explained
}

// Unasked returns the questions about types when t says nothing of some of them: about all,
// because a way to say one may lead through another. It returns nil otherwise.
func (t *Testimony) Unasked() *Questions {
	unheard := func(s Subject) bool {
		_, heard := t.Types[layout.Identity(s.Type)]
		return !heard
	}
	if !slices.ContainsFunc(t.Subjects, unheard) {
		return nil
	}
	return about(t.Subjects)
}

// WithTypes returns t with what the compiler says about more types, in another compilation;
// heard is nil when it refused that.
func (t *Testimony) WithTypes(path string, q *Questions, heard *compile.Output) (*Testimony, error) {
	in := q.Inquiry()
	debug, answers := &witness.Debug{}, (*witness.Answers)(nil)
	if heard != nil {
		module, err := ptx.Parse(path, heard.Code)
		if err == nil {
			debug, err = witness.ReadDebug(path, heard.Code)
		}
		if err == nil {
			answers, err = in.Read(module)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the answers of %s: %w", path, t.Compiler, err)
		}
	}
	more := *t
	more.Types = maps.Clone(t.Types)
	maps.Copy(more.Types, q.accounts(in, debug, answers))
	return &more, nil
}
