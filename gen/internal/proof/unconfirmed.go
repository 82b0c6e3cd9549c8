package proof

import (
	"cmp"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// gate is the last check before Go is printed: everything in the model needs two witnesses in
// the record, which is made of it or was committed. Where no compiler could be asked, there is one
// warning for the file.
func (a *confirmation) gate() error {
	unproved := gate(a.emitted())
	warn := func(reason diag.Message) error {
		a.warnings.Add(token.Position{Filename: a.Place.Path}, diag.Unconfirmed.Errorf("no compiler confirms %s: %w", summary(unproved), reason))
		return nil
	}
	switch {
	case len(unproved) == 0:
		return nil
	case a.Committed != nil && len(a.Reasons) > 0:
		return nil // what is stale is compiled, and proved, before anything is written
	case a.Committed != nil:
		return warn(diag.Hint("run %s where a compiler is installed", diag.Call("-force")).Before(filepath.Base(a.Place.Record) + " does not say that one did"))
	case a.Proofs.Answers == nil && a.NoAnswers == "":
		return warn(diag.Hint("use nvcc, NVRTC or clang").Before(a.record.Compiler.String() + " has no debug information"))
	}
	var errs diag.List
	for _, one := range unproved {
		errs.Add(one.Pos, one.message())
	}
	return errs.Sorted().Err()
}

// summary names a few things of a list: "struct A and enum B", "struct A, enum B and 3 more".
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
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// emitted returns everything in the model that states a number or a type, with its witnesses in
// the record: recordKernels and those beside it keep the order of the model.
func (a *confirmation) emitted() (list []emitted) {
	at := func(key string) emitted {
		from := a.Origins[key]
		e := a.Proofs.Types[layout.Identity(from.Type)]
		return emitted{Name: compare.TypeName(from.Type), Pos: from.Pos, reason: a.why(e.NoAnswer)}
	}
	for i, s := range slices.Concat(a.Model.Structs, a.Model.Foreign) {
		key := cmp.Or(s.GoName, selection.ForeignKey(&s))
		e, r := at(key), a.record.Structs[i]
		e.Witnesses = r.Witnesses
		subject := compare.Subject{Type: a.Origins[key].Type}
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
		e := emitted{Name: k.Name, Pos: a.Proofs.Kernels[i].Pos, Witnesses: []string{record.Source, record.PTX}, reason: a.why("")}
		for j, p := range k.Params {
			e.Parts = append(e.Parts, emittedPart{Name: fmt.Sprintf("parameter %d (%s)", j, p.Name), Witnesses: p.Witnesses})
		}
		list = append(list, e)
	}
	for i, v := range a.record.Variables {
		typed := slices.DeleteFunc(slices.Clone(v.Witnesses), func(w string) bool { return w == record.PTX || w == record.Cubin })
		list = append(list, emitted{
			Name: "variable " + v.Name, Pos: a.Proofs.Variables[i].Pos, Witnesses: v.Witnesses, reason: a.why(""),
			Parts: []emittedPart{{Name: "its type", Witnesses: typed}},
		})
	}
	used := a.UsedConstants()
	for _, c := range a.record.Constants {
		refused := ""
		if a.Proofs.Answers != nil {
			refused = a.Proofs.Answers.Constants[c.Name].NoAnswer
		}
		list = append(list, emitted{Name: "constant " + c.Name, Pos: used[c.Name], Witnesses: c.Witnesses, reason: a.why(refused)})
	}
	return list
}

// why says why nothing else confirms something, and what to do; refused is the error of the
// compiler about the question, if there was one.
func (a *confirmation) why(refused string) diag.Message {
	remedy := diag.Hint("use it in a kernel, make its name accessible at the end of the file, or remove what needs it")
	if refused != "" && a.Std == "c++11" {
		remedy = diag.Hint("make its name public, use -std c++14, where a private one suffices, or remove what needs it")
	}
	oneLine := func(text string) string { return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ") }
	switch {
	case a.Proofs.Answers == nil:
		return remedy.Before("the compiler fails when asked for types: " + oneLine(a.NoAnswers))
	case refused != "":
		return remedy.Before(a.Proofs.Answers.Compiler + " refuses the question: " + oneLine(refused))
	}
	return remedy.Before(a.Proofs.Answers.Compiler + " has no debug information about it and no answer")
}
