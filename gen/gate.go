package gen

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
)

// gate is the last look before Go is printed: all that stands in the model needs two witnesses in
// the record, which is made of it or was committed. Where no compiler could be heard, there is one
// warning for the file.
func (u *unit) gate() error {
	unproved := proof.Gate(u.emitted())
	warn := func(reason string) error {
		u.warnings.Add(token.Position{Filename: u.place.Path}, fmt.Sprintf("only the source says what %s: %s", summary(unproved), reason))
		return nil
	}
	switch {
	case len(unproved) == 0:
		return nil
	case u.committed != nil && len(u.reasons) > 0:
		return nil // what is stale is compiled, and proved, before anything is written
	case u.committed != nil:
		return warn(filepath.Base(u.place.Record) + " does not say that a compiler confirms it (run cudagen -force where there is one)")
	case u.testimony == nil && u.unheard == "":
		return warn(u.record.Compiler.String() + " has no debug information (use nvcc, NVRTC or clang)")
	}
	var errs scanner.ErrorList
	for _, one := range unproved {
		errs.Add(one.Pos, one.String())
	}
	errs.Sort()
	return errs.Err()
}

// summary names a few things of a list: "struct A and enum B are", "struct A and 3 others are".
func summary(list []proof.Unproved) string {
	const most = 3
	names := make([]string, 0, most+1)
	for _, one := range list {
		names = append(names, one.Name)
	}
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("%d more", len(list)-most))
	}
	if len(names) == 1 {
		return names[0] + " is"
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last] + " are"
}

// emitted returns everything in the model that states a number or a type, with its witnesses in
// the record: recordKernels and those beside it keep the order of the model.
func (u *unit) emitted() (list []proof.Emitted) {
	at := func(key string) proof.Emitted {
		from := u.bound.Origins[key]
		e := u.evidence[layout.Identity(from.Type)]
		return proof.Emitted{Name: proof.TypeName(from.Type), Pos: from.Pos, Silence: u.silence(e.silence)}
	}
	for i, s := range slices.Concat(u.bound.Model.Structs, u.bound.Model.Foreign) {
		key := cmp.Or(s.GoName, bind.ForeignKey(&s))
		e, r := at(key), u.record.Structs[i]
		e.Witnesses = r.Witnesses
		subject := proof.Subject{Type: u.bound.Origins[key].Type}
		sayable, _ := subject.Parts()
		for _, f := range r.Fields {
			if told(subject.Type) && !slices.Contains(sayable, f.Name) {
				continue // its place is debug information's alone: C++ has no offset of it
			}
			e.Parts = append(e.Parts, proof.EmittedPart{Name: "field " + cmp.Or(f.Name, "without a name"), Witnesses: f.Witnesses})
		}
		list = append(list, e)
	}
	for i, m := range u.bound.Model.Enums {
		e, r := at(m.GoName), u.record.Enums[i]
		e.Witnesses = r.Witnesses
		for _, c := range r.Constants {
			e.Parts = append(e.Parts, proof.EmittedPart{Name: "value of " + c.Name, Witnesses: c.Witnesses})
		}
		list = append(list, e)
	}
	for i, k := range u.record.Kernels {
		e := proof.Emitted{Name: k.Name, Pos: u.proved[i].Pos, Witnesses: []string{record.Source, record.PTX}, Silence: u.silence("")}
		for j, p := range k.Params {
			e.Parts = append(e.Parts, proof.EmittedPart{Name: fmt.Sprintf("parameter %d (%s)", j, p.Name), Witnesses: p.Witnesses})
		}
		list = append(list, e)
	}
	for i, v := range u.record.Variables {
		typed := slices.DeleteFunc(slices.Clone(v.Witnesses), func(w string) bool { return w == record.PTX || w == record.Cubin })
		list = append(list, proof.Emitted{
			Name: "variable " + v.Name, Pos: u.variables[i].Pos, Witnesses: v.Witnesses, Silence: u.silence(""),
			Parts: []proof.EmittedPart{{Name: "its type", Witnesses: typed}},
		})
	}
	used := u.sel.UsedConstants()
	for _, c := range u.record.Constants {
		silence := ""
		if u.testimony != nil {
			silence = u.testimony.constants[c.Name].silence
		}
		list = append(list, proof.Emitted{Name: "constant " + c.Name, Pos: used[c.Name], Witnesses: c.Witnesses, Silence: u.silence(silence)})
	}
	return list
}

// silence says why nobody confirms something, and what to do; refused is what the compiler had
// against the question, if it had.
func (u *unit) silence(refused string) string {
	const remedy = " (use it in a kernel, or give it a public name that the end of the file can say; or leave out what needs it)"
	oneLine := func(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
	switch {
	case u.testimony == nil:
		return "the compiler refuses to be heard: " + oneLine(u.unheard) + remedy
	case refused != "":
		return u.testimony.compiler + " was asked and refuses: " + oneLine(refused) + remedy
	}
	return u.testimony.compiler + " was asked, and has no debug information and no answer" + remedy
}
