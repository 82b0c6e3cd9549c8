package gen

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/record"
)

// ReadRecord reads the record beside a source, or the one at path itself: a file whose
// name ends in .cudagen.json. Its errors are those of package record.
func ReadRecord(path string) (*record.Record, error) {
	if strings.HasSuffix(path, ".cudagen.json") {
		return record.Read(path)
	}
	out, err := outputs(path, "")
	if err != nil {
		return nil, err
	}
	return record.Read(out.record)
}

// fillRecord completes the record by what was proved of kernels, variables and structs, and
// by whom.
func (u *unit) fillRecord() error {
	u.record.Kernels, u.record.Structs, u.record.Variables = u.recordKernels(), u.recordStructs(), u.recordVariables()
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
		r := record.Kernel{Name: k.QualifiedName(), Symbol: k.symbol, Bytes: k.bytes}
		for i, p := range k.params {
			if k.told {
				r.Resolved = append(r.Resolved, types.add(k.Params[i].Type))
			}
			r.Params = append(r.Params, record.Param{
				Name: p.Name, Type: k.Params[i].Type.String(), Offset: p.Offset, Size: p.Size, Align: p.Align, Witnesses: k.witnesses[i],
			})
		}
		list = append(list, r)
	}
	u.record.Types = types.types
	return list
}

// recordStructs is what the record says of the structs: the images' parameters prove the
// sizes and alignments of those that are passed by value, debug information the fields.
func (u *unit) recordStructs() []record.Struct {
	var list []record.Struct
	for _, s := range u.model.Structs {
		r := record.Struct{Name: s.CName, Size: s.Size, Align: s.Align}
		var witnesses []string
		origin := u.origins[s.GoName]
		if !origin.told {
			witnesses = append(witnesses, record.Source)
		}
		if slices.ContainsFunc(u.proved, func(p *proved) bool { return p.classes[origin.identity] }) ||
			slices.ContainsFunc(u.exported, func(e *exportedType) bool { return e.classes[origin.identity] }) ||
			slices.ContainsFunc(u.variables, func(v *variable) bool { return v.classes[origin.identity] }) {
			witnesses = append(witnesses, record.Debug)
		}
		for _, f := range s.Fields {
			r.Fields = append(r.Fields, record.Field{Name: f.CName, Type: f.CType, Offset: f.Offset, Size: f.Size, Witnesses: witnesses})
		}
		list = append(list, r)
	}
	return list
}
