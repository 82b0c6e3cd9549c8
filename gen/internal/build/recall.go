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
	var told []selection.Told
	for _, s := range u.sel.Unclear {
		types.Pos = s.Pos
		i := slices.IndexFunc(r.Kernels, func(k record.Kernel) bool { return k.Name == s.QualifiedName() && k.Told != nil })
		if i < 0 {
			j := slices.IndexFunc(r.Refused, func(k record.Refusal) bool { return k.Name == s.QualifiedName() })
			if j < 0 {
				u.reasons = append(u.reasons, "no compiler was asked about "+s.Name)
			} else {
				told = append(told, selection.Told{Kernel: s, Reason: r.Refused[j].Message()})
			}
			continue
		}
		var params []cu.Param
		for j, index := range r.Kernels[i].Told {
			param := cu.Param{Name: r.Kernels[i].Params[j].Name, Pos: s.Pos}
			if len(s.Params) == len(r.Kernels[i].Told) {
				param = s.Params[j]
			}
			if param.Type == nil {
				t, err := types.At(index)
				if err != nil {
					return record.Damaged(u.place.Record, err)
				}
				param.Type, param.Dependent = t, s.Args != nil // see package compare
			}
			params = append(params, param)
		}
		told = append(told, selection.Told{Kernel: s, Params: params})
	}
	u.sel = u.options.Explain(u.sel, told)
	return nil
}
