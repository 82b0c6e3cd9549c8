package read

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
)

// explain returns s with the told types of unclear kernels: kernels whose parameters are known
// then are selected, and the errors of the others have the reason.
func explain(s *selection.Selection, list []selection.Told, o Options) *selection.Selection {
	explained := *s
	explained.Kernels, explained.Unclear = slices.Clone(s.Kernels), nil
	for _, k := range s.Unclear {
		at := slices.IndexFunc(list, func(t selection.Told) bool { return t.Kernel == k })
		if at < 0 {
			explained.Unclear = append(explained.Unclear, k)
			continue
		}
		if clear := explainKernel(s.File, k, list[at], o); len(clear.Problems) == 0 {
			explained.Kernels = append(explained.Kernels, clear)
		} else {
			explained.Unclear = append(explained.Unclear, clear)
		}
	}
	s.Sort(explained.Kernels)
	return &explained
}

// explainKernel returns k with what was told of it. It is as unclear as before when it has
// problems.
func explainKernel(file *cu.File, k *selection.Kernel, told selection.Told, o Options) *selection.Kernel {
	still := func(errs ...*diag.Error) *selection.Kernel {
		one := *k.Kernel
		one.Errors = slices.Concat(k.Errors, errs)
		unclear := readDirectives(file, &one)
		unclear.Spec.GoName, unclear.Origin = k.Spec.GoName, k.Origin
		examine(unclear, o)
		return unclear
	}
	if told.Reason.Text != "" {
		if slices.ContainsFunc(k.Errors, func(e *diag.Error) bool { return e.Message.Error() == told.Reason.Error() }) {
			return k
		}
		return still(diag.NewError(k.Pos, told.Reason))
	}
	one := *k.Kernel
	one.Params, one.Errors = told.Params, nil
	clear := readDirectives(file, &one)
	clear.Told, clear.Origin = true, k.Origin
	if clear.Spec.GoName == "" {
		clear.Spec.GoName = k.Spec.GoName
	}
	if examine(clear, o); len(clear.Problems) > 0 {
		return still(clear.Problems...)
	}
	return clear
}
