package build

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/record"
)

// recall takes the types of the unclear kernels from the committed record.
func (u *unit) recall(r *record.Record) error {
	types := &compare.TypeReader{Types: r.Types}
	taken := make(map[string]int) // how many told kernels of a name are taken
	var told []selection.Told
	for _, s := range u.sel.Unclear {
		name := s.QualifiedName()
		known, refused := toldOf(r, name), refusalOf(r, name, u.sel.Overload(s))
		switch {
		case refused != nil && (refused.Overload > 0 || len(known) == 0):
			told = append(told, selection.Told{Kernel: s, Reason: refused.Message()})
		case refused != nil && u.sel.Overload(s) > 0 || taken[name] == len(known):
			u.reasons = append(u.reasons, "no compiler was asked about "+s.Name)
		default:
			params, err := recallParams(s, known[taken[name]], types)
			if err != nil {
				return record.Damaged(u.place.Record, err)
			}
			taken[name]++
			told = append(told, selection.Told{Kernel: s, Params: params})
		}
	}
	u.sel = u.options.Explain(u.sel, told)
	return nil
}

// toldOf returns the kernels of r called name whose types a compiler told, in source order: one for each overload
// that was not refused.
func toldOf(r *record.Record, name string) (list []*record.Kernel) {
	for i := range r.Kernels {
		if k := &r.Kernels[i]; k.Name == name && k.Told != nil {
			list = append(list, k)
		}
	}
	return list
}

// refusalOf returns why the kernel was refused, or nil. A record of an older version does not say which overload it is about.
func refusalOf(r *record.Record, name string, overload int) *record.Refusal {
	i := slices.IndexFunc(r.Refused, func(refused record.Refusal) bool { return refused.Of(name, overload) })
	if i < 0 {
		return nil
	}
	return &r.Refused[i]
}

// recallParams returns the parameters of s, which the record has as known.
func recallParams(s *selection.Kernel, known *record.Kernel, types *compare.TypeReader) (params []cu.Param, err error) {
	types.Pos = s.Pos
	for j, index := range known.Told {
		param := cu.Param{Name: known.Params[j].Name, Pos: s.Pos}
		if len(s.Params) == len(known.Told) {
			param = s.Params[j]
		}
		if param.Type == nil {
			if param.Type, err = types.At(index); err != nil {
				return nil, err
			}
			param.Dependent = s.Args != nil // see package compare
		}
		params = append(params, param)
	}
	return params, nil
}
