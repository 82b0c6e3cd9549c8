// Command cudagen generates Go wrappers for CUDA kernels. Run cudagen -h.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/sources"
)

func main() {
	if isVetTool(os.Args[1:]) {
		runVetTool()
	}
	// A process that runs for some milliseconds collects no garbage before it has much.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(176 << 20)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK    = 0
	exitInput = 1 // the input has errors, or a file or a compiler is missing
	exitUsage = 2 // the command line is wrong
)

const usage = `cudagen generates Go wrappers for the kernels of .cu files.

Usage:

	cudagen [flags] kernels.cu… [-- compiler flags]
	cudagen [flags] folder…              the .cu files of folders that have kernels
	cudagen [flags] ./...                all .cu files with directives or output, in this folder and below
	cudagen inspect [flags] kernels.cu…  print what cudagen reads from files, without a compiler
	cudagen doctor [-json]               report which compilers and devices work
	cudagen toolchain install            install NVIDIA's compilers, as Python wheels
	cudagen vet [packages]               look for mistakes in programs that use the runtime
	cudagen version                      print the version

It writes, in the folder of each kernels.cu:

	kernels_cuda.go       a typed Go method for every kernel
	kernels.ptx           PTX, embedded by the Go file
	kernels.fatbin        machine code, embedded by the Go file, if -arch names sm_ targets
	kernels.cudagen.json  a record of what was compiled and proved
	cudagen_shared.go     the types that several .cu files of the folder use, if any

Commit all of them. cudagen compiles only if kernels.cu, one of your headers, or a flag has
changed. Otherwise it needs no CUDA compiler.

Example: kernels.cu holds

	// Saxpy computes y = a*x + y over n elements.
	//
	//cudagen:kernel
	//cudagen:block 256
	//cudagen:threads n
	//cudagen:len y=n
	//cudagen:infer n=len(x)
	extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
	  int i = blockIdx.x * blockDim.x + threadIdx.x;
	  if (i < n) y[i] = a * x[i] + y[i];
	}

and a Go file in the same folder

	//go:generate go tool cudagen kernels.cu

After go generate, a program calls

	k, err := LoadKernels(dev)
	err = k.Saxpy.Launch(stream, 2, x.All(), y.All())

Directives above a kernel:

	//cudagen:kernel [GoName]   export this kernel; if no kernel has it, all are exported
	//cudagen:block X[,Y[,Z]]   threads per block
	//cudagen:threads X[,Y[,Z]] total threads; the number of blocks is rounded up
	//cudagen:grid X[,Y[,Z]]    blocks of the grid, instead of threads
	//cudagen:shared BYTES      dynamic shared memory per block
	//cudagen:cluster X[,Y[,Z]] blocks per cluster
	//cudagen:cooperative       cooperative launch: all blocks on the device at once
	//cudagen:len p=N           pointer p has at least N elements; checked before a launch
	//cudagen:infer n=len(p)    integer n is the length of p, and not a Go argument
	//cudagen:nullable p        p may be the zero Slice, NULL; then len=N is not checked
	//cudagen:ptr p             p is a cuda.Ptr, an address that nothing checks, not a Slice
	//cudagen:ignore            omit this kernel

	X, BYTES and N are Go expressions of integers: + - * / % << >>, min, max, len(p),
	block.x, integer parameters, sizeof(type), and constants of the source. Results are
	exact, or the launch is an error: parameters must not be negative, except directly
	in max(p, …) or -p. See docs/expressions.md.

	//cudagen:instantiate T=float,N=4 [GoName]
	                          of a template: wrap this instance
	//cudagen:instantiate <float, 4, add> [GoName]
	                          the same, in the order of C++: for packs, unnamed parameters
	                          and defaults; add is a function, in either form

Kernels and instances of templates that a file defines, instantiates explicitly or launches
with <<<…>>> need no directive. For kernels of included files, directives stand above a
declaration, a using-declaration or an explicit instantiation: see docs/sources.md.

Directly above a struct, an enum or an integer constant:

	//cudagen:export [GoName]   declare it in Go, even if no kernel uses it

Directly above a __constant__, __device__ or __managed__ variable:

	//cudagen:export [GoName]   add a field with Get, Set and Ptr to the kernels

Anywhere in the file:

	//cudagen:type Plate=example.com/shapes.Plate   use this Go type; its layout is verified

Flags and their environment variables:

`

// run runs the command and returns its exit code.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 {
		switch args[0] {
		case "version":
			fmt.Fprintln(stdout, "cudagen "+version())
			return exitOK
		case "inspect":
			return runInspect(args[1:], os.Getenv, stdout, stderr)
		case "doctor":
			return runDoctor(ctx, args[1:], os.Getenv, stdout, stderr)
		case "toolchain":
			return runToolchain(ctx, args[1:], os.Getenv, stdout, stderr)
		case "vet":
			return runVet(ctx, args[1:], stdout, stderr)
		}
	}
	o, err := parseFlags(args, os.Getenv, stdout, stderr)
	if err != nil {
		return notRun("cudagen", err, stderr)
	}
	printSkipped(stderr, o.skipped)
	if o.check {
		return runCheck(o, stdout, stderr)
	}
	result, err := gen.Generate(ctx, o.Options)
	if err != nil {
		printError(stderr, err)
		return exitInput
	}
	printWarnings(stderr, result.Warnings)
	printNotes(stderr, result.Notes)
	if len(result.Refused) > 0 {
		printError(stderr, result.Refused)
	}
	for _, f := range result.Files {
		if len(f.Compiled) > 0 && !o.DryRun {
			how := "compiled"
			if f.Cached {
				how = "found in the cache:"
			}
			fmt.Fprintf(stderr, "cudagen: %s %s with %s (%s)\n", how, f.Source, f.Compiler, strings.Join(f.Compiled, ", "))
		}
	}
	for _, path := range result.Written {
		fmt.Fprintln(stderr, "cudagen: wrote "+path)
	}
	for _, path := range result.Removed {
		fmt.Fprintln(stderr, "cudagen: removed "+path)
	}
	for _, left := range result.Kept {
		fmt.Fprintf(stderr, "cudagen: %s\n", left)
	}
	return exitOK
}

// runCheck prints a diff of stale files to stdout, and the reasons to stderr.
func runCheck(o *options, stdout, stderr io.Writer) int {
	result, err := gen.Check(o.Options)
	if err != nil {
		printError(stderr, err)
		return exitInput
	}
	for _, line := range result.Stale {
		fmt.Fprintln(stderr, "cudagen: "+line)
	}
	for _, left := range result.Left {
		fmt.Fprintf(stderr, "cudagen: %s\n", left)
	}
	io.WriteString(stdout, result.Diff)
	if !result.OK() {
		fmt.Fprintf(stderr, "cudagen: run cudagen %s\n", quoted(o.args))
		return exitInput
	}
	return exitOK
}

// options are the parsed command line of cudagen.
type options struct {
	gen.Options
	check   bool
	args    []string // as given, without -check
	skipped []sources.Skipped
}

// An inputError is about files that the command line names, and not about how it is written.
type inputError struct{ error }

// A boolFlag is a boolean flag with its environment variable.
type boolFlag struct {
	value           *bool
	name, env, help string
}

// parseFlags parses the command line. Defaults come from the environment.
func parseFlags(args []string, getenv func(string) string, stdout, stderr io.Writer) (*options, error) {
	var o options
	flags := flag.NewFlagSet("cudagen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	arch := flags.String("arch", env(getenv, "CUDAGEN_ARCH", defaultArch), "comma-separated `targets`: compute_XX for PTX, which is made for the lowest; sm_XX for machine code; native for machine code of the GPUs of this machine (CUDAGEN_ARCH)")
	flags.StringVar(&o.Package, "pkg", env(getenv, "CUDAGEN_PKG", ""), "`name` of the Go package; default: the package in the folder (CUDAGEN_PKG)")
	flags.StringVar(&o.Output, "o", "", "`path` of the Go file, for a single source; the other files are written to the same folder")
	flags.StringVar(&o.Name, "name", "", "Go `name` of the type that holds the kernels, for a single source; default: from the file name")
	flags.StringVar(&o.Tags, "tags", env(getenv, "CUDAGEN_TAGS", ""), "build `constraint` of the Go file, such as linux && amd64 (CUDAGEN_TAGS)")
	flags.StringVar(&o.Compiler, "compiler", env(getenv, "CUDAGEN_COMPILER", ""), "`name` of the compiler: "+strings.Join(gen.Compilers(), ", ")+"; default: the first that is found (CUDAGEN_COMPILER)")
	flags.StringVar(&o.Embed, "embed", env(getenv, "CUDAGEN_EMBED", gen.EmbedImage), "`what` the Go file embeds: image, or source, which NVRTC compiles when the program loads it (CUDAGEN_EMBED)")
	ccbin := flags.String("ccbin", env(getenv, "CUDAGEN_CCBIN", ""), "host `compiler` that nvcc uses (CUDAGEN_CCBIN)")
	flags.StringVar(&o.PTXVersion, "ptx-version", env(getenv, "CUDAGEN_PTX_VERSION", gen.MinPTXVersion), "`version` of the PTX: min for the lowest that its instructions allow, keep for the compiler's, or a number (CUDAGEN_PTX_VERSION)")
	commands := false
	for _, b := range []boolFlag{
		{&o.Force, "force", "CUDAGEN_FORCE", "compile even if nothing changed"},
		{&o.All, "all", "CUDAGEN_ALL", "also wrap the kernels of included files"},
		{&o.KeepGoing, "keep-going", "CUDAGEN_KEEP_GOING", "report kernels and files with errors, and generate the others"},
		{&o.check, "check", "CUDAGEN_CHECK", "write nothing; print a diff of stale files, and fail if there are any"},
		{&o.DepFile, "MD", "CUDAGEN_MD", "also write kernels.d, the dependencies of the output, for make and ninja"},
		{&commands, "x", "CUDAGEN_X", "print the commands that cudagen runs"},
		{&o.DryRun, "n", "CUDAGEN_N", "print the commands that cudagen would run, and run none"},
	} {
		value, err := strconv.ParseBool(env(getenv, b.env, "false"))
		if err != nil {
			return nil, fmt.Errorf("%s=%s: want true or false", b.env, getenv(b.env))
		}
		flags.BoolVar(b.value, b.name, value, b.help+" ("+b.env+")")
	}
	sourceFlags(flags, &o.SourceOptions, getenv)
	all := args
	args, o.CompilerFlags = compilerFlags(args)
	if err := parseHelped(flags, separate(args), usage, stdout); err != nil {
		return nil, err
	}
	paths, err := files(flags, "a .cu file")
	if err != nil {
		return nil, err
	}
	o.args = slices.DeleteFunc(slices.Clone(all), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(arg, "-") && name == "check"
	})
	found, err := sources.Expand(paths)
	if err != nil {
		return nil, &inputError{err}
	}
	o.Sources, o.Folders, o.skipped = found.Files, found.Folders, found.Skipped
	if o.Package == "" && !slices.ContainsFunc(o.Sources, func(path string) bool { return filepath.Dir(path) != "." }) && o.Output == "" {
		o.Package = strings.TrimSuffix(getenv("GOPACKAGE"), "_test") // go generate names the package of its folder
	}
	if o.Archs, err = targets(*arch); err != nil {
		return nil, err
	}
	if *ccbin != "" {
		o.CompilerFlags = append(o.CompilerFlags, "-ccbin", *ccbin)
	}
	o.Native = nativeArchs
	if commands || o.DryRun {
		o.Trace = func(command []string) { fmt.Fprintln(stderr, quoted(command)) }
	}
	return &o, nil
}

// defaultArch is the default of -arch.
const defaultArch = "compute_75"

// targets splits a comma-separated list of targets.
func targets(list string) (archs []string, err error) {
	for arch := range strings.SplitSeq(list, ",") {
		if arch = strings.TrimSpace(arch); arch != "" {
			archs = append(archs, arch)
		}
	}
	if archs == nil {
		return nil, errors.New("-arch names no target: use compute_75, for example")
	}
	return archs, nil
}

// compilerFlags splits the command line at --: the flags after it are the compiler's.
func compilerFlags(args []string) (own, compiler []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// quoted returns a command with the quotes that a shell needs.
func quoted(command []string) string {
	words := make([]string, len(command))
	for i, word := range command {
		if word == "" || strings.ContainsAny(word, " \t\n\"'`$&|;<>()*?[]#~!{}\\") {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words[i] = word
	}
	return strings.Join(words, " ")
}

func env(getenv func(string) string, name, otherwise string) string {
	if value := getenv(name); value != "" {
		return value
	}
	return otherwise
}

// maxSkipped is how many files that are skipped are named.
const maxSkipped = 10

// printSkipped prints which .cu files of folders are not generated.
func printSkipped(w io.Writer, list []sources.Skipped) {
	for i, s := range list {
		if i == maxSkipped {
			fmt.Fprintf(w, "cudagen: skipped %d more\n", len(list)-i)
			return
		}
		fmt.Fprintf(w, "cudagen: skipped %s: %s\n", s.Path, s.Reason)
	}
}

// printWarnings prints warnings one per line, as compilers do.
func printWarnings(w io.Writer, list scanner.ErrorList) {
	for _, e := range list {
		fmt.Fprintf(w, "%s: warning: %s\n", e.Pos, e.Msg)
	}
}

// printNotes prints notes one per line, as compilers do.
func printNotes(w io.Writer, list scanner.ErrorList) {
	for _, e := range list {
		fmt.Fprintf(w, "%s: note: %s\n", e.Pos, e.Msg)
	}
}

// printError prints source errors one per line, as compilers do, and other errors after
// the command's name.
func printError(w io.Writer, err error) {
	if list, ok := err.(scanner.ErrorList); ok {
		scanner.PrintError(w, list)
		return
	}
	fmt.Fprintf(w, "cudagen: %v\n", err)
}

// version is the module's version, as the go command recorded it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
