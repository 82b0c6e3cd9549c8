package bind

import (
	"cmp"
	"go/token"
	"maps"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/directive"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
)

// A mapping is a directive //cudagen:type CName=import/path.GoType.
type mapping struct {
	pos    token.Position
	cName  string
	goType model.GoType
	used   bool
}

// mappings reads type directives.
func (b *builder) mappings(directives []cu.Directive) {
	for _, d := range directives {
		cName, goType, problem := directive.Mapping(d)
		switch {
		case problem.Text != "":
			b.errs.Add(d.ArgsPos, problem)
		case b.mapped[cName] != nil:
			b.errs.Add(d.Pos, diag.Contradiction.Errorf("type: %s is given twice, first in line %d", cName, b.mapped[cName].pos.Line))
		default:
			b.mapped[cName] = &mapping{pos: d.Pos, cName: cName, goType: goType}
		}
	}
}

// foreignStruct returns the Go type that a directive names for s. The first time, it adds to the
// model what the generated file must verify: its size, and the offsets of its fields.
func (b *builder) foreignStruct(s *ctype.Struct) (goType model.GoType, ok bool) {
	m := b.mapped[s.String()]
	if m == nil {
		return goType, false
	}
	if m.used {
		return m.goType, true
	}
	m.used = true
	class, err := layout.Struct(s)
	if err != nil || s.Union {
		b.errs.Add(m.pos, diag.TypeMapping.Errorf("type: %s cannot be mapped to a Go type: it is a union, or its layout is not known", m.cName))
		return m.goType, true
	}
	foreign := model.Struct{CName: s.QualifiedName(), Pos: b.pos(s.Pos), Size: class.Size, Align: class.Align, Foreign: m.goType}
	for _, member := range class.Members {
		if member.BitField || member.Name == "" {
			b.errs.Add(m.pos, diag.TypeMapping.Errorf("type: %s has a member that no Go field can be compared with: a bit-field, or one without a name", m.cName))
			return m.goType, true
		}
		foreign.Fields = append(foreign.Fields, model.Field{
			CName: member.Name, GoName: goname.Exported(member.Name), Offset: member.Offset, Size: member.Size,
		})
	}
	b.origins[selection.ForeignKey(&foreign)] = selection.Origin{Type: s, Pos: m.pos, Told: s.Stated != nil}
	b.file.Foreign = append(b.file.Foreign, foreign)
	return m.goType, true
}

// unusedMappings reports the type directives whose type no kernel uses.
func (b *builder) unusedMappings() {
	if !b.selection.Complete() {
		return
	}
	list := slices.SortedFunc(maps.Values(b.mapped), func(x, y *mapping) int { return cmp.Compare(x.pos.Offset, y.pos.Offset) })
	for _, m := range list {
		if !m.used {
			b.errs.Add(m.pos, diag.TypeMapping.Errorf("type: no kernel that is generated uses a struct %s: %w", m.cName, diag.Do("check its name, with its namespace")))
		}
	}
}
