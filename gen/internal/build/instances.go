package build

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
)

// findInstances selects the instances of open templates that the PTX has: the compiler knows what host code
// launches better than the front end.
func (u *unit) findInstances(ptx []byte) error {
	if len(u.sel.Open) == 0 {
		return nil
	}
	seen, err := image.ReadPTX(u.place.PTX, ptx)
	if err != nil {
		return err
	}
	var open []*cu.Kernel
	for _, k := range u.sel.Open {
		open = append(open, k.Origin)
	}
	list := compare.Instances(u.sel.File, open, seen)
	if len(list) == 0 && len(u.sel.File.Notes) == 0 { // notes say what an image knows better
		return nil
	}
	more, err := u.options.WithInstances(u.sel, list)
	if err == nil {
		u.sel = more
	}
	return err
}

// compiledInstances compiles a source with open templates for arch and selects the instances that are in the PTX,
// which it returns: what the compiler is asked depends on them. Without such templates it returns nil.
func (u *unit) compiledInstances(jobs *jobs, request compile.Request, arch string) (*compile.Output, error) {
	if len(u.sel.Open) == 0 || request.DryRun {
		return nil, nil
	}
	request.Arch = arch
	b, err := u.later(jobs, request, []string{"instances", arch}, func(b *build) error {
		out, err := u.compileOne(jobs, request, true)
		b.Outputs = []*compile.Output{out}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b.Outputs[0], u.findInstances(b.Outputs[0].Code)
}

// offerInstances notes which instances of its own templates the source makes that nobody asked for, and what to write to
// have them.
func (u *unit) offerInstances(seen *image.Image) {
	selects := func(k *selection.Kernel) bool { return k.Spec.Selects }
	if u.options.Source.All || u.options.Embed || slices.ContainsFunc(u.sel.All(), selects) {
		return
	}
	overloads := make(map[string]int)
	for _, k := range u.sel.File.Kernels {
		if k.Template && k.Defined {
			overloads[k.QualifiedName()]++
		}
	}
	const most = 8 // of one template
	for _, k := range u.sel.File.Kernels {
		if !k.Own || !k.Template || !k.Defined || overloads[k.QualifiedName()] > 1 || slices.ContainsFunc(k.Directives, func(d cu.Directive) bool { return d.Verb == "ignore" }) {
			continue
		}
		list := slices.DeleteFunc(compare.Instances(u.sel.File, []*cu.Kernel{k}, seen), func(one cu.ImageInstance) bool {
			_, named := one.Source()
			return !named
		})
		if len(list) == 0 {
			continue
		}
		remedy := diag.Do("give -all")
		if lines := u.directives(list); len(lines) > 0 {
			remedy = diag.Do("add above it %s, or give -all", strings.Join(lines[:min(most, len(lines))], " and "))
		}
		u.notes.Add(k.Pos, diag.Template.Errorf("%d of its instances in the image are not wrapped: %w", len(list), remedy).About(k.Name))
	}
}

// directives returns the directives that ask for instances in list, without those that a directive cannot ask for,
// such as those for values of classes that have bit-fields.
func (u *unit) directives(list []cu.ImageInstance) (lines []string) {
	read, _ := u.options.WithInstances(u.sel, list) // errors are those of u.sel, or of kernels that are not understood
	for _, one := range list {
		byName := func(k *cu.Kernel) bool {
			return k.Instance != nil && k.Instance.ByName && k.QualifiedName() == one.Template+"<"+one.Arguments+">"
		}
		if arguments, _ := one.Source(); read != nil && !slices.ContainsFunc(read.File.Kernels, byName) {
			lines = append(lines, "//cudagen:instantiate <"+arguments+">")
		}
	}
	return lines
}
