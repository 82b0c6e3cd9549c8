// Package read takes the path of a source, hands on the selection of it that Go gets, and knows
// neither a compiler's layouts nor the Go names in the package. It parses the source, reads the
// directives in it, and selects kernels, variables, types and constants. Generating and inspecting use
// it alike.
//
// Start with Read.
package read

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// Options say how sources are read and what is selected.
type Options struct {
	source.Options
	Compiler  string          // its name, if it is known
	Flags     []string        // more arguments for it
	Linked    bool            // with other files: -rdc=true
	Context   context.Context // ends reading; nil if nothing does
	NVRTC     bool            // as NVRTC reads them
	Archs     []string        // targets: they bound the bytes of parameters
	KeepGoing bool            // kernels that cannot be wrapped are left out, as long as others remain
	Images    bool            // with All, they will tell which instances of templates there are
}

// A Source is what Read reads, with what is known of it already.
type Source struct {
	Place source.Place
	File  *cu.File // nil until it is parsed

	// Before is an earlier selection of the source, or nil. With it, Told has the types of
	// parameters of unclear kernels that a compiler told.
	Before *selection.Selection
	Told   []selection.Told

	Instances []cu.ImageInstance // of templates, that an image has
}

// Read reads what is not known of the source: the file, and what its directives select. Of a
// selection it returns another one, with what is told of unclear kernels: those whose
// parameters are known now are selected, and the others have the reason among their errors.
//
// An error is a *source.Error, when the source cannot be read, or a diag.List of
// everything that is wrong with it. The selection is there, too, unless the source as a
// whole is not understood.
func Read(src Source, o Options) (*selection.Selection, error) {
	switch {
	case src.Before != nil:
		return explain(src.Before, src.Told, o), nil
	case src.File != nil:
		return choose(src.Place, src.File, nil, o)
	}
	file, err := parse(src, o)
	if file == nil {
		return nil, err
	}
	o.Images = o.Images && src.Instances == nil // otherwise one has told
	s, problems := choose(src.Place, file, err, o)
	if err != nil {
		return nil, problems
	}
	return s, problems
}

// choose selects what Go gets. fileErr reports what is wrong with the file as a whole; the error
// has that and everything else that is wrong with the source.
func choose(place source.Place, file *cu.File, fileErr error, o Options) (*selection.Selection, error) {
	s := &selection.Selection{Place: place, File: file, Exports: exports(file), Types: typeDirectives(file)}
	kernelsErr := selectKernels(s, o)
	variables, variableErrs := selectVariables(file)
	s.Variables = variables
	variableErrs = append(variableErrs, readData(s)...)
	if fileErr == nil && kernelsErr == nil && len(variableErrs) == 0 {
		return s, nil
	}
	return s, joinErrors(fileErr, kernelsErr, slices.Concat(s.Refused, variableErrs, s.UnclearProblems()), file)
}

// parse reads the .cu file of src and what it includes.
//
// An error is a *source.Error, when the file cannot be read, or a
// diag.List of what is wrong with it as a whole. What is not understood
// of a single kernel stands in its Errors.
func parse(src Source, o Options) (*cu.File, error) {
	path := src.Place.Path
	if filepath.Ext(path) != ".cu" {
		return nil, source.NewError(path, diag.NoFile.Errorf("is not a .cu file: %w", diag.Do("give the CUDA source to generate from")))
	}
	if base := filepath.Base(path); base[0] == '_' || base[0] == '.' {
		return nil, source.NewError(path, diag.NoFile.Errorf("begins with %s, and Go ignores files named so: %w", base[:1], diag.Do("rename it")))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, source.Unreadable(path, err)
	}
	flags := o.Flags
	if o.Linked {
		flags = append(slices.Clone(flags), "-rdc=true")
	}
	view := compile.ViewOf(flags, o.Compiler, src.Place.Module)
	config := cu.Config{
		Include: slices.Concat(o.Include, view.Include), Define: o.Define, Macros: view.Macros, Std: cmp.Or(view.Std, o.Std), Arch: o.Arch, NVRTC: o.NVRTC, Context: o.Context, Instances: src.Instances, Read: make(reader).read, SizeOf: layout.Of, OffsetOf: layout.Offset,
	}
	file, err := config.ParseFile(path, text)
	if list := (diag.List)(nil); errors.As(err, &list) && file.Arch {
		suggestArch(config, path, text, list)
	}
	return file, err
}

// laterArchs are the compute capabilities, times ten, that sources are read for where they demand a later one.
var laterArchs = []int{80, 86, 89, 90, 100, 120}

// suggestArch adds to the #error lines that config reaches, among the errors in list, the smallest architecture
// for which none is reached.
func suggestArch(config cu.Config, path string, text []byte, list diag.List) {
	reached := func(e *diag.Error) bool { return e.Remedy == cu.AnotherBranch }
	at := slices.IndexFunc(list, reached)
	if at < 0 {
		return
	}
	for _, arch := range laterArchs {
		if arch <= config.Arch {
			continue
		}
		config.Arch = arch
		var again diag.List
		_, err := config.ParseFile(path, text)
		if errors.As(err, &again); !slices.ContainsFunc(again, reached) {
			remedy := diag.Do("give -arch compute_%d", arch)
			list[at].Add(diag.Message{Text: fmt.Sprintf("; it is not reached for compute_%d: %s", arch, remedy)})
			list[at].Remedy = remedy
			return
		}
	}
}

// joinErrors puts what is wrong with the file and with its kernels into one sorted list.
// That there is no kernel counts only when the file was understood.
func joinErrors(fileErr, kernelsErr error, others diag.List, file *cu.File) error {
	var list, kernels diag.List
	if fileErr != nil && !errors.As(fileErr, &list) {
		return fileErr
	}
	if len(list) == 0 || len(file.Kernels) > 0 {
		errors.As(kernelsErr, &kernels)
	}
	list = slices.Concat(list, kernels, others)
	list.Sort()
	return list
}
