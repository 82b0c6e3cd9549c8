package proof

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/diag"
)

// enough reports whether two witnesses confirm a type. The source is one of them unless the type
// was told by a compiler.
func enough(e *compare.Evidence, told bool) bool {
	return e.Debug && e.Probe || !told && (e.Debug || e.Probe)
}

// proveTypes compares every class and enumeration that Go may declare with what the compiler states
// of it. Where its companion says too little, the compiler itself is asked.
func (p *prover) proveTypes() diag.List {
	if p.answers == nil {
		return nil
	}
	needed := make(map[any]bool)
	for _, s := range compare.Needed(p.Selection) {
		if s.Type != nil {
			needed[layout.Identity(s.Type)] = true
		}
	}
	subjects := slices.DeleteFunc(slices.Clone(p.answers.Subjects), func(s compare.Subject) bool { return !needed[layout.Identity(s.Type)] }) // kernels may be left out
	errs := p.compareTypes(subjects)
	short := func(s compare.Subject) bool {
		e := p.types[layout.Identity(s.Type)]
		return !enough(&e, s.Told())
	}
	if len(errs) > 0 || !p.answers.Companion || !slices.ContainsFunc(subjects, short) {
		return errs
	}
	if err := p.askAgain(); err != nil {
		errs.Add(subjects[0].Pos(), err)
		return errs
	}
	return p.compareTypes(subjects)
}

// compareTypes notes what the compiler confirms.
func (p *prover) compareTypes(subjects []compare.Subject) (errs diag.List) {
	p.types = make(map[any]compare.Evidence)
	confirmed := make(map[any]bool) // by debug information, of a parameter, a variable or another type
	for _, s := range subjects {
		key := layout.Identity(s.Type)
		var e compare.Evidence
		err := p.demand(s.Name(), func(t *compare.Answers) (err error) {
			e, err = compare.Type(&s, t.Types[key])
			return err
		})
		report(&errs, s.Pos(), err)
		p.types[key] = e
		maps.Copy(confirmed, e.Classes)
	}
	for _, k := range p.kernels {
		maps.Copy(confirmed, k.classes)
	}
	for _, v := range p.variables {
		maps.Copy(confirmed, v.classes)
	}
	for key, e := range p.types {
		e.Debug = e.Debug || confirmed[key]
		p.types[key] = e
	}
	return errs
}

// proveConstants compares the constants that Go gets or calculates with with those of the
// compiler.
func (p *prover) proveConstants() (errs diag.List) {
	for name, pos := range p.UsedConstants() {
		err := p.demand(name, func(t *compare.Answers) error {
			said, asked := t.Constants[name]
			if source := p.File.Constants[name]; asked && said.NoAnswer == "" && said.Value != source {
				return diag.LayoutsDisagree.Errorf("constant %s is %d by the source and %d by the compiler", name, source, said.Value)
			}
			return nil
		})
		report(&errs, pos, err)
	}
	return errs
}
