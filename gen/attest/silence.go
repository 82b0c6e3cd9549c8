package attest

import (
	"cmp"
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/testimony"
)

// gate is the last look before Go is printed: all that stands in the model needs two witnesses in
// the record, which is made of it or was committed. Where no compiler could be heard, there is one
// warning for the file.
func (a *attestation) gate() error {
	unproved := gate(a.emitted())
	warn := func(reason string) error {
		a.warnings.Add(token.Position{Filename: a.Place.Path}, fmt.Sprintf("only the source says what %s: %s", summary(unproved), reason))
		return nil
	}
	switch {
	case len(unproved) == 0:
		return nil
	case a.Committed != nil && len(a.Reasons) > 0:
		return nil // what is stale is compiled, and proved, before anything is written
	case a.Committed != nil:
		return warn(filepath.Base(a.Place.Record) + " does not say that a compiler confirms it (run cudagen -force where there is one)")
	case a.Proofs.Testimony == nil && a.Unheard == "":
		return warn(a.record.Compiler.String() + " has no debug information (use nvcc, NVRTC or clang)")
	}
	var errs scanner.ErrorList
	for _, one := range unproved {
		errs.Add(one.Pos, one.String())
	}
	errs.Sort()
	return errs.Err()
}

// summary names a few things of a list: "struct A and enum B are", "struct A and 3 others are".
func summary(list []unproved) string {
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
func (a *attestation) emitted() (list []emitted) {
	at := func(key string) emitted {
		from := a.Origins[key]
		e := a.Proofs.Types[layout.Identity(from.Type)]
		return emitted{Name: testimony.TypeName(from.Type), Pos: from.Pos, Silence: a.silence(e.Silence)}
	}
	for i, s := range slices.Concat(a.Model.Structs, a.Model.Foreign) {
		key := cmp.Or(s.GoName, selection.ForeignKey(&s))
		e, r := at(key), a.record.Structs[i]
		e.Witnesses = r.Witnesses
		subject := testimony.Subject{Type: a.Origins[key].Type}
		sayable, _ := subject.Parts()
		for _, f := range r.Fields {
			if subject.Told() && !slices.Contains(sayable, f.Name) {
				continue // its place is debug information's alone: C++ has no offset of it
			}
			e.Parts = append(e.Parts, emittedPart{Name: "field " + cmp.Or(f.Name, "without a name"), Witnesses: f.Witnesses})
		}
		list = append(list, e)
	}
	for i, m := range a.Model.Enums {
		e, r := at(m.GoName), a.record.Enums[i]
		e.Witnesses = r.Witnesses
		for _, c := range r.Constants {
			e.Parts = append(e.Parts, emittedPart{Name: "value of " + c.Name, Witnesses: c.Witnesses})
		}
		list = append(list, e)
	}
	for i, k := range a.record.Kernels {
		e := emitted{Name: k.Name, Pos: a.Proofs.Kernels[i].Pos, Witnesses: []string{record.Source, record.PTX}, Silence: a.silence("")}
		for j, p := range k.Params {
			e.Parts = append(e.Parts, emittedPart{Name: fmt.Sprintf("parameter %d (%s)", j, p.Name), Witnesses: p.Witnesses})
		}
		list = append(list, e)
	}
	for i, v := range a.record.Variables {
		typed := slices.DeleteFunc(slices.Clone(v.Witnesses), func(w string) bool { return w == record.PTX || w == record.Cubin })
		list = append(list, emitted{
			Name: "variable " + v.Name, Pos: a.Proofs.Variables[i].Pos, Witnesses: v.Witnesses, Silence: a.silence(""),
			Parts: []emittedPart{{Name: "its type", Witnesses: typed}},
		})
	}
	used := a.UsedConstants()
	for _, c := range a.record.Constants {
		silence := ""
		if a.Proofs.Testimony != nil {
			silence = a.Proofs.Testimony.Constants[c.Name].Silence
		}
		list = append(list, emitted{Name: "constant " + c.Name, Pos: used[c.Name], Witnesses: c.Witnesses, Silence: a.silence(silence)})
	}
	return list
}

// silence says why nobody confirms something, and what to do; refused is what the compiler had
// against the question, if it had.
func (a *attestation) silence(refused string) string {
	remedy := " (use it in a kernel, or give it a public name that the end of the file can say; or leave out what needs it)"
	if refused != "" && a.Std == "c++11" {
		remedy = " (give it a public name, or use -std c++14, in which a private one will do; or leave out what needs it)"
	}
	oneLine := func(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
	switch {
	case a.Proofs.Testimony == nil:
		return "the compiler refuses to be heard: " + oneLine(a.Unheard) + remedy
	case refused != "":
		return a.Proofs.Testimony.Compiler + " was asked and refuses: " + oneLine(refused) + remedy
	}
	return a.Proofs.Testimony.Compiler + " was asked, and has no debug information and no answer" + remedy
}
