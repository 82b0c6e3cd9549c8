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

// A Reader reads sources as Generate does, as far as this needs no compiler: it selects kernels
// and variables, checks the directives and chooses the Go names with the functions that
// generating uses. Sources in one folder belong to one Go package. It writes nothing.
//
// A Reader is for one goroutine.
type Reader struct {
	options  Options
	packages bind.Packages
}

// NewReader returns a Reader for sources that are generated with o, whose Sources do not count.
func NewReader(o Options) *Reader {
	if o.Arch == 0 {
		o.Arch = source.FirstArch(o.Archs)
	}
	return &Reader{options: o}
}

// A Reading says what Generate makes of a source, as far as the source alone decides.
type Reading struct {
	Path string
	File *cu.File // nil when it cannot be read or is not understood as a whole

	// Errors are those with which Generate fails whatever a compiler says, sorted. An unclear
	// kernel is not among them, unless there are others.
	Errors scanner.ErrorList

	// Instantiations is C++, valid behind the source, that makes the instances which directives
	// ask for.
	Instantiations string

	*bind.Outline // nil without File: kernels and variables, with their Go names
}

// A SelectedKernel is a kernel that directives select.
type SelectedKernel = bind.SelectedKernel

// A SelectedVariable is a variable that an export directive selects.
type SelectedVariable = bind.SelectedVariable

// Read reads the source at path.
func (r *Reader) Read(path string) *Reading {
	return r.reading(path, nil)
}

// Select is Read for a source that is parsed already.
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
		if p.build(context.Background(), nil) == nil { // a record that cannot be read tells nothing
			s = u.sel
		}
	}
	bound, clashes := r.packages.Bind(bind.Source{Selection: s}, bind.Options{Name: o.Name, Tags: o.Tags})
	result.Outline, result.Instantiations = bound.Outline, s.Instantiations()
	if err == nil { // otherwise generating does not come to names
		result.Errors = append(result.Errors, source.Mistakes(path, clashes)...)
		result.Errors.Sort()
	}
	return result
}
