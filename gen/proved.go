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
func (u *unit) fillRecord() {
	u.record.Kernels, u.record.Structs, u.record.Variables = u.recordKernels(), u.recordStructs(), u.recordVariables()
	u.record.Refused = u.refusals()
	if u.committed != nil {
		recallWitnesses(u.record, u.committed)
	}
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

// recallWitnesses takes over who proved what from the record of the run that compiled,
// as far as it is the same: nothing is compiled now.
func recallWitnesses(now, then *record.Record) {
	for i := range now.Kernels {
		k := &now.Kernels[i]
		j := slices.IndexFunc(then.Kernels, func(old record.Kernel) bool { return old.Symbol == k.Symbol && len(old.Params) == len(k.Params) })
		if j < 0 {
			continue
		}
		for n := range k.Params {
			p, old := &k.Params[n], then.Kernels[j].Params[n]
			if p.Offset == old.Offset && p.Size == old.Size && p.Align == old.Align {
				p.Witnesses = old.Witnesses
			}
		}
	}
	for i := range now.Variables {
		v := &now.Variables[i]
		j := slices.IndexFunc(then.Variables, func(old record.Variable) bool { return old.Symbol == v.Symbol && old.Size == v.Size })
		if j >= 0 {
			v.Witnesses = then.Variables[j].Witnesses
		}
	}
	for i := range now.Structs {
		s := &now.Structs[i]
		j := slices.IndexFunc(then.Structs, func(old record.Struct) bool {
			return old.Name == s.Name && old.Size == s.Size && len(old.Fields) == len(s.Fields)
		})
		if j < 0 {
			continue
		}
		for n := range s.Fields {
			f, old := &s.Fields[n], then.Structs[j].Fields[n]
			if f.Name == old.Name && f.Offset == old.Offset && f.Size == old.Size {
				f.Witnesses = old.Witnesses
			}
		}
	}
}
