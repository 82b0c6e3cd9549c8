package gen

import (
	"context"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/bind"
	"github.com/cudagen/cudagen/gen/internal/build"
	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/gen/internal/output"
	"github.com/cudagen/cudagen/gen/internal/proof"
	"github.com/cudagen/cudagen/gen/internal/read"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/parallel"
	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A unit is one source on its way through the stages: what each has handed on.
type unit struct {
	options *Options
	place   source.Place

	sel     *selection.Selection // of package read, and then of package build
	refused diag.List            // why kernels are left out

	built    *build.Built
	proofs   *proof.Proofs
	bound    *bind.Bound
	record   *record.Record
	warnings diag.List // of the gate
	rendered output.Rendered
	code     []byte
}

// check finds out what the options cannot mean, for some sources.
func (o *Options) check(sources int) error {
	if sources != 1 && (o.Output != "" || o.Name != "") {
		return diag.Flags.Errorf("-o and -name are for a single source, and there are %d", sources)
	}
	if o.Embed != "" && o.Embed != EmbedImage && o.Embed != EmbedSource {
		return diag.EmbeddedCode.Errorf("-embed %s: %w", o.Embed, diag.Do("write %s or %s", EmbedImage, EmbedSource))
	}
	if _, ok := ptx.ParseVersion(o.PTXVersion); !ok && !slices.Contains([]string{"", MinPTXVersion, KeepPTXVersion}, o.PTXVersion) {
		return diag.FlagValue.Errorf("-ptx-version %s: %w", o.PTXVersion, diag.Do("write keep, min, or a version of the PTX ISA: 7.8"))
	}
	names := bind.Options{Package: o.Package, Name: o.Name, Tags: o.Tags}
	return names.Check()
}

// open makes a unit of every source.
func (p *pipeline) open() (err error) {
	if err := p.check(len(p.Sources)); err != nil {
		return err
	}
	p.places, err = source.Places(p.Sources, p.Output)
	for _, place := range p.places {
		p.units = append(p.units, &unit{options: &p.Options, place: place})
	}
	return err
}

// read reads every source.
func (p *pipeline) read() error {
	return parallel.Each(p.units, func(u *unit) (err error) {
		known := false
		if p.together != nil {
			u.sel, known = p.together.read[source.Absolute(u.place.Record)]
		}
		if !known {
			u.sel, err = read.Read(read.Source{Place: u.place}, u.options.read(p.ctx, p.nvrtc))
		}
		if err == nil {
			u.refused = u.sel.Refused
		}
		return err
	})
}

// read returns the options of package read.
func (o *Options) read(ctx context.Context, nvrtc bool) read.Options {
	return read.Options{Context: ctx, Options: o.SourceOptions, Compiler: o.Compiler, Flags: o.CompilerFlags, Linked: len(o.Link) > 0, NVRTC: nvrtc, Archs: o.Archs, KeepGoing: o.KeepGoing, Images: o.Embed != EmbedSource}
}

// left returns what of the unit is not left out.
func (u *unit) left() *proof.LeavableSource {
	return &proof.LeavableSource{Selection: u.sel, Refused: u.refused}
}

// recall gives up what nobody explained and, if nothing is compiled, what an earlier run left out: what contradicted it is not there.
func (u *unit) recall() (err error) {
	if u.refused, err = u.sel.GiveUp(u.options.KeepGoing, u.built.NoAnswers); err != nil || u.built.Committed == nil {
		return err
	}
	left := u.left()
	err = left.Recall(u.built.Committed.Refused, u.options.KeepGoing)
	u.sel, u.refused = left.Selection, left.Refused
	return err
}

// prove compares the witnesses.
func (u *unit) prove() (err error) {
	u.proofs, err = proof.Prove(proof.Input{
		Selection: u.sel, Images: u.built.Images, Compiler: u.built.Record.Compiler.Name, Answers: u.built.Answers, Again: u.askAgain,
	})
	u.proofs.RecallSymbols(u.built.Committed)
	return err
}

// askAgain asks the compiler itself in place of its companion.
func (u *unit) askAgain() (*compare.Answers, error) {
	again, err := u.built.Again()
	u.built = again
	return again.Answers, err
}

func (u *unit) selected() *selection.Selection { return u.sel }

// shared returns what the Go package is made of.
func (u *unit) shared() output.SharedSource {
	return output.SharedSource{Selection: u.sel, Model: u.rendered.Model, Origins: u.bound.Origins, Plain: u.bound.Plain, Unknown: !u.proofs.Known()}
}

// named returns the selection with the symbols that were proved.
func (u *unit) named() proof.Named {
	n := proof.Named{Selection: u.sel}
	n.KernelSymbols, n.VariableSymbols = u.proofs.Symbols()
	return n
}

// compiled returns what the model is made of besides the selection, which has the symbols of n.
func (u *unit) compiled(n proof.Named) *bind.Compiled {
	c := &bind.Compiled{KernelSymbols: n.KernelSymbols, VariableSymbols: n.VariableSymbols, Compiler: u.built.Record.Compiler.String()}
	for _, image := range u.built.Record.Images { // which need not be there when they are stale
		c.Images = append(c.Images, model.Image{File: image.File, SHA256: image.SHA256, Targets: image.Targets})
	}
	if u.options.Embed == EmbedSource {
		c.Embed = &bind.Embed{Inputs: u.built.Record.Inputs, Compiler: u.built.Record.Compiler, Options: u.options.SourceOptions, CompilerFlags: u.options.CompilerFlags}
	}
	return c
}

// confirm writes down what was proved.
func (u *unit) confirm() (err error) {
	u.record, u.warnings, err = proof.Record(proof.Statement{
		Selection: u.sel, Proofs: u.proofs, Model: u.bound.Model, Origins: u.bound.Origins,
		Record: u.built.Record, Committed: u.built.Committed, Reasons: u.built.Reasons, NoAnswers: u.built.NoAnswers, Std: u.options.Std,
	})
	if err != nil {
		return err
	}
	u.recordOutput()
	if u.record.Qualified = nil; len(u.bound.Plain) > 0 {
		u.record.Qualified = u.bound.Plain
	}
	old, _ := record.Read(u.place.Record) // without one, or with a damaged one, no name is known
	renamed, err := proof.Names(old, u.record, u.sel, u.bound.Model)
	u.warnings = append(u.warnings, renamed...)
	return err
}

// product returns the files of the unit.
func (u *unit) product() output.Product {
	return output.Product{
		Place: u.place, Images: u.built.Images, Go: u.code, Record: u.record, More: u.rendered.Files, Inputs: u.rendered.Inputs,
		Archs: u.options.Archs, Reasons: u.built.Reasons, Force: u.options.Force, Deps: u.options.DepFile,
	}
}
