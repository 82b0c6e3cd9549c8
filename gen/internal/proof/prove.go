// Package proof takes sources with their images, hands on what confirms them, and knows neither syntax
// nor how compilers are run. It demands that all witnesses of what Go gets agree, what package layout
// computes from the source, what each image states, the compiler's debug information and its answers.
// What they state differently is refused with both values, and so is Go code that is not the same for
// every target, or that fewer than two witnesses confirm. If nothing is compiled, the witnesses are
// those of the committed record, which must not contradict the source. Where that is asked for,
// kernels are left out so that the others are proved.
//
// It runs no compiler, does not read the source, chooses no Go names and writes no file. Start with
// Prove, then CompareViews and Record.
package proof

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/image"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/internal/witness"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/record"
)

// Input is one source with everything that is compared.
type Input struct {
	*selection.Selection
	Images   []image.File
	Compiler string           // that made the images: nvcc, nvrtc or clang
	Answers  *compare.Answers // nil when no compiler answered

	// Again asks the compiler itself where Answers are its companion's.
	Again func() (*compare.Answers, error)
}

// A provedKernel is a kernel while it is compared.
type provedKernel struct {
	*KernelProof
	classes map[any]bool // by layout.Identity: those whose fields the compiler confirmed
}

// A provedVariable is a variable while it is compared.
type provedVariable struct {
	*VariableProof
	classes map[any]bool // by layout.Identity: those whose fields the compiler confirmed
}

// A prover compares the witnesses of one source.
type prover struct {
	*selection.Selection
	images   []*image.Image
	compiler string
	answers  *compare.Answers
	again    func() (*compare.Answers, error)

	kernels   []*provedKernel
	variables []*provedVariable
	types     map[any]compare.Evidence
}

// Prove compares what the source says of kernels, variables, constants and types with what
// every image and the compiler say. All disagreements are reported, as a
// diag.List. Other errors are about images that cannot be read.
func Prove(in Input) (*Proofs, error) {
	p := &prover{Selection: in.Selection, compiler: in.Compiler, answers: in.Answers, again: in.Again}
	for i := range in.Images {
		seen, err := in.Images[i].Read()
		if err != nil {
			return nil, err
		}
		p.images = append(p.images, seen...)
	}
	errs := p.proveVariables()
	for _, k := range in.Kernels {
		one := newProved(k)
		err := one.compareAll(p.images, p.compiler)
		if err == nil {
			before := one.Witnesses
			err = p.demand(k.Name, func(t *compare.Answers) error {
				one.Witnesses, one.classes = slices.Clone(before), nil
				return one.compareAnswers(t)
			})
		}
		p.kernels = append(p.kernels, one)
		report(&errs, k.Pos, err)
	}
	errs = append(errs, p.proveConstants()...)
	if len(errs) == 0 { // otherwise errors would be reported twice
		errs = p.proveTypes()
	}
	errs.Sort()
	return p.proofs(), errs.Err()
}

// proofs returns what was proved.
func (p *prover) proofs() *Proofs {
	proofs := &Proofs{Types: p.types, Answers: p.answers}
	for _, k := range p.kernels {
		proofs.Kernels = append(proofs.Kernels, k.KernelProof)
	}
	for _, v := range p.variables {
		proofs.Variables = append(proofs.Variables, v.VariableProof)
	}
	return proofs
}

// report adds what err says to errs, each disagreement by itself.
func report(errs *diag.List, pos token.Position, err error) {
	switch err := err.(type) {
	case nil:
	case compare.Error:
		for _, d := range err {
			errs.Add(pos, d.Message())
		}
	case interface{ DiagnosticCode() diag.Code }: // one, whatever it wraps
		errs.Add(pos, err.(error))
	case interface{ Unwrap() []error }:
		for _, one := range err.Unwrap() {
			report(errs, pos, one)
		}
	default:
		errs.Add(pos, err)
	}
}

// demand compares something, which name names, with the compiler's answers. When these are
// the companion's and disagree, the compiler itself is asked; when that does not answer, the
// companion is believed.
func (p *prover) demand(name string, compare func(*compare.Answers) error) error {
	if p.answers == nil {
		return nil
	}
	err := compare(p.answers)
	if err == nil || !p.answers.Companion {
		return err
	}
	companion := p.answers.Compiler
	if err := p.askAgain(); err != nil {
		return err
	}
	if why := p.answers.NoAnswer; why != "" {
		return errors.Join(err, diag.LayoutsDisagree.Errorf("%s disagrees with the source, and the compiler itself cannot be asked: %s",
			companion, strings.ReplaceAll(strings.TrimSpace(why), "\n", "; ")).About(name))
	}
	return compare(p.answers)
}

// askAgain asks the compiler itself in place of its companion.
func (p *prover) askAgain() (err error) {
	p.answers, err = p.again()
	return err
}

// compareAll compares p with every image and takes its symbol from them, which is one.
//
// The source is read with the macros of nvcc. Other compilers may have compiled another one, where it depends on them.
func (p *provedKernel) compareAll(images []*image.Image, compiler string) error {
	for _, img := range images {
		before := p.Symbol
		err := p.compare(img)
		missing, fields := (*image.NotFoundError)(nil), compare.Error(nil)
		switch {
		case err == nil, p.Args != nil, errors.As(err, &fields), errors.As(err, &missing) && missing.Several:
		case before != "" && errors.As(err, &missing):
			err = diag.TargetsDiffer.Errorf("%w: it is there for some targets only: %w", err, diag.Do("do not let it depend on __CUDA_ARCH__, or generate for one -arch alone"))
		case compiler == "nvrtc" || compiler == "clang":
			err = diag.CodeOf(err).Errorf("%w: %w", err, diag.Do("take it out of an #if of macros that %s has and nvcc has not, as __CUDACC_RTC__ or __clang__, or use -compiler nvcc", compiler))
		case errors.As(err, &missing):
			err = diag.CodeOf(err).Errorf("%w: %w", err, diag.Do("run %s to compile it again", diag.Call("-force")))
		}
		if err != nil {
			return err
		}
		if before != "" && p.Symbol != before {
			return diag.LayoutsDisagree.Errorf("its symbol is %s in one image and %s in %s", before, p.Symbol, img.File).About(p.Name)
		}
		witness := witnessOf(img)
		for i, list := range p.Witnesses {
			if !slices.Contains(list, witness) {
				p.Witnesses[i] = append(list, witness)
			}
		}
	}
	return nil
}

// witnessOf returns the name of the witness img in the record.
func witnessOf(img *image.Image) string {
	if img.Version == "" {
		return record.Cubin
	}
	return record.PTX
}

// newProved returns s with the layout that the source has.
func newProved(s *selection.Kernel) *provedKernel {
	p := &provedKernel{KernelProof: &KernelProof{Kernel: s, Witnesses: make([][]string, len(s.Places))}}
	for i := range p.Witnesses {
		if !s.Told {
			p.Witnesses[i] = []string{record.Source}
		}
	}
	return p
}

// byTheSource returns the parameters as package image compares them.
func (p *provedKernel) byTheSource() []image.Param {
	params := make([]image.Param, len(p.Places))
	for i, at := range p.Places {
		params[i] = image.Param{Name: p.Params[i].Name, Offset: at.Offset, Size: at.Size, Align: at.Align}
	}
	return params
}

// compare compares p with what the image says, and takes its symbol from there.
func (p *provedKernel) compare(img *image.Image) error {
	name, demangled := p.ImageName()
	compiled, err := img.Find(name, demangled)
	var missing *image.NotFoundError
	if errors.As(err, &missing) && missing.Several {
		return diag.CodeOf(err).Errorf("%w: %w", err, diag.Do("rename one of them"))
	}
	if missing != nil && p.Args != nil {
		return diag.Template.Errorf("%w: the source has to instantiate it, so %w", err, diag.Do("add at its end: %s", p.Instantiation(false)))
	}
	if err != nil {
		return err
	}
	if !compiled.Takes(demangled) {
		return diag.LayoutsDisagree.Errorf("its parameters are (%s) by the source and (%s) in the image", strings.Join(demangled, ", "), strings.Join(compiled.ParamTypes, ", ")).About(p.Name)
	}
	if err := compare.Block(p.Name, p.byTheSource(), compiled); err != nil {
		return err
	}
	p.Symbol = compiled.Symbol
	if img.Version == "" {
		return nil
	}
	return compareShapes(p.Kernel.Kernel, compiled)
}

// compareShapes compares the attributes of k that decide how it is launched with the PTX.
func compareShapes(k *cu.Kernel, compiled *image.Kernel) error {
	differ := func(attribute string, source []int64, image [3]int) error {
		shape := [3]int{1, 1, 1}
		for i, n := range source[:min(len(source), len(shape))] {
			shape[i] = int(n)
		}
		if len(source) == 0 || image == [3]int{} || shape == image {
			return nil
		}
		return compare.Error{{Kernel: k.Name, What: attribute, Source: fmt.Sprint(shape), Compiler: fmt.Sprint(image), Said: compare.InImage}}
	}
	most := compiled.MaxThreads
	if len(k.LaunchBounds) > 0 && most != [3]int{} {
		most = [3]int{most[0] * most[1] * most[2], 1, 1}
		if err := differ("__launch_bounds__", k.LaunchBounds[:1], most); err != nil {
			return err
		}
	}
	if err := differ("__block_size__", k.BlockSize, compiled.ReqThreads); err != nil {
		return err
	}
	return differ("__cluster_dims__", k.ClusterDims, compiled.ReqCluster)
}

// compareAnswers compares p with what the compiler states about it, and notes who proved
// which parameter and class.
func (p *provedKernel) compareAnswers(t *compare.Answers) error {
	k := compare.Kernel{Name: p.Name}
	for _, param := range p.Params {
		k.Params = append(k.Params, compare.Param{Name: param.Name, Type: param.Type})
	}
	if debug := p.debug(t); debug != nil {
		compared, err := compare.Fields(k, debug)
		if err != nil {
			return err
		}
		for i, done := range compared.Params {
			if done {
				p.Witnesses[i] = append(p.Witnesses[i], record.Debug)
			}
		}
		p.classes = compared.Classes
	}
	if answers := t.Kernels[p.Origin]; answers != nil {
		if err := compare.Kinds(k, answers); err != nil {
			return err
		}
		for i := range p.Witnesses {
			p.Witnesses[i] = append(p.Witnesses[i], record.Probe)
		}
	}
	return nil
}

// debug returns what the debug information has of p, or nil.
func (p *provedKernel) debug(t *compare.Answers) *witness.Kernel {
	name, types := p.ImageName()
	there, err := t.Image.Find(name, types)
	if err != nil {
		return nil
	}
	return t.DebugOf(p.Origin, there.Symbol)
}
