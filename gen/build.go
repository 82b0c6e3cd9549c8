package gen

import (
	"fmt"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// A builder makes the models of the sources of one Go package, one after the other. It
// hands out the Go names of the package.
type builder struct {
	dir      string            // of the package; absolute
	clauses  map[string]string // of the Go files there, by their names; nil until they are read
	scope    *goname.Scope     // of the package
	types    *goname.Types
	declared map[any]declaration // the structs and enums so far, by their identity

	// Of the source whose turn it is.
	unit    *unit
	file    *model.File
	members *goname.Scope       // of the type that holds the kernels
	mapped  map[string]*mapping // by qualified C++ name: type directives
	errs    scanner.ErrorList
}

// A declaration is a type that one of the sources has brought into the package.
type declaration struct {
	unit *unit
	t    ctype.Type
}

// buildModels joins everything into what is printed. Sources in one folder are one
// package.
func (p *pipeline) buildModels() error {
	packages := make(map[string]*builder)
	errs := make([]error, len(p.units))
	for i, u := range p.units { // in order: the first has the first choice of names
		errs[i] = builderOf(packages, u).build(u)
	}
	return join(errs)
}

// builderOf returns the builder of the Go package that u belongs to: the first time, a new one.
func builderOf(packages map[string]*builder, u *unit) *builder {
	folder := u.place.Folder()
	b := packages[folder]
	if b == nil {
		scope := goname.NewScope()
		b = &builder{dir: folder, scope: scope, types: goname.NewTypes(scope), declared: make(map[any]declaration)}
		packages[folder] = b
	}
	return b
}

// build makes the model of u.
func (b *builder) build(u *unit) error {
	pkg, err := b.packageName(u)
	if err != nil {
		return err
	}
	if err := checkTags(u.options.Tags); err != nil {
		return err
	}
	if err := b.begin(u, pkg); err != nil {
		return err
	}
	if err := b.embed(); err != nil {
		return err
	}
	b.mappings(u.file)
	names := b.kernelNames(u.proved)
	b.exports(u.file, u.source)
	b.variables(u.variables)
	for i, k := range u.proved {
		b.kernel(k, names[i])
	}
	b.unusedMappings()
	u.model = b.file
	b.errs.Sort()
	return b.errs.Err()
}

// begin begins the model of u, which is in package pkg.
func (b *builder) begin(u *unit, pkg string) error {
	base := filepath.Base(u.place.Path)
	name := u.options.Name
	if name == "" {
		name = goname.Exported(goname.Identifier(strings.TrimSuffix(base, filepath.Ext(base))))
	} else if !goname.IsExported(name) {
		return fmt.Errorf("-name %s: is no exported Go name", name)
	}
	b.unit, b.mapped, b.errs, b.members = u, make(map[string]*mapping), nil, goname.NewScope("Close")
	b.file = &model.File{Version: model.Version, Source: base, Package: pkg, Tags: u.options.Tags, GoName: name}
	for _, image := range u.images {
		b.file.Images = append(b.file.Images, model.Image{File: filepath.Base(image.path), SHA256: record.HashImage(image.content), Targets: image.targets})
	}
	if !b.scope.Add(name) || !b.scope.Add("Load"+name) {
		return source.NewError(u.place.Path, "the Go name "+name+" is taken by another source: rename the file, or generate it by itself with -name")
	}
	return nil
}

// position returns where a struct or enum is declared.
func position(t ctype.Type) token.Position {
	switch t := t.(type) {
	case *ctype.Struct:
		return t.Pos
	case *ctype.Enum:
		return t.Pos
	}
	return token.Position{}
}

// checkTags reports a build constraint that Go would not understand.
func checkTags(tags string) error {
	if tags == "" {
		return nil
	}
	if _, err := constraint.Parse("//go:build " + tags); err != nil {
		return fmt.Errorf("-tags %s: %w", tags, err)
	}
	return nil
}

// typeKey returns the identity of a struct or enum in the package: that of a type in an
// unnamed namespace is another one in each source.
func (b *builder) typeKey(t ctype.Type) any {
	key := layout.Identity(t)
	if name, ok := key.(string); ok && strings.Contains(name, ctype.AnonymousNamespace) {
		return b.unit.place.Path + ": " + name
	}
	return key
}

// declare notes that t is in the package under key, or, when a type of that name came
// from another source, that both are the same.
func (b *builder) declare(key any, t ctype.Type) {
	other, known := b.declared[key]
	if !known {
		b.declared[key] = declaration{b.unit, t}
		return
	}
	if other.unit == b.unit {
		return
	}
	if difference := layout.Difference(other.t, t); difference != "" {
		b.errs.Add(position(t), fmt.Sprintf("%s is another type in %s: %s (generate one of them into a package of its own)", t, other.unit.place.Path, difference))
	}
	b.declared[key] = declaration{b.unit, t} // said once
}

func (b *builder) pos(p token.Position) model.Pos {
	return model.Pos{File: filepath.Base(p.Filename), Line: p.Line}
}

func (b *builder) kernel(p *proved, name kernelName) {
	address := b.unit.query(p.selected)
	k := model.Kernel{
		GoName: name.goName, Note: name.note, CName: p.QualifiedName(), Symbol: p.symbol, Address: address.Address(), Signature: p.Signature, Doc: p.Doc, Pos: b.pos(p.Pos),
		Bytes: p.bytes, Align: p.align, Infers: p.spec.Infers, Checks: p.spec.Checks, Launch: p.spec.Launch,
	}
	for i, param := range p.Params {
		goType, err := layout.GoType(param.Type, b.named)
		if err != nil {
			b.errs.Add(param.Pos, fmt.Sprintf("%s: parameter %s: %v", p.Name, p.args[i], err))
			continue
		}
		at := p.params[i]
		m := model.Param{
			CName: param.Name, CType: param.Type.String(), GoName: p.args[i], Field: p.fields[i], Type: goType,
			Offset: at.Offset, Size: at.Size, Align: at.Align, Slice: p.spec.Slices[i],
		}
		if param.Name != "" {
			m.Note = goname.Renamed(param.Name, m.Field)
		}
		if pointer, ok := ctype.Unqualified(param.Type).(*ctype.Pointer); ok && m.Slice {
			if _, m.ElemAlign, err = layout.Of(pointer.Elem); err != nil {
				b.errs.Add(param.Pos, fmt.Sprintf("%s: parameter %s: %v", p.Name, p.args[i], err))
			}
		}
		k.Params = append(k.Params, m)
	}
	for _, infer := range k.Infers {
		if infer.Param < len(k.Params) {
			k.Params[infer.Param].Inferred = true
		}
	}
	b.file.Kernels = append(b.file.Kernels, k)
}
