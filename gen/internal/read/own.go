package read

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/diag"
)

// candidates returns the kernels of file that directives may select: those that it defines,
// instantiates, launches or has directives for; with all, those of included files too, CUDA's own
// headers excepted. idle are the templates that nothing asks for instances of.
func candidates(file *cu.File, all bool) (list, idle []*cu.Kernel) {
	in := func(k *cu.Kernel) bool { return k.Own || all && !k.Toolkit }
	for _, k := range file.Kernels {
		if !in(k) || !k.Defined && len(k.Directives) == 0 || redeclared(file, k) {
			continue
		}
		instance := func(other *cu.Kernel) bool { return other.Instance != nil && other.Instance.Template == k && in(other) }
		switch {
		case !k.Template:
			list = append(list, k)
		case slices.ContainsFunc(file.Kernels, instance): // they stand for it
		case len(k.Directives) == 0:
			idle = append(idle, k)
		default:
			list = append(list, k)
		}
	}
	if len(list) == 0 { // then there is nothing to add
		list, idle = slices.DeleteFunc(idle, func(k *cu.Kernel) bool { return k.Included }), nil
	}
	return list, idle
}

// openTemplates returns the templates of file of which an image may have instances, and list without them. One
// with a directive ignore is none.
func openTemplates(file *cu.File, list []*cu.Kernel) (rest []*cu.Kernel, open []*selection.Kernel) {
	isOpen := func(k *cu.Kernel) bool {
		ignored := slices.ContainsFunc(k.Directives, func(d cu.Directive) bool { return d.Verb == "ignore" })
		return k.Template && k.Defined && !k.Toolkit && !ignored
	}
	for _, k := range file.Kernels {
		if isOpen(k) {
			open = append(open, readDirectives(file, k))
		}
	}
	return slices.DeleteFunc(list, isOpen), open
}

// redeclared reports whether k is a declaration of a kernel that is defined elsewhere in the file.
func redeclared(file *cu.File, k *cu.Kernel) bool {
	return !k.Defined && len(k.Directives) == 0 && slices.ContainsFunc(file.Kernels, func(other *cu.Kernel) bool {
		return other.Defined && other.QualifiedName() == k.QualifiedName()
	})
}

// notes returns the notes about templates without instances, and about unknown instances.
func notes(file *cu.File, idle []*cu.Kernel) diag.List {
	list := slices.Clone(file.Notes)
	for _, k := range idle {
		noted := slices.ContainsFunc(file.Notes, func(n *diag.Error) bool { return n.Pos == k.Pos })
		if !k.Included && !noted {
			list.Add(k.Pos, diag.Template.Errorf("is a template without instances here, so it is not wrapped: %w", directive.Instantiations(k)).About(k.Name))
		}
	}
	list.Sort()
	return list
}

// noKernel is the error of a file that has nothing to wrap.
func noKernel(file *cu.File) diag.Message {
	for _, e := range file.Notes {
		if e.Pos.Filename == file.Name { // an instantiation, or a launch, with what cudagen does not know
			return diag.NoKernel.Errorf("there is no kernel (a __global__ function) in this file, and line %d makes none: %w", e.Pos.Line, e.Message)
		}
	}
	for _, e := range file.Warnings {
		if e.Code == diag.Macro && e.Pos.Filename == file.Name { // a condition that nothing fulfils leaves them out
			return diag.NoKernel.Errorf("there is no kernel (a __global__ function) in this file: %w", e.Message)
		}
	}
	included := slices.ContainsFunc(file.Kernels, func(k *cu.Kernel) bool { return k.Included && !k.Toolkit })
	if included {
		return diag.NoKernel.Errorf("there is no kernel (a __global__ function) in this file (%w)", diag.Do("put a directive kernel above a declaration of one that an included file defines, or wrap all of them with -all"))
	}
	if file.Almost.Text != "" {
		return diag.NoKernel.Errorf("there is no kernel (a __global__ function) in this file: %w", diag.Do("write __global__ in place of %s in line %d", file.Almost.Text, file.Almost.Pos.Line))
	}
	for _, k := range file.Kernels {
		if !k.Defined && !k.Included {
			return diag.NoKernel.Errorf("there is no kernel (a __global__ function) in this file: %s is declared in line %d but not defined: %w", k.Name, k.Pos.Line, diag.Do("include the file that has it, or define it"))
		}
	}
	return diag.NoKernel.New("there is no kernel (a __global__ function) in this file").With(file.MissingHint())
}
