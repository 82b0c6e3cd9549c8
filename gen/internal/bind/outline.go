package bind

import (
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
	"github.com/cudagen/cudagen/internal/source"
)

// An Outline is what Go gets of a source, as far as it follows from the source alone.
type Outline struct {
	Kernels   map[*cu.Kernel]*SelectedKernel     // those that are generated, or would be without their errors
	Variables map[*cu.Variable]*SelectedVariable // those with an export directive
	Notes     diag.List                          // templates and instances that are not wrapped, and why
	Model     *model.File                        // without images and symbols; of unclear kernels it has the names

	// GoType returns the Go type with the memory of a type, which no kernel of the selection need
	// have. A type that is not generated has its plain name. It is for use before the next source
	// of the package.
	GoType func(ctype.Type) (model.GoType, error)
}

// A SelectedKernel is a kernel that is wrapped.
type SelectedKernel struct {
	Kernel  *cu.Kernel    // with the types that a committed record tells where the source does not
	Unclear bool          // generating asks a compiler about it: Errors are about types of parameters
	Errors  diag.List     // why it cannot be wrapped, sorted
	Model   *model.Kernel // nil with Errors; Symbol is empty, and so is GoName where it depends on an unclear kernel
}

// A SelectedVariable is a variable that an export directive selects. Size and Align are in bytes.
type SelectedVariable struct {
	Errors      diag.List       // why Go cannot have it, sorted
	Model       *model.Variable // nil with Errors; Symbol is empty
	Size, Align int64
}

// outline chooses the Go names of the selection, as for a model. A kernel has no Go name where that
// depends on an unclear one. clashes says why the names are not possible.
func (b *builder) outline(s *selection.Selection, o Options) (result *Outline, clashes diag.List) {
	taken := b.begin(o)
	b.mappings(s.Types)
	mapped := b.mapped
	result = &Outline{
		Notes:   s.Notes,
		Kernels: make(map[*cu.Kernel]*SelectedKernel), Variables: make(map[*cu.Variable]*SelectedVariable),
		GoType: func(t ctype.Type) (model.GoType, error) {
			return layout.GoType(t, func(t ctype.Type) model.GoType { return b.likely(t, mapped) })
		},
	}
	for _, k := range slices.Concat(s.Bad, s.Unclear) {
		result.Kernels[k.Origin] = &SelectedKernel{Kernel: k.Kernel, Errors: k.Problems, Unclear: slices.Contains(s.Unclear, k)}
	}
	kernels := s.All()
	if len(s.Unclear) > 0 { // as when a compiler explains them
		s.Sort(kernels)
	}
	var good []*selection.Variable
	for _, v := range s.Variables {
		if len(v.Problems) == 0 {
			good = append(good, v)
		}
	}
	b.memberNames(kernels, good)
	models := make(map[*selection.Kernel]int) // indices
	var unclear []model.Kernel
	b.settled(func() {
		unclear = nil
		b.exports(s.Exports)
		b.variables(good, make([]string, len(good)))
		for _, k := range kernels {
			if slices.Contains(s.Unclear, k) {
				b.nameTypes(k)
				unclear = append(unclear, b.unclear(k))
			} else {
				models[k] = len(b.file.Kernels)
				b.kernel(k, "")
			}
		}
		b.unusedMappings()
	})
	b.outlineVariables(s, good, result)
	for _, k := range kernels {
		if slices.Contains(s.Unclear, k) {
			continue
		}
		one := &SelectedKernel{Kernel: k.Kernel, Errors: about(k.Kernel, b.errs)}
		if len(one.Errors) == 0 {
			one.Model = &b.file.Kernels[models[k]]
			if k.Spec.GoName == "" && slices.ContainsFunc(s.Unclear, func(u *selection.Kernel) bool { return u.QualifiedName() == k.QualifiedName() }) {
				one.Model.GoName = "" // it says which overload it is
			}
		}
		result.Kernels[k.Origin] = one
	}
	m := *b.file
	m.Kernels = slices.Concat(m.Kernels, unclear)
	result.Model = &m
	return result, append(source.Mistakes(s.Place.Path, taken), b.errs...)
}

// unclear returns what the model has of an unclear kernel: its names.
func (b *builder) unclear(k *selection.Kernel) model.Kernel {
	typeName, helpers := b.scope.kernel(k, b.kernelNames[k].goName)
	return model.Kernel{
		GoName: b.kernelNames[k].goName, CName: k.QualifiedName(), Pos: b.pos(k.Pos), TypeName: typeName, ArgsName: helpers[0], CallName: helpers[1], ParamsName: helpers[2],
	}
}

// outlineVariables adds what the model has of the exported variables.
func (b *builder) outlineVariables(s *selection.Selection, good []*selection.Variable, result *Outline) {
	for _, v := range s.Variables {
		result.Variables[v.Variable] = &SelectedVariable{Errors: v.Problems, Size: v.Source.Size, Align: v.Source.Align}
	}
	for _, v := range good {
		at := slices.IndexFunc(b.file.Variables, func(m model.Variable) bool { return m.CName == v.QualifiedName() && m.Pos == b.pos(v.Pos) })
		if at >= 0 {
			result.Variables[v.Variable].Model = &b.file.Variables[at]
			continue
		}
		for _, e := range b.errs {
			if e.Pos == v.Pos {
				selected := result.Variables[v.Variable]
				selected.Errors = append(selected.Errors, e)
			}
		}
	}
}

// nameTypes names the types of the parameters of an unclear kernel that are known: those of
// the kernels behind it depend on that.
func (b *builder) nameTypes(p *selection.Kernel) {
	for _, param := range p.Params {
		if param.Type != nil {
			_, _ = layout.GoType(param.Type, b.named)
		}
	}
}

// about returns those of errs that stand where k or one of its parameters does.
func about(k *cu.Kernel, errs diag.List) (list diag.List) {
	for _, e := range errs {
		if e.Pos == k.Pos || slices.ContainsFunc(k.Params, func(p cu.Param) bool { return p.Pos == e.Pos }) {
			list = append(list, e)
		}
	}
	return list
}

// likely returns the Go type that a struct or enum has in the package, or would have.
func (b *builder) likely(t ctype.Type, mapped map[string]*mapping) model.GoType {
	if m := mapped[t.String()]; m != nil {
		return m.goType
	}
	if known, ok := b.scope.known[layout.Identity(t)]; ok {
		return model.GoType{Kind: model.Local, Name: known.names[0]}
	}
	name := ""
	switch t := t.(type) {
	case *ctype.Struct:
		name = t.Name + ctype.Arguments(t.Args)
	case *ctype.Enum:
		name = t.Name
	}
	return model.GoType{Kind: model.Local, Name: goname.Type(name)}
}
