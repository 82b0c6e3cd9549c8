package gen

import (
	"fmt"
	"go/scanner"
	"slices"

	"github.com/cudagen/cudagen/gen/bind"
	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/read"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/selection"
	"github.com/cudagen/cudagen/gen/source"
)

// A unit is one source file on its way through the pipeline. Each step fills in what the
// next ones need.
type unit struct {
	options *Options
	place   source.Place

	sel     *selection.Selection // read; obtainImages makes another, with what the compiler explains
	refused scanner.ErrorList    // why kernels are left out

	// obtainImages
	images   []imageFile
	record   *record.Record // inputs, options, compiler and images; fillRecord completes it
	reasons  []string       // why it was compiled
	cached   bool           // what was compiled came from the cache
	warnings scanner.ErrorList

	testimony *testimony     // of the compiler, when it ran
	unheard   string         // why there is none, when the compiler could have given one
	askAgain  func() error   // hears the compiler itself, if it was not it that was heard
	committed *record.Record // when it did not
	included  []string       // absolute paths of the files that the compiler read, when it says

	proved    []*proved
	variables []*variable
	evidence  map[any]evidence // of the types in the model, by layout.Identity
	bound     *bind.Bound
	code      []byte
}

// open makes a unit of every source, and finds out what the options cannot mean.
func (p *pipeline) open() error {
	if len(p.Sources) != 1 && (p.Output != "" || p.Name != "") {
		return fmt.Errorf("-o and -name are for a single source, and there are %d", len(p.Sources))
	}
	if err := checkPTXVersion(p.PTXVersion); err != nil {
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
	return each(p.units, func(u *unit) (err error) {
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
func (u *unit) giveUp() error {
	problems := u.sel.UnclearProblems()
	if u.options.KeepGoing && len(u.sel.Kernels) > 0 {
		u.refused = slices.Concat(u.refused, problems)
		u.refused.Sort()
		return nil
	}
	return problems.Err()
}

// emit prints the Go file.
func (u *unit) emit() (err error) {
	u.code, err = emit.File(u.bound.Model)
	return err
}

// product returns what is written for the unit.
func (u *unit) product() output.Product {
	p := output.Product{Place: u.place, Go: u.code, Record: u.record, Force: u.options.Force, Deps: u.options.DepFile}
	for _, image := range u.images {
		p.Images = append(p.Images, output.Image{Path: image.path, Content: image.content})
	}
	return p
}
