package gen

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/record"
)

// An obtained image is the committed one when it is current, a new one otherwise.
type obtained struct {
	ptx     []byte
	record  *record.Record // inputs, options, compiler and images; the rest is filled in later
	reasons []string       // why it was compiled

	warnings scanner.ErrorList // of the compiler
}

// obtainImage returns the image for o.Source. The hashes of the inputs and the
// options decide whether the committed image is current: no compiler is needed then.
func obtainImage(ctx context.Context, o Options, out paths) (*obtained, error) {
	inputs, err := record.Inputs(o.Source, os.ReadFile, o.Include...)
	if err != nil {
		return nil, err
	}
	options := record.Options{Arch: o.Archs, Flags: o.Flags()}
	committed, ptx, reasons, err := committedImage(out, inputs, options)
	if err != nil && !o.Force {
		return nil, err
	}
	if o.Force {
		reasons = []string{"-force"}
	}
	if len(reasons) == 0 {
		return &obtained{ptx: ptx, record: committed}, nil
	}
	compiled, err := compileImage(ctx, o, reasons[0])
	if err != nil {
		return nil, err
	}
	after, err := record.Inputs(o.Source, os.ReadFile, o.Include...)
	if err != nil {
		return nil, err
	}
	if !slices.Equal(inputs, after) {
		return nil, &InputError{o.Source, "it, or a file that it includes, changed while it was compiled: run cudagen again"}
	}
	return newImage(out, inputs, options, compiled, reasons)
}

// committedImage returns the record and the image beside the source, and why they
// are stale, if they are.
func committedImage(out paths, inputs []record.Input, options record.Options) (*record.Record, []byte, []string, error) {
	committed, err := record.Read(out.record)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, []string{filepath.Base(out.record) + " is missing"}, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if reasons := committed.Stale(inputs, options); len(reasons) > 0 {
		return nil, nil, reasons, nil
	}
	name := filepath.Base(out.ptx)
	ptx, err := os.ReadFile(out.ptx)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, []string{name + " is missing"}, nil
	case err != nil:
		return nil, nil, nil, &InputError{out.ptx, describe(err)}
	case len(committed.Images) != 1 || committed.Images[0].File != name || committed.Images[0].SHA256 != record.HashImage(ptx):
		return nil, nil, []string{name + " is not the image in " + filepath.Base(out.record)}, nil
	}
	return committed, ptx, nil, nil
}

func compileImage(ctx context.Context, o Options, reason string) (*compile.Output, error) {
	find := o.FindCompiler
	if find == nil {
		find = func() (compile.Compiler, error) { return compile.FindNVCC(os.Getenv) }
	}
	compiler, err := find()
	if err != nil {
		return nil, fmt.Errorf("%s: has to be compiled (%s): %w", o.Source, reason, err)
	}
	return compiler.Compile(ctx, compile.Request{Source: o.Source, Dir: moduleDir(o.Source), Archs: o.Archs, Flags: o.Flags(), LineInfo: true})
}

func newImage(out paths, inputs []record.Input, options record.Options, compiled *compile.Output, reasons []string) (*obtained, error) {
	ptx := append([]byte(marker), compiled.PTX...)
	seen, err := image.ReadPTX(out.ptx, ptx)
	if err != nil {
		return nil, err
	}
	name, version, _ := strings.Cut(compiled.Compiler, " ")
	return &obtained{
		ptx:      ptx,
		reasons:  reasons,
		warnings: compiled.Warnings,
		record: &record.Record{
			Format:   record.Format,
			Inputs:   inputs,
			Options:  options,
			Compiler: record.Compiler{Name: name, Version: version, Command: compiled.Command},
			Images:   []record.Image{{File: filepath.Base(out.ptx), SHA256: record.HashImage(ptx), Version: seen.Version, Target: seen.Target}},
		},
	}, nil
}

// moduleDir returns the folder of the go.mod above path, or path's own folder.
func moduleDir(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return filepath.Dir(path)
	}
	for dir := filepath.Dir(absolute); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return filepath.Dir(absolute)
		}
	}
}
