package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// An imageFile is a compiled image and where it is written.
type imageFile struct {
	path    string
	content []byte
	targets []string     // of machine code: sm_90; nil for PTX
	seen    *image.Image // of PTX, when it was read already
}

// obtainImages gives every unit its images: the committed ones when they are current,
// new ones otherwise. The hashes of the inputs and the options decide whether they are:
// no compiler is needed then.
func (p *pipeline) obtainImages(ctx context.Context) error {
	stale, err := p.committedImages()
	if err != nil && (!p.Force || slices.ContainsFunc(p.units, func(u *unit) bool { return u.record == nil })) {
		return err // -force is for records that cannot be read, not for sources
	}
	if p.Force {
		stale = p.units
		for _, u := range stale {
			u.reasons = []string{"-force"}
		}
	}
	if len(stale) == 0 {
		return nil
	}
	find := p.FindCompiler
	if find == nil {
		find = func() (compile.Compiler, error) { return compile.Find(p.Compiler, os.Getenv) }
	}
	compiler, err := find()
	if err != nil {
		if problems := each(p.units, func(u *unit) error { return u.sel.UnclearProblems().Err() }); problems != nil {
			return problems // that a compiler could have explained
		}
		return fmt.Errorf("%s: has to be compiled (%s): %w", stale[0].place.Path, stale[0].reasons[0], err)
	}
	archs, err := p.targets()
	if err != nil {
		return err
	}
	jobs := newJobs(ctx, compiler, p.Trace)
	if !p.Force {
		jobs.cache = p.cache()
	}
	if len(p.CompilerFlags) == 0 && !p.DryRun { // those are for the compiler itself
		jobs.companion = sync.OnceValue(func() compile.Compiler { return compile.Companion(ctx, compiler) })
	}
	errs := compileUnits(jobs, stale, archs)
	if p.DryRun {
		errs = slices.DeleteFunc(errs, func(err error) bool { return errors.Is(err, compile.ErrNotRun) })
	}
	if ctx.Err() != nil {
		jobs.wait()
		return fmt.Errorf("interrupted: %w", context.Cause(ctx))
	}
	return join(errs)
}

// committedImages gives every unit the images beside it, and returns the units of which
// they are missing or stale; the unit's reasons say why.
func (p *pipeline) committedImages() (stale []*unit, err error) {
	err = each(p.units, (*unit).committedImages)
	for _, u := range p.units {
		if len(u.reasons) > 0 {
			stale = append(stale, u)
		}
	}
	return stale, err
}

// targets returns the options' targets, with native replaced by what it stands for.
func (p *pipeline) targets() ([]string, error) {
	var archs []string
	for _, arch := range p.Archs {
		if arch != "native" {
			archs = append(archs, arch)
			continue
		}
		if p.Native == nil {
			return nil, errors.New("-arch native: it is not known here what that is: write sm_XX")
		}
		native, err := p.Native()
		if err != nil {
			return nil, fmt.Errorf("-arch %w", err)
		}
		archs = append(archs, native...)
	}
	return archs, nil
}

// recordOptions returns the options that decide what is compiled, as the record has them.
func (u *unit) recordOptions() record.Options {
	return record.Options{Arch: u.options.Archs, PTXVersion: u.options.PTXVersion, Flags: slices.Concat(u.place.RecordFlags(&u.options.SourceOptions), u.options.CompilerFlags)}
}

// inputs returns the hashes of the user's own files that the images depend on: of those
// that lines of the source name, and of those that the front end read, whose names may
// come from macros.
func (u *unit) inputs() ([]record.Input, error) {
	var own []string
	for _, dir := range u.options.Include {
		if _, inside := u.place.Inside(dir); inside {
			own = append(own, source.Absolute(dir))
		}
	}
	inputs, err := record.Inputs(source.Absolute(u.place.Path), source.Absolute(filepath.Dir(u.place.Record)), os.ReadFile, own...)
	if err != nil {
		return nil, err
	}
	for _, header := range u.sel.File.Headers {
		path := u.place.Relative(header)
		if _, inside := u.place.Inside(header); !inside || slices.ContainsFunc(inputs, func(i record.Input) bool { return i.Path == path }) {
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
	slices.SortFunc(inputs, func(a, b record.Input) int { return strings.Compare(a.Path, b.Path) })
	return inputs, nil
}

// agree reports an own file of the user that the compiler has read and that is no input:
// nobody would notice when it changes.
func (u *unit) agree() error {
	for _, path := range u.included {
		relative, inside := u.place.Inside(path)
		if !inside || slices.ContainsFunc(u.record.Inputs, func(i record.Input) bool { return i.Path == u.place.Relative(path) }) {
			continue
		}
		return source.NewError(u.place.Path, "the compiler reads "+relative+", and by the source it is not included: what selects it is not understood, so that its changes would not be noticed (name it in an #include of its own, or define with -D what selects it)")
	}
	return nil
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
	if err != nil {
		return err
	}
	u.reasons = committed.Stale(inputs, options)
	u.record.Compiler, u.record.Images = committed.Compiler, committed.Images
	for _, known := range committed.Images {
		path := filepath.Join(filepath.Dir(u.place.Record), known.File)
		content, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			u.reasons = append(u.reasons, known.File+" is missing")
		case err != nil:
			return source.Unreadable(path, err)
		case record.HashImage(content) != known.SHA256:
			u.reasons = append(u.reasons, known.File+" is not the image in "+filepath.Base(u.place.Record))
		default:
			u.images = append(u.images, imageFile{path: path, content: content, targets: known.Targets})
		}
	}
	if len(committed.Images) == 0 || committed.Images[0].File != filepath.Base(u.place.PTX) {
		u.reasons = append(u.reasons, filepath.Base(u.place.Record)+" names no "+filepath.Base(u.place.PTX))
	}
	u.committed = committed
	if len(u.reasons) > 0 || u.options.Force {
		return nil
	}
	return u.recall(committed)
}

// read returns what the image says of itself: of a fatbin, of each cubin in it.
func (f *imageFile) read() ([]*image.Image, error) {
	if f.seen != nil {
		return []*image.Image{f.seen}, nil
	}
	if f.targets == nil {
		img, err := image.ReadPTX(f.path, f.content)
		return []*image.Image{img}, err
	}
	fatbin, err := image.ReadFatbin(f.path, f.content)
	if err != nil {
		return nil, err
	}
	var images []*image.Image
	for i, entry := range fatbin.Entries {
		if entry.Image == nil {
			return nil, source.NewError(f.path, fmt.Sprintf("entry %d of it, %v for sm_%d, cannot be read: run cudagen -force", i, entry.Kind, entry.Arch))
		}
		images = append(images, entry.Image)
	}
	if len(images) != len(f.targets) {
		return nil, source.NewError(f.path, fmt.Sprintf("it has %d entries, and by the record %d: run cudagen -force", len(images), len(f.targets)))
	}
	return images, nil
}

// instantiations returns the C++ that makes the instances which directives ask for and
// which the source does not instantiate itself. Each line has its directive's position.
func (u *unit) instantiations() string {
	var b bytes.Buffer
	made := make(map[string]bool)
	for _, k := range u.sel.Kernels {
		if k.Instance == nil || k.Instance.Explicit {
			continue
		}
		name := strings.ReplaceAll(k.QualifiedName(), "(anonymous namespace)::", "")
		if made[name] {
			continue // another directive means the same types
		}
		made[name] = true
		b.WriteString(u.lineDirective(k.Instance.Directive.Pos))
		fmt.Fprintf(&b, "template __global__ decltype(%[1]s) %[1]s;\n", name)
	}
	return b.String()
}

// lineDirective returns the C++ that gives the next line a position.
func (u *unit) lineDirective(pos token.Position) string {
	file := pos.Filename
	if relative, inside := u.place.Inside(file); inside {
		file = relative
	}
	return fmt.Sprintf("#line %d %s\n", pos.Line, cString(filepath.ToSlash(file)))
}

// cString returns text as a string literal of C.
func cString(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
