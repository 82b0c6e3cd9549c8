package proof

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// A Statement is one source with what its record needs.
type Statement struct {
	*selection.Selection
	Proofs  *Proofs
	Model   *model.File
	Origins map[string]selection.Origin // of the types in Model, by Go name or selection.ForeignKey

	Record    *record.Record // inputs, options, compiler and images
	Committed *record.Record // when nothing was compiled
	Reasons   []string       // why something has to be
	NoAnswers string         // why the compiler did not answer, when it could have
	Std       string         // C++ standard that the source is compiled in; empty for the default
}

// A confirmation is a Statement while its record is written.
type confirmation struct {
	Statement
	record   *record.Record
	warnings diag.List
}

// Record returns the record with what was proved of kernels, variables and types, and by
// whom. It is an error if fewer than two witnesses confirm something, or if the committed
// record contradicts the source.
func Record(s Statement) (*record.Record, diag.List, error) {
	r := *s.Record
	a := &confirmation{Statement: s, record: &r}
	err := a.fillRecord()
	if err == nil {
		err = a.gate()
	}
	return a.record, a.warnings, err
}

// fillRecord completes the record by what was proved of kernels, variables and structs, and
// which witnesses confirm it.
func (a *confirmation) fillRecord() error {
	a.record.Kernels, a.record.Structs, a.record.Variables = a.recordKernels(), a.recordStructs(), a.recordVariables()
	a.record.Enums, a.record.Constants = a.recordEnums(), a.recordConstants()
	a.record.Refused = a.refusals()
	if a.Committed == nil {
		return nil
	}
	return a.recallWitnesses()
}

func (a *confirmation) recordKernels() []record.Kernel {
	var list []record.Kernel
	types := &compare.TypeWriter{}
	for i, k := range a.Proofs.Kernels {
		r := record.Kernel{Name: k.QualifiedName(), GoName: a.Model.Kernels[i].GoName, Symbol: k.Symbol, Bytes: k.Bytes}
		for i, p := range k.Places {
			if k.Told {
				r.Told = append(r.Told, types.Add(k.Params[i].Type))
			}
			r.Params = append(r.Params, record.Param{
				Name: k.Params[i].Name, Type: k.Params[i].Type.String(), Offset: p.Offset, Size: p.Size, Align: p.Align, Witnesses: k.Witnesses[i],
			})
		}
		list = append(list, r)
	}
	a.record.Types = types.Types
	return list
}

// recordStructs returns the structs of the record: those of the model, then those whose Go types
// directives name.
func (a *confirmation) recordStructs() []record.Struct {
	var list []record.Struct
	add := func(s *model.Struct, key string) {
		whole, part := a.typeWitnesses(key)
		r := record.Struct{Name: s.CName, GoName: s.GoName, Size: s.Size, Align: s.Align, Witnesses: whole}
		for _, f := range s.Fields {
			r.Fields = append(r.Fields, record.Field{Name: f.CName, Type: f.CType, Offset: f.Offset, Size: f.Size, Witnesses: part(f.CName)})
		}
		list = append(list, r)
	}
	for i := range a.Model.Structs {
		add(&a.Model.Structs[i], a.Model.Structs[i].GoName)
	}
	for i := range a.Model.Foreign {
		add(&a.Model.Foreign[i], selection.ForeignKey(&a.Model.Foreign[i]))
	}
	return list
}

func (a *confirmation) recordEnums() []record.Enum {
	var list []record.Enum
	for _, e := range a.Model.Enums {
		whole, part := a.typeWitnesses(e.GoName)
		r := record.Enum{Name: e.CName, GoName: e.GoName, Type: e.Type.Name, Witnesses: whole}
		for _, c := range e.Constants {
			r.Constants = append(r.Constants, record.EnumConst{Name: c.CName, Value: c.Value, Witnesses: part(c.CName)})
		}
		list = append(list, r)
	}
	return list
}

func (a *confirmation) recordConstants() []record.Constant {
	var list []record.Constant
	for _, name := range slices.Sorted(maps.Keys(a.UsedConstants())) {
		goName := ""
		if at := slices.IndexFunc(a.Model.Constants, func(c model.Constant) bool { return c.CName == name }); at >= 0 {
			goName = a.Model.Constants[at].GoName
		}
		list = append(list, record.Constant{Name: name, GoName: goName, Value: a.File.Constants[name], Witnesses: a.constantWitnesses(name)})
	}
	return list
}

// refusals returns the kernels that are left unclear, with what was said of them last, and those that are
// disproved.
func (a *confirmation) refusals() []record.Refusal {
	var list []record.Refusal
	for _, s := range a.Unclear {
		list = append(list, record.Refuse(s.QualifiedName(), a.Overload(s), s.Errors[len(s.Errors)-1].Message))
	}
	for _, d := range a.Disproved {
		for _, reason := range d.Reasons {
			list = append(list, record.Refuse(d.QualifiedName(), a.Overload(d.Kernel), reason))
		}
	}
	return list
}

// recordVariables returns the variables of the record.
func (a *confirmation) recordVariables() []record.Variable {
	var list []record.Variable
	for i, v := range a.Proofs.Variables {
		list = append(list, record.Variable{
			Name: v.QualifiedName(), GoName: a.Model.Variables[i].GoName, Symbol: v.Symbol, Space: v.Space, Type: v.Type.String(), Size: v.Source.Size, Align: v.Source.Align, Witnesses: v.Witnesses,
		})
	}
	return list
}

// typeWitnesses returns who states a type in the model, which origins has under key, and each of
// its parts by name.
func (a *confirmation) typeWitnesses(key string) (whole []string, part func(name string) []string) {
	from := a.Origins[key]
	e := a.Proofs.Types[layout.Identity(from.Type)]
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
func (a *confirmation) constantWitnesses(name string) []string {
	list := []string{record.Source}
	if a.Proofs.Answers != nil {
		if said, asked := a.Proofs.Answers.Constants[name]; asked && said.NoAnswer == "" {
			return append(list, record.Probe)
		}
	}
	if len(a.File.Environment) > 0 && a.Committed == nil { // see assertions
		list = append(list, record.Assertion)
	}
	return list
}
