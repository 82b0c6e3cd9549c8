package gen

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/output"
	"github.com/cudagen/cudagen/gen/record"
	"github.com/cudagen/cudagen/gen/source"
)

// A unit is one source file on its way through the pipeline. Each step fills in what the
// next ones need.
type unit struct {
	options *Options
	place   source.Place

	// read
	file    *cu.File
	source  []byte
	kernels []*selected
	unclear []*selected // what the compiler has to tell about; obtainImages moves them to kernels
	refused scanner.ErrorList

	variables []*variable // exported ones; prove completes them

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

	origins map[string]origin // of the types in model, by Go name

	proved   []*proved
	evidence map[any]evidence // of the types in model, by layout.Identity
	model    *model.File
	code     []byte
}

// An origin says where a type in the model comes from.
type origin struct {
	t    ctype.Type // a struct or an enum
	pos  token.Position
	told bool // by the compiler, and not by the source
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
		p.units = append(p.units, &unit{options: &p.Options, place: place, origins: make(map[string]origin)})
	}
	return err
}

// read reads every source.
func (p *pipeline) read() error {
	return each(p.units, func(u *unit) error { return u.read(p.nvrtc) })
}

// read parses the source and selects the kernels.
func (u *unit) read(nvrtc bool) (err error) {
	u.file, u.source, err = parseSource(u.place.Path, u.options.SourceOptions, nvrtc)
	if u.file == nil {
		return err
	}
	_, err = u.choose(err)
	return err
}

// choose selects what is generated for. fileErr is what is wrong with the file as a whole; the
// error is that and everything else that is wrong with the source.
func (u *unit) choose(fileErr error) (selection, error) {
	chosen, kernelsErr := selectKernels(u.file, *u.options)
	u.kernels, u.unclear, u.refused = chosen.kernels, chosen.unclear, chosen.refused
	variables, variableErrs := selectVariables(u.file)
	u.variables = variables
	if fileErr == nil && kernelsErr == nil && len(variableErrs) == 0 {
		return chosen, nil
	}
	return chosen, joinErrors(fileErr, kernelsErr, slices.Concat(u.refused, variableErrs, u.unclearProblems()), u.file)
}

// unclearProblems returns what is wrong with the kernels that nobody explains.
func (u *unit) unclearProblems() scanner.ErrorList {
	var list scanner.ErrorList
	for _, s := range u.unclear {
		list = append(list, s.problems(maxParams(u.options.Archs))...)
	}
	list.Sort()
	return list
}

// giveUp reports the kernels that neither source nor compiler explain.
func (u *unit) giveUp() error {
	problems := u.unclearProblems()
	if u.options.KeepGoing && len(u.kernels) > 0 {
		u.refused = append(u.refused, problems...)
		u.refused.Sort()
		return nil
	}
	return problems.Err()
}

// emit prints the Go file.
func (u *unit) emit() (err error) {
	u.code, err = emit.File(u.model)
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
