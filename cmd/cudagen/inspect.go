package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/inspect"
)

const inspectUsage = `cudagen inspect prints what cudagen understands of a .cu file, without a compiler.

Usage:

	cudagen inspect [-json] [-all] [-I dir]… [-D name[=value]]… [-std c++17] file.cu
	cudagen inspect -record file.cu

For each kernel that the file defines, it prints the parameters with their offsets,
sizes and alignments in bytes, their C and Go types, and the launch bounds. A kernel
is ok, or a template, or unsupported with the reason. Exported variables follow.

The exit code is 0 when the file was understood, even if some of its kernels are
unsupported; 1 when it was not, with file:line:col.

Example:

	cudagen inspect -I include -D BLOCK=256 kernels.cu

Flags, with the environment variables that set them too:

`

// runInspect is the subcommand inspect: its exit code.
func runInspect(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parseInspect(args, getenv, stdout)
	if err != nil {
		return notRun("cudagen inspect", err, stderr)
	}
	if o.record {
		return inspectRecord(o.path, stdout, stderr)
	}
	file, err := gen.ParseSource(o.path, o.source)
	if err != nil {
		printError(stderr, err)
		return exitInput
	}
	printWarnings(stderr, file.Warnings)
	report := inspect.New(file, inspect.Options{All: o.all})
	if o.json {
		err = report.WriteJSON(stdout)
	} else {
		err = report.WriteTable(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cudagen inspect: %v\n", err)
		return exitInput
	}
	return exitOK
}

// inspectRecord prints what was proved when the output of a source was generated.
func inspectRecord(path string, stdout, stderr io.Writer) int {
	r, err := gen.ReadRecord(path)
	if err == nil {
		err = inspect.WriteRecord(stdout, r)
	}
	if err != nil {
		fmt.Fprintf(stderr, "cudagen inspect: %v\n", err)
		return exitInput
	}
	return exitOK
}

// inspectOptions are the command line of inspect.
type inspectOptions struct {
	path      string
	json, all bool
	record    bool
	source    gen.SourceOptions
}

func parseInspect(args []string, getenv func(string) string, stdout io.Writer) (*inspectOptions, error) {
	var o inspectOptions
	flags := flag.NewFlagSet("cudagen inspect", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	flags.BoolVar(&o.all, "all", false, "print the kernels of included files, too")
	flags.BoolVar(&o.record, "record", false, "print what was proved of the generated code, and by whom: from kernels.cudagen.json beside kernels.cu")
	sourceFlags(flags, &o.source, getenv)
	if err := parseHelped(flags, separate(args), inspectUsage, stdout); err != nil {
		return nil, err
	}
	path, err := oneFile(flags)
	o.path = path
	return &o, err
}

// sourceFlags adds the flags that say how source is read, with their twins.
func sourceFlags(flags *flag.FlagSet, o *gen.SourceOptions, getenv func(string) string) {
	o.Include = filepath.SplitList(getenv("CUDAGEN_INCLUDE"))
	o.Define = strings.Fields(getenv("CUDAGEN_DEFINE"))
	flags.Var((*listFlag)(&o.Include), "I", "`folder` of included files; may be given more than once (CUDAGEN_INCLUDE, separated by "+string(os.PathListSeparator)+")")
	flags.Var((*listFlag)(&o.Define), "D", "macro `name[=value]`, defined as 1 without a value; may be given more than once (CUDAGEN_DEFINE, separated by blanks)")
	flags.StringVar(&o.Std, "std", env(getenv, "CUDAGEN_STD", gen.DefaultStd), "C++ `standard`: c++11, c++14, c++17, c++20 (CUDAGEN_STD)")
}

// A listFlag is a flag that may be given more than once.
type listFlag []string

func (l *listFlag) String() string { return strings.Join(*l, " ") }

// Set adds one value.
func (l *listFlag) Set(value string) error {
	if value == "" {
		return errors.New("it is empty")
	}
	*l = append(*l, value)
	return nil
}

// separate splits -Idir and -Dname=value, which compilers take in one word.
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

// oneFile returns the only argument behind the flags.
func oneFile(flags *flag.FlagSet) (string, error) {
	switch flags.NArg() {
	case 1:
		return filepath.Clean(flags.Arg(0)), nil
	case 0:
		return "", errors.New("give a .cu file")
	}
	return "", fmt.Errorf("give one .cu file, not %d: %s", flags.NArg(), strings.Join(flags.Args(), " "))
}
