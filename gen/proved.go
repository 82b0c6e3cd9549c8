package gen

import (
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/record"
)

// ReadRecord reads the record beside a source, or the one at path itself: a file whose
// name ends in .cudagen.json. Its errors are those of package record.
func ReadRecord(path string) (*record.Record, error) {
	path, err := output.RecordOf(path)
	if err != nil {
		return nil, err
	}
	return record.Read(path)
}

// fillRecord completes the record by what was proved of kernels, variables and structs, and
// by whom.
func (u *unit) fillRecord() error {
	u.record.Kernels, u.record.Structs, u.record.Variables = u.recordKernels(), u.recordStructs(), u.recordVariables()
	u.record.Enums, u.record.Constants = u.recordEnums(), u.recordConstants()
	u.record.Refused = u.refusals()
	if u.committed == nil {
		return nil
	}
	return u.recallWitnesses()
}

func (u *unit) recordKernels() []record.Kernel {
	var list []record.Kernel
	types := &typeWriter{known: make(map[any]int)}
	for _, k := range u.proved {
		r := record.Kernel{Name: k.QualifiedName(), Symbol: k.symbol, Bytes: k.Bytes}
		for i, p := range k.Places {
			if k.Told {
				r.Resolved = append(r.Resolved, types.add(k.Params[i].Type))
			}
			r.Params = append(r.Params, record.Param{
				Name: k.Params[i].Name, Type: k.Params[i].Type.String(), Offset: p.Offset, Size: p.Size, Align: p.Align, Witnesses: k.witnesses[i],
			})
		}
		list = append(list, r)
	}
	u.record.Types = types.types
	return list
}

// recordStructs is what the record says of the structs in the model, and of those behind them
// whose Go types directives name.
func (u *unit) recordStructs() []record.Struct {
	var list []record.Struct
	add := func(s *model.Struct, key string) {
		whole, part := u.typeWitnesses(key)
		r := record.Struct{Name: s.CName, Size: s.Size, Align: s.Align, Witnesses: whole}
		for _, f := range s.Fields {
			r.Fields = append(r.Fields, record.Field{Name: f.CName, Type: f.CType, Offset: f.Offset, Size: f.Size, Witnesses: part(f.CName)})
		}
		list = append(list, r)
	}
	for i := range u.bound.Model.Structs {
		add(&u.bound.Model.Structs[i], u.bound.Model.Structs[i].GoName)
	}
	for i := range u.bound.Model.Foreign {
		add(&u.bound.Model.Foreign[i], bind.ForeignKey(&u.bound.Model.Foreign[i]))
	}
	return list
}

func (u *unit) recordEnums() []record.Enum {
	var list []record.Enum
	for _, e := range u.bound.Model.Enums {
		whole, part := u.typeWitnesses(e.GoName)
		r := record.Enum{Name: e.CName, Type: e.Type.Name, Witnesses: whole}
		for _, c := range e.Constants {
			r.Constants = append(r.Constants, record.EnumConst{Name: c.CName, Value: c.Value, Witnesses: part(c.CName)})
		}
		list = append(list, r)
	}
	return list
}

func (u *unit) recordConstants() []record.Constant {
	var list []record.Constant
	for _, name := range slices.Sorted(maps.Keys(u.sel.UsedConstants())) {
		list = append(list, record.Constant{Name: name, Value: u.sel.File.Constants[name], Witnesses: u.constantWitnesses(name)})
	}
	return list
}
