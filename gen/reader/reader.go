// Package reader reads sources as generating does, but without a compiler, and writes nothing.
// It is the Reader of package gen. It runs the stages selection, read and bind, and none behind them. Start with New.
package reader

import (
	"context"
	"go/scanner"
	"os"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/build"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/selection"
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

// Options are those of the steps that a Reader takes.
type Options struct {
	Read   read.Options
	Build  build.Options
	Bind   bind.Options
	Output string // path of the Go file; empty for that beside the source

	Check func() error // of options; it is asked for each source
}

// New returns a Reader.
func New(o Options) *Reader { return &Reader{options: o} }

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
	err := r.options.Check()
	var places []source.Place
	if err == nil {
		places, err = source.Places([]string{path}, r.options.Output)
	}
	if err != nil {
		return &Reading{Path: path, Errors: source.Mistakes(path, err)}
	}
	s, err := read.Read(read.Source{Place: places[0], File: file}, r.options.Read)
	result := &Reading{Path: path, Errors: source.Mistakes(path, err)}
	if s == nil {
		return result
	}
	result.File = s.File
	if _, missing := os.Stat(places[0].Record); err == nil && len(s.Unclear) > 0 && missing == nil {
		built, failed := build.Build(context.Background(), []*selection.Selection{s}, &r.options.Build)
		if failed == nil { // without a readable record the kernels stay unclear
			s = built[0].Selection
		}
	}
	bound, clashes := r.packages.Bind(bind.Source{Selection: s}, r.options.Bind)
	result.Outline, result.Instantiations = bound.Outline, s.Instantiations()
	if err == nil { // otherwise Generate ends before it compares names
		result.Errors = append(result.Errors, source.Mistakes(path, clashes)...)
		result.Errors.Sort()
	}
	return result
}
