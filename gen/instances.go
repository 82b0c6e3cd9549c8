package gen

import (
	"context"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/proof"
	"github.com/cudagen/cudagen/gen/internal/selection"
)

// buildInstances does what build does. With KeepGoing it leaves out the instances that directives ask for and that
// the compiler refuses: without them it compiles the rest.
func (p *pipeline) buildInstances(ctx context.Context, find func() (Compiler, error)) error {
	left := of(p, (*unit).left) // build may change the selections
	err := p.build(ctx, find)
	asked := func(k *selection.Kernel) bool { return k.Instance != nil && !k.Instance.Explicit }
	if err == nil || !p.KeepGoing || p.DryRun || ctx.Err() != nil || !slices.ContainsFunc(left, func(s *proof.LeavableSource) bool { return slices.ContainsFunc(s.Kernels, asked) }) {
		return err
	}
	failed := proof.LeaveOut(left, err, func(indices []int, list []*selection.Selection) error {
		some := *p
		some.units = make([]*unit, len(indices))
		for i, at := range indices {
			one := *p.units[at]
			one.sel, some.units[i] = list[i], &one
		}
		return some.build(ctx, find)
	})
	if failed != nil {
		return err
	}
	for i, u := range p.units {
		sel := *left[i].Selection
		sel.Refused = left[i].Refused
		u.sel, u.refused = &sel, sel.Refused
	}
	return p.build(ctx, find)
}
