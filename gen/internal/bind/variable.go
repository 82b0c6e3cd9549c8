package bind

import (
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// variables adds the exported variables, with their symbols, to the model.
func (b *builder) variables(list []*selection.Variable, symbols []string) {
	for i, v := range list {
		address := selection.Query(v.Namespace, v.Name, nil, nil)
		m := model.Variable{
			GoName: b.variableNames[v], CName: v.QualifiedName(), CType: v.Type.String(), Space: v.Space, Symbol: symbols[i], Address: address.Address(),
			Doc: v.Doc, Pos: b.pos(v.Pos), Data: v.Data,
		}
		if v.Directive.Args == "" {
			m.Note = goname.Renamed(v.Name, m.GoName)
		}
		b.nameInner([]string{m.GoName}, "type", v.Type)
		var err error
		if m.Type, err = layout.GoType(v.Type, b.named); err != nil {
			b.errs.Add(v.Pos, diag.MessageOf(err).About(v.Name))
			continue
		}
		if b.file.Embedded != nil && v.Source.Managed && image.Local(symbols[i]) {
			b.errs.Add(v.Pos, diag.EmbeddedCode.Errorf("is __managed__ and has internal linkage, and -embed source needs its symbol, which NVRTC does not report: %w", diag.Do("move it out of the unnamed namespace, or remove static")).About(v.Name))
		}
		b.file.Variables = append(b.file.Variables, m)
	}
}
