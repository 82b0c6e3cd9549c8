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
)

func main() {
	// A process that lives for some milliseconds need not collect garbage, unless it makes much.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(176 << 20)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK    = 0
	exitInput = 1 // the input is wrong, or something that is needed is missing
	exitUsage = 2 // the command line is wrong
)

const usage = `cudagen generates Go wrappers for the kernels of .cu files.

Usage:

	cudagen [flags] kernels.cu… [-- compiler flags]
	cudagen inspect [flags] kernels.cu…  what is understood of files, without a compiler
	cudagen doctor [-json]               which compilers and devices there are, and what is missing
	cudagen toolchain install            NVIDIA's compilers, as Python packages
	cudagen version

It writes, beside each kernels.cu:

	kernels_cuda.go       a typed Go method for every kernel
	kernels.ptx           the compiled code, embedded by the Go file
	kernels.fatbin        machine code, when -arch names some: the same
	kernels.cudagen.json  what was compiled and proved; commit them all

Code is compiled only when kernels.cu, one of your headers, or a flag has changed.
Otherwise no CUDA compiler is needed.

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

and a Go file beside it

	//go:generate go tool cudagen kernels.cu

After go generate, a program calls

	k, err := LoadKernels(dev)
	err = k.Saxpy.Launch(stream, 2, x.All(), y.All())

Directives above a kernel:

	//cudagen:kernel [GoName]   export this kernel (without any: all are exported)
	//cudagen:block X[,Y[,Z]]   threads of a block
	//cudagen:threads X[,Y[,Z]] threads wanted: the grid is computed, rounded up
	//cudagen:grid X[,Y[,Z]]    blocks of the grid, in place of threads
	//cudagen:shared BYTES      dynamic shared memory of a block
	//cudagen:cluster X[,Y[,Z]] blocks of a cluster
	//cudagen:cooperative       all blocks on the device at once
	//cudagen:len p=N           pointer p has at least N elements; checked before a launch
	//cudagen:infer n=len(p)    integer n is the length of p and leaves the Go signature
	//cudagen:ignore            leave this kernel out

	//cudagen:instantiate T=float,N=4 [GoName]
	                          of a template: wrap this instance
	//cudagen:instantiate <float, 4, add> [GoName]
	                          the same, in the order of C++: for packs, unnamed parameters
	                          and defaults; add is a function, in either form

Directly above a struct, an enum or an integer constant:

	//cudagen:export [GoName]   have it in Go, even if no kernel needs it

Directly above a __constant__, __device__ or __managed__ variable:

	//cudagen:export [GoName]   make it a field beside the kernels, with Get, Set and Ptr

Anywhere in the file:

	//cudagen:type Plate=example.com/shapes.Plate   use this Go type; its layout is verified

Flags, each with the environment variable that sets it too:

`

// run is the command: its exit code, with nothing of the process but what it is given.
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
		}
	}
	o, err := parseFlags(args, os.Getenv, stdout, stderr)
	if err != nil {
		return notRun("cudagen", err, stderr)
	}
	if o.check {
		return runCheck(o.Options, stdout, stderr)
	}
	result, err := gen.Generate(ctx, o.Options)
	if err != nil {
		printError(stderr, err)
		return exitInput
	}
	printWarnings(stderr, result.Warnings)
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
	return exitOK
}

// runCheck reports what is stale: on stdout as a diff, on stderr in words.
func runCheck(o gen.Options, stdout, stderr io.Writer) int {
	result, err := gen.Check(o)
	if err != nil {
		printError(stderr, err)
		return exitInput
	}
	for _, line := range result.Stale {
		fmt.Fprintln(stderr, "cudagen: "+line)
	}
	for _, path := range result.Left {
		fmt.Fprintf(stderr, "cudagen: %s was made from a .cu file that is gone: delete it\n", path)
	}
	io.WriteString(stdout, result.Diff)
	if !result.OK() {
		fmt.Fprintf(stderr, "cudagen: run cudagen %s\n", strings.Join(o.Sources, " "))
		return exitInput
	}
	return exitOK
}

// options are the command line of cudagen.
type options struct {
	gen.Options
	check bool
}

// A boolFlag is a flag without a value, and the variable that sets it too.
type boolFlag struct {
	value           *bool
	name, env, help string
}

// parseFlags reads the command line; what it does not set comes from the environment.
func parseFlags(args []string, getenv func(string) string, stdout, stderr io.Writer) (*options, error) {
	var o options
	flags := flag.NewFlagSet("cudagen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	arch := flags.String("arch", env(getenv, "CUDAGEN_ARCH", defaultArch), "comma-separated `targets`: compute_XX for PTX, made for the lowest of them; sm_XX or native for machine code (CUDAGEN_ARCH)")
	flags.StringVar(&o.Package, "pkg", env(getenv, "CUDAGEN_PKG", ""), "`name` of the Go package; default: that of the folder (CUDAGEN_PKG)")
	flags.StringVar(&o.Output, "o", "", "`path` of the Go file, of a single source; the other files go beside it")
	flags.StringVar(&o.Name, "name", "", "Go `name` of the type that holds the kernels, of a single source; default: from the file's name")
	flags.StringVar(&o.Tags, "tags", env(getenv, "CUDAGEN_TAGS", ""), "build `constraint` of the Go file: linux && amd64, say (CUDAGEN_TAGS)")
	flags.StringVar(&o.Compiler, "compiler", env(getenv, "CUDAGEN_COMPILER", ""), "`name` of the compiler: "+strings.Join(gen.Compilers(), ", ")+"; default: the first that is there (CUDAGEN_COMPILER)")
	flags.StringVar(&o.Embed, "embed", env(getenv, "CUDAGEN_EMBED", gen.EmbedImage), "`what` the Go file embeds: image, or source, which NVRTC compiles when it is loaded (CUDAGEN_EMBED)")
	ccbin := flags.String("ccbin", env(getenv, "CUDAGEN_CCBIN", ""), "host `compiler` that nvcc uses (CUDAGEN_CCBIN)")
	flags.StringVar(&o.PTXVersion, "ptx-version", env(getenv, "CUDAGEN_PTX_VERSION", gen.MinPTXVersion), "`version` of the PTX: min for the oldest that its instructions allow, keep, or a number (CUDAGEN_PTX_VERSION)")
	commands := false
	for _, b := range []boolFlag{
		{&o.Force, "force", "CUDAGEN_FORCE", "compile even when nothing changed"},
		{&o.KeepGoing, "keep-going", "CUDAGEN_KEEP_GOING", "report the kernels that cannot be wrapped, and generate the others"},
		{&o.check, "check", "CUDAGEN_CHECK", "write nothing: print what is stale as a diff, and fail if anything is"},
		{&o.DepFile, "MD", "CUDAGEN_MD", "write kernels.d, too: what the output depends on, for make and ninja"},
		{&commands, "x", "CUDAGEN_X", "print the commands that are run"},
		{&o.DryRun, "n", "CUDAGEN_N", "print the commands that would be run, and do nothing"},
	} {
		value, err := strconv.ParseBool(env(getenv, b.env, "false"))
		if err != nil {
			return nil, fmt.Errorf("%s=%s: want true or false", b.env, getenv(b.env))
		}
		flags.BoolVar(b.value, b.name, value, b.help+" ("+b.env+")")
	}
	sourceFlags(flags, &o.SourceOptions, getenv)
	args, o.CompilerFlags = compilerFlags(args)
	if err := parseHelped(flags, separate(args), usage, stdout); err != nil {
		return nil, err
	}
	var err error
	if o.Sources, err = files(flags, "a .cu file"); err != nil {
		return nil, err
	}
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

// defaultArch is the target unless something else is given.
const defaultArch = "compute_75"

// targets returns the targets in a list with commas.
func targets(list string) (archs []string, err error) {
	for arch := range strings.SplitSeq(list, ",") {
		if arch = strings.TrimSpace(arch); arch != "" {
			archs = append(archs, arch)
		}
	}
	if archs == nil {
		return nil, errors.New("-arch names no target: compute_75, say")
	}
	return archs, nil
}

// compilerFlags cuts what stands behind -- off the command line: it goes to the compiler.
func compilerFlags(args []string) (own, compiler []string) {
	if i := slices.Index(args, "--"); i >= 0 {
		return args[:i], args[i+1:]
	}
	return args, nil
}

// quoted returns a command as a shell takes it.
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

// printWarnings prints what does not stop cudagen, one a line, as compilers do.
func printWarnings(w io.Writer, list scanner.ErrorList) {
	for _, e := range list {
		fmt.Fprintf(w, "%s: warning: %s\n", e.Pos, e.Msg)
	}
}

// printError prints errors of the source one a line, as compilers do, and others
// with the command's name in front.
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
