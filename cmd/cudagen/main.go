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
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitOK    = 0
	exitInput = 1 // the input is wrong, or something that is needed is missing
	exitUsage = 2 // the command line is wrong
)

const usage = `cudagen generates Go wrappers for the kernels of a .cu file.

Usage:

	cudagen [flags] kernels.cu
	cudagen inspect [flags] kernels.cu
	cudagen version

It writes, beside kernels.cu:

	kernels_cuda.go       a typed Go method for every kernel
	kernels.ptx           the compiled image, embedded by the Go file
	kernels.cudagen.json  what was compiled and proved; commit all three

The image is compiled, by nvcc, only when kernels.cu, a header beside it, or -arch
has changed. Otherwise no CUDA compiler is needed.

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
	//cudagen:len p=N           pointer p has at least N elements; checked before a launch
	//cudagen:infer n=len(p)    integer n is the length of p and leaves the Go signature
	//cudagen:ignore            leave this kernel out

	//cudagen:instantiate T=float,N=4 [GoName]
	                          of a template: wrap this instance, which the source instantiates

Directly above a struct, an enum or an integer constant:

	//cudagen:export [GoName]   have it in Go, even if no kernel needs it

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
		}
	}
	o, err := parseFlags(args, os.Getenv, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case err != nil:
		fmt.Fprintf(stderr, "cudagen: %v (cudagen -h shows how)\n", err)
		return exitUsage
	}
	result, err := gen.Generate(ctx, *o)
	if err != nil {
		printError(stderr, err)
		return exitInput
	}
	printWarnings(stderr, result.Warnings)
	if len(result.Refused) > 0 {
		printError(stderr, result.Refused)
	}
	if len(result.Compiled) > 0 {
		fmt.Fprintf(stderr, "cudagen: compiled %s with %s (%s)\n", o.Source, result.Compiler, strings.Join(result.Compiled, ", "))
	}
	for _, path := range result.Written {
		fmt.Fprintln(stderr, "cudagen: wrote "+path)
	}
	return exitOK
}

// parseFlags reads the command line; what it does not set comes from the environment.
func parseFlags(args []string, getenv func(string) string, stdout, stderr io.Writer) (*gen.Options, error) {
	var o gen.Options
	flags := flag.NewFlagSet("cudagen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	arch := flags.String("arch", env(getenv, "CUDAGEN_ARCH", "compute_75"), "comma-separated `targets`; PTX is made for the lowest compute_XX (CUDAGEN_ARCH)")
	flags.StringVar(&o.Package, "pkg", env(getenv, "CUDAGEN_PKG", ""), "`name` of the Go package; default: that of the folder (CUDAGEN_PKG)")
	force, err := strconv.ParseBool(env(getenv, "CUDAGEN_FORCE", "false"))
	if err != nil {
		return nil, fmt.Errorf("CUDAGEN_FORCE=%s: want true or false", getenv("CUDAGEN_FORCE"))
	}
	flags.BoolVar(&o.Force, "force", force, "compile even when nothing changed (CUDAGEN_FORCE)")
	keepGoing, err := strconv.ParseBool(env(getenv, "CUDAGEN_KEEP_GOING", "false"))
	if err != nil {
		return nil, fmt.Errorf("CUDAGEN_KEEP_GOING=%s: want true or false", getenv("CUDAGEN_KEEP_GOING"))
	}
	flags.BoolVar(&o.KeepGoing, "keep-going", keepGoing, "report the kernels that cannot be wrapped, and generate the others (CUDAGEN_KEEP_GOING)")
	sourceFlags(flags, &o.SourceOptions, getenv)
	if err := flags.Parse(separate(args)); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return nil, err
	}
	if o.Source, err = oneFile(flags); err != nil {
		return nil, err
	}
	if o.Package == "" && filepath.Dir(o.Source) == "." { // go generate names the package of its folder
		o.Package = strings.TrimSuffix(getenv("GOPACKAGE"), "_test")
	}
	for _, a := range strings.Split(*arch, ",") {
		if a = strings.TrimSpace(a); a != "" {
			o.Archs = append(o.Archs, a)
		}
	}
	if len(o.Archs) == 0 {
		return nil, errors.New("-arch names no target: compute_75, say")
	}
	return &o, nil
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
