package gen

import (
	"fmt"
	"go/scanner"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/build"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/proof"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
	"github.com/cudagen/cudagen/gen/testimony"
	"github.com/cudagen/cudagen/internal/parallel"
)

// A unit is one source on its way through the stages: what each has handed on.
type unit struct {
	options *Options
	place   source.Place

	sel     *selection.Selection // of package read, and then of package build
	refused scanner.ErrorList    // why kernels are left out

	built    *build.Built
	proofs   *proof.Proofs
	bound    *bind.Bound
	record   *record.Record
	warnings scanner.ErrorList // of the gate
	code     []byte
}

// open makes a unit of every source, and finds out what the options cannot mean.
func (p *pipeline) open() error {
	if len(p.Sources) != 1 && (p.Output != "" || p.Name != "") {
		return fmt.Errorf("-o and -name are for a single source, and there are %d", len(p.Sources))
	}
	if p.Embed != "" && p.Embed != EmbedImage && p.Embed != EmbedSource {
		return fmt.Errorf("-embed %s: embed %s or %s", p.Embed, EmbedImage, EmbedSource)
	}
	if err := build.CheckPTXVersion(p.PTXVersion); err != nil {
		return err
	}
	if p.PTXVersion == MinPTXVersion {
		p.PTXVersion = ""
	}
	places, err := output.Places(p.Sources, p.Output)
	for _, place := range places {
		p.units = append(p.units, &unit{options: &p.Options, place: place})
	}
	return err
}

// read reads every source.
func (p *pipeline) read() error {
	return parallel.Each(p.units, func(u *unit) (err error) {
		if u.sel, err = read.Read(u.place, u.options.read(p.nvrtc)); err == nil {
			u.refused = u.sel.Refused
		}
		return err
	})
}

// read returns the options of package read.
func (o *Options) read(nvrtc bool) read.Options {
	return read.Options{Options: o.SourceOptions, NVRTC: nvrtc, Archs: o.Archs, KeepGoing: o.KeepGoing}
}

// giveUp reports the kernels that neither source nor compiler explain.
func (u *unit) giveUp() (err error) {
	u.refused, err = u.sel.GiveUp(u.options.KeepGoing)
	return err
}

// prove compares the witnesses.
func (u *unit) prove() error {
	in := proof.Input{Selection: u.sel, Clang: u.built.Record.Compiler.Name == "clang", Testimony: u.built.Testimony, Again: u.hearAgain}
	for i := range u.built.Images {
		seen, err := u.built.Images[i].Read()
		if err != nil {
			return err
		}
		in.Images = append(in.Images, seen...)
	}
	var err error
	u.proofs, err = proof.Prove(in)
	return err
}

// hearAgain hears the compiler itself in place of its companion.
func (u *unit) hearAgain() (*testimony.Testimony, error) {
	again, err := u.built.Again()
	u.built = again
	return again.Testimony, err
}

// attest writes down what was proved.
func (u *unit) attest() (err error) {
	u.record, u.warnings, err = proof.Attest(u.statement())
	return err
}

// statement returns what is written down.
func (u *unit) statement() proof.Statement {
	return proof.Statement{
		Selection: u.sel, Proofs: u.proofs, Model: u.bound.Model, Origins: u.bound.Origins,
		Record: u.built.Record, Committed: u.built.Committed, Reasons: u.built.Reasons, Unheard: u.built.Unheard, Std: u.options.Std,
	}
}

// product returns what is written for the unit.
func (u *unit) product() output.Product {
	p := output.Product{Place: u.place, Go: u.code, Record: u.record, Force: u.options.Force, Deps: u.options.DepFile}
	for _, image := range u.built.Images {
		p.Images = append(p.Images, output.Image{Path: image.Path, Content: image.Content})
	}
	return p
}
