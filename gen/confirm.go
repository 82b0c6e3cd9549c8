package gen

import (
	"fmt"
	"go/scanner"
	"maps"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
)

// An evidence is what a compiler confirms of a type, and why it confirms no more.
type evidence struct {
	proof.Evidence
	silence string
}

// enough reports whether two witnesses stand for the type, which the source has or, when it is
// told, has not.
func (e *evidence) enough(told bool) bool { return e.Debug && e.Probe || !told && (e.Debug || e.Probe) }

// proveTypes compares every class and enumeration that Go may declare with what the compiler says
// of it. Where its companion says too little, the compiler itself is asked.
func (u *unit) proveTypes() scanner.ErrorList {
	if u.testimony == nil {
		return nil
	}
	subjects := u.subjects()
	errs := u.confrontTypes(subjects)
	short := func(s proof.Subject) bool {
		e := u.evidence[layout.Identity(s.Type)]
		return !e.enough(told(s.Type))
	}
	if len(errs) > 0 || !u.testimony.companion || !slices.ContainsFunc(subjects, short) {
		return errs
	}
	if err := u.askAgain(); err != nil {
		errs.Add(subjects[0].Pos(), err.Error())
		return errs
	}
	return u.confrontTypes(subjects)
}

// told reports whether a compiler told the type, and not the source.
func told(t ctype.Type) bool {
	switch t := t.(type) {
	case *ctype.Struct:
		return t.Stated != nil
	case *ctype.Enum:
		return t.Stated
	}
	return false
}

// confrontTypes notes what the compiler confirms.
func (u *unit) confrontTypes(subjects []proof.Subject) (errs scanner.ErrorList) {
	u.evidence = make(map[any]evidence)
	confirmed := make(map[any]bool) // by debug information, of a parameter, a variable or another type
	for _, s := range subjects {
		key := layout.Identity(s.Type)
		var e evidence
		err := u.confront(s.Name(), func(t *testimony) (err error) {
			e.silence = t.types[key].silence
			e.Evidence, err = proof.Compare(&s, t.types[key].Account)
			return err
		})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				errs.Add(s.Pos(), line)
			}
		}
		u.evidence[key] = e
		maps.Copy(confirmed, e.Classes)
	}
	for _, p := range u.proved {
		maps.Copy(confirmed, p.classes)
	}
	for _, v := range u.variables {
		maps.Copy(confirmed, v.classes)
	}
	for key, e := range u.evidence {
		e.Debug = e.Debug || confirmed[key]
		u.evidence[key] = e
	}
	return errs
}

// proveConstants compares the constants that Go gets or calculates with with those of the
// compiler.
func (u *unit) proveConstants() (errs scanner.ErrorList) {
	for name, pos := range u.sel.UsedConstants() {
		err := u.confront(name, func(t *testimony) error {
			said, asked := t.constants[name]
			if source := u.sel.File.Constants[name]; asked && said.silence == "" && said.value != source {
				return fmt.Errorf("constant %s is %d by the source and %d by the compiler", name, source, said.value)
			}
			return nil
		})
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				errs.Add(pos, line)
			}
		}
	}
	return errs
}

// typeWitnesses returns who states a type in the model, which origins has under key, and each of
// its parts by name.
func (u *unit) typeWitnesses(key string) (whole []string, part func(name string) []string) {
	from := u.bound.Origins[key]
	e := u.evidence[layout.Identity(from.Type)]
	if !from.Told {
		whole = append(whole, record.Source)
	}
	if e.Debug {
		whole = append(whole, record.Debug)
	}
	parts := slices.Clone(whole)
	if e.Probe {
		whole = append(whole, record.Probe)
	}
	return whole, func(name string) []string {
		if e.Parts[name] {
			return append(slices.Clone(parts), record.Probe)
		}
		return slices.Clone(parts)
	}
}

// constantWitnesses returns who states a constant.
func (u *unit) constantWitnesses(name string) []string {
	list := []string{record.Source}
	if u.testimony != nil {
		if said, asked := u.testimony.constants[name]; asked && said.silence == "" {
			return append(list, record.Probe)
		}
	}
	if len(u.sel.File.Environment) > 0 && u.committed == nil { // see assertions
		list = append(list, record.Assertion)
	}
	return list
}
