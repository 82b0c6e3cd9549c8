// Package bind takes a selection, the symbols of its kernels and variables, and the images, hands on
// the model that is printed, and knows no compiler. It chooses every Go name and every Go type, and
// compares nothing.
//
// Start with Packages.Bind.
package bind

import (
	"go/build/constraint"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/goname"
	"github.com/cudagen/cudagen/internal/source"
)

// A Source is the input of a model.
type Source struct {
	*selection.Selection
	Compiled *Compiled // nil when only the source is known
}

// Compiled is what only compiling a source shows.
type Compiled struct {
	KernelSymbols   []string // by index in Selection.Kernels
	VariableSymbols []string // by index in Selection.Variables
	Images          []model.Image
	Compiler        string // name and version
	Embed           *Embed // nil when the images are embedded
}

// Options are options of cudagen.
type Options struct {
	Package, Name, Tags string

	// Contested are names that other sources of the package want, too. In front of them, and of
	// those that go with them, stands the Go name of the source.
	Contested      map[string]bool
	DefaultPackage string // the Package, unless the Go files beside the source are of another
}

// A Bound is the model of a source that is compiled, and where its types come from; or, when
// only the source is known, its outline.
type Bound struct {
	Model   *model.File
	Origins map[string]selection.Origin // by Go name or selection.ForeignKey
	Plain   map[string]string           // by names with that of the source in front: the contested ones
	Outline *Outline

	FolderPackage string // what Model.Package is without the options; empty if that is not clear
	DefaultName   bool   // Model.GoName is what it is without the options
}

// Packages are the Go packages of the sources: those in one folder are one. The names of a
// source do not depend on the others: package output knows whether they go together. The zero
// Packages is ready for use. Several goroutines may use it.
type Packages struct {
	goPackages source.GoPackages
}

// A builder makes the model of one source. It hands out its Go names.
type builder struct {
	packages      *Packages
	scope         *scope // of the source's part of the package
	kernelNames   map[*selection.Kernel]memberName
	variableNames map[*selection.Variable]string

	selection *selection.Selection
	file      *model.File
	origins   map[string]selection.Origin
	declared  map[any]bool        // by layout.Identity: types in the model
	mapped    map[string]*mapping // by qualified C++ name: type directives
	errs      diag.List
}

// builder returns a builder for s.
func (p *Packages) builder(s *selection.Selection, o Options) *builder {
	return &builder{
		packages: p, selection: s, mapped: make(map[string]*mapping),
		scope: &scope{known: make(map[any]*packageName), contested: o.Contested, plain: make(map[string]string)},
	}
}

// settled calls fill, which fills the model. When some of the names in it are ambiguous, it calls it
// again, with others.
func (b *builder) settled(fill func()) {
	empty, errs := *b.file, len(b.errs)
	again := func() {
		*b.file, b.errs = empty, b.errs[:errs:errs]
		b.origins, b.declared = make(map[string]selection.Origin), make(map[any]bool)
		for _, m := range b.mapped {
			m.used = false
		}
		fill()
	}
	again()
	moved, clashes := b.scope.settle()
	if moved {
		again()
	}
	b.errs = append(b.errs, clashes...)
}

// Bind makes the model of s or, when only the source is known, its outline: then the names are
// those that the model has, as far as they do not depend on unclear kernels.
//
// An error is a *source.Error, a diag.List, or about an option. The outline is there,
// too, and the error says why its names are not possible.
func (p *Packages) Bind(s Source, o Options) (*Bound, error) {
	b := p.builder(s.Selection, o)
	if s.Compiled == nil {
		if o.Package, _ = b.packages.goPackages.Name(s.Place.Path, s.Place.Go, o.Package, o.DefaultPackage); o.Package == "" {
			o.Package = "unknown"
		}
		outline, clashes := b.outline(s.Selection, o)
		return &Bound{Outline: outline, Origins: b.origins, Plain: b.scope.plain}, clashes.Err()
	}
	pkg, err := b.packages.goPackages.Name(s.Place.Path, s.Place.Go, o.Package, o.DefaultPackage)
	if err != nil {
		return nil, err
	}
	folderPackage, _ := b.packages.goPackages.Name(s.Place.Path, s.Place.Go, "", "")
	o.Package = pkg
	if err := b.begin(o); err != nil {
		return nil, err
	}
	b.file.Images = s.Compiled.Images
	if err := b.embed(s.Compiled.Embed); err != nil {
		return nil, err
	}
	b.file.Data, b.file.Compiler = s.Data, s.Compiled.Compiler
	b.mappings(s.Types)
	b.memberNames(s.Kernels, s.Variables)
	b.settled(func() {
		b.exports(s.Exports)
		b.variables(s.Variables, s.Compiled.VariableSymbols)
		for i, k := range s.Kernels {
			b.kernel(k, s.Compiled.KernelSymbols[i])
		}
		b.unusedMappings()
		b.typeData(s.TypeData)
	})
	b.errs.Sort()
	return &Bound{Model: b.file, Origins: b.origins, Plain: b.scope.plain, FolderPackage: folderPackage, DefaultName: b.file.GoName == defaultName(s.Place.Path)}, b.errs.Err()
}

// begin begins the model.
func (b *builder) begin(o Options) error {
	base := filepath.Base(b.selection.Place.Path)
	name, err := o.Name, o.Check()
	if name == "" || err != nil {
		name = defaultName(base)
	}
	place := &b.selection.Place
	b.file = &model.File{
		Version: model.Version, Source: base, Stem: place.Stem(), Path: place.Relative(place.Path), Package: o.Package, ImportPath: importPath(place),
		Tags: o.Tags, GoName: name, LoadName: "Load" + name,
	}
	b.scope.file = name
	return err
}

// defaultName returns the Go name of the type that holds the kernels of the source at path.
func defaultName(path string) string {
	base := filepath.Base(path)
	return goname.Exported(goname.Identifier(strings.TrimSuffix(base, filepath.Ext(base))))
}

// Check returns what is wrong with the options themselves, whatever the source is.
func (o *Options) Check() error {
	if o.Package != "" && (!token.IsIdentifier(o.Package) || o.Package == "_") {
		return diag.PackageName.Errorf("-pkg %s: is not a Go package name", o.Package)
	}
	if o.Name != "" && !goname.IsExported(o.Name) {
		return diag.GoName.Errorf("-name %s: is not an exported Go name", o.Name)
	}
	if o.Tags != "" {
		if _, err := constraint.Parse("//go:build " + o.Tags); err != nil {
			return diag.FlagValue.Errorf("-tags %s: %w", o.Tags, err)
		}
	}
	return nil
}

func (b *builder) pos(p token.Position) model.Pos {
	if !p.IsValid() { // of a class that a compiler told
		return model.Pos{}
	}
	return model.Pos{File: filepath.Base(p.Filename), Line: p.Line, Column: p.Column}
}

// conditionalHandle is the type of values that only a graph has.
const conditionalHandle = "cudaGraphConditionalHandle"

func (b *builder) kernel(p *selection.Kernel, symbol string) {
	name := b.kernelNames[p]
	typeName, helpers := b.scope.kernel(p, name.goName)
	k := model.Kernel{
		GoName: name.goName, TypeName: typeName, ArgsName: helpers[0], CallName: helpers[1], ParamsName: helpers[2], Note: name.note, CName: p.QualifiedName(), Symbol: symbol, Address: p.Query.Address(), Signature: p.Signature, Doc: p.Doc, Pos: b.pos(p.Pos),
		Namespace: p.Namespace, TemplateArgs: templateArgs(p.Args), Directives: b.directives(p.Directives), Data: p.Spec.Data,
		Bytes: p.Bytes, Align: p.Block.Align, Infers: p.Spec.Infers, Checks: p.Spec.Checks, Launch: p.Spec.Launch, NoLaunch: p.Spec.NoLaunch,
	}
	for i, param := range p.Params {
		goType, err := layout.GoType(param.Type, b.named)
		if err != nil {
			b.errs.Add(param.Pos, diag.MessageOf(err).In("parameter "+p.GoArgs[i]+": ").About(p.Name))
			continue
		}
		at := p.Places[i]
		m := model.Param{
			CName: param.Name, CType: param.Type.String(), GoName: p.GoArgs[i], Field: p.GoFields[i], Type: goType,
			Pos: b.pos(param.Pos), Offset: at.Offset, Size: at.Size, Align: at.Align,
		}
		describePointer(&m, param.Type)
		if param.Name != "" {
			m.Note = goname.Renamed(param.Name, m.Field)
		}
		switch {
		case goType.Kind == model.Pointer && !p.Spec.Plain[i]:
			m.Slice, m.Nullable, m.ElemAlign = true, p.Spec.Nullable[i], 1
			if _, align, err := layout.Of(ctype.Pointee(param.Type)); err == nil { // else the elements are bytes
				m.ElemAlign = align
			}
		case ctype.HasName(param.Type, conditionalHandle):
			m.Holder = "ConditionalHandle"
		case p.Spec.Texels[i].Name != "":
			elem := p.Spec.Texels[i]
			m.Holder, m.HolderElem = "Surface", &elem
			if ctype.HasName(param.Type, "cudaTextureObject_t") {
				m.Holder = "Texture"
			}
		case goType.Kind == model.Local && ctype.IsTensorMap(param.Type):
			m.Holder = "TensorMap"
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
	k.Args = arguments(&k)
	b.file.Kernels = append(b.file.Kernels, k)
}
