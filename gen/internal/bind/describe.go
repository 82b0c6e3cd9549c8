package bind

import (
	"os"
	"path"
	"path/filepath"

	"golang.org/x/mod/modfile"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// arguments returns the Go arguments of k.
func arguments(k *model.Kernel) (args []model.Arg) {
	for i, p := range k.Params {
		if p.Inferred {
			continue
		}
		a := model.Arg{Name: p.GoName, Field: p.Field, CName: p.CName, Type: p.Type, Param: i, Direction: p.Direction}
		switch {
		case p.Slice:
			a.Type = model.GoType{Kind: model.Slice, Elem: p.Type.Elem}
		case p.Holder != "":
			a.Type = model.GoType{Kind: model.Runtime, Name: p.Holder, Elem: p.HolderElem}
		}
		args = append(args, a)
	}
	return args
}

// describePointer notes in m what the type t of a parameter says of what it points at.
func describePointer(m *model.Param, t ctype.Type) {
	elem := ctype.Pointee(t)
	if elem == nil {
		return
	}
	m.Const, m.Direction = isConst(elem), model.InOut
	if m.Const {
		m.Direction = model.In
	}
}

// isConst reports whether t is const, or an array of what is.
func isConst(t ctype.Type) bool {
	switch t := ctype.Unalias(t).(type) {
	case *ctype.Qualified:
		return t.Const || isConst(t.Type)
	case *ctype.Array:
		return isConst(t.Elem)
	}
	return false
}

// templateArgs returns the arguments of an instance as C++ has them.
func templateArgs(args []ctype.TemplateArg) (list []string) {
	for i := range args {
		list = append(list, args[i].Demangled())
	}
	return list
}

func (b *builder) directives(list []cu.Directive) (directives []model.Directive) {
	for _, d := range list {
		directives = append(directives, model.Directive{Verb: d.Verb, Args: d.Args, Pos: b.pos(d.Pos)})
	}
	return directives
}

// typeData gives the types of the model what data directives say of them.
func (b *builder) typeData(list []selection.TypeData) {
	for _, d := range list {
		var given []*map[string]string
		if known := b.scope.known[layout.Identity(d.Type)]; known != nil {
			name := known.names[0]
			for i := range b.file.Structs {
				if b.file.Structs[i].GoName == name {
					given = append(given, &b.file.Structs[i].Data)
				}
			}
			for i := range b.file.Enums {
				if b.file.Enums[i].GoName == name {
					given = append(given, &b.file.Enums[i].Data)
				}
			}
		}
		for i := range b.file.Foreign {
			if origin := b.origins[selection.ForeignKey(&b.file.Foreign[i])]; layout.Identity(origin.Type) == layout.Identity(d.Type) {
				given = append(given, &b.file.Foreign[i].Data)
			}
		}
		if len(given) == 0 {
			if !b.selection.Complete() {
				continue
			}
			b.errs.Add(d.Pos, diag.TemplateData.Errorf("data: no kernel that is generated uses %s: %w", d.Type, diag.Do("add //cudagen:export, or remove the directive")))
			continue
		}
		if *given[0] != nil {
			b.errs.Add(d.Pos, diag.TemplateData.Errorf("data: %s has data above another declaration already", d.Type))
			continue
		}
		*given[0] = d.Data
	}
}

// importPath returns the import path of the package that the output at place belongs to, as the
// go.mod above it has it, or "" without one.
func importPath(place *source.Place) string {
	text, err := os.ReadFile(filepath.Join(place.Module, "go.mod"))
	relative, inside := place.Inside(place.Folder())
	if err != nil || !inside {
		return ""
	}
	if module := modfile.ModulePath(text); module != "" {
		return path.Join(module, filepath.ToSlash(relative))
	}
	return ""
}
