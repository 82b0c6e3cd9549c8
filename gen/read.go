package gen

import (
	"errors"
	"go/scanner"
	"go/token"
	"os"
	"slices"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/build"
	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// A Reader reads sources as Generate does, as far as this needs no compiler: it selects kernels
// and variables, checks the directives and chooses the Go names with the functions that
// generating uses. Sources in one folder belong to one Go package. It writes nothing.
//
// A Reader is for one goroutine.
type Reader struct {
	options  Options
	packages *bind.Packages
}

// NewReader returns a Reader for sources that are generated with o, whose Sources do not count.
func NewReader(o Options) *Reader {
	if o.Arch == 0 {
		o.Arch = source.FirstArch(o.Archs)
	}
	return &Reader{options: o, packages: bind.NewPackages()}
}

// A Reading says what Generate makes of a source, as far as the source alone decides.
type Reading struct {
	Path string
	File *cu.File // nil when it cannot be read or is not understood as a whole

	// Errors are those with which Generate fails whatever a compiler says, sorted. An unclear
	// kernel is not among them, unless there are others.
	Errors scanner.ErrorList

	Kernels   map[*cu.Kernel]*SelectedKernel     // those that are generated, or would be without their errors
	Variables map[*cu.Variable]*SelectedVariable // those with an export directive

	outline *bind.Outline
}

// A SelectedKernel is a kernel that directives select.
type SelectedKernel struct {
	Kernel  *cu.Kernel        // with the types that a committed record tells where the source does not
	Unclear bool              // Generate asks a compiler about it: Errors are about types of parameters
	Errors  scanner.ErrorList // why it cannot be wrapped, sorted
	Model   *model.Kernel     // nil with Errors; Symbol is empty, and so is GoName where it depends on an unclear kernel
}

// A SelectedVariable is a variable that an export directive selects. Size and Align are in bytes.
type SelectedVariable struct {
	Errors      scanner.ErrorList // why Go cannot have it, sorted
	Model       *model.Variable   // nil with Errors; Symbol is empty
	Size, Align int64
}

// Read reads the source at path.
func (r *Reader) Read(path string) *Reading {
	return r.reading(path, func(place source.Place) (*selection.Selection, error) {
		return read.Read(place, r.options.read(false))
	})
}

// Select is Read for a source that is parsed already: file is what text says.
func (r *Reader) Select(file *cu.File, text []byte) *Reading {
	return r.reading(file.Name, func(place source.Place) (*selection.Selection, error) {
		return read.Select(place, file, text, r.options.read(false))
	})
}

// reading returns what is known of the source at path, which choose selects from.
func (r *Reader) reading(path string, choose func(source.Place) (*selection.Selection, error)) *Reading {
	o := r.options
	o.Sources = []string{path}
	p := &pipeline{Options: o}
	if err := p.open(); err != nil {
		return &Reading{Path: path, Errors: positioned(path, err)}
	}
	s, err := choose(p.units[0].place)
	result := &Reading{Path: path, Errors: positioned(path, err), Kernels: make(map[*cu.Kernel]*SelectedKernel), Variables: make(map[*cu.Variable]*SelectedVariable)}
	if s == nil {
		return result
	}
	result.File = s.File
	if err == nil && len(s.Unclear) > 0 {
		s = p.recall(s)
	}
	result.outline = r.packages.Outline(s, bind.Options{Name: o.Name, Tags: o.Tags})
	result.add(s)
	if err == nil { // otherwise generating does not come to names
		result.Errors = append(result.Errors, result.outline.Errors...)
		result.Errors.Sort()
	}
	return result
}

// recall returns s with what a compiler has told of the unclear kernels by the record, if there
// is one and it is current. One that cannot be read tells nothing.
func (p *pipeline) recall(s *selection.Selection) *selection.Selection {
	if _, err := os.Stat(s.Place.Record); err == nil {
		if list, err := build.Committed([]*selection.Selection{s}, p.buildOptions()); err == nil {
			return list[0].Selection
		}
	}
	return s
}

// add adds what is selected, with the Go names in the outline.
func (r *Reading) add(s *selection.Selection) {
	for _, k := range slices.Concat(s.Bad, s.Unclear) {
		r.Kernels[k.Origin] = &SelectedKernel{Kernel: k.Kernel, Errors: k.Problems, Unclear: slices.Contains(s.Unclear, k)}
	}
	for _, k := range s.Kernels {
		named := r.outline.Kernels[k]
		r.Kernels[k.Origin] = &SelectedKernel{Kernel: k.Kernel, Errors: named.Errors, Model: named.Model}
	}
	for _, v := range s.Variables {
		named := r.outline.Variables[v]
		r.Variables[v.Variable] = &SelectedVariable{
			Errors: slices.Concat(v.Problems, named.Errors), Model: named.Model, Size: v.Source.Size, Align: v.Source.Align,
		}
	}
}

// GoType returns the Go type with the memory of t, which no kernel that is generated need have.
// A type that is not generated has its plain name. It is for use before the next call of Read
// or Select.
func (r *Reading) GoType(t ctype.Type) (model.GoType, error) { return r.outline.GoType(t) }

// positioned returns the errors in err, with the path for a position where they have none.
func positioned(path string, err error) scanner.ErrorList {
	var list scanner.ErrorList
	var input *InputError
	switch {
	case err == nil || errors.As(err, &list):
		return list
	case errors.As(err, &input):
		return scanner.ErrorList{{Pos: token.Position{Filename: input.Path}, Msg: input.Reason}}
	}
	return scanner.ErrorList{{Pos: token.Position{Filename: path}, Msg: err.Error()}}
}
