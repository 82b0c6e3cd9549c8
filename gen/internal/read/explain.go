package read

import (
	"slices"
	"strings"

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
		asked := *k
		asked.Kernel = new(cu.Kernel)
		*asked.Kernel = *k.Kernel
		asked.Errors = nil
		for _, e := range k.Errors {
			asked.Errors = append(asked.Errors, withoutRemedy(e, told.Reason))
		}
		k = &asked
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

// withoutRemedy returns e without what it says to do, which is to ask the compiler, where the reason that this said nothing has
// a remedy of its own.
func withoutRemedy(e *diag.Error, reason diag.Message) *diag.Error {
	if reason.Remedy.IsZero() || e.Remedy.IsZero() {
		return e
	}
	one := *e
	one.Text, one.Remedy = strings.TrimSuffix(e.Text, e.Remedy.Hint().Text), diag.Remedy{}
	return &one
}
