package gen

import (
	"cmp"
	"context"
	"os"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/build"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// A Reader reads sources with the same code as Generate, but without a compiler: it selects
// kernels and variables, checks directives and chooses Go names. Sources of one folder are one
// Go package. A Reader writes nothing.
//
// Only one goroutine at a time may use a Reader.
type Reader struct {
	pipeline pipeline // without units
	packages bind.Packages
}

// NewReader returns a Reader with the options o. It ignores o.Sources.
func NewReader(o Options) *Reader {
	o.Arch = cmp.Or(o.Arch, compile.OfPTX(o.Archs))
	return &Reader{pipeline: pipeline{ctx: context.Background(), Options: o}}
}

// A Reading is what Generate makes of a source, as far as it follows from the source alone.
type Reading struct {
	Path string
	File *cu.File // nil if it cannot be read or parsed

	// Errors are those of Generate that do not depend on a compiler, sorted. They contain
	// errors of unclear kernels only if there are other errors.
	Errors diag.List

	// Instantiations is C++ code, valid at the end of the source, that instantiates what
	// directives ask for.
	Instantiations string

	*bind.Outline // kernels and variables, with their Go names; nil if File is nil
}

// A SelectedKernel is a kernel that is wrapped.
type SelectedKernel = bind.SelectedKernel

// A SelectedVariable is a variable that an export directive selects.
type SelectedVariable = bind.SelectedVariable

// Read reads the source at path.
func (r *Reader) Read(path string) *Reading { return r.reading(path, nil) }

// Select is Read for a parsed source.
func (r *Reader) Select(file *cu.File) *Reading { return r.reading(file.Name, file) }

// reading returns what is known of the source at path; file is nil when it is not parsed.
func (r *Reader) reading(path string, file *cu.File) *Reading {
	p := &r.pipeline
	err := p.check(1)
	var places []source.Place
	if err == nil {
		places, err = source.Places([]string{path}, p.Output)
	}
	if err != nil {
		return &Reading{Path: path, Errors: source.Mistakes(path, err)}
	}
	s, err := read.Read(read.Source{Place: places[0], File: file}, p.Options.read(p.ctx, false))
	result := &Reading{Path: path, Errors: source.Mistakes(path, err)}
	if s == nil {
		return result
	}
	if _, missing := os.Stat(places[0].Record); err == nil && len(s.Unclear)+len(s.Open) > 0 && missing == nil {
		options := p.options(nil)
		built, failed := build.Build(p.ctx, []*selection.Selection{s}, &options)
		if failed == nil { // without a readable record the kernels stay unclear
			s = built[0].Selection
		}
	}
	result.File = s.File
	if err == nil {
		result.Errors = append(result.Errors, s.Unasked()...)
	}
	bound, clashes := r.packages.Bind(bind.Source{Selection: s}, bind.Options{Name: p.Name, Tags: p.Tags})
	result.Outline, result.Instantiations = bound.Outline, s.Instantiations()
	if err == nil { // otherwise Generate ends before it compares names
		result.Errors = append(result.Errors, source.Mistakes(path, clashes)...)
		result.Errors.Sort()
	}
	return result
}
