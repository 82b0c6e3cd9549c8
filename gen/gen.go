// Package gen takes paths of .cu files and Options, gives Go files, images and records, and knows
// nothing of what its stages hand on. It is cudagen's pipeline, for the command and for other
// programs. Start with Generate.
//
// The stages lie below gen/internal, and none imports another: read selects kernels, variables and
// types of a source, build gets the images and the compiler's layouts, proof demands that all layouts
// agree and records what confirms them, bind chooses the Go names and types, output runs templates and
// other emitters, makes one Go package of several sources, which emit prints, and writes.
package gen

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/build"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/output"
	"github.com/cudagen/cudagen/gen/internal/proof"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/internal/folderlock"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Options configure Generate and Check.
type Options struct {
	Sources []string // paths of the .cu files; output is written to the same folder
	Archs   []string // targets: compute_75 for PTX, sm_90 for machine code, native for machine code of this machine's GPUs
	Link    []string // paths of .cu files that are linked with each source, whose functions and variables it may use
	Package string   // name of the Go package; empty: that of the folder
	Folders []string // more folders to remove output from, where its source no longer exists

	// DefaultPackage is the name of the Go package where Package is empty and the Go files of the
	// folder do not say it; empty: that of the folder.
	DefaultPackage string

	Output string // path of the Go file, for a single source; empty: kernels_cuda.go for kernels.cu
	Name   string // Go name of the type that holds the kernels, for a single source; empty: from the file's name
	Tags   string // build constraint of the Go files, as //go:build has it; empty for none

	// Embed is what the Go file embeds: EmbedImage or EmbedSource; empty means EmbedImage.
	// Images are compiled in any case, because they are compared with the source.
	Embed string

	// Emitters write more files beside the Go file, or add to it. Templates are emitters: see
	// package templates.
	Emitters []Emitter

	DepFile bool // also write a dependency file for make and ninja: kernels.d

	Force bool // compile even if the images are current

	// KeepGoing leaves out kernels and sources with errors and generates the others.
	// Result.Refused has the errors.
	KeepGoing bool

	SourceOptions
	Compiler      string   // nvcc, nvrtc or clang; empty: the first that is found
	AnyCompiler   bool     // Compiler compiles what has to be compiled: images that another one made are current
	CompilerFlags []string // more arguments for the compiler, passed unchanged; sources are read as they say, too

	// PTXVersion is the .version of the PTX: MinPTXVersion, KeepPTXVersion, or a version
	// such as 7.8; empty means MinPTXVersion.
	PTXVersion string

	// FindCompiler is called once, if something must be compiled; nil means the one that Compiler and the environment name.
	FindCompiler func() (Compiler, error)

	// Native returns the targets that native stands for, such as sm_90. It is called if
	// something is compiled for native.
	Native func() ([]string, error)

	// Trace, unless nil, is called with every command before it runs, from one goroutine
	// at a time. With DryRun no command runs and nothing is written.
	Trace  func(command []string)
	DryRun bool

	together *together
}

// DefaultStd is the C++ standard that source is read in, and that nvcc uses by default.
const DefaultStd = source.DefaultStd

// SourceOptions configure how sources are read. They have the meaning of a compiler's options
// of the same names, and are passed to the compiler, too.
type SourceOptions = source.Options

// Values of Options.Embed.
const (
	EmbedImage  = "image"  // the images, which the driver loads
	EmbedSource = "source" // the source and the user's headers, which NVRTC compiles at load
)

// Values of Options.PTXVersion besides a version.
const (
	KeepPTXVersion = record.KeepPTXVersion // the compiler's
	MinPTXVersion  = "min"                 // the lowest that the instructions allow
)

// A Compiler compiles CUDA C++.
type Compiler = compile.Compiler

// A Leftover is a file of an earlier run that nothing needs.
type Leftover = output.Leftover

// A Stale is a file that was not made of what there is.
type Stale = output.Stale

// Compilers returns the values of Options.Compiler.
func Compilers() []string { return compile.Names() }

// A Result reports what Generate did.
type Result struct {
	Files    []FileResult // in the order of Options.Sources
	Written  []string     // paths of the files that were new or changed
	Removed  []string     // paths of removed files, which earlier runs wrote and nothing needs
	Kept     []Leftover   // files of earlier runs that stay, and why: changed by hand, or still in use
	Refused  Diagnostics  // errors of the sources and kernels left out, with Options.KeepGoing
	Notes    Diagnostics  // templates and instances that are not wrapped, and why
	Warnings Diagnostics  // of cudagen, and of the compiler if it ran
}

// A FileResult reports what Generate did for one source.
type FileResult struct {
	Source   string
	Compiled []string // why it was compiled, such as "kernels.cu changed"; empty if it was not
	Cached   bool     // the build came from the cache, and no compiler ran
	Compiler string   // name and version of the compiler that made the images, in this run or an earlier one
	Kernels  int
}

// Generate reads the sources and writes, beside each, the Go wrappers of its kernels,
// the images, and the record of what was proved. The sources of a folder are one Go package,
// together with those that other calls generated: a type that several of them use is declared
// once. Unchanged files are not rewritten. Files that cudagen did not write are not
// overwritten. Files that cudagen wrote and nothing needs are removed. On an error nothing is
// written.
//
// Errors in sources are Diagnostics, not wrapped, with all errors that were found,
// sorted by position within each source.
//
// Generate waits for other calls, also of other processes, that write to the same folders.
func Generate(ctx context.Context, o Options) (*Result, error) { return GenerateAll(ctx, []Options{o}) }

// GenerateAll is Generate for sources of which some need other options: it does what all elements of
// list say, and writes everything or nothing. With KeepGoing in all of them it goes on if nothing
// can be generated for some.
func GenerateAll(ctx context.Context, list []Options) (*Result, error) {
	p, left, err := each(ctx, list, func(o Options) (*pipeline, error) { return generate(ctx, o) })
	if err != nil {
		return nil, err
	}
	result := p.result()
	result.Refused, result.Notes = slices.Concat(left, result.Refused), slices.Concat(p.together.notes, result.Notes)
	if slices.ContainsFunc(list, func(o Options) bool { return o.DryRun }) {
		return result, nil
	}
	defer folderlock.Lock(ctx, source.Folders(p.places))()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("nothing was written: %w", ended.Cause(ctx))
	}
	if err := p.join(); err != nil {
		return nil, err
	}
	changes, err := output.Write(of(p, (*unit).product), p.common, false)
	if changes != nil {
		result.Written, result.Removed, result.Kept, result.Warnings = changes.Written, changes.Removed, changes.Left, append(result.Warnings, changes.Redeclared...)
	}
	return result, err
}

// each runs a pipeline for each element of list, and returns one with the sources of all. left are
// the errors of the sources that were left out.
func each(ctx context.Context, list []Options, run func(Options) (*pipeline, error)) (all *pipeline, left diag.List, err error) {
	all = new(pipeline)
	if list, all.together, err = assemble(ctx, list); err != nil {
		return all, nil, err
	}
	left = all.together.left
	var failed []error
	for _, o := range list {
		o.together = all.together
		var p *pipeline
		some, err := source.Several(o.Sources, o.KeepGoing, func(paths []string) (err error) {
			o.Sources = paths
			p, err = run(o)
			return err
		})
		if left = append(left, some...); err != nil {
			failed = append(failed, err)
			if len(list) > 1 && source.OfSources(err) {
				continue
			}
			break
		}
		all.unproved, all.parts = all.unproved || p.unproved, append(all.parts, p)
		all.units, all.places, all.Folders = append(all.units, p.units...), append(all.places, p.places...), append(all.Folders, o.Folders...)
	}
	if len(failed) == 0 {
		return all, left, all.rename(len(left) > len(all.together.left))
	}
	last := failed[len(failed)-1]
	if keepGoing := !slices.ContainsFunc(list, func(o Options) bool { return !o.KeepGoing }); !source.OfSources(last) || !keepGoing || all.units == nil {
		return all, nil, parallel.Join(failed)
	}
	for _, err := range failed {
		left = append(left, source.Mistakes("", err)...)
	}
	return all, left, all.rename(true)
}

// generate does what Generate does for each source by itself.
func generate(ctx context.Context, o Options) (*pipeline, error) {
	find := o.FindCompiler
	if find == nil {
		find = func() (Compiler, error) { return compile.Find(o.Compiler, os.Getenv) }
	}
	p, err := newPipeline(ctx, o, false)
	if err == nil {
		err = p.buildInstances(ctx, find)
	}
	if err == nil && !o.DryRun {
		err = p.prove()
	}
	return p, err
}

// A pipeline has the sources of one call and the results of the stages for them so far.
type pipeline struct {
	ctx context.Context // ends reading
	Options
	units  []*unit
	nvrtc  bool // sources are read as NVRTC reads them
	places []source.Place
	common output.Common

	unproved bool        // stale images contradict a source
	parts    []*pipeline // that it is made of, each for its options
}

// newPipeline opens and reads the sources, with nvrtc as NVRTC reads them.
func newPipeline(ctx context.Context, o Options, nvrtc bool) (*pipeline, error) {
	o.Arch = cmp.Or(o.Arch, compile.OfPTX(o.Archs))
	p := &pipeline{ctx: ctx, Options: o, nvrtc: nvrtc}
	return p, parallel.InOrder(p.open, p.read)
}

// prove compares what the images and the sources say of each other, and makes the models.
func (p *pipeline) prove() error {
	if err := parallel.Each(p.units, (*unit).recall); err != nil {
		return err
	}
	err := p.proveUnits()
	if err != nil && p.KeepGoing {
		err = p.leaveOut(of(p, (*unit).left), err, (*pipeline).proveUnits)
	}
	return err
}

// leaveOut leaves the kernels out of left, which is p's, that err of do is about, and does it for the others.
func (p *pipeline) leaveOut(left []*proof.LeavableSource, err error, do func(*pipeline) error) error {
	err = proof.LeaveOut(left, err, func(indices []int, list []*selection.Selection) error { return do(p.some(indices, list)) })
	if err != nil {
		return err
	}
	for i, u := range p.units {
		u.sel, u.refused = left[i].Selection, left[i].Refused
	}
	return do(p)
}

// some returns p with copies of the units with the given indices, which have the selections in list.
func (p *pipeline) some(indices []int, list []*selection.Selection) *pipeline {
	some := *p
	some.units = make([]*unit, len(indices))
	for i, at := range indices {
		one := *p.units[at]
		one.sel, some.units[i] = list[i], &one
	}
	some.places = of(&some, func(u *unit) source.Place { return u.place })
	some.Sources = of(&some, func(u *unit) string { return u.place.Path })
	return &some
}

// proveUnits does what prove does once the kernels are known.
func (p *pipeline) proveUnits() error {
	return parallel.InOrder(eachUnit(p.units, (*unit).prove), p.model)
}

// model makes the models, and what follows from them.
func (p *pipeline) model() error {
	return parallel.InOrder(p.bind, p.compareViews, eachUnit(p.units, (*unit).confirm), p.render)
}

// eachUnit returns a step that calls do for units.
func eachUnit(units []*unit, do func(*unit) error) func() error {
	return func() error { return parallel.Each(units, do) }
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
		r.Warnings, r.Refused, r.Notes = append(r.Warnings, warnings...), append(r.Refused, u.refused...), slices.Concat(r.Notes, u.sel.Notes, u.built.Notes)
		r.Files = append(r.Files, FileResult{
			Source: u.place.Path, Compiled: u.built.Reasons, Cached: u.built.Cached, Compiler: u.built.Record.Compiler.String(), Kernels: len(u.sel.Kernels),
		})
	}
	return r
}

// buildInstances does what build does. With KeepGoing it leaves out instances that the compiler refuses.
func (p *pipeline) buildInstances(ctx context.Context, find func() (Compiler, error)) error {
	left, build := of(p, (*unit).left), func(p *pipeline) error { return p.build(ctx, find) } // which may change the selections
	err := build(p)
	if err != nil && p.KeepGoing && !p.DryRun && slices.ContainsFunc(p.units, func(u *unit) bool { return u.sel.Instantiates() }) {
		err = p.leaveOut(left, err, build)
	}
	return err
}

// build gets the images of every source, and the compiler's layouts. Without a function to find a
// compiler nothing is compiled.
func (p *pipeline) build(ctx context.Context, find func() (Compiler, error)) error {
	options := p.options(find)
	built, err := build.Build(ctx, of(p, (*unit).selected), &options)
	for i, u := range p.units {
		u.built, u.sel = built[i], built[i].Selection
	}
	return err
}

// options returns the options of package build.
func (p *pipeline) options(find func() (Compiler, error)) build.Options {
	o := build.Options{
		Source: p.SourceOptions, Compiler: p.Compiler, AnyCompiler: p.AnyCompiler, Archs: p.Archs, Link: p.Link, Embed: p.Embed == EmbedSource, PTXVersion: p.PTXVersion, CompilerFlags: p.CompilerFlags,
		Force: p.Force, DryRun: p.DryRun, FindCompiler: find, Native: p.Native, Trace: p.Trace, Explain: p.explain,
		WithInstances: p.withInstances,
		FallBack:      p.FindCompiler == nil && p.Compiler == "" && len(p.CompilerFlags) == 0 && os.Getenv("NVCC") == "",
	}
	if o.PTXVersion == MinPTXVersion {
		o.PTXVersion = ""
	}
	return o
}

// explain returns s with what the compiler tells of its unclear kernels.
func (p *pipeline) explain(s *selection.Selection, told []selection.Told) *selection.Selection {
	s, _ = read.Read(read.Source{Before: s, Told: told}, p.Options.read(p.ctx, p.nvrtc))
	return s
}

// withInstances reads the source of s again, with instances that an image has.
func (p *pipeline) withInstances(s *selection.Selection, list []cu.ImageInstance) (*selection.Selection, error) {
	return read.Read(read.Source{Place: s.Place, Instances: list}, p.Options.read(p.ctx, p.nvrtc))
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
	joined, err := output.Join(of(p, (*unit).shared))
	p.common = output.Common{Files: joined.Files, Obsolete: joined.Obsolete, Replaced: joined.Replaced, Folders: p.Folders}
	for i, u := range p.units {
		u.code = joined.Code[i]
	}
	return err
}

// models returns the models of list, which is the units' selections in some view.
func (p *pipeline) models(list []proof.Named) ([]*bind.Bound, error) {
	var packages bind.Packages
	bound, errs := make([]*bind.Bound, len(list)), make([]error, len(list))
	for i, u := range p.units {
		s := bind.Source{Selection: list[i].Selection, Compiled: u.compiled(list[i])}
		o := bind.Options{Package: p.Package, DefaultPackage: p.DefaultPackage, Name: p.Name, Tags: p.Tags}
		if p.together != nil {
			o.Contested = p.together.contested[source.Absolute(u.place.Record)]
		}
		bound[i], errs[i] = packages.Bind(s, o)
	}
	return bound, parallel.Join(errs)
}

// An InputError is an error of a whole file, such as one that does not exist.
type InputError = source.Error

// Diagnostics are errors, warnings or notes about sources, and an error: what a go/scanner.ErrorList is, whose
// elements have codes of cudagen explain.
type Diagnostics = diag.List

// A Diagnostic is one of them.
type Diagnostic = diag.Error

// PrintError prints err to w: Diagnostics one on a line, as go/scanner.PrintError prints an ErrorList.
func PrintError(w io.Writer, err error) { diag.Print(w, err) }
