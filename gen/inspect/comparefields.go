package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/witness"
)

// compareFields is compareParams, and compares the fields of each parameter of class type with debug.
func compareFields(report *Report, img *image.Image, debug *witness.Debug) []Finding {
	list := compareParams(report, img)
	for i := range report.Kernels { // whose findings come first
		if list[i].Outcome == Right {
			list[i].compareFields(&report.Kernels[i], img, debug)
		}
	}
	return list
}

func (f *Finding) compareFields(k *Kernel, img *image.Image, debug *witness.Debug) {
	seen := make([]*witness.Type, len(k.Params)) // nil when the debug information leaves it out
	name, types := imageName(k)
	if compiled, err := img.Find(name, types); err == nil && debug.Kernel(compiled.Symbol) != nil {
		told := debug.Kernel(compiled.Symbol)
		said := compare.Kernel{Name: name}
		for _, p := range k.Source.Params {
			said.Params = append(said.Params, compare.Param{Name: p.Name, Type: p.Type})
		}
		compared, err := compare.Fields(said, told)
		if err != nil {
			f.Outcome, f.Text = Wrong, err.Error()
			return
		}
		next := 0
		for i, there := range compared.Params {
			if there {
				seen[i] = told.Params[next].Type
				next++
			}
		}
	}
	var wrong []string
	for i := range k.Params {
		p := &k.Params[i]
		switch {
		case p.Fields == nil:
		case seen[i] == nil:
			f.Unseen++
		default:
			f.Classes++
			f.Fields += len(p.Fields)
			for _, difference := range differences(p.Fields, dataMembers(seen[i].Bare(), 0)) {
				wrong = append(wrong, fmt.Sprintf("%s: parameter %d (%s): %s", name, i, p.Name, difference))
			}
		}
	}
	if len(wrong) > 0 {
		f.Outcome, f.Text = Wrong, strings.Join(wrong, "\n")
	}
}

// dataMembers returns the data members of a class that lies at offset in a parameter, as
// inspect.Field has them.
func dataMembers(class *witness.Type, offset int64) (list []witness.Field) {
	members := class.Fields
	for slices.ContainsFunc(members, func(f witness.Field) bool { return f.Base }) {
		members = withoutBases(members)
	}
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(x, y witness.Field) int { return cmp.Compare(x.Offset, y.Offset) })
	for _, f := range members {
		switch {
		case f.BitField && f.Name == "":
		case f.Name == "":
			list = append(list, dataMembers(f.Type.Bare(), offset+f.Offset)...)
		default:
			f.Offset += offset
			f.BitOffset += 8 * offset
			list = append(list, f)
		}
	}
	return list
}

// withoutBases replaces each base class by its members.
func withoutBases(members []witness.Field) (list []witness.Field) {
	for _, f := range members {
		if !f.Base {
			list = append(list, f)
			continue
		}
		for _, inner := range f.Type.Bare().Fields {
			inner.Offset += f.Offset
			inner.BitOffset += 8 * f.Offset
			list = append(list, inner)
		}
	}
	return list
}

// differences says in words where fields and the data members that a compiler states differ.
func differences(fields []Field, members []witness.Field) (list []string) {
	if len(fields) != len(members) {
		return []string{fmt.Sprintf("it has %d fields by the source and %d by the compiler", len(fields), len(members))}
	}
	for i := range fields {
		f, m := &fields[i], &members[i]
		differ := func(what string, source, compiler any) {
			if source != compiler {
				list = append(list, fmt.Sprintf("field %s: %s is %v by the source and %v by the compiler", f.Name, what, source, compiler))
			}
		}
		differ("name", f.Name, m.Name)
		if f.BitOffset == nil || !m.BitField {
			differ("offset", f.Offset, m.Offset)
			differ("being a bit-field", f.BitOffset != nil, m.BitField)
			if m.Type.Size > 0 { // a compiler does not say the size of every array
				differ("size", f.Size, m.Type.Size)
			}
			continue
		}
		differ("first bit", 8*f.Offset+*f.BitOffset, m.BitOffset)
		differ("number of bits", f.Bits, m.Bits)
	}
	return list
}
