package gen

import (
	"fmt"
	"go/scanner"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// A compiled unit is what compilers made of a unit, of which images are made.
type compiled struct {
	request compile.Request
	virtual string // the target of the PTX
	build   *build
	low     *lowered // the PTX
}

// compileUnits makes new images of units. The errors are by unit, and one behind them is of
// all.
func compileUnits(jobs *jobs, units []*unit, archs []string) []error {
	errs := make([]error, len(units))
	all := func(do func(i int)) {
		var wait sync.WaitGroup
		for i := range units {
			if errs[i] == nil {
				wait.Go(func() { do(i) })
			}
		}
		wait.Wait()
	}
	made := make([]*compiled, len(units))
	all(func(i int) { made[i], errs[i] = units[i].compile(jobs, archs) })
	var lowered []*lowered
	for i, c := range made {
		if errs[i] == nil {
			lowered = append(lowered, c.low)
		}
	}
	if err := assemble(jobs.ctx, lowered); err != nil {
		return append(errs, err)
	}
	all(func(i int) { errs[i] = units[i].finish(jobs, made[i]) })
	return errs
}

// compile has the unit compiled and hears what compilers say of it.
func (u *unit) compile(jobs *jobs, archs []string) (*compiled, error) {
	virtual, machine, err := compile.Split(archs)
	if err != nil {
		return nil, err
	}
	flags := slices.Concat(u.place.CompileFlags(&u.options.SourceOptions), u.options.CompilerFlags)
	request := compile.Request{
		Source: u.place.Path, Dir: u.place.Module, Flags: flags, LineInfo: true, Suffix: u.instantiations() + u.assertions(), DryRun: u.options.DryRun,
	}
	b, cached, err := u.obtainBuild(jobs, request, append([]string{virtual}, machine...))
	if err != nil {
		return nil, err
	}
	u.cached = cached
	u.warnings, u.included = slices.Clone(b.Outputs[0].Warnings), b.Outputs[0].Includes
	if err := u.listen(b); err != nil {
		return nil, err
	}
	inputs, err := u.inputs()
	if err != nil {
		return nil, err
	}
	if err := u.agree(); err != nil {
		return nil, err
	}
	if !slices.Equal(u.record.Inputs, inputs) {
		return nil, source.NewError(u.place.Path, "it, or a file that it includes, changed while it was compiled: run cudagen again")
	}
	low, err := lower(u.place.PTX, append([]byte(output.Marker), b.Outputs[0].Code...), u.options.PTXVersion)
	return &compiled{request, virtual, b, low}, err
}

// finish makes the unit's images, and asks again about what is still unclear.
func (u *unit) finish(jobs *jobs, c *compiled) error {
	if err := u.newImages(jobs, c); err != nil {
		return err
	}
	u.askAgain = func() error { return u.hearAgain(jobs, c.request, c.virtual, c.build) }
	if c.build.Companion && len(u.sel.Unclear) > 0 {
		return u.askAgain()
	}
	return u.hearTold(jobs, c.request, c.virtual)
}

// hearTold asks for the types that only a compiler told: nobody knew of them when it was asked.
func (u *unit) hearTold(jobs *jobs, request compile.Request, arch string) error {
	if u.testimony == nil {
		return nil
	}
	subjects := slices.DeleteFunc(u.subjects(), func(s proof.Subject) bool {
		_, heard := u.testimony.types[layout.Identity(s.Type)]
		return heard
	})
	if len(subjects) == 0 {
		return nil
	}
	compiler := jobs.compiler
	if u.testimony.companion {
		compiler = jobs.companion()
	}
	asking := request
	asking.Arch, asking.Debug, asking.LineInfo = arch, true, false
	q := newQuestions(subjects)
	heard, _, err := jobs.inquire(compiler, asking, q)
	if refused, ok := err.(scanner.ErrorList); ok {
		q.refuseAll(refused.Error())
	} else if err != nil {
		return err
	}
	return u.testimony.hearTypes(u.place.Path, q, heard)
}

// hearAgain hears the compiler itself, once, where its companion did not know enough or
// disagreed with the source. When the compiler cannot be heard, the companion's testimony
// stays.
func (u *unit) hearAgain(jobs *jobs, request compile.Request, arch string, b *build) error {
	if !u.testimony.companion || u.testimony.silence != "" {
		return nil
	}
	asking := request
	asking.Arch, asking.Debug, asking.LineInfo = arch, true, false
	if err := u.hearCompiler(jobs, asking, b); err != nil {
		return err
	}
	if err := u.listen(b); err != nil || u.testimony.companion {
		return err
	}
	if err := u.agree(); err != nil {
		return err
	}
	seen, err := u.images[0].read()
	if err != nil {
		return err
	}
	u.resolve(u.testimony, seen[0])
	return u.hearTold(jobs, request, arch)
}

// newImages makes the unit's images of what was compiled: PTX, and one fatbin of all
// machine code.
func (u *unit) newImages(jobs *jobs, c *compiled) error {
	ptx, machine, low := c.build.Outputs[0], c.build.Outputs[1:], c.low
	name, version, _ := strings.Cut(ptx.Compiler, " ")
	u.committed = nil
	u.record.Compiler = record.Compiler{Name: name, Version: version, Command: ptx.Command}
	if low.warning != "" {
		u.warnings.Add(token.Position{Filename: u.place.Path}, low.warning)
	}
	seen, err := image.OfPTX(u.place.PTX, low.module)
	if err != nil {
		return err
	}
	if u.testimony != nil {
		u.resolve(u.testimony, seen)
	}
	u.images = []imageFile{{path: u.place.PTX, content: low.text, seen: seen}}
	u.record.Images = []record.Image{{File: filepath.Base(u.place.PTX), SHA256: record.HashImage(low.text), Version: seen.Version, Target: seen.Target, CompiledVersion: low.from, Checked: low.checked && name == "nvcc"}}
	if len(machine) == 0 {
		return nil
	}
	fatbin, targets, err := jobs.pack(machine)
	if err != nil {
		return fmt.Errorf("%s: %w", u.place.Path, err)
	}
	u.images = append(u.images, imageFile{path: u.place.Fatbin, content: fatbin, targets: targets})
	u.record.Images = append(u.record.Images, record.Image{File: filepath.Base(u.place.Fatbin), SHA256: record.HashImage(fatbin), Targets: targets})
	return nil
}
