package gen

import (
	"fmt"
	"go/scanner"
	"path/filepath"

	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/gen/record"
)

// A unit is one source file on its way through the pipeline. Each step fills in what the
// next ones need.
type unit struct {
	options *Options
	path    string // of the .cu file, as given
	module  string // the folder of the Go module that it is in, absolute
	out     paths

	// read
	file    *cu.File
	source  []byte
	kernels []*selected
	refused scanner.ErrorList

	// obtainImages
	images   []imageFile
	record   *record.Record // inputs, options, compiler and images; files completes it
	reasons  []string       // why it was compiled
	warnings scanner.ErrorList

	proved []*proved
	model  *model.File
	code   []byte
}

// open makes a unit of every source, and finds out what the options cannot mean.
func (p *pipeline) open() error {
	if len(p.Sources) != 1 && (p.Output != "" || p.Name != "") {
		return fmt.Errorf("-o and -name are for a single source, and there are %d", len(p.Sources))
	}
	byOutput := make(map[string]string)
	for _, path := range p.Sources {
		out, err := outputs(path, p.Output)
		if err != nil {
			return err
		}
		key, err := filepath.Abs(out.goFile)
		if err != nil {
			return &InputError{path, describe(err)}
		}
		if other, twice := byOutput[key]; twice {
			return &InputError{path, "and " + other + " have the same output, " + out.goFile + ": rename one of them"}
		}
		byOutput[key] = path
		p.units = append(p.units, &unit{options: &p.Options, path: path, module: moduleDir(path), out: out})
	}
	return nil
}

// read parses the source and selects the kernels.
func (u *unit) read() (err error) {
	u.file, u.source, err = parseSource(u.path, u.options.SourceOptions)
	if u.file == nil {
		return err
	}
	kernels, refused, kernelsErr := selectKernels(u.file, *u.options)
	u.kernels, u.refused = kernels, refused
	return joinErrors(err, kernelsErr, refused, u.file)
}

// emit prints the Go file.
func (u *unit) emit() (err error) {
	u.code, err = emit.File(u.model)
	return err
}

// files returns what is written for the unit.
func (u *unit) files() []outputFile {
	var files []outputFile
	for _, image := range u.images {
		files = append(files, outputFile{image.path, image.content, image.ours})
	}
	u.record.Kernels, u.record.Structs = recordKernels(u.proved), recordStructs(u.model)
	return append(files,
		outputFile{u.out.goFile, u.code, isGeneratedGo},
		outputFile{u.out.record, u.record.Encode(), isRecord})
}
