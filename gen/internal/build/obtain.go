// Package build takes selections, hands on their images and what compilers state about them, and knows
// neither whether source and images agree nor any Go name. Images are those that are committed while
// they are current, new ones otherwise. It knows jobs, caches, records and the version of PTX.
//
// Start with Build.
package build

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// Options say how sources are built. Their fields are those of package gen.
type Options struct {
	Source        source.Options
	Compiler      string // the name of the one whose images are wanted; "" for any
	AnyCompiler   bool   // those of others are as good
	Archs         []string
	Link          []string // paths of .cu files that are linked with each source
	Embed         bool     // programs compile the source when they load it
	PTXVersion    string
	CompilerFlags []string
	Force, DryRun bool

	FindCompiler func() (compile.Compiler, error) // nil when nothing may be compiled
	FallBack     bool                             // NVRTC compiles if nvcc finds no host compiler
	Native       func() ([]string, error)
	Trace        func(command []string)

	// Explain returns a selection that has what a compiler or a record tells of the unclear
	// kernels of another.
	Explain func(*selection.Selection, []selection.Told) *selection.Selection

	// WithInstances returns a selection of the source of another one, with instances of its open templates
	// that an image has.
	WithInstances func(*selection.Selection, []cu.ImageInstance) (*selection.Selection, error)
}

// Built is what there is of one source.
type Built struct {
	Selection *selection.Selection // with the kernels that compiler or record explain
	Images    []image.File         // PTX, and machine code when there is any
	Record    *record.Record       // inputs, options, compiler and images
	Committed *record.Record       // when nothing was compiled

	Reasons  []string // why it was compiled, or has to be
	Cached   bool     // what was compiled came from the cache
	Warnings diag.List
	Notes    diag.List // of instances that nobody asked for

	Answers   *compare.Answers // of the compiler, when it ran
	NoAnswers string           // why there is none, when the compiler could have given one

	// Again asks the compiler itself, when its companion answered before, and returns
	// what there is then. It is nil when nothing was compiled.
	Again func() (*Built, error)
}

// Build gives every source its images: the committed ones when they are current, new ones
// otherwise. The hashes of the inputs and the options decide whether they are: no compiler is
// needed then. Where nothing may be compiled, the reasons say why they are missing or stale.
func Build(ctx context.Context, list []*selection.Selection, o *Options) ([]*Built, error) {
	units := newUnits(list, o)
	err := compile.CheckFlags(o.CompilerFlags)
	if archs := slices.DeleteFunc(slices.Clone(o.Archs), func(arch string) bool { return arch == "native" }); err == nil && len(archs) > 0 {
		_, _, err = compile.Split(archs)
	}
	if err == nil {
		err = o.checkLink()
	}
	if err == nil {
		err = obtainImages(ctx, units, o)
	}
	return handOn(units), err
}

func newUnits(list []*selection.Selection, o *Options) []*unit {
	units := make([]*unit, len(list))
	for i, s := range list {
		units[i] = &unit{options: o, place: s.Place, sel: s}
	}
	return units
}

func handOn(units []*unit) []*Built {
	list := make([]*Built, len(units))
	for i, u := range units {
		list[i] = u.handOn()
	}
	return list
}

// A unit is a source while it is built.
type unit struct {
	options *Options
	place   source.Place
	sel     *selection.Selection

	images   []image.File
	record   *record.Record
	reasons  []string
	lost     int // how many of them are about images that were committed
	cached   bool
	warnings diag.List
	notes    diag.List

	answers   *compare.Answers
	noAnswers string
	again     func() error   // asks the compiler itself, if its companion answered
	committed *record.Record // when nothing was compiled
	included  []string       // absolute paths of the files that the compiler read, when it says

	unclear *selection.Selection // before the compiler explained its kernels; nil if it explained none
	learned compare.Learned      // from answers about those
	vague   bool                 // answers with the code of kernels may explain them better
}

// handOn returns what there is of u.
func (u *unit) handOn() *Built {
	b := &Built{
		Selection: u.sel, Images: slices.Clone(u.images), Record: u.record, Committed: u.committed,
		Reasons: slices.Clone(u.reasons), Cached: u.cached, Warnings: slices.Clone(u.warnings), Notes: slices.Concat(u.notes, u.bytes()), Answers: u.answers, NoAnswers: u.noAnswers,
	}
	if u.again != nil {
		b.Again = func() (*Built, error) {
			err := u.again()
			return u.handOn(), err
		}
	}
	return b
}

// bytes notes which parameters are of classes that a compiler told and that are bytes in Go, whenever that was.
func (u *unit) bytes() (notes diag.List) {
	for _, k := range u.sel.Kernels {
		for i, p := range k.Params {
			if k.Told && compare.Bytes(p.Type) {
				m := diag.Unconfirmed.New("is of a class that is bytes in Go, because only the debug information states all that it holds, and nothing confirms that")
				notes.Add(k.Pos, m.In("parameter "+cmp.Or(p.Name, strconv.Itoa(i+1))+" ").About(k.Name))
			}
		}
	}
	return notes
}

func obtainImages(ctx context.Context, units []*unit, o *Options) error {
	stale, err := committedImages(units)
	if o.FindCompiler == nil {
		return err
	}
	if err != nil && (!o.Force || slices.ContainsFunc(units, func(u *unit) bool { return u.record == nil })) {
		return err // -force is for records that cannot be read, not for sources
	}
	if o.Force {
		stale = units
		for _, u := range stale {
			u.reasons = []string{"-force"}
		}
	}
	if len(stale) == 0 {
		return nil
	}
	compiler, err := o.FindCompiler()
	if err != nil {
		if problems := parallel.Each(units, func(u *unit) error { return u.sel.UnclearProblems().Err() }); problems != nil {
			return problems // that a compiler could have explained
		}
		return diag.NoCompiler.Errorf("%s: has to be compiled (%s%s): %w", stale[0].place.Path, strings.Join(stale[0].reasons, ", "), stale[0].restorable(), err)
	}
	archs, err := o.targets()
	if err != nil {
		return err
	}
	jobs := newJobs(ctx, compiler, o.Trace)
	if !o.Force {
		jobs.cache = userCache()
	}
	if len(o.CompilerFlags) == 0 && !o.DryRun { // those are for the compiler itself
		jobs.companion = sync.OnceValue(func() compile.Compiler { return compile.Companion(ctx, compiler) })
	}
	errs := compileUnits(jobs, stale, archs)
	if o.FallBack {
		errs = fallBack(jobs, stale, archs, errs)
	}
	if o.DryRun {
		errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, compile.ErrNotRun) })
	}
	if ctx.Err() != nil {
		jobs.wait()
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return parallel.Join(errs)
}

// committedImages gives every unit the images beside it, and returns the units of which
// they are missing or stale; the unit's reasons say why.
func committedImages(units []*unit) (stale []*unit, err error) {
	err = parallel.Each(units, (*unit).committedImages)
	for _, u := range units {
		if len(u.reasons) > 0 {
			stale = append(stale, u)
		}
	}
	return stale, err
}

// targets returns the options' targets, with native replaced by what it stands for.
func (o *Options) targets() ([]string, error) {
	var archs []string
	for _, arch := range o.Archs {
		if arch != "native" {
			archs = append(archs, arch)
			continue
		}
		if o.Native == nil {
			return nil, diag.UnsupportedArch.Errorf("-arch native: the GPUs of this machine are not known: %w", diag.Do("write sm_XX"))
		}
		native, err := o.Native()
		if err != nil {
			return nil, fmt.Errorf("-arch %w", err)
		}
		archs = append(archs, native...)
	}
	return archs, nil
}

// recordOptions returns the options that decide what is compiled, as the record has them.
func (u *unit) recordOptions() record.Options {
	o := record.Options{Arch: u.options.Archs, PTXVersion: u.options.PTXVersion, Flags: u.place.RecordFlags(&u.options.Source, u.options.CompilerFlags)}
	for _, path := range u.linked() {
		o.Link = append(o.Link, u.place.Relative(path))
	}
	return o
}

// inputs returns the hashes of the user's own files that the images depend on: of those
// that lines of the source name, and of those that the front end read, whose names may
// come from macros.
func (u *unit) inputs() ([]record.Input, error) {
	own := u.ownFolders()
	inputs, err := record.Inputs(source.Absolute(u.place.Path), source.Absolute(filepath.Dir(u.place.Record)), os.ReadFile, own...)
	if err != nil {
		return nil, err
	}
	for _, header := range u.sel.File.Headers {
		path := u.place.Relative(header)
		if !u.isOwn(header, own) && ofToolkit(source.Absolute(filepath.Dir(header))) || slices.ContainsFunc(inputs, func(i record.Input) bool { return i.Path == path }) {
			continue
		}
		content, err := os.ReadFile(header)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, source.Unreadable(header, err)
		}
		inputs = append(inputs, record.Input{Path: path, SHA256: record.HashInput(content)})
	}
	linked, err := u.linkedInputs(own)
	if err != nil {
		return nil, err
	}
	for _, input := range linked {
		if !slices.ContainsFunc(inputs, func(i record.Input) bool { return i.Path == input.Path }) {
			inputs = append(inputs, input)
		}
	}
	slices.SortFunc(inputs, func(a, b record.Input) int { return strings.Compare(a.Path, b.Path) })
	return inputs, nil
}

// ownFolders returns the folders of included files that are the user's own, absolute: all but those
// of CUDA's own headers, which belong to the compiler.
func (u *unit) ownFolders() (own []string) {
	view := compile.ViewOf(u.options.CompilerFlags, "", u.place.Module)
	for _, folder := range slices.Concat(u.options.Source.Include, view.Include) {
		if _, inside := u.place.Inside(folder); inside || !ofToolkit(source.Absolute(folder)) {
			own = append(own, source.Absolute(folder))
		}
	}
	return own
}

// ofToolkit reports whether folder is that of CUDA's own headers, or lies in there, as CCCL's does.
func ofToolkit(folder string) bool {
	for ; ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(filepath.Join(folder, "crt", "host_defines.h")); err == nil {
			return true
		}
		if folder == filepath.Dir(folder) {
			return false
		}
	}
}

// isOwn reports whether the file at path lies in the module or in one of folders.
func (u *unit) isOwn(path string, folders []string) bool {
	_, inside := u.place.Inside(path)
	return inside || liesIn(path, folders)
}

// liesIn reports whether the file at path lies in one of folders.
func liesIn(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool {
		relative, err := filepath.Rel(folder, source.Absolute(path))
		return err == nil && filepath.IsLocal(relative)
	})
}

// agree reports a user's file that the compiler has read and that is not an input: changes of it
// would go unnoticed. A toolkit may lie in the module, in a virtual environment of Python's: its
// headers are the compiler's nevertheless.
func (u *unit) agree() error {
	own := u.ownFolders()
	for _, path := range u.included {
		relative, inside := u.place.Inside(path)
		if !inside || ofToolkit(source.Absolute(filepath.Dir(path))) && !liesIn(path, own) || slices.ContainsFunc(u.record.Inputs, func(i record.Input) bool { return i.Path == u.place.Relative(path) }) {
			continue
		}
		return source.NewError(u.place.Path, diag.Macro.Errorf("the compiler reads %s, but cudagen does not find what includes it, so changes of it would not be noticed (%w)", relative, diag.Do("include it directly, or define with -D the macro that selects it")))
	}
	return nil
}

// restorable returns what a message adds if no compiler is needed for other flags, or if nothing but
// committed output is missing or damaged: a checkout without it, perhaps because it is ignored, needs none.
func (u *unit) restorable() string {
	if u.committed != nil && u.lost == 0 && !u.options.Force && slices.Equal(u.committed.Inputs, u.record.Inputs) && len(u.committed.Stale(u.record.Inputs, u.record.Options)) > 0 {
		o := u.committed.Options
		return "; the committed images are those of " + strings.Join(append([]string{"-arch", strings.Join(o.Arch, ",")}, o.Flags...), " ") + ", and need no compiler"
	}
	const remedy = "; restore what was committed, if it was"
	exists := func(path string) bool { _, err := os.Stat(path); return err == nil }
	switch {
	case u.committed == nil && !exists(u.place.PTX) && !exists(u.place.Go):
		return "" // it was never generated here
	case u.committed == nil && u.record != nil && len(u.reasons) == 1 && u.reasons[0] == filepath.Base(u.place.Record)+" is missing":
		return remedy
	case u.committed != nil && len(u.reasons) == u.lost:
		return remedy
	}
	return ""
}

// committedImages reads the record and the images beside the output, and says in
// u.reasons why they are stale, if they are.
func (u *unit) committedImages() error {
	inputs, err := u.inputs()
	if err != nil {
		return err
	}
	options := u.recordOptions()
	u.record = &record.Record{Format: record.Format, Source: u.place.Relative(u.place.Path), Inputs: inputs, Options: options}
	committed, err := record.Read(u.place.Record)
	if errors.Is(err, fs.ErrNotExist) {
		u.reasons = []string{filepath.Base(u.place.Record) + " is missing"}
		return nil
	}
	if unread := new(fs.PathError); errors.As(err, &unread) {
		return source.Unreadable(u.place.Record, err)
	}
	if err != nil {
		return err
	}
	u.reasons = committed.Stale(inputs, options)
	if want := u.options.Compiler; want != "" && !u.options.AnyCompiler && want != committed.Compiler.Name {
		u.reasons = append(u.reasons, "the compiler was "+committed.Compiler.Name+", is "+want)
	}
	u.record.Compiler, u.record.Images = committed.Compiler, committed.Images
	for _, known := range committed.Images {
		path := filepath.Join(filepath.Dir(u.place.Record), known.File)
		there, err := os.ReadFile(path)
		content, same := known.Content(there)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			u.reasons = append(u.reasons, known.File+" is missing")
			u.lost++
		case err != nil:
			return source.Unreadable(path, err)
		case !same:
			u.reasons = append(u.reasons, known.File+" is not the image in "+filepath.Base(u.place.Record))
			u.lost++
		default:
			u.images = append(u.images, image.File{Path: path, Content: content, Targets: known.Targets})
		}
	}
	if len(committed.Images) == 0 || committed.Images[0].File != filepath.Base(u.place.PTX) {
		u.reasons = append(u.reasons, filepath.Base(u.place.Record)+" names no "+filepath.Base(u.place.PTX))
	}
	u.committed = committed
	stale := len(u.reasons) > 0 || u.options.Force
	if len(u.images) > 0 && u.images[0].Path == u.place.PTX && (!stale || u.options.FindCompiler == nil) {
		if err := u.findInstances(u.images[0].Content); err != nil && !stale { // a stale one may have what is gone
			return err
		}
	}
	if stale {
		return nil
	}
	return u.recall(committed)
}
