package gen

import (
	"context"
	"go/scanner"
	"os"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/source"
)

// A Reader reads sources with the same code as Generate, but without a compiler: it selects
// kernels and variables, checks directives and chooses Go names. Sources of one folder are one
// Go package. A Reader writes nothing.
//
// Only one goroutine at a time may use a Reader.
type Reader struct {
	options  Options
	packages bind.Packages
}

// NewReader returns a Reader with the options o. It ignores o.Sources.
func NewReader(o Options) *Reader {
	if o.Arch == 0 {
		o.Arch = source.FirstArch(o.Archs)
	}
	return &Reader{options: o}
}

// A Reading is what Generate makes of a source, as far as it follows from the source alone.
type Reading struct {
	Path string
	File *cu.File // nil if it cannot be read or parsed

	// Errors are those of Generate that do not depend on a compiler, sorted. They contain
	// errors of unclear kernels only if there are other errors.
	Errors scanner.ErrorList

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
func (r *Reader) Read(path string) *Reading {
	return r.reading(path, nil)
}

// Select is Read for a parsed source.
func (r *Reader) Select(file *cu.File) *Reading {
	return r.reading(file.Name, file)
}

// reading returns what is known of the source at path; file is nil when it is not parsed.
func (r *Reader) reading(path string, file *cu.File) *Reading {
	o := r.options
	o.Sources = []string{path}
	p := &pipeline{Options: o}
	if err := p.open(); err != nil {
		return &Reading{Path: path, Errors: source.Mistakes(path, err)}
	}
	u := p.units[0]
	s, err := read.Read(read.Source{Place: u.place, File: file}, o.read(false))
	result := &Reading{Path: path, Errors: source.Mistakes(path, err)}
	if s == nil {
		return result
	}
	result.File, u.sel = s.File, s
	if _, missing := os.Stat(u.place.Record); err == nil && len(s.Unclear) > 0 && missing == nil {
		if p.build(context.Background(), nil) == nil { // without a readable record the kernels stay unclear
			s = u.sel
		}
	}
	bound, clashes := r.packages.Bind(bind.Source{Selection: s}, bind.Options{Name: o.Name, Tags: o.Tags})
	result.Outline, result.Instantiations = bound.Outline, s.Instantiations()
	if err == nil { // otherwise Generate ends before it compares names
		result.Errors = append(result.Errors, source.Mistakes(path, clashes)...)
		result.Errors.Sort()
	}
	return result
}
