package gen

import (
	"fmt"
	"go/token"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/witness"
	"github.com/cudagen/cudagen/internal/ptx"
)

// A testimony is what a compiler says of the kernels of a unit besides the images: of one
// extra compilation, beside those that make the images.
type testimony struct {
	image     *image.Image // the kernels, with their symbols there
	compiler  string       // who says so: "nvcc 13.0.88"
	companion bool         // it is the companion's: the compiler itself has the last word
	silence   string       // why the compiler itself does not answer, or says nothing at all

	debug     *witness.Debug
	answers   map[*cu.Kernel][]witness.Answer // by selected.origin; without those that it does not answer
	types     map[any]account                 // by layout.Identity: those that were asked for
	constants map[string]constantAccount      // by qualified name: those that were asked for
}

// A constantAccount is what a compiler says of a constant.
type constantAccount struct {
	value   int64
	silence string // why it does not say it; empty when it does
}

// ask returns the questions about the unit's kernels, types and constants.
func (u *unit) ask() *questions {
	q := newQuestions(u.subjects())
	for _, s := range slices.Concat(u.sel.Kernels, u.sel.Unclear) {
		q.kernels = append(q.kernels, kernelQuestion{origin: s.Origin, query: u.sel.Query(s)})
	}
	for _, name := range slices.Sorted(maps.Keys(u.sel.UsedConstants())) {
		q.constants = append(q.constants, constantQuestion{name: name})
	}
	return q
}

// subjects returns the classes and enumerations that Go may declare for the unit.
func (u *unit) subjects() []proof.Subject {
	var roots []proof.Root
	for _, s := range slices.Concat(u.sel.Kernels, u.sel.Unclear) {
		query := u.sel.Query(s)
		for i, p := range s.Params {
			if p.Type != nil {
				roots = append(roots, proof.Root{Type: p.Type, Says: witness.ParamType(&query, i)})
			}
		}
	}
	for _, v := range u.sel.Variables {
		query := selection.Query(v.Namespace, v.Name, nil, nil)
		roots = append(roots, proof.Root{Type: v.Type, Says: witness.VariableType(query.Name)})
	}
	for _, e := range u.sel.Exports {
		if e.Type != nil {
			roots = append(roots, proof.Root{Type: e.Type})
		}
	}
	return proof.Subjects(roots)
}

// listen reads what the compiler says in b, in place of what its companion said before.
// A compiler without debug information leaves the unit without a testimony. One that
// could say more, and does not, is worth a warning.
func (u *unit) listen(b *build) (err error) {
	warn := func(what, why string) {
		u.warnings.Add(token.Position{Filename: u.place.Path}, what+": "+why)
	}
	switch {
	case b.Unheard != "" && u.testimony != nil:
		warn("only "+u.testimony.compiler+" says what fields and kinds are, because the compiler itself does not", b.Unheard)
		u.testimony.silence = b.Unheard
		return nil
	case b.Unheard != "":
		warn("the compiler says nothing of fields and kinds, so only the sizes and offsets of parameters are proved", b.Unheard)
		u.unheard = b.Unheard
		return nil
	case b.Heard == nil:
		return nil
	case b.Unasked != "":
		warn("the compiler refuses the questions about kinds, so only its debug information says what they are", b.Unasked)
	}
	t := &testimony{compiler: b.Heard.Compiler, companion: b.Companion, silence: b.Unasked}
	if t.debug, err = witness.ReadDebug(u.place.Path, b.Heard.Code); err != nil {
		return fmt.Errorf("%s: the debug information of %s: %w", u.place.Path, b.Heard.Compiler, err)
	}
	module, err := ptx.Parse(u.place.Path, b.Heard.Code)
	if err != nil {
		return err
	}
	if t.image, err = image.OfPTX(u.place.Path, module); err != nil {
		return fmt.Errorf("%s: the PTX of %s: %w", u.place.Path, b.Heard.Compiler, err)
	}
	u.testimony, u.included = t, slices.Concat(u.included, b.Heard.Includes)
	q := u.ask()
	in := q.replay(b.Refusals)
	if b.Unasked != "" {
		q.refuseAll(b.Unasked)
		in = q.inquiry()
	}
	if err := t.take(u.place.Path, q, in, module); err != nil {
		return err
	}
	for _, k := range q.kernels {
		if k.refused != "" && b.Unasked == "" {
			warn("the compiler refuses the questions about kinds, so only its debug information says what they are", k.refused)
		}
	}
	return nil
}

// take takes what the compiler says in answer to questions.
func (t *testimony) take(path string, q *questions, in *inquiry, module *ptx.Module) error {
	answers, err := in.Read(module)
	if err != nil {
		return fmt.Errorf("%s: the answers of %s: %w", path, t.compiler, err)
	}
	t.answers = make(map[*cu.Kernel][]witness.Answer)
	for i, k := range in.kernels {
		t.answers[q.kernels[k].origin] = answers.Kernels[i]
	}
	t.types = q.accounts(in, t.debug, answers)
	t.constants = make(map[string]constantAccount)
	for _, c := range q.constants {
		t.constants[c.name] = constantAccount{silence: c.refused}
	}
	for i, c := range in.constants {
		t.constants[q.constants[c].name] = constantAccount{value: answers.Constants[i]}
	}
	return nil
}

// hearTypes adds what the compiler says about more types, in another compilation; heard is nil
// when it refused that.
func (t *testimony) hearTypes(path string, q *questions, heard *compile.Output) error {
	in := q.inquiry()
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
			return fmt.Errorf("%s: the answers of %s: %w", path, t.compiler, err)
		}
	}
	maps.Copy(t.types, q.accounts(in, debug, answers))
	return nil
}

// compareTestimony compares p with what the compiler says of it, and notes who proved
// which parameter and class.
func (p *proved) compareTestimony(t *testimony) error {
	k := proof.Kernel{Name: p.Name}
	for _, param := range p.Params {
		k.Params = append(k.Params, proof.Param{Name: param.Name, Type: param.Type})
	}
	if debug := p.debug(t); debug != nil {
		compared, err := proof.Fields(k, debug)
		if err != nil {
			return err
		}
		for i, done := range compared.Params {
			if done {
				p.witnesses[i] = append(p.witnesses[i], record.Debug)
			}
		}
		p.classes = compared.Classes
	}
	if answers := t.answers[p.Origin]; answers != nil {
		if err := proof.Kinds(k, answers); err != nil {
			return err
		}
		for i := range p.witnesses {
			p.witnesses[i] = append(p.witnesses[i], record.Probe)
		}
	}
	return nil
}

// debug returns what the debug information has of p, or nil.
func (p *proved) debug(t *testimony) *witness.Kernel {
	name, types := p.ImageName()
	there, err := t.image.Find(name, types)
	if err != nil {
		return nil
	}
	return t.debug.Kernel(there.Symbol)
}
