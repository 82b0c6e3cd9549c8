// Package bind decides every Go name and every Go type: it makes the model that is printed
// of a selection, the symbols of its kernels and variables, and the images. It knows no
// compiler and compares nothing.
//
// Start with Packages.Bind; Packages.Outline is for sources that are only looked at.
package bind

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
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// A Source is what a model is made of.
type Source struct {
	*selection.Selection
	KernelSymbols   []string // by index in Selection.Kernels
	VariableSymbols []string // by index in Selection.Variables
	Images          []model.Image
	Embed           *Embed // nil when the images are embedded
}

// Options are options of cudagen.
type Options struct{ Package, Name, Tags string }

// A Bound is the model of a source, and where its types come from.
type Bound struct {
	Model   *model.File
	Origins map[string]selection.Origin // by Go name or selection.ForeignKey
}

// Packages are the Go packages of the sources: those in one folder are one. The first
// source has the first choice of names.
type Packages struct{ byFolder map[string]*builder }

// NewPackages returns Packages in which no name is taken.
func NewPackages() *Packages { return &Packages{make(map[string]*builder)} }

// A builder makes the models of the sources of one Go package, one after the other. It
// hands out the Go names of the package.
type builder struct {
	dir      string            // of the package; absolute
	clauses  map[string]string // of the Go files there, by their names; nil until they are read
	scope    *goname.Scope     // of the package
	types    *goname.Types
	declared map[any]declaration // the structs and enums so far, by their identity
	turn     int                 // counts the sources

	// Of the source whose turn it is.
	selection *selection.Selection
	file      *model.File
	origins   map[string]selection.Origin
	members   *goname.Scope       // of the type that holds the kernels
	mapped    map[string]*mapping // by qualified C++ name: type directives
	errs      scanner.ErrorList
}

// A declaration is a type that one of the sources has brought into the package.
type declaration struct {
	turn int
	path string
	t    ctype.Type
}

// builder returns the builder of the Go package that s belongs to: the first time, a new one.
func (p *Packages) builder(s *selection.Selection) *builder {
	folder := s.Place.Folder()
	b := p.byFolder[folder]
	if b == nil {
		scope := goname.NewScope()
		b = &builder{dir: folder, scope: scope, types: goname.NewTypes(scope), declared: make(map[any]declaration)}
		p.byFolder[folder] = b
	}
	return b
}

// Bind makes the model of s.
//
// An error is a *source.Error, a go/scanner.ErrorList, or about an option.
func (p *Packages) Bind(s Source, o Options) (*Bound, error) {
	b := p.builder(s.Selection)
	pkg, err := b.packageName(&s.Place, &o)
	if err != nil {
		return nil, err
	}
	if err := checkTags(o.Tags); err != nil {
		return nil, err
	}
	o.Package = pkg
	if err := b.begin(s.Selection, o); err != nil {
		return nil, err
	}
	b.file.Images = s.Images
	if err := b.embed(s.Embed); err != nil {
		return nil, err
	}
	b.mappings(s.Types)
	names := b.kernelNames(s.Kernels)
	b.exports(s.Exports)
	b.variables(s.Variables, s.VariableSymbols)
	for i, k := range s.Kernels {
		b.kernel(k, names[i], s.KernelSymbols[i])
	}
	b.unusedMappings()
	b.errs.Sort()
	return &Bound{b.file, b.origins}, b.errs.Err()
}

// begin begins the model of s.
func (b *builder) begin(s *selection.Selection, o Options) error {
	base := filepath.Base(s.Place.Path)
	name := o.Name
	if name == "" {
		name = goname.Exported(goname.Identifier(strings.TrimSuffix(base, filepath.Ext(base))))
	} else if !goname.IsExported(name) {
		return fmt.Errorf("-name %s: is no exported Go name", name)
	}
	b.selection, b.origins, b.mapped, b.errs, b.members = s, make(map[string]selection.Origin), make(map[string]*mapping), nil, goname.NewScope("Close")
	b.file = &model.File{Version: model.Version, Source: base, Package: o.Package, Tags: o.Tags, GoName: name}
	b.turn++
	if !b.scope.Add(name) || !b.scope.Add("Load"+name) {
		return source.NewError(s.Place.Path, "the Go name "+name+" is taken by another source: rename the file, or generate it by itself with -name")
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
		return b.selection.Place.Path + ": " + name
	}
	return key
}

// declare notes that t is in the package under key, or, when a type of that name came
// from another source, that both are the same.
func (b *builder) declare(key any, t ctype.Type) {
	other, known := b.declared[key]
	if !known {
		b.declared[key] = declaration{b.turn, b.selection.Place.Path, t}
		return
	}
	if other.turn == b.turn {
		return
	}
	if difference := layout.Difference(other.t, t); difference != "" {
		b.errs.Add(position(t), fmt.Sprintf("%s is another type in %s: %s (generate one of them into a package of its own)", t, other.path, difference))
	}
	b.declared[key] = declaration{b.turn, b.selection.Place.Path, t} // said once
}

func (b *builder) pos(p token.Position) model.Pos {
	return model.Pos{File: filepath.Base(p.Filename), Line: p.Line}
}

// conditionalHandle is the type of values that only a graph has.
const conditionalHandle = "cudaGraphConditionalHandle"

func (b *builder) kernel(p *selection.Kernel, name kernelName, symbol string) {
	k := model.Kernel{
		GoName: name.goName, Note: name.note, CName: p.QualifiedName(), Symbol: symbol, Address: p.Query.Address(), Signature: p.Signature, Doc: p.Doc, Pos: b.pos(p.Pos),
		Bytes: p.Bytes, Align: p.Block.Align, Infers: p.Spec.Infers, Checks: p.Spec.Checks, Launch: p.Spec.Launch, NoLaunch: p.Spec.NoLaunch,
	}
	for i, param := range p.Params {
		goType, err := layout.GoType(param.Type, b.named)
		if err != nil {
			b.errs.Add(param.Pos, fmt.Sprintf("%s: parameter %s: %v", p.Name, p.GoArgs[i], err))
			continue
		}
		at := p.Places[i]
		m := model.Param{
			CName: param.Name, CType: param.Type.String(), GoName: p.GoArgs[i], Field: p.GoFields[i], Type: goType,
			Offset: at.Offset, Size: at.Size, Align: at.Align, ElemAlign: 1,
		}
		if param.Name != "" {
			m.Note = goname.Renamed(param.Name, m.Field)
		}
		switch {
		case goType.Kind == model.Pointer && !p.Spec.Plain[i]:
			m.Slice, m.Nullable = true, p.Spec.Nullable[i]
			if _, align, err := layout.Of(ctype.Pointee(param.Type)); err == nil { // else the elements are bytes
				m.ElemAlign = align
			}
		case ctype.HasName(param.Type, conditionalHandle):
			m.Holder = "ConditionalHandle"
		default:
			m.Unchecked = ctype.HoldsAddress(param.Type)
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
