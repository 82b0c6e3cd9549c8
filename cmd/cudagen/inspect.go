package main

import (
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

const inspectUsage = `cudagen inspect prints what cudagen reads from .cu files, without a compiler.

Usage:

	cudagen inspect [-json] [-fields] [flags] file.cu… [-- compiler flags]
	cudagen inspect [-json] [-fields] [flags] folder… [-- compiler flags]
	cudagen inspect -record file.cu

For each kernel that a file defines, it prints the parameters with their offsets, sizes
and alignments in bytes, their C and Go types, the launch bounds, and the Go name. A
kernel is ok, a template, or unsupported with the reason. Exported variables follow.
In a folder it reads all .cu files, including those in the folders below.

It checks directives and chooses Go names as generating does with the same flags. Whether
files of one folder go together in one Go package, generating finds out. Errors and warnings go to stderr as file:line:col: message.

The exit code is 1 if generating would fail with any compiler. With -json it is 1 only if
a file cannot be read or parsed; other errors are in the JSON. A kernel whose types
cudagen cannot parse is unsupported and does not change the exit code: generating uses
the compiler's layout.

-json prints one object per file, each on one line. Offsets and sizes are in bytes:

	{"file":"k.cu",                 as given
	 "kernels":[{
	   "name":"k",                  without namespaces
	   "namespace":"a::b",
	   "symbol":"",                 only of extern "C" kernels
	   "status":"ok",               or template, unsupported
	   "reason":"",                 why the status is not ok
	   "line":3,
	   "paramBytes":24,             end of the last parameter
	   "params":[{
	     "name":"p", "offset":0, "size":24, "align":8,
	     "ctype":"a::S", "gotype":"S",
	     "goName":"p",              name of the Go argument
	     "goField":"P",             name of the field in the parameter block
	     "fields":[                 if ctype is a class, struct or union
	       {"name":"d", "offset":8, "size":8, "bits":0, "class":"a::S", "ctype":"double"},
	       {"name":"f", "offset":16, "size":1, "bits":3, "bitOffset":2, "class":"a::S", "ctype":"unsigned int"}]}],
	   "path":"k.cu", "column":17,
	   "included":false,            true in an included file: see -all
	   "qualified":"a::b::k<float>",
	   "templateArgs":["float"],
	   "demangled":"",              demangled symbol: a::b::k(a::S); not of instances and extern "C"
	   "generated":true,            the directives select the kernel
	   "goName":"K",                "" unless the kernel is generated
	   "errors":[]}],               as below
	 "variables":[…],               omitted if no variable is exported
	 "accepted":true,               false if generating fails with any compiler
	 "errors":[                     errors that belong to no kernel and no variable
	   {"file":"k.cu", "line":1, "column":1, "message":"…"}],
	 "warnings":[],
	 "notes":[…]}                   omitted if there are none: templates and instances that are not wrapped

The fields of a parameter are its data members, sorted by offset: members of the class,
of its base classes, and of anonymous structs and unions in it. A member with a name is
one field, even if it is a class or an array. Bit-fields without a name are omitted.
Offsets count from the beginning of the parameter. The first bit of a bit-field is bit
"bitOffset", 0 to 7, of the byte at "offset": DW_AT_data_bit_offset of DWARF is
8*offset + bitOffset. "size" is the number of bytes that contain its bits. "class" is the
class that declares the member: "ns::Base<float>", or "S::(unnamed union)". A class without
members has "fields":[]. Library classes of which cudagen knows only the size, such as
curandState, have no "fields".
docs/inspect.md describes every key.

Examples:

	cudagen inspect -I include -D BLOCK=256 kernels.cu
	cudagen inspect -json src | jq -r '.kernels[] | select(.status != "ok") | .qualified'

Flags and their environment variables:

`

// runInspect runs the subcommand inspect and returns its exit code.
func runInspect(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parseInspect(args, getenv, stdout)
	if err != nil {
		return notRun("cudagen inspect", err, stderr)
	}
	if o.record {
		return inspectRecord(o.paths[0], stdout, stderr)
	}
	code := exitOK
	files, err := inspected(o.paths)
	if err != nil {
		fmt.Fprintf(stderr, "cudagen inspect: %s\n", spoken(err))
		code = exitInput
	}
	reader, printer := gen.NewReader(o.Options), newReporter(getenv, stdout, stderr)
	for i, path := range files {
		report := inspectFile(reader, path, o.all)
		if o.json {
			err = report.WriteJSON(stdout)
		} else {
			if i > 0 && len(report.Kernels)+len(report.Variables) > 0 {
				fmt.Fprintln(stdout)
			}
			err = report.WriteTable(stdout, inspect.Table{Fields: o.fields})
		}
		if err != nil {
			fmt.Fprintf(stderr, "cudagen inspect: %s\n", spoken(err))
			return exitInput
		}
		printer.messages("warning", report.Warnings)
		printer.messages("note", report.Notes)
		printer.messages("error", report.Refused)
		if !report.Understood || !o.json && !report.Accepted {
			code = exitInput
		}
	}
	return code
}

// inspectFile returns the report on one file. A panic, which is a bug in cudagen, becomes an
// error of this file, so that other files are still reported.
func inspectFile(reader *gen.Reader, path string, all bool) (report *inspect.Report) {
	defer func() {
		if reason := recover(); reason != nil {
			mistake := diag.NewError(token.Position{Filename: path}, diag.NotUnderstood.Errorf("cudagen has a bug, please report it with this file: %v", reason))
			report = inspect.New(&gen.Reading{Path: path, Errors: diag.List{mistake}}, inspect.Options{})
		}
	}()
	return inspect.New(reader.Read(path), inspect.Options{All: all})
}

// inspected returns the .cu files that paths name; those in folders are sorted. The error
// reports folders that have no .cu file or cannot be read; the files are valid even so.
func inspected(paths []string) (files []string, err error) {
	for _, path := range paths {
		info, statErr := os.Stat(path)
		if statErr != nil || !info.IsDir() {
			files = append(files, path) // whose reader says what is wrong with it
			continue
		}
		before := len(files)
		walkErr := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".cu" {
				files = append(files, path)
			}
			if err != nil {
				return source.Unreadable(path, err)
			}
			return nil
		})
		if walkErr == nil && len(files) == before {
			walkErr = source.NewError(path, diag.NoFile.New("there is no .cu file in this folder"))
		}
		err = errors.Join(err, walkErr)
	}
	return files, err
}

// inspectRecord prints what was proved when the output of a source was generated.
func inspectRecord(path string, stdout, stderr io.Writer) int {
	r, err := gen.ReadRecord(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = diag.InFile(path, diag.NoFile.Errorf("there is no record of it: %w", diag.Do("run %s first, or name the .cudagen.json file if it was generated with -o", diag.Call(path))))
	}
	if err == nil {
		err = inspect.WriteRecord(stdout, r)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cudagen inspect: %s\n", spoken(err))
		return exitInput
	}
	return exitOK
}

// inspectOptions are the parsed command line of inspect.
type inspectOptions struct {
	gen.Options
	paths             []string
	arch              string
	json, fields, all bool
	record            bool
}

// flags returns the flags of inspect, which set o.
func (o *inspectOptions) flags(getenv func(string) string) *flag.FlagSet {
	flags := flag.NewFlagSet("cudagen inspect", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	flags.BoolVar(&o.fields, "fields", false, "print the fields of classes in the table: +8 is the offset in the parameter, +8:3 is bit 3 of that byte, 5b is a size of 5 bits")
	flags.BoolVar(&o.all, "all", false, "also print the kernels of included files, which are read as generating with -all does")
	flags.BoolVar(&o.record, "record", false, "print what was proved when code was generated, and how, from the record kernels.cudagen.json")
	flags.StringVar(&o.arch, "arch", env(getenv, "CUDAGEN_ARCH", defaultArch), "comma-separated `targets`, as for generating; the source is read for the first (CUDAGEN_ARCH)")
	flags.StringVar(&o.Name, "name", "", "Go `name` of the type that holds the kernels, as for generating")
	sourceFlags(flags, &o.SourceOptions, getenv)
	return flags
}

func parseInspect(args []string, getenv func(string) string, stdout io.Writer) (*inspectOptions, error) {
	var o inspectOptions
	args, o.CompilerFlags = compilerFlags(args)
	named, err := parseMixed(o.flags(getenv), separate(args), inspectUsage, stdout)
	if err != nil {
		return nil, err
	}
	if o.Archs, err = targets(o.arch); err != nil {
		return nil, err
	}
	if o.paths, err = files(named, "a .cu file or a folder"); err != nil {
		return nil, err
	}
	o.All = o.all
	switch {
	case o.record && len(o.paths) > 1:
		return nil, diag.Flags.Errorf("-record takes one .cu file, not %d", len(o.paths))
	case o.record && (o.json || o.fields || o.all):
		return nil, diag.Flags.New("-record cannot be used with -json, -fields or -all")
	}
	return &o, nil
}

// sourceFlags adds the flags that control how source is read.
func sourceFlags(flags *flag.FlagSet, o *gen.SourceOptions, getenv func(string) string) {
	o.Include = filepath.SplitList(getenv("CUDAGEN_INCLUDE"))
	o.Define = strings.Fields(getenv("CUDAGEN_DEFINE"))
	flags.Var((*listFlag)(&o.Include), "I", "`folder` of included files; repeatable (CUDAGEN_INCLUDE, separated by "+string(os.PathListSeparator)+")")
	flags.Var((*listFlag)(&o.Define), "D", "macro `name[=value]`, by default defined as 1; repeatable (CUDAGEN_DEFINE, separated by spaces)")
	flags.StringVar(&o.Std, "std", env(getenv, "CUDAGEN_STD", gen.DefaultStd), "C++ `standard`: c++11, c++14, c++17, c++20 (CUDAGEN_STD)")
}

// A listFlag is a flag that may be repeated.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, " ") }

// Set adds one value.
func (l *listFlag) Set(value string) error {
	if value == "" {
		return diag.FlagValue.New("the value is empty")
	}
	*l = append(*l, value)
	return nil
}

// separate splits -Idir and -Dname=value, as compilers accept them, into flag and value.
func separate(args []string) []string {
	var list []string
	for i, arg := range args {
		if arg == "--" {
			return append(list, args[i:]...)
		}
		if len(arg) > 2 && (strings.HasPrefix(arg, "-I") || strings.HasPrefix(arg, "-D")) && arg[2] != '=' {
			list = append(list, arg[:2], arg[2:])
			continue
		}
		list = append(list, arg)
	}
	return list
}
