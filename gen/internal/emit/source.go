package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"
)

func nvrtc(name string) *jen.Statement { return jen.Qual(nvrtcPath, name) }

// sourceVar is the name of the variable that holds the embedded source.
func (e *emitter) sourceVar() string { return FileVariable(e.Source) + "Source" }

// embedSource prints the variable that holds the source.
func (e *emitter) embedSource() {
	var patterns []string
	for _, f := range e.Embedded.Files {
		patterns = append(patterns, embedPattern(f.File))
	}
	e.out.Comment("//go:embed " + strings.Join(patterns, " "))
	e.out.Var().Id(e.sourceVar()).Qual("embed", "FS")
	e.out.Line()
}

// loadSource prints the function that compiles the source and loads its kernels.
func (e *emitter) loadSource() {
	e.comment("Load%s loads the kernels of %s on dev. It compiles them with NVRTC, unless that was done before, and proves that their parameters are where this file puts them%s.", e.GoName, e.Source, e.alsoProved())
	hashes := make([]jen.Code, len(e.Embedded.Files))
	for i, f := range e.Embedded.Files {
		hashes[i] = jen.Lit(f.File).Op(":").Lit(f.SHA256)
	}
	addresses := make([]jen.Code, len(e.Kernels))
	for i, k := range e.Kernels {
		addresses[i] = jen.Lit(k.Address)
	}
	fields := []jen.Code{
		jen.Id("Main").Op(":").Lit(e.Embedded.Main),
		jen.Id("Files").Op(":").Id(e.sourceVar()),
		jen.Id("SHA256").Op(":").Map(jen.String()).String().Values(multiline(hashes...)...),
	}
	for _, list := range []struct {
		name   string
		values []string
	}{
		{"IncludeDirs", e.Embedded.IncludeDirs},
		{"Defines", e.Embedded.Defines},
		{"Flags", e.Embedded.Flags},
	} {
		if len(list.values) > 0 {
			fields = append(fields, jen.Id(list.name).Op(":").Add(texts(list.values)))
		}
	}
	fields = append(fields,
		jen.Id("Std").Op(":").Lit(e.Embedded.Std),
		jen.Id("Kernels").Op(":").Index().String().Values(multiline(addresses...)...),
	)
	if len(e.Variables) > 0 {
		fields = append(fields, jen.Id("Variables").Op(":").Index().Add(nvrtc("SourceVariable")).Values(multiline(e.sourceVariables()...)...))
	}
	fields = append(fields,
		jen.Id("Compiler").Op(":").Lit(e.Embedded.Compiler),
	)
	e.load(
		jen.Id("source").Op(":=").Op("&").Add(nvrtc("Source")).Values(multiline(fields...)...),
		e.loadCall(nvrtc("LoadKernels"), jen.Id("dev"), jen.Id("source")),
	)
}

// texts is a list of strings.
func texts(list []string) *jen.Statement {
	var values []jen.Code
	for _, text := range list {
		values = append(values, jen.Lit(text))
	}
	return jen.Index().String().Values(values...)
}
