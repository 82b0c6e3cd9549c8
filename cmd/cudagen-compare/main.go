// Command cudagen-compare compares what cudagen understands of all .cu files in a folder,
// without a compiler, with what nvcc makes of them. Run cudagen-compare -h.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/compile"
	"github.com/cudagen/cudagen/gen/image"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/gen/oracle"
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

const usage = `cudagen-compare compares what cudagen understands of .cu files, without a compiler,
with what nvcc makes of them.

Usage:

	cudagen-compare [flags] folder…

For each .cu file in the folders it prints each kernel that is wrong (its parameters
lie elsewhere in the image), missed (only the image has it) or refused, with file:line,
and at the end the counts. A file that nvcc does not compile is compared with nothing.
The exit code is 1 when a kernel is wrong or missed.

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
		fmt.Fprintf(stderr, "cudagen-compare: %v (cudagen-compare -h shows how)\n", err)
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
		fmt.Fprintln(stderr, "cudagen-compare: interrupted: these are the files until then")
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
		return nil, errors.New("give a folder, or .cu files")
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
		return nil, fmt.Errorf("-j is at least 1, not %d", o.jobs)
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
	findings []oracle.Finding
	compiled bool
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
	output, err := compiler.Compile(ctx, compile.Request{Source: path, Arch: o.arch, Flags: append([]string{"-w"}, o.source.Flags()...)})
	switch {
	case ctx.Err() != nil:
		return result{}
	case err != nil:
		return r
	}
	r.compiled = true
	img, err := image.ReadPTX(path, output.Code)
	switch {
	case err != nil:
		r.failed = errors.Join(r.failed, err)
	case r.report != nil:
		r.findings = oracle.Compare(r.report, img)
	default:
		r.findings = oracle.Compare(&inspect.Report{}, img)
	}
	return r
}

// printResults prints what is to be looked at, then the counts, and returns the exit code.
func printResults(w io.Writer, results []result) int {
	outcomes := make(map[oracle.Outcome]int)
	statuses := make(map[inspect.Status]int) // in files that do not compile
	reasons := make(map[string]int)
	failed, compiled := 0, 0
	for _, r := range results {
		if r.failed != nil {
			failed++
			fmt.Fprintf(w, "%s: not understood: %v\n", r.file, firstLine(r.failed))
		}
		if !r.compiled {
			if r.report != nil {
				for i := range r.report.Kernels {
					k := &r.report.Kernels[i]
					statuses[k.Status]++
					if k.Status == inspect.Unsupported {
						fmt.Fprintf(w, "%s:%d: %s: refused (not compiled): %s\n", k.Path, k.Line, k.Name, k.Reason)
					}
				}
			}
			continue
		}
		compiled++
		for _, f := range r.findings {
			outcomes[f.Outcome]++
			place := r.file
			if f.Path != "" {
				place = fmt.Sprintf("%s:%d", f.Path, f.Line)
			}
			switch f.Outcome {
			case oracle.Wrong, oracle.Missed:
				fmt.Fprintf(w, "%s: %s: %s: %s\n", place, f.Kernel, f.Outcome, f.Text)
			case oracle.Refused:
				reasons[kindOfReason(f.Text)]++
				fmt.Fprintf(w, "%s: %s: %s: %s\n", place, f.Kernel, f.Outcome, f.Text)
			}
		}
	}
	fmt.Fprintf(w, "%d files, %d compiled, %d not understood\n", len(results), compiled, failed)
	total := 0
	for _, n := range outcomes {
		total += n
	}
	fmt.Fprintf(w, "%d kernels: %d right, %d wrong, %d missed, %d refused, %d templates, %d not in the image\n", total,
		outcomes[oracle.Right], outcomes[oracle.Wrong], outcomes[oracle.Missed], outcomes[oracle.Refused], outcomes[oracle.Template], outcomes[oracle.Absent])
	for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Or(reasons[b]-reasons[a], cmp.Compare(a, b)) }) {
		fmt.Fprintf(w, "  refused %4d: %s\n", reasons[reason], reason)
	}
	if len(statuses) > 0 {
		fmt.Fprintf(w, "in files that do not compile: %d ok, %d unsupported, %d templates\n",
			statuses[inspect.OK], statuses[inspect.Unsupported], statuses[inspect.Template])
	}
	if outcomes[oracle.Wrong]+outcomes[oracle.Missed] > 0 {
		return exitWrong
	}
	return exitOK
}

var named = regexp.MustCompile(`^parameter \S+ `)

// kindOfReason takes the names out of a reason, so that equal ones can be counted.
func kindOfReason(reason string) string { return named.ReplaceAllString(reason, "") }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
