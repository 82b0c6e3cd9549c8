package bind

import (
	"errors"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// An Outline says what Go gets of a source as far as the source alone decides.
type Outline struct {
	Kernels   map[*selection.Kernel]Named[model.Kernel] // those that are not unclear
	Variables map[*selection.Variable]Named[model.Variable]
	Errors    scanner.ErrorList // why the names are not possible

	names func(ctype.Type) model.GoType
}

// Named is the model of something, without its symbol; nil when there are errors.
type Named[T any] struct {
	Model  *T
	Errors scanner.ErrorList
}

// GoType returns the Go type with the memory of t, which no kernel of the selection need
// have. A type that is not generated has its plain name. It is for use before the next
// source of the package.
func (o *Outline) GoType(t ctype.Type) (model.GoType, error) { return layout.GoType(t, o.names) }

// Outline chooses the Go names of what is selected, as Bind does. A kernel has no Go name
// where that depends on an unclear one.
func (p *Packages) Outline(s *selection.Selection, o Options) *Outline {
	b := p.builder(s)
	taken := b.begin(s, o)
	b.mappings(s.Types)
	mapped := b.mapped
	result := &Outline{
		Kernels: make(map[*selection.Kernel]Named[model.Kernel]), Variables: make(map[*selection.Variable]Named[model.Variable]),
		names: func(t ctype.Type) model.GoType { return b.likely(t, mapped) },
	}
	kernels := s.All()
	if len(s.Unclear) > 0 { // as when a compiler explains them
		slices.SortStableFunc(kernels, func(x, y *selection.Kernel) int { return x.Pos.Offset - y.Pos.Offset })
	}
	names := b.kernelNames(kernels)
	b.exports(s.Exports)
	b.outlineVariables(s, result)
	for i, k := range kernels {
		if slices.Contains(s.Unclear, k) {
			b.nameTypes(k)
			continue
		}
		b.kernel(k, names[i], "")
		one := Named[model.Kernel]{Errors: about(k.Kernel, b.errs)}
		if len(one.Errors) == 0 {
			one.Model = &b.file.Kernels[len(b.file.Kernels)-1]
			if k.Spec.GoName == "" && slices.ContainsFunc(s.Unclear, func(u *selection.Kernel) bool { return u.QualifiedName() == k.QualifiedName() }) {
				one.Model.GoName = "" // it says how the overloads differ
			}
		}
		result.Kernels[k] = one
	}
	if len(s.Unclear) == 0 {
		b.unusedMappings()
	}
	result.Errors = b.errs
	if taken != nil {
		result.Errors = append(scanner.ErrorList{mistake(s.Place.Path, taken)}, b.errs...)
	}
	return result
}

// mistake returns err, which is about a source as a whole or an option.
func mistake(path string, err error) *scanner.Error {
	var input *source.Error
	if errors.As(err, &input) {
		return &scanner.Error{Pos: token.Position{Filename: input.Path}, Msg: input.Reason}
	}
	return &scanner.Error{Pos: token.Position{Filename: path}, Msg: err.Error()}
}

// outlineVariables adds the exported variables that Go can have to the model.
func (b *builder) outlineVariables(s *selection.Selection, result *Outline) {
	var good []*selection.Variable
	for _, v := range s.Variables {
		if len(v.Problems) == 0 {
			good = append(good, v)
		}
	}
	b.variables(good, make([]string, len(good)))
	for _, v := range good {
		at := slices.IndexFunc(b.file.Variables, func(m model.Variable) bool { return m.CName == v.QualifiedName() && m.Pos == b.pos(v.Pos) })
		if at >= 0 {
			result.Variables[v] = Named[model.Variable]{Model: &b.file.Variables[at]}
			continue
		}
		var errs scanner.ErrorList
		for _, e := range b.errs {
			if e.Pos == v.Pos {
				errs.Add(e.Pos, e.Msg)
			}
		}
		result.Variables[v] = Named[model.Variable]{Errors: errs}
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
func about(k *cu.Kernel, errs scanner.ErrorList) (list scanner.ErrorList) {
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
	if name, ok := b.types.Lookup(b.typeKey(t)); ok {
		return model.GoType{Kind: model.Local, Name: name}
	}
	name := ""
	switch t := t.(type) {
	case *ctype.Struct:
		name = t.Name + ctype.Arguments(t.Args)
	case *ctype.Enum:
		name = t.Name
	}
	return model.GoType{Kind: model.Local, Name: goname.Exported(goname.Identifier(name))}
}
