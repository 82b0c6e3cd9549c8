// Package gen turns annotated CUDA kernels into Go: the pipeline of cudagen, for the
// command and for programs that generate by themselves. Start with Generate.
//
// It joins what the packages below it know: gen/cu reads the source, gen/directive
// the directives, gen/layout computes offsets, gen/compile makes the image, gen/image
// reads the image's own offsets, gen/emit prints Go, gen/record remembers.
package gen

import (
	"context"
	"errors"
	"go/scanner"
	"slices"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/emit"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/record"
)

// Options say what to generate.
type Options struct {
	Source  string   // path of the .cu file; the output goes beside it
	Archs   []string // targets: compute_75 …
	Package string   // name of the Go package; empty: that of the folder
	Force   bool     // compile even when the image is current

	// KeepGoing generates the kernels that can be wrapped when others cannot: those are
	// in Result.Refused.
	KeepGoing bool

	SourceOptions

	// FindCompiler is called when something has to be compiled. Nil means
	// compile.FindNVCC over the environment.
	FindCompiler func() (compile.Compiler, error)
}

// A Result says what Generate did.
type Result struct {
	Compiled []string // why the source was compiled: "kernels.cu changed"; empty when it was not
	Compiler string   // name and version of the compiler that made the image, now or before
	Written  []string // paths of the files whose content changed
	Kernels  int
	Refused  scanner.ErrorList // why kernels were left out, with Options.KeepGoing; sorted
	Warnings scanner.ErrorList // of the front end, and of the compiler when it ran; sorted
}

// Generate reads o.Source and writes, beside it, the Go wrappers of its kernels, the
// image, and the record of what was proved. A file whose content is the same already
// is not touched; a file that cudagen did not write is not overwritten; on an error
// nothing is written.
//
// Errors of the source are a go/scanner.ErrorList, not wrapped, with every mistake
// that was found, sorted by position.
func Generate(ctx context.Context, o Options) (*Result, error) {
	if o.Arch == 0 {
		o.Arch = firstArch(o.Archs)
	}
	file, source, err := parseSource(o.Source, o.SourceOptions)
	if file == nil {
		return nil, err
	}
	kernels, refused, kernelsErr := selectKernels(file, o)
	if err := joinErrors(err, kernelsErr, refused, file); err != nil {
		return nil, err
	}
	out := outputs(o.Source)
	img, err := obtainImage(ctx, o, out)
	if err != nil {
		return nil, err
	}
	seen, err := image.ReadPTX(out.ptx, img.ptx)
	if err != nil {
		return nil, err
	}
	proved, err := prove(kernels, seen)
	if err != nil {
		return nil, err
	}
	pkg, err := packageName(o)
	if err != nil {
		return nil, err
	}
	m, err := buildModel(file, source, pkg, proved, out, img)
	if err != nil {
		return nil, err
	}
	code, err := emit.File(m)
	if err != nil {
		return nil, err
	}
	img.record.Kernels, img.record.Structs = recordKernels(proved), recordStructs(m)
	written, err := writeFiles([]outputFile{
		{out.ptx, img.ptx, isGeneratedPTX},
		{out.goFile, code, isGeneratedGo},
		{out.record, img.record.Encode(), isRecord},
	})
	if err != nil {
		return nil, err
	}
	warnings := slices.Concat(file.Warnings, img.warnings)
	warnings.Sort()
	return &Result{
		Compiled: img.reasons, Compiler: compilerName(img.record), Written: written,
		Kernels: len(m.Kernels), Refused: refused, Warnings: warnings,
	}, nil
}

// joinErrors puts what is wrong with the file and with its kernels into one sorted list.
// That there is no kernel counts only when the file was understood.
func joinErrors(fileErr, kernelsErr error, refused scanner.ErrorList, file *cu.File) error {
	var list, kernels scanner.ErrorList
	if !errors.As(fileErr, &list) {
		return kernelsErr
	}
	if len(file.Kernels) > 0 {
		errors.As(kernelsErr, &kernels)
	}
	list = slices.Concat(list, kernels, refused)
	list.Sort()
	return list
}

func compilerName(r *record.Record) string { return r.Compiler.Name + " " + r.Compiler.Version }

// An InputError is something wrong with a file as a whole.
type InputError struct {
	Path   string
	Reason string
}

func (e *InputError) Error() string { return e.Path + ": " + e.Reason }
