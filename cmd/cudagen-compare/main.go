// Command cudagen-compare compares what cudagen reads from all .cu files in a folder, without
// a compiler, with nvcc's output. Run cudagen-compare -h.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/compile"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK    = 0
	exitWrong = 1 // a kernel is wrong or missed, or the folder cannot be read
	exitUsage = 2 // the command line is wrong
)

const usage = `cudagen-compare compares what cudagen reads from .cu files, without a compiler, with
nvcc's output.

Usage:

	cudagen-compare [flags] folder…

It compiles every .cu file in the folders, and in the folders below, with debug
information. It compares the parameters of each kernel with those in the PTX: their
number, types, offsets, sizes and alignments. Of each parameter that is a class, struct or
union, it compares every field with the debug information: the fields that cudagen
inspect -json lists, and the members of those.

For each kernel that is wrong (something differs), missed (only the image has it) or
refused, it prints a line file:line: kernel: outcome: reason, and at the end the counts.
nvcc writes no debug information for large parameters that a kernel does not use; they are
counted. Files that nvcc does not compile are not compared.

The exit code is 1 if a kernel is wrong or missed.

Example:

	cudagen-compare -I include -D BLOCK=256 src

Flags:

`

// options are the command line.
type options struct {
	folders []string
	source  gen.SourceOptions
	arch    string
	jobs    int
}

func run(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "cudagen-compare: %v (see cudagen-compare -h)\n", err)
		return exitUsage
	}
	compiler, err := compile.FindNVCC(getenv)
	if err != nil {
		fmt.Fprintf(stderr, "cudagen-compare: %v\n", err)
		return exitWrong
	}
	files, err := sources(o.folders)
	if err != nil {
		fmt.Fprintf(stderr, "cudagen-compare: %v\n", err)
		return exitWrong
	}
	code := printResults(stdout, compareAll(ctx, files, o, compiler))
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "cudagen-compare: interrupted: the results are incomplete")
		return exitWrong
	}
	return code
}

func parse(args []string, stdout io.Writer) (*options, error) {
	var o options
	flags := flag.NewFlagSet("cudagen-compare", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	list := func(to *[]string) func(string) error {
		return func(value string) error { *to = append(*to, value); return nil }
	}
	flags.Func("I", "`folder` of included files; may be given more than once", list(&o.source.Include))
	flags.Func("D", "macro `name[=value]`; may be given more than once", list(&o.source.Define))
	flags.StringVar(&o.source.Std, "std", gen.DefaultStd, "C++ `standard`")
	flags.StringVar(&o.arch, "arch", "compute_75", "virtual `architecture` to compile for")
	flags.IntVar(&o.jobs, "j", runtime.NumCPU(), "compile `n` files at a time")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return nil, err
	}
	if o.folders = flags.Args(); len(o.folders) == 0 {
		return nil, errors.New("name a folder, or .cu files")
	}
	for i, folder := range o.source.Include {
		// The compiler runs in a folder of its own.
		absolute, err := filepath.Abs(folder)
		if err != nil {
			return nil, err
		}
		o.source.Include[i] = absolute
	}
	if o.jobs < 1 {
		return nil, fmt.Errorf("-j must be at least 1, not %d", o.jobs)
	}
	return &o, nil
}

// sources returns the .cu files in the folders, sorted.
func sources(folders []string) ([]string, error) {
	var files []string
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() && filepath.Ext(path) == ".cu" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(files)
	return files, nil
}

// A result is what came of one file.
type result struct {
	file     string
	report   *inspect.Report
	failed   error // why the file was not understood
	findings []inspect.Finding
	compiled bool

	described bool // with debug information
}

// compareAll returns what came of each file, in their order; when ctx is done, of those
// that were finished.
func compareAll(ctx context.Context, files []string, o *options, compiler compile.Compiler) []result {
	results := make([]result, len(files))
	next := make(chan int)
	var workers sync.WaitGroup
	for range o.jobs {
		workers.Go(func() {
			for i := range next {
				results[i] = compareFile(ctx, files[i], o, compiler)
			}
		})
	}
	for i := range files {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return slices.DeleteFunc(results, func(r result) bool { return r.file == "" })
}

func compareFile(ctx context.Context, path string, o *options, compiler compile.Compiler) result {
	r := result{file: path}
	reading := gen.NewReader(gen.Options{SourceOptions: o.source, Archs: []string{o.arch}}).Read(path)
	if reading.File == nil {
		r.failed = reading.Errors
	} else {
		r.report = inspect.New(reading, inspect.Options{All: true})
	}
	if ctx.Err() != nil {
		return result{}
	}
	report := r.report
	if report == nil {
		report = &inspect.Report{File: path}
	}
	ptx, err := compiled(ctx, path, reading.Instantiations, o, compiler)
	switch {
	case ctx.Err() != nil:
		return result{}
	case err != nil:
		return r
	}
	r.compiled = true
	if r.findings, r.described, err = inspect.Compare(report, ptx); err != nil {
		r.failed = errors.Join(r.failed, err)
	}
	return r
}

// compiled returns the PTX that the compiler makes of a file with suffix behind it, with debug information
// if it can make that.
func compiled(ctx context.Context, path, suffix string, o *options, compiler compile.Compiler) ([]byte, error) {
	request := compile.Request{Source: path, Arch: o.arch, Flags: append([]string{"-w"}, o.source.Flags()...), Debug: true, Suffix: suffix}
	output, err := compiler.Compile(ctx, request)
	if err != nil && ctx.Err() == nil {
		request.Debug = false
		output, err = compiler.Compile(ctx, request)
	}
	if err != nil {
		return nil, err
	}
	return output.Code, nil
}
