// Package gen turns annotated CUDA kernels into Go: the pipeline of cudagen, for the
// command and for programs that generate by themselves. Start with Generate.
//
// It joins what the packages below it know: gen/cu reads the source, gen/directive
// the directives, gen/layout computes offsets, gen/compile makes the images, gen/image
// reads the images' own offsets, gen/emit prints Go, gen/record remembers.
package gen

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
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

	// KeepGoing generates the kernels that can be wrapped when others cannot: those are
	// in Result.Refused.
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

// checkEmbed reports an Options.Embed that means nothing.
func checkEmbed(embed string) error {
	if embed != "" && embed != EmbedImage && embed != EmbedSource {
		return fmt.Errorf("-embed %s: embed %s or %s", embed, EmbedImage, EmbedSource)
	}
	return nil
}

// Compilers returns the names that Options.Compiler may have.
func Compilers() []string { return compile.Names() }

// A Result says what Generate did.
type Result struct {
	Files    []FileResult      // in the order of Options.Sources
	Written  []string          // paths of the files whose content changed
	Refused  scanner.ErrorList // why kernels were left out, with Options.KeepGoing
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
// package, in which a type that several of them use is declared once. A file whose
// content is the same already is not touched; a file that cudagen did not write is not
// overwritten; on an error nothing is written.
//
// Errors of the sources are a go/scanner.ErrorList, not wrapped, with every mistake
// that was found, sorted by position within each source.
func Generate(ctx context.Context, o Options) (*Result, error) {
	p, err := newPipeline(o, false)
	if err != nil {
		return nil, err
	}
	if err := p.obtainImages(ctx); err != nil {
		return nil, err
	}
	if o.DryRun {
		return p.result(), nil
	}
	if err := p.print(); err != nil {
		return nil, err
	}
	result := p.result()
	result.Written, err = output.Write(p.outputs)
	return result, err
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
	if err := checkEmbed(o.Embed); err != nil {
		return nil, err
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
		func() error { return each(p.units, (*unit).giveUp) },
		func() error { return each(p.units, (*unit).prove) },
		p.bind,
		p.compareViews,
		func() error { return each(p.units, (*unit).fillRecord) },
		func() error { return each(p.units, (*unit).gate) },
		func() error { return each(p.units, (*unit).emit) },
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
		warnings := slices.Concat(u.sel.File.Warnings, u.warnings)
		warnings.Sort()
		r.Warnings = append(r.Warnings, warnings...)
		r.Refused = append(r.Refused, u.refused...)
		r.Files = append(r.Files, FileResult{
			Source: u.place.Path, Compiled: u.reasons, Cached: u.cached, Compiler: u.record.Compiler.String(), Kernels: len(u.sel.Kernels),
		})
	}
	return r
}

// bind makes the models. The first source has the first choice of names.
func (p *pipeline) bind() error {
	packages := bind.NewPackages()
	errs := make([]error, len(p.units))
	for i, u := range p.units {
		u.bound, errs[i] = packages.Bind(u.source(), bind.Options{Package: p.Package, Name: p.Name, Tags: p.Tags})
	}
	return join(errs)
}

// source returns what the unit's model is made of.
func (u *unit) source() bind.Source {
	s := bind.Source{Selection: u.sel}
	for _, k := range u.proved {
		s.KernelSymbols = append(s.KernelSymbols, k.symbol)
	}
	for _, v := range u.variables {
		s.VariableSymbols = append(s.VariableSymbols, v.symbol)
	}
	for _, image := range u.images {
		s.Images = append(s.Images, model.Image{File: filepath.Base(image.path), SHA256: record.HashImage(image.content), Targets: image.targets})
	}
	if u.options.Embed == EmbedSource {
		s.Embed = &bind.Embed{Inputs: u.record.Inputs, Compiler: u.record.Compiler, Options: u.options.SourceOptions, CompilerFlags: u.options.CompilerFlags}
	}
	return s
}

// each calls step for all of list, a few at a time, and returns all errors: the lists of
// source errors as one list, or, when there are others, everything joined.
func each[T any](list []T, step func(T) error) error {
	errs := make([]error, len(list))
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wait sync.WaitGroup
	for i, one := range list {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			errs[i] = step(one)
		})
	}
	wait.Wait()
	return join(errs)
}

func join(errs []error) error {
	var list scanner.ErrorList
	for _, err := range errs {
		switch one := err.(type) {
		case nil:
		case scanner.ErrorList:
			list = append(list, one...)
		default:
			return errors.Join(errs...)
		}
	}
	return list.Err()
}

// An InputError is something wrong with a file as a whole.
type InputError = source.Error
