package gen

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/record"
)

// A builder makes the model of one file. It hands out the Go names of the package.
type builder struct {
	file    *model.File
	scope   *goname.Scope
	structs map[*ctype.Struct]string // Go names, by definition
	errs    scanner.ErrorList
}

// buildModel joins everything into what is printed.
func buildModel(file *cu.File, pkg string, kernels []*proved, out paths, img *obtained) (*model.File, error) {
	base := filepath.Base(file.Name)
	b := &builder{
		file: &model.File{
			Version: model.Version,
			Source:  base,
			Package: pkg,
			GoName:  goname.Exported(goIdentifier(strings.TrimSuffix(base, filepath.Ext(base)))),
			Image:   model.Image{File: filepath.Base(out.ptx), SHA256: record.HashImage(img.ptx)},
		},
		scope:   goname.NewScope(),
		structs: make(map[*ctype.Struct]string),
	}
	b.scope.Add(b.file.GoName)
	b.scope.Add("Load" + b.file.GoName)
	methods := goname.NewScope("Close")
	for _, k := range kernels {
		b.kernel(k, methods)
	}
	b.errs.Sort()
	return b.file, b.errs.Err()
}

// goIdentifier replaces what cannot stand in a Go name.
func goIdentifier(s string) string {
	return strings.Map(func(r rune) rune {
		if token.IsIdentifier("x" + string(r)) {
			return r
		}
		return '_'
	}, s)
}

func (b *builder) pos(p token.Position) model.Pos {
	return model.Pos{File: filepath.Base(p.Filename), Line: p.Line}
}

func (b *builder) kernel(p *proved, methods *goname.Scope) {
	k := model.Kernel{
		GoName: p.spec.GoName, CName: p.QualifiedName(), Symbol: p.symbol, Signature: p.Signature, Doc: p.Doc, Pos: b.pos(p.Pos),
		Bytes: p.bytes, Align: p.align, Infers: p.spec.Infers, Checks: p.spec.Checks, Launch: p.spec.Launch,
	}
	if k.GoName == "" {
		k.GoName = goname.Exported(p.Name)
	}
	if !methods.Add(k.GoName) || !b.scope.Add(k.GoName+"Kernel") || !b.scope.Add(goname.Unexported(k.GoName)+"Params") {
		b.errs.Add(p.Pos, fmt.Sprintf("%s: the Go name %s is taken already: give another with //cudagen:kernel GoName", p.Name, k.GoName))
		return
	}
	for i, param := range p.Params {
		goType, err := layout.GoType(param.Type, b.structName)
		if err != nil {
			b.errs.Add(param.Pos, fmt.Sprintf("%s: parameter %s: %v", p.Name, p.args[i], err))
			continue
		}
		at := p.params[i]
		k.Params = append(k.Params, model.Param{
			CName: param.Name, CType: param.Type.String(), GoName: p.args[i], Field: p.fields[i], Type: goType,
			Offset: at.Offset, Size: at.Size, Align: at.Align, Slice: p.spec.Slices[i],
		})
	}
	for _, infer := range k.Infers {
		if infer.Param < len(k.Params) {
			k.Params[infer.Param].Inferred = true
		}
	}
	b.file.Kernels = append(b.file.Kernels, k)
}

// structName returns the Go name of s, and adds s to the model the first time,
// behind the structs that it is made of.
func (b *builder) structName(s *ctype.Struct) string {
	if name, ok := b.structs[s]; ok {
		return name
	}
	name := goname.Exported(s.Name)
	b.structs[s] = name
	if !b.scope.Add(name) {
		b.errs.Add(s.Pos, fmt.Sprintf("struct %s: the Go name %s is taken already by a kernel or another struct: rename one of them", s.QualifiedName(), name))
		return name
	}
	offsets, size, align, err := layout.Struct(s)
	if err != nil {
		b.errs.Add(s.Pos, fmt.Sprintf("struct %s: %v", s.QualifiedName(), err))
		return name
	}
	m := model.Struct{GoName: name, CName: s.QualifiedName(), Doc: s.Doc, Pos: b.pos(s.Pos), Size: size, Align: align}
	fields := goname.NewScope()
	for i, f := range s.Fields {
		goType, err := layout.GoType(f.Type, b.structName)
		if err != nil {
			b.errs.Add(f.Pos, fmt.Sprintf("struct %s: field %s: %v", s.QualifiedName(), f.Name, err))
			continue
		}
		m.Fields = append(m.Fields, model.Field{
			CName: f.Name, CType: f.Type.String(), GoName: fields.Field(f.Name, i), Doc: f.Doc, Type: goType, Offset: offsets[i], Size: goType.Size,
		})
	}
	b.file.Structs = append(b.file.Structs, m)
	return name
}

// recordKernels is what the record says was proved of the kernels.
func recordKernels(kernels []*proved) []record.Kernel {
	var list []record.Kernel
	for _, k := range kernels {
		r := record.Kernel{Name: k.QualifiedName(), Symbol: k.symbol, Bytes: k.bytes}
		for i, p := range k.params {
			r.Params = append(r.Params, record.Param{
				Name: p.Name, Type: k.Params[i].Type.String(), Offset: p.Offset, Size: p.Size, Align: p.Align,
				Witnesses: []string{record.Source, record.PTX},
			})
		}
		list = append(list, r)
	}
	return list
}

// recordStructs is what the record says of the structs: the image's parameters prove
// their sizes and alignments, the offsets of their fields have the source alone.
func recordStructs(m *model.File) []record.Struct {
	var list []record.Struct
	for _, s := range m.Structs {
		r := record.Struct{Name: s.CName, Size: s.Size, Align: s.Align}
		for _, f := range s.Fields {
			r.Fields = append(r.Fields, record.Field{Name: f.CName, Type: f.CType, Offset: f.Offset, Size: f.Size, Witnesses: []string{record.Source}})
		}
		list = append(list, r)
	}
	return list
}
