// Package gen generates Go for CUDA kernels. It is cudagen's pipeline, for the command and for
// other programs. Start with Generate.
//
// It joins stages that do not know each other, each one function from values to values:
// gen/read selects what of a source Go gets, gen/build gets the images and asks
// compilers for layouts, gen/proof demands that all of them agree, gen/bind decides the Go names and
// types, gen/view demands that these are the same for every target, gen/confirm writes down who
// proved what, gen/emit prints, gen/output writes. What they hand on are the values of
// gen/source, gen/selection, gen/ask, gen/evidence, gen/record and gen/model.
package gen

import (
	"context"
	"go/scanner"
	"os"
	"slices"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/build"
	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/share"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/gen/view"
	"github.com/cudagen/cudagen/internal/folderlock"
	"github.com/cudagen/cudagen/internal/parallel"
)

// Options say what to generate.
type Options struct {
	Sources []string // paths of the .cu files; the output of each goes beside it
	Archs   []string // targets: compute_75 for PTX, sm_90 for machine code, native for the GPUs of this machine
	Package string   // name of the Go package; empty: that of the folder
	Folders []string // more folders whose output of earlier runs is removed when its source is gone

	Output string // path of the Go file, for a single source; empty: kernels_cuda.go beside kernels.cu
	Name   string // Go name of the type that holds the kernels, for a single source; empty: from the file's name
	Tags   string // build constraint of the Go files, as //go:build has it; empty for none

	// Embed is what the Go file embeds: EmbedImage, also when it is empty, or EmbedSource.
	// Images are made in any case: they are the proof.
	Embed string

	DepFile bool // write a dependency file for make and ninja, too: kernels.d

	Force bool // compile even when the images are current

	// KeepGoing generates the kernels that can be wrapped, and from the sources that can be
	// generated from, when others cannot: why is in Result.Refused.
	KeepGoing bool

	SourceOptions
	Compiler      string   // nvcc, nvrtc or clang; empty: the first that is there
	CompilerFlags []string // more arguments for the compiler, handed to it as they are

	// PTXVersion is the .version of the PTX: MinPTXVersion or empty for the least that
	// its instructions need, KeepPTXVersion for the compiler's, or a version: 7.8.
	PTXVersion string

	// FindCompiler is called, once, when something has to be compiled. Nil means
	// compile.Find over the environment.
	FindCompiler func() (compile.Compiler, error)

	// Native returns what the target native stands for: sm_90. It is called when
	// something is compiled for it.
	Native func() ([]string, error)

	// Trace, unless nil, is called with every command before it is run, from one
	// goroutine at a time. With DryRun none is run and nothing is written.
	Trace  func(command []string)
	DryRun bool
}

// DefaultStd is the C++ standard that source is read in, and that nvcc uses by default.
const DefaultStd = source.DefaultStd

// SourceOptions say how source is read. They are a compiler's options of the same
// names, and go to the compiler, too.
type SourceOptions = source.Options

// What Options.Embed may be.
const (
	EmbedImage  = "image"  // the images, which the driver loads
	EmbedSource = "source" // the source and the user's headers, which NVRTC compiles at load
)

// What Options.PTXVersion may be besides a version.
const (
	KeepPTXVersion = record.KeepPTXVersion // as the compiler writes it
	MinPTXVersion  = "min"                 // the least that the instructions need
)

// Compilers returns the names that Options.Compiler may have.
func Compilers() []string { return compile.Names() }

// A Result says what Generate did.
type Result struct {
	Files    []FileResult      // in the order of Options.Sources
	Written  []string          // paths of the files whose content changed
	Removed  []string          // paths of files of earlier runs that nothing needs any more
	Kept     []output.Leftover // those that stay, because somebody changed or uses them
	Refused  scanner.ErrorList // why sources and kernels were left out, with Options.KeepGoing
	Notes    scanner.ErrorList // which templates and instances of the sources are not wrapped, and why
	Warnings scanner.ErrorList // of the front end, and of the compiler when it ran
}

// A FileResult says what was done for one source.
type FileResult struct {
	Source   string
	Compiled []string // why it was compiled: "kernels.cu changed"; empty when it was not
	Cached   bool     // it need not have been: the cache had the same build
	Compiler string   // name and version of the compiler that made the images, now or before
	Kernels  int
}

// Generate reads the sources and writes, beside each, the Go wrappers of its kernels,
// the images, and the record of what was proved. Sources in one folder belong to one Go
// package, with those that other calls generate: a type that several use is declared once.
// A file whose content is the same already is not touched, one that cudagen did not write is
// not overwritten, one that cudagen wrote and nothing needs is removed; on an error nothing
// is written.
//
// Errors of the sources are a go/scanner.ErrorList, not wrapped, with every mistake
// that was found, sorted by position within each source.
func Generate(ctx context.Context, o Options) (*Result, error) {
	var p *pipeline
	left, err := source.Several(o.Sources, o.KeepGoing, func(paths []string) (err error) {
		o.Sources = paths
		p, err = generate(ctx, o)
		return err
	})
	if err != nil {
		return nil, err
	}
	result := p.result()
	result.Refused = slices.Concat(left, result.Refused)
	if o.DryRun {
		return result, nil
	}
	defer folderlock.Lock(ctx, source.Folders(p.places))()
	if err := p.join(); err != nil {
		return nil, err
	}
	changes, err := output.Write(of(p, (*unit).product), p.common, false)
	if changes != nil {
		result.Written, result.Removed, result.Kept = changes.Written, changes.Removed, changes.Left
	}
	return result, err
}

// generate does what Generate does for each source by itself.
func generate(ctx context.Context, o Options) (*pipeline, error) {
	find := o.FindCompiler
	if find == nil {
		find = func() (compile.Compiler, error) { return compile.Find(o.Compiler, os.Getenv) }
	}
	p, err := newPipeline(o, false)
	if err == nil {
		err = p.build(ctx, find)
	}
	if err == nil && !o.DryRun {
		err = p.prove()
	}
	return p, err
}

// A pipeline is what is known of the sources of one call on their way to the output.
type pipeline struct {
	Options
	units  []*unit
	nvrtc  bool // sources are read as NVRTC reads them
	places []source.Place
	common output.Common
}

// newPipeline opens and reads the sources, with nvrtc as NVRTC reads them.
func newPipeline(o Options, nvrtc bool) (*pipeline, error) {
	if o.Arch == 0 {
		o.Arch = source.FirstArch(o.Archs)
	}
	p := &pipeline{Options: o, nvrtc: nvrtc}
	if err := p.open(); err != nil {
		return nil, err
	}
	return p, p.read()
}

// prove compares what the images and the sources say of each other, and makes the models.
func (p *pipeline) prove() error {
	each := func(do func(*unit) error) func() error {
		return func() error { return parallel.Each(p.units, do) }
	}
	giveUp := each(func(u *unit) (err error) { u.refused, err = u.sel.GiveUp(p.KeepGoing); return err })
	for _, step := range []func() error{giveUp, each((*unit).prove), p.bind, p.compareViews, each((*unit).confirm)} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// of returns what get returns for each source.
func of[T any](p *pipeline, get func(*unit) T) []T {
	list := make([]T, len(p.units))
	for i, u := range p.units {
		list[i] = get(u)
	}
	return list
}

func (p *pipeline) result() *Result {
	r := new(Result)
	for _, u := range p.units {
		warnings := slices.Concat(u.sel.File.Warnings, u.built.Warnings, u.warnings)
		warnings.Sort()
		r.Warnings = append(r.Warnings, warnings...)
		r.Refused, r.Notes = append(r.Refused, u.refused...), append(r.Notes, u.sel.Notes...)
		r.Files = append(r.Files, FileResult{
			Source: u.place.Path, Compiled: u.built.Reasons, Cached: u.built.Cached, Compiler: u.built.Record.Compiler.String(), Kernels: len(u.sel.Kernels),
		})
	}
	return r
}

// build gets the images of every source, and what compilers say. Without a function to find a
// compiler nothing is compiled.
func (p *pipeline) build(ctx context.Context, find func() (compile.Compiler, error)) error {
	built, err := build.Build(ctx, of(p, (*unit).selected), &build.Options{
		Source: p.SourceOptions, Archs: p.Archs, PTXVersion: p.PTXVersion, CompilerFlags: p.CompilerFlags,
		Force: p.Force, DryRun: p.DryRun, FindCompiler: find, Native: p.Native, Trace: p.Trace, Explain: p.explain,
	})
	for i, u := range p.units {
		u.built, u.sel = built[i], built[i].Selection
	}
	return err
}

// explain returns s with what is told of its unclear kernels.
func (p *pipeline) explain(s *selection.Selection, told []selection.Told) *selection.Selection {
	s, _ = read.Read(read.Source{Before: s, Told: told}, p.Options.read(p.nvrtc))
	return s
}

// bind makes the models.
func (p *pipeline) bind() error {
	bound, err := p.models(of(p, (*unit).named))
	for i, u := range p.units {
		u.bound = bound[i]
	}
	return err
}

// join makes Go packages of the sources and of what other runs generated, and prints the Go files.
func (p *pipeline) join() error {
	joined, err := share.Join(of(p, (*unit).shared))
	p.common = output.Common{Files: joined.Files, Obsolete: joined.Obsolete, Folders: p.Folders}
	for i, u := range p.units {
		u.code = joined.Code[i]
	}
	return err
}

// models returns the models of list, which is the units' selections in some view.
func (p *pipeline) models(list []view.Named) ([]*bind.Bound, error) {
	var packages bind.Packages
	bound, errs := make([]*bind.Bound, len(list)), make([]error, len(list))
	for i, u := range p.units {
		s := bind.Source{Selection: list[i].Selection, Compiled: u.compiled(list[i])}
		bound[i], errs[i] = packages.Bind(s, bind.Options{Package: p.Package, Name: p.Name, Tags: p.Tags})
	}
	return bound, parallel.Join(errs)
}

// An InputError is something wrong with a file as a whole.
type InputError = source.Error
