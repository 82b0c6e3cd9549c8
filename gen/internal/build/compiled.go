package build

import (
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
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
	all(func(i int) {
		made[i], errs[i] = units[i].compile(jobs, archs)
		errs[i] = units[i].withProblems(jobs.compiler, units[i].withArch(jobs, archs, errs[i]))
	})
	var lowered []*lowered
	for i, c := range made {
		if errs[i] == nil {
			lowered = append(lowered, c.low)
		}
	}
	if err := assemble(jobs.ctx, jobs.cache, lowered); err != nil {
		return append(errs, err)
	}
	all(func(i int) {
		if errs[i] = units[i].finish(jobs, made[i]); errs[i] == nil {
			errs[i] = units[i].refusedPTX(jobs, archs, made[i])
		}
	})
	return errs
}

// refusedPTX returns an error if ptxas takes the PTX with no version, as for inline assembly that the
// virtual architecture lacks: nvcc compiles that.
func (u *unit) refusedPTX(jobs *jobs, archs []string, c *compiled) error {
	if c.low.refusal == "" {
		return nil
	}
	failed := &compile.FailedError{Reason: "no GPU takes the PTX for " + c.virtual, Log: c.low.refusal}
	u.withArch(jobs, archs, failed)
	said := diag.OfCompiler.New(failed.Reason + ", as ptxas says:\n" + strings.TrimRight(c.low.refusal, "\n"))
	said.Remedy = diag.RemedyOf(failed)
	return diag.List{{Pos: token.Position{Filename: u.place.Path}, Message: said}}
}

// withProblems adds the errors of the source to the compiler's, except at places that have one of
// the compiler's: errors in directives are reported, too, if the source does not compile. That cudagen does not know
// types, which the compiler would have told, is none: the compiler's errors say why it does not. Where the
// compiler finds no header it says in which folder there is one.
func (u *unit) withProblems(compiler compile.Compiler, err error) error {
	list, ok := err.(diag.List)
	if !ok {
		return err
	}
	list = append(list, u.missingToo(compiler, list)...)
	for _, e := range list {
		header := compile.MissingHeader(e.Text)
		remedy := diag.Do("add -I with the folder that has it")
		if filepath.IsAbs(header) {
			remedy = diag.Do("put the file there, or include it without its folder and add -I")
		}
		if folder := u.sel.File.FolderOf(header); folder != "" {
			e.Aside, e.Remedy = "", diag.Remedy{} // that takes the header for another's
			remedy = diag.Do("add -I %s", folder)
		}
		if header != "" && e.Remedy.IsZero() {
			e.Add(diag.Message{Text: ": " + remedy.Error(), Remedy: remedy})
		}
	}
	compile.JoinLibraries(list)
	u.hintStandard(list)
	said := slices.Clone(list)
	add := func(errs, but diag.List) {
		for _, e := range errs {
			same := func(other *diag.Error) bool {
				return other.Pos.Filename == e.Pos.Filename && other.Pos.Line == e.Pos.Line && other.Pos.Column == e.Pos.Column
			}
			if !slices.ContainsFunc(but, same) {
				list = append(list, e)
			}
		}
	}
	add(u.sel.Refused, said)
	for _, k := range u.sel.Unclear {
		add(k.Problems, slices.Concat(said, k.Errors))
	}
	list.Sort()
	return list
}

// missingToo returns errors for the other missing headers, if list reports a missing one: compilers
// stop at the first.
func (u *unit) missingToo(compiler compile.Compiler, list diag.List) (more diag.List) {
	said := make(map[string]bool)
	for _, e := range list {
		said[compile.MissingHeader(e.Text)] = true
	}
	delete(said, "")
	if len(said) == 0 {
		return nil
	}
	for _, m := range u.sel.File.Absent {
		hint := compile.LibraryHint(m.Path)
		missing := hint.Text != "" || slices.ContainsFunc(u.sel.File.Missing, func(other cu.Include) bool { return other.Path == m.Path })
		if missing && !said[m.Path] && !compile.Finds(compiler, m.Path) {
			said[m.Path] = true
			more.Add(m.Pos, diag.OfCompiler.New(m.Path+": No such file or directory"))
			more[len(more)-1].Add(hint)
		}
	}
	return more
}

// compile has the unit compiled and asks compilers about it.
func (u *unit) compile(jobs *jobs, archs []string) (*compiled, error) {
	virtual, machine, err := compile.Split(archs)
	if err != nil {
		return nil, err
	}
	flags := slices.Concat(u.place.CompileFlags(&u.options.Source), u.options.CompilerFlags)
	request := compile.Request{
		Source: u.place.Path, Dir: u.place.Module, Flags: flags, LineInfo: true, Suffix: u.sel.Instantiations() + u.assertions(), DryRun: u.options.DryRun,
		Relocatable: len(u.linked()) > 0,
	}
	ptx, err := u.compiledInstances(jobs, request, virtual)
	if err != nil {
		return nil, err
	}
	b, cached, err := u.obtainBuild(jobs, request, append([]string{virtual}, machine...), ptx)
	if err != nil {
		return nil, err
	}
	u.cached = cached
	u.warnings, u.included = slices.Clone(b.Outputs[0].Warnings), b.Outputs[0].Includes
	if err := u.readAnswers(b); err != nil {
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
		return nil, source.NewError(u.place.Path, diag.FileChanged.Errorf("it, or a file that it includes, changed while it was compiled: %w", diag.Do("run cudagen again")))
	}
	low, err := lower(u.place.PTX, append([]byte(record.Marker), b.Outputs[0].Code...), u.options.PTXVersion)
	return &compiled{request, virtual, b, low}, err
}

// finish makes the unit's images, and asks again about what is still unclear.
func (u *unit) finish(jobs *jobs, c *compiled) error {
	if err := u.newImages(jobs, c); err != nil {
		return err
	}
	u.again = func() error { return u.askAgain(jobs, c.request, c.virtual, c.build) }
	if c.build.Companion && len(u.sel.Unclear) > 0 || u.vague {
		return u.again()
	}
	return u.confirmTold(jobs, c.request, c.virtual)
}

// confirmTold asks for the types that only a compiler told, until the answers say no more of them than is known.
func (u *unit) confirmTold(jobs *jobs, request compile.Request, arch string) error {
	for {
		err := u.askAboutTold(jobs, request, arch)
		if err != nil || u.unclear == nil {
			return err
		}
		var grown bool
		if u.learned, grown = u.learned.And(u.answers.Learned(u.sel)); !grown {
			break
		}
		u.tell(u.images[0].Seen)
	}
	return nil
}

// askAboutTold asks for the types that only a compiler told: they were not known when it was asked.
func (u *unit) askAboutTold(jobs *jobs, request compile.Request, arch string) error {
	if u.unclear == nil {
		return nil
	}
	q := u.answers.Unasked()
	if q == nil {
		return nil
	}
	asking := question(request, arch)
	asking.Declared = true
	said, err := u.later(jobs, request, []string{"told", arch, q.Inquiry().Source()}, func(b *build) error {
		var err error
		b.Answered, b.Refusals, err = jobs.inquire(jobs.compiler, asking, u.answers.Unasked())
		if refused, ok := err.(diag.List); ok {
			b.NotAsked, err = refused.Error(), nil
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, refused := range said.Refusals {
		q.Refuse(q.Inquiry(), refused)
	}
	if said.NotAsked != "" {
		q.RefuseAll(said.NotAsked)
	}
	u.answers, err = u.answers.WithTypes(u.place.Path, q, said.Answered)
	return err
}

// askAgain asks the compiler itself, once, where its companion did not know enough or
// disagreed with the source, and for the code of kernels where the answers without that are vague. When the
// compiler does not answer, the answers before stay.
func (u *unit) askAgain(jobs *jobs, request compile.Request, arch string, b *build) error {
	if !u.answers.Companion && !u.vague || u.answers.NoAnswer != "" {
		return nil
	}
	asking := question(request, arch)
	if asking.Declared = !u.vague; u.vague {
		u.sel = u.unclear
	}
	said, err := u.later(jobs, request, []string{"again", arch, fmt.Sprint(asking.Declared)}, func(b *build) error { return u.askCompiler(jobs, asking, b) })
	if err != nil {
		return err
	}
	if said.NoAnswers != "" {
		b.NoAnswers = said.NoAnswers
	} else {
		b.Answered, b.NotAsked, b.Refusals, b.Companion = said.Answered, said.NotAsked, said.Refusals, false
	}
	if err := u.readAnswers(b); err != nil || u.answers.Companion {
		return err
	}
	if err := u.agree(); err != nil {
		return err
	}
	u.explain(u.images[0].Seen)
	if u.vague && u.answers.NoAnswer == "" {
		return u.askAgain(jobs, request, arch, b)
	}
	return u.confirmTold(jobs, request, arch)
}

// newImages makes the unit's images of what was compiled: PTX, and one fatbin of all
// machine code.
func (u *unit) newImages(jobs *jobs, c *compiled) error {
	ptx, machine, low := c.build.Outputs[0], c.build.Outputs[1:], c.low
	name, version, _ := strings.Cut(ptx.Compiler, " ")
	u.committed = nil
	u.record.Compiler = record.Compiler{Name: name, Version: version, Command: ptx.Command}
	if low.warning != "" {
		u.warnings.Add(token.Position{Filename: u.place.Path}, diag.OfCompiler.New(low.warning))
	}
	seen, err := image.OfPTX(u.place.PTX, low.module)
	if err != nil {
		return err
	}
	if u.answers != nil && !u.answers.Companion { // which lays out other classes than the compiler, where it ignores an attribute
		u.explain(seen)
	}
	u.offerInstances(seen)
	u.images = []image.File{{Path: u.place.PTX, Content: low.text, Seen: seen}}
	u.record.Images = []record.Image{{File: filepath.Base(u.place.PTX), SHA256: record.HashImage(low.text), Version: seen.Version, Target: seen.Target, CompiledVersion: low.from, Checked: low.checked && name == "nvcc"}}
	if len(machine) == 0 {
		return nil
	}
	fatbin, targets, err := jobs.pack(machine)
	if err != nil {
		return fmt.Errorf("%s: %w", u.place.Path, err)
	}
	u.images = append(u.images, image.File{Path: u.place.Fatbin, Content: fatbin, Targets: targets})
	u.record.Images = append(u.record.Images, record.Image{File: filepath.Base(u.place.Fatbin), SHA256: record.HashImage(fatbin), Targets: targets})
	return nil
}

// readAnswers reads what the compiler states in b, in place of what its companion said before.
// A compiler without debug information leaves the unit without answers. One that could give
// debug information, and does not, is worth a warning.
func (u *unit) readAnswers(b *build) error {
	warn := func(what, why string) {
		u.warnings.Add(token.Position{Filename: u.place.Path}, diag.Unconfirmed.New(what+": "+why))
	}
	switch {
	case b.NoAnswers != "" && u.answers != nil:
		warn("only "+u.answers.Compiler+" confirms fields and kinds, because the compiler itself fails", b.NoAnswers)
		last := *u.answers
		last.NoAnswer = b.NoAnswers
		u.answers = &last
		return nil
	case b.NoAnswers != "":
		warn("the compiler fails when asked for fields and kinds, so only the sizes and offsets of parameters are confirmed", b.NoAnswers)
		u.noAnswers = b.NoAnswers
		return nil
	case b.Answered == nil:
		return nil
	case b.NotAsked != "":
		warn("the compiler refuses the probe for kinds, so only its debug information confirms them", b.NotAsked)
	}
	t, refused, err := compare.ReadAnswers(u.sel, compare.Compiled{Output: b.Answered, Refusals: b.Refusals, NotAsked: b.NotAsked, Companion: b.Companion})
	if err != nil {
		return err
	}
	u.answers, u.included = t, slices.Concat(u.included, b.Answered.Includes)
	for _, why := range refused {
		warn("the compiler refuses the probe for kinds, so only its debug information confirms them", why)
	}
	return nil
}

// explain has what the compiler states about the unclear kernels explain them, as far as it does.
func (u *unit) explain(seen *image.Image) {
	if len(u.sel.Unclear) > 0 {
		u.unclear = u.sel
		u.tell(seen)
	}
}

func (u *unit) tell(seen *image.Image) {
	told, vague := compare.Tell(u.unclear, u.answers, seen, u.learned)
	u.sel, u.vague = u.options.Explain(u.unclear, told), vague
	u.answers = u.answers.Explained(u.sel)
}
