package bind

import (
	"fmt"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// exports adds to the model what export directives ask for: the struct, enum or constant
// below each.
func (b *builder) exports(list []selection.Export) {
	for _, e := range list {
		d := e.Directive
		if d.Args != "" && !goname.IsExported(d.Args) {
			b.errs.Add(d.ArgsPos, diag.Export.Errorf("export: %s is not an exported Go name", d.Args))
			continue
		}
		switch {
		case e.Type != nil:
			b.exportType(e.Type, d)
		case e.Constant != "":
			b.exportConstant(e.Constant, d)
		case e.Several:
			b.errs.Add(d.Pos, diag.Export.Errorf("export: the declaration below has several types or constants: %w", diag.Do("give each a declaration of its own")))
		default:
			b.errs.Add(d.Pos, diag.Export.New("export: directly below stands no struct, no enum, no variable in the memory of a device, and no integer constant that is understood and fits an int64"))
		}
	}
}

// exportType exports a struct or enum.
func (b *builder) exportType(t ctype.Type, d cu.Directive) {
	var err error
	switch t := t.(type) {
	case *ctype.Struct:
		_, err = layout.GoType(t, func(ctype.Type) model.GoType { return model.GoType{} })
	default:
		_, _, err = layout.Of(t)
	}
	if err != nil {
		b.errs.Add(d.Pos, diag.Export.Errorf("export: %w", err))
		return
	}
	b.nameExport(t, d)
	b.named(t)
}

// nameExport gives t the name in the directive d, if there is one.
func (b *builder) nameExport(t ctype.Type, d cu.Directive) {
	if d.Args != "" && !b.scope.give(layout.Identity(t), typeNames(t, d.Args), d.ArgsPos) {
		b.errs.Add(d.ArgsPos, diag.Export.Errorf("export: the Go name %s is taken already", d.Args))
	}
}

// exportConstant exports the constant of a qualified name.
func (b *builder) exportConstant(qualified string, d cu.Directive) {
	n := packageName{claim: goname.Fixed(d.Args), pos: d.Pos, what: "export", another: "//cudagen:export GoName"}
	if d.Args == "" {
		path := strings.Split(qualified, "::")
		last := len(path) - 1
		n.claim = goname.Forms(goname.Entity(path[:last], path[last])...)
	}
	b.file.Constants = append(b.file.Constants, model.Constant{
		GoName: b.scope.name(constantKey(d.Pos), n)[0], CName: qualified, Value: fmt.Sprint(b.selection.File.Constants[qualified]), Pos: model.Pos{File: b.file.Source, Line: d.Pos.Line},
	})
}
