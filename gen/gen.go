// Package gen generates Go for CUDA kernels. It is cudagen's pipeline, for the command and for
// other programs. Start with Generate.
//
// It joins stages that do not know each other, each a function from values to values:
// gen/read selects what of a source Go gets, gen/build gets the images and hears what
// compilers say, gen/proof demands that all of them agree, gen/bind decides the Go names and
// types, gen/emit prints, gen/output writes. What they hand on are the values of
// gen/selection, gen/testimony, gen/record and gen/model.
package gen

import (
	"context"
	"go/scanner"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/build"
	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/internal/parallel"
)

// Options say what to generate.
type Options struct {
	Sources []string // paths of the .cu files; the output of each goes beside it
	Archs   []string // targets: compute_75 for PTX, sm_90 for machine code, native for the GPUs of this machine
	Package string   // name of the Go package; empty: that of the folder

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
	KeepPTXVersion = build.KeepPTXVersion // as the compiler writes it
	MinPTXVersion  = build.MinPTXVersion  // the least that the instructions need
)

// Compilers returns the names that Options.Compiler may have.
func Compilers() []string { return compile.Names() }

// A Result says what Generate did.
type Result struct {
	Files    []FileResult      // in the order of Options.Sources
	Written  []string          // paths of the files whose content changed
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

// Generate reads the sources and writes, beside each, the Go wrappers of its kernels, the images,
// and the record of what was proved. Sources in one folder belong to one Go package, in which a
// type that several of them use is declared once. Files are not touched when their content is the
// same, nor overwritten when cudagen did not write them; on an error nothing is written.
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
	result.Written, err = output.Write(p.outputs)
	return result, err
}

// generate does all of Generate but writing.
func generate(ctx context.Context, o Options) (*pipeline, error) {
	p, err := newPipeline(o, false)
	if err == nil {
		err = p.build(func(list []*selection.Selection, o *build.Options) ([]*build.Built, error) {
			return build.Obtain(ctx, list, o)
		})
	}
	if err == nil && !o.DryRun {
		err = p.print()
	}
	return p, err
}

// A pipeline is what is known of the sources of one call on their way to the output.
type pipeline struct {
	Options
	units   []*unit
	outputs []output.File
	nvrtc   bool // sources are read as NVRTC reads them
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

// print proves what the images and the sources say of each other, and makes the files of
// it that are written.
func (p *pipeline) print() error {
	for _, step := range []func() error{
		func() error { return parallel.Each(p.units, (*unit).giveUp) },
		func() error { return parallel.Each(p.units, (*unit).prove) },
		p.bind,
		p.compareViews,
		func() error { return parallel.Each(p.units, (*unit).attest) },
		func() error {
			return parallel.Each(p.units, func(u *unit) (err error) { u.code, err = emit.File(u.bound.Model); return err })
		},
	} {
		if err := step(); err != nil {
			return err
		}
	}
	var products []output.Product
	for _, u := range p.units {
		products = append(products, u.product())
	}
	p.outputs = output.Files(products)
	return nil
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

// build gets the images of every source, and what compilers say, from stage.
func (p *pipeline) build(stage func([]*selection.Selection, *build.Options) ([]*build.Built, error)) error {
	list := make([]*selection.Selection, len(p.units))
	for i, u := range p.units {
		list[i] = u.sel
	}
	built, err := stage(list, p.buildOptions())
	for i, u := range p.units {
		u.built, u.sel = built[i], built[i].Selection
	}
	return err
}

func (p *pipeline) buildOptions() *build.Options {
	return &build.Options{
		Source: p.SourceOptions, Archs: p.Archs, PTXVersion: p.PTXVersion, Compiler: p.Compiler, CompilerFlags: p.CompilerFlags,
		Force: p.Force, DryRun: p.DryRun, FindCompiler: p.FindCompiler, Native: p.Native, Trace: p.Trace,
		Tell: proof.Tell,
		Explain: func(s *selection.Selection, told []selection.Told) *selection.Selection {
			return read.Explain(s, told, p.Options.read(p.nvrtc))
		},
	}
}

// bind makes the models. The first source has the first choice of names.
func (p *pipeline) bind() error {
	packages := bind.NewPackages()
	errs := make([]error, len(p.units))
	for i, u := range p.units {
		u.bound, errs[i] = packages.Bind(u.source(), bind.Options{Package: p.Package, Name: p.Name, Tags: p.Tags})
	}
	return parallel.Join(errs)
}

// source returns what the unit's model is made of.
func (u *unit) source() bind.Source {
	s := bind.Source{Selection: u.sel}
	for _, k := range u.proofs.Kernels {
		s.KernelSymbols = append(s.KernelSymbols, k.Symbol)
	}
	for _, v := range u.proofs.Variables {
		s.VariableSymbols = append(s.VariableSymbols, v.Symbol)
	}
	for _, image := range u.built.Images {
		s.Images = append(s.Images, model.Image{File: filepath.Base(image.Path), SHA256: record.HashImage(image.Content), Targets: image.Targets})
	}
	if u.options.Embed == EmbedSource {
		s.Embed = &bind.Embed{Inputs: u.built.Record.Inputs, Compiler: u.built.Record.Compiler, Options: u.options.SourceOptions, CompilerFlags: u.options.CompilerFlags}
	}
	return s
}

// An InputError is something wrong with a file as a whole.
type InputError = source.Error
