package compare

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ptx"
)

// Answers are what a compiler states about the kernels of a source besides the images, in one
// extra compilation.
type Answers struct {
	Image     *image.Image // the kernels, with their symbols there
	Compiler  string       // that answers: "nvcc 13.0.88"
	Companion bool         // the answers are the companion's; those of the compiler itself take precedence
	NoAnswer  string       // why the compiler itself does not answer, or says nothing at all

	Declared bool // the debug information is of a compilation without the code of kernels

	Subjects  []Subject // the classes and enumerations that Go may declare
	Debug     *witness.Debug
	Kernels   map[*cu.Kernel][]witness.Answer // by selection.Kernel.Origin; without those that it does not answer
	signature map[*cu.Kernel][]*witness.Type  // of the parameters of kernels, if the compiler was asked for them
	Types     map[any]Description             // by layout.Identity: those that were asked for
	Constants map[string]AskedValue           // by qualified name: those that were asked for
}

// An AskedValue is what a compiler states about a constant.
type AskedValue struct {
	Value    int64
	NoAnswer string // why there is no answer; empty if there is one
}

// QuestionsOf returns the questions about kernels, types and constants.
func QuestionsOf(s *selection.Selection) *Questions {
	q := about(Needed(s))
	for _, k := range s.All() {
		q.kernels = append(q.kernels, kernelQuestion{origin: k.Origin, query: k.Query, typed: k.TypedQuery()})
	}
	for _, name := range slices.Sorted(maps.Keys(s.UsedConstants())) {
		q.constants = append(q.constants, constantQuestion{name: name})
	}
	return q
}

// Needed returns the classes and enumerations that Go may declare.
func Needed(s *selection.Selection) []Subject {
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

// Compiled is what a compilation with questions behind the source gave.
type Compiled struct {
	Output    *compile.Output
	Refusals  []diag.List // of questions, before the compiler answered the others
	NotAsked  string      // why Output does not answer any question; empty when it does
	Companion bool        // it is the companion's
}

// ReadAnswers reads what the compiler states about s. refused has the reason for each question
// about a kernel that is not answered.
func ReadAnswers(s *selection.Selection, h Compiled) (t *Answers, refused []string, err error) {
	path := s.Place.Path
	q := QuestionsOf(s)
	t = &Answers{Compiler: h.Output.Compiler, Companion: h.Companion, Declared: h.Output.Declared, NoAnswer: h.NotAsked, Subjects: q.subjects()}
	if t.Debug, err = witness.ReadDebug(path, h.Output.Code); err != nil {
		return nil, nil, fmt.Errorf("%s: the debug information of %s: %w", path, h.Output.Compiler, err)
	}
	module, err := ptx.Parse("PTX", h.Output.Code) // its lines are not those of the source
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the PTX of %s: %w", path, h.Output.Compiler, err)
	}
	if t.Image, err = image.OfPTX(path, module); err != nil {
		return nil, nil, fmt.Errorf("%s: the PTX of %s: %w", path, h.Output.Compiler, err)
	}
	in := q.Replay(h.Refusals)
	if h.NotAsked != "" {
		q.RefuseAll(h.NotAsked)
		in = q.Inquiry()
	}
	if err := t.take(path, q, in, module); err != nil {
		return nil, nil, err
	}
	for _, k := range q.kernels {
		if k.refused != "" && h.NotAsked == "" {
			refused = append(refused, k.refused)
		}
	}
	return t, refused, nil
}

// take takes what the compiler states in answer to questions.
func (t *Answers) take(path string, q *Questions, in *Inquiry, module *ptx.Module) error {
	answers, err := in.Read(module)
	if err != nil {
		return fmt.Errorf("%s: the answers of %s: %w", path, t.Compiler, err)
	}
	t.Kernels, t.signature = make(map[*cu.Kernel][]witness.Answer), make(map[*cu.Kernel][]*witness.Type)
	for i, k := range in.kernels {
		origin := q.kernels[k].origin
		t.Kernels[origin] = answers.Kernels[i]
		if types, ok := t.Debug.Signature(i); ok {
			t.signature[origin] = types
		}
	}
	t.Types = q.descriptions(in, t.Debug, answers)
	t.Constants = make(map[string]AskedValue)
	for _, c := range q.constants {
		t.Constants[c.name] = AskedValue{NoAnswer: c.refused}
	}
	for i, c := range in.constants {
		t.Constants[q.constants[c].name] = AskedValue{Value: answers.Constants[i]}
	}
	return nil
}

// DebugOf returns what the debug information has of a kernel with a symbol there, or nil: all its parameters if the compiler
// was asked for them.
func (t *Answers) DebugOf(origin *cu.Kernel, symbol string) *witness.Kernel {
	debug, types := t.Debug.Kernel(symbol), t.signature[origin]
	if debug == nil || len(types) == 0 {
		return debug
	}
	all := &witness.Kernel{Symbol: debug.Symbol, Name: debug.Name}
	named := debug.Params
	for _, one := range types {
		param := witness.Param{Type: one}
		if len(named) > 0 && named[0].Type.Bare() == one.Bare() {
			param.Name, named = named[0].Name, named[1:]
		}
		all.Params = append(all.Params, param)
	}
	return all
}

// Explained returns t for s, which is its selection with what compilers told of unclear kernels.
func (t *Answers) Explained(s *selection.Selection) *Answers {
	explained := *t
	explained.Subjects = Needed(s)
	return &explained
}

// Unasked returns the questions about types when t says nothing of some of them: about all,
// because a way to say one may lead through another. It returns nil otherwise.
func (t *Answers) Unasked() *Questions {
	noAnswers := func(s Subject) bool {
		_, answered := t.Types[layout.Identity(s.Type)]
		return !answered && s.Type != nil
	}
	if !slices.ContainsFunc(t.Subjects, noAnswers) {
		return nil
	}
	return about(t.Subjects)
}

// WithTypes returns t with what the compiler states about more types, in another compilation;
// answered is nil when it refused that.
func (t *Answers) WithTypes(path string, q *Questions, answered *compile.Output) (*Answers, error) {
	in := q.Inquiry()
	debug, answers := &witness.Debug{}, (*witness.Answers)(nil)
	if answered != nil {
		module, err := ptx.Parse("PTX", answered.Code)
		if err == nil {
			debug, err = witness.ReadDebug(path, answered.Code)
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
	maps.Copy(more.Types, q.descriptions(in, debug, answers))
	for _, s := range more.Subjects {
		if answer := more.Types[layout.Identity(s.Type)].Answer; answer != nil && s.Told() {
			refine(s.Type, answer.Object)
		}
	}
	return &more, nil
}

// refine gives t, which debug information tells, what only the probe states: the alignment of a class, and
// the sign of an enumeration.
func refine(t ctype.Type, answer witness.Object) {
	switch t := t.(type) {
	case *ctype.Struct:
		if answer.Size == t.Stated.Size && answer.Align > 0 && answer.Size%answer.Align == 0 {
			t.Stated.Align = answer.Align
		}
	case *ctype.Enum:
		if under := integerOf(answer.Under, t.Underlying.Size); under != nil && answer.Size == under.Size && !eitherSign(t, answer.Under) {
			t.Underlying = under
		}
	}
}
