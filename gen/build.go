package gen

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/record"
)

// A builder makes the model of one file. It hands out the Go names of the package.
type builder struct {
	file   *model.File
	scope  *goname.Scope // of the package
	types  *goname.Types
	mapped map[string]*mapping // by qualified C++ name: type directives
	errs   scanner.ErrorList
}

// buildModel joins everything into what is printed.
func buildModel(file *cu.File, source []byte, pkg string, kernels []*proved, out paths, img *obtained) (*model.File, error) {
	base := filepath.Base(file.Name)
	b := &builder{
		file: &model.File{
			Version: model.Version,
			Source:  base,
			Package: pkg,
			GoName:  goname.Exported(goname.Identifier(strings.TrimSuffix(base, filepath.Ext(base)))),
			Image:   model.Image{File: filepath.Base(out.ptx), SHA256: record.HashImage(img.ptx)},
		},
		scope:  goname.NewScope(),
		mapped: make(map[string]*mapping),
	}
	b.types = goname.NewTypes(b.scope)
	b.scope.Add(b.file.GoName)
	b.scope.Add("Load" + b.file.GoName)
	b.mappings(file)
	names := b.kernelNames(kernels)
	b.exports(file, source)
	for i, k := range kernels {
		b.kernel(k, names[i])
	}
	b.unusedMappings()
	b.errs.Sort()
	return b.file, b.errs.Err()
}

func (b *builder) pos(p token.Position) model.Pos {
	return model.Pos{File: filepath.Base(p.Filename), Line: p.Line}
}

func (b *builder) kernel(p *proved, name kernelName) {
	k := model.Kernel{
		GoName: name.goName, Note: name.note, CName: p.QualifiedName(), Symbol: p.symbol, Signature: p.Signature, Doc: p.Doc, Pos: b.pos(p.Pos),
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
		k.Params = append(k.Params, m)
	}
	for _, infer := range k.Infers {
		if infer.Param < len(k.Params) {
			k.Params[infer.Param].Inferred = true
		}
	}
	b.file.Kernels = append(b.file.Kernels, k)
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
