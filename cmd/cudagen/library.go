package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/cudagen/cudagen/gen/clib"
	"github.com/cudagen/cudagen/internal/diag"
)

const libraryUsage = `cudagen library makes a Go package of a C library.

Usage:

	cudagen library [flags] lib.h…
	cudagen library [flags] folder…     the headers in folders with a directive library
	cudagen library [flags] ./...       those here and below

lib.h includes the library's header, or is it, and has directives: which functions, and what their
pointers point to. docs/libraries.md describes them. The package is lib_clib.go, beside it. nvcc
confirms every type; a run in which nothing has changed needs no compiler. The Go file names -I, -D and
-std, and a run without any of them uses those.

Flags:

`

// runLibrary runs the subcommand library.
func runLibrary(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	r := newReporter(getenv, stdout, stderr)
	flags, o := libraryFlags()
	headers, err := parseMixed(flags, args, libraryUsage, stdout)
	if err == nil && len(headers) == 0 {
		err = diag.Flags.Errorf("there is no header: %w", diag.Do("give the file with the directives: cudagen library lib.h"))
	}
	if err != nil {
		return notRun("cudagen library", err, stderr)
	}
	if headers, err = clib.Find(headers); err != nil {
		r.errors(err)
		return exitInput
	}
	code := exitOK
	for _, header := range headers {
		one := *o
		one.Source = header
		result, err := clib.Generate(ctx, one)
		switch {
		case err != nil:
			r.errors(err)
			code = exitInput
		case result.Stale != "":
			r.stale(result.Path, diag.Stale.New(result.Path+" "+result.Stale))
			code = exitInput
		case result.Written:
			fmt.Fprintf(stderr, "cudagen: wrote %s (%d functions, confirmed by %s)\n", result.Path, result.Functions, result.Compiler)
		}
	}
	return code
}

// libraryFlags returns the flags of library.
func libraryFlags() (*flag.FlagSet, *clib.Options) {
	o := new(clib.Options)
	flags := flag.NewFlagSet("cudagen library", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	list := func(to *[]string) func(string) error {
		return func(s string) error { *to = append(*to, s); return nil }
	}
	flags.Func("I", "look for headers in `folder`", list(&o.Include))
	flags.Func("D", "define the macro `NAME=value`", list(&o.Define))
	flags.StringVar(&o.Std, "std", "", "read C++ of `version`, c++17 by default")
	flags.StringVar(&o.Package, "pkg", "", "`name` of the Go package, that of the folder by default")
	flags.BoolVar(&o.Check, "check", false, "write nothing, and fail if the Go file is not current")
	flags.BoolVar(&o.Force, "force", false, "generate also if nothing has changed")
	return flags, o
}
