package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/cufiles"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
)

func main() {
	if isVetTool(os.Args[1:]) {
		runVetTool()
	}
	collectLate()
	ctx, _ := signal.NotifyContext(context.Background(), ending()...)
	context.AfterFunc(ctx, func() { endSoon(os.Stderr) })
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	leftover.Clear()
	os.Exit(code)
}

// ending returns the signals that end the process: that of a terminal which is closed too, unless nohup ignores it.
func ending() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// endSoon ends the process soon after a signal, whatever it does: what NVRTC compiles, and a file that is
// no more than a pipe, know no context.
func endSoon(stderr io.Writer) {
	const grace = 100 * time.Millisecond // to report the interrupted work
	time.Sleep(grace)
	leftover.Clear()
	fmt.Fprintln(stderr, "cudagen: interrupted")
	os.Exit(exitInput)
}

// collectLate lets a process that runs for some milliseconds collect no garbage before it has much. One that
// needs more memory collects as others do: a limit below what is in use would keep it collecting.
func collectLate() {
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(176 << 20)
	runtime.AddCleanup(new([64]byte), func(int) {
		debug.SetMemoryLimit(math.MaxInt64)
		debug.SetGCPercent(100)
	}, 0)
}

// Exit codes.
const (
	exitOK    = 0
	exitInput = 1 // the input has errors, or a file or a compiler is missing
	exitUsage = 2 // the command line is wrong
)

// run runs the command and returns its exit code.
func run(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	r := newReporter(os.Getenv, stdout, stderr)
	if len(args) > 0 {
		if c := findCommand(args[0]); c != nil {
			warnUnknownVariables(os.Environ(), r)
			return c.run(ctx, args[1:], os.Getenv, stdout, stderr)
		}
	}
	r.json = wantsJSON(args, os.Getenv)
	warnUnknownVariables(os.Environ(), r)
	if len(args) > 0 {
		if err := mistyped(args[0]); err != nil {
			return r.notRun(err)
		}
	}
	return runGenerate(ctx, args, os.Getenv, stdout, stderr)
}

// runGenerate generates, or checks what was generated, and returns the exit code.
func runGenerate(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	r := newReporter(getenv, stdout, stderr)
	r.json = wantsJSON(args, getenv)
	o, err := parseFlags(args, getenv, stdout, stderr)
	if err == nil {
		err = o.setPlan(getenv, false)
	}
	if input := new(inputError); errors.As(err, &input) {
		r.errors(input.error)
		return exitInput
	}
	if err != nil {
		return r.notRun(err)
	}
	printSkipped(stderr, o.skipped)
	for _, dir := range o.Include {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			r.warn(diag.NoFile.New("-I " + dir + ": there is no such folder"))
		}
	}
	switch {
	case len(o.plan) == 0: // Go programs generate all of it
		for _, note := range o.notes {
			fmt.Fprintln(stderr, "cudagen: "+note)
		}
		return exitOK
	case o.check:
		return runCheck(o, r, stdout, stderr)
	}
	return generate(ctx, o, r, stderr)
}

// generate generates, and prints what was done.
func generate(ctx context.Context, o *options, r *reporter, stderr io.Writer) int {
	if o.Trace == nil {
		p := startProgress(&statusLine{w: r.stderr, terminal: r.terminal, said: time.Now()}, o.Sources, 200*time.Millisecond)
		for i := range o.plan {
			o.plan[i].Trace = p.step
		}
		defer p.stop()
		r.before = p.stop
	}
	lost := o.lost()
	result, err := gen.GenerateAll(ctx, o.plan)
	if err != nil {
		r.errors(err)
		return exitInput
	}
	r.list("warning", result.Warnings)
	r.list("note", result.Notes)
	if len(result.Refused) > 0 {
		r.errors(result.Refused)
	}
	r.begin()
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
		fmt.Fprintln(stderr, "cudagen: removed "+path+lost[path])
	}
	for _, left := range result.Kept {
		fmt.Fprintf(stderr, "cudagen: %s\n", left)
	}
	if !o.DryRun {
		for _, note := range o.notes {
			fmt.Fprintln(stderr, "cudagen: "+note)
		}
	}
	return exitOK
}

// runCheck prints a diff of stale files to stdout, and the reasons to stderr. With -json it prints
// the reasons as objects, and no diff.
func runCheck(o *options, r *reporter, stdout, stderr io.Writer) int {
	result, err := gen.CheckAll(o.plan)
	if err != nil {
		r.errors(err)
		return exitInput
	}
	r.list("note", result.Notes)
	if len(result.Broken) > 0 {
		r.errors(result.Broken)
	}
	if len(result.Refused) > 0 {
		r.errors(result.Refused)
	}
	for _, s := range result.Stale {
		r.stale(s.Path, diag.Stale.New(s.String()))
	}
	for _, left := range result.Left {
		r.stale(left.Path, left.Message())
	}
	if !o.json {
		io.WriteString(stdout, result.Diff)
	}
	if len(result.Stale)+len(result.Left) > 0 || result.Diff != "" {
		again := r.command + " " + quoted(o.args)
		if o.generate {
			again = "go generate"
		}
		if o.drops && !o.generate {
			for _, note := range o.notes {
				fmt.Fprintln(stderr, "cudagen: "+note)
			}
			again = "that with the flags of before, too, to keep them"
		}
		fmt.Fprintf(stderr, "cudagen: run %s\n", again)
	}
	if !result.OK() {
		return exitInput
	}
	return exitOK
}

// options are the parsed command line of cudagen.
type options struct {
	gen.Options
	check   bool
	json    bool
	args    []string // as given, without -check and -json
	skipped []cufiles.Skipped
	visited []string // folders of sources
	files   []cufiles.File
	given   map[string]bool // the flags that decide what is generated, with their dash
	drops   bool            // the plan drops flags of records
	plan    []gen.Options   // for each set of flags
	notes   []string        // about the plan, when it is done
	renamed []string        // absolute paths of the records that sources had by other names

	variables map[string]bool // those of given that are from the environment

	generate bool // go generate runs this

	arch, ccbin string
	templates   []string
	commands    bool // print them
	packages    bool // one for each source
}

// An inputError is about files that the command line names, and not about how it is written.
type inputError struct{ error }

// A boolFlag is a boolean flag with its environment variable.
type boolFlag struct {
	value           *bool
	name, env, help string
}

// flags returns the flags, which set o. Defaults come from the environment.
func (o *options) flags(getenv func(string) string) (*flag.FlagSet, error) {
	flags := flag.NewFlagSet("cudagen", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.arch, "arch", env(getenv, "CUDAGEN_ARCH", defaultArch), "comma-separated `targets`: compute_XX for PTX, which is made for the lowest; sm_XX for machine code; native for machine code of the GPUs of this machine (CUDAGEN_ARCH)")
	flags.StringVar(&o.Package, "pkg", env(getenv, "CUDAGEN_PKG", ""), "`name` of the Go package; default: the package in the folder (CUDAGEN_PKG)")
	flags.StringVar(&o.Output, "o", "", "`path` of the Go file, for a single source; the other files are written to the same folder, which is made if it is not there")
	flags.StringVar(&o.Name, "name", "", "Go `name` of the type that holds the kernels, for a single source; default: from the file name")
	flags.StringVar(&o.Tags, "tags", env(getenv, "CUDAGEN_TAGS", ""), "build `constraint` of the Go file, such as linux && amd64 (CUDAGEN_TAGS)")
	flags.StringVar(&o.Compiler, "compiler", env(getenv, "CUDAGEN_COMPILER", ""), "`name` of the compiler: "+strings.Join(gen.Compilers(), ", ")+"; default: the first that is found (CUDAGEN_COMPILER)")
	flags.StringVar(&o.Embed, "embed", env(getenv, "CUDAGEN_EMBED", gen.EmbedImage), "`what` the Go file embeds: image, or source, which NVRTC compiles when the program loads it (CUDAGEN_EMBED)")
	flags.StringVar(&o.ccbin, "ccbin", env(getenv, "CUDAGEN_CCBIN", ""), "host `compiler` that nvcc uses (CUDAGEN_CCBIN)")
	flags.StringVar(&o.PTXVersion, "ptx-version", env(getenv, "CUDAGEN_PTX_VERSION", gen.MinPTXVersion), "`version` of the PTX: min for the lowest that its instructions allow, keep for the compiler's, or a number (CUDAGEN_PTX_VERSION)")
	for _, b := range []boolFlag{
		{&o.Force, "force", "CUDAGEN_FORCE", "compile even if nothing changed"},
		{&o.All, "all", "CUDAGEN_ALL", "also wrap the kernels of included files, and all instances of templates that the compiler makes"},
		{&o.packages, "packages", "CUDAGEN_PACKAGES", "make a Go package for each file, in a folder beside it that is named after it"},
		{&o.KeepGoing, "keep-going", "CUDAGEN_KEEP_GOING", "report kernels and files with errors, and generate the others"},
		{&o.check, "check", "CUDAGEN_CHECK", "write nothing; print a diff of stale files, and fail if there are any"},
		{&o.json, "json", "CUDAGEN_JSON", "print errors, warnings and notes as JSON to standard output, one object per line"},
		{&o.DepFile, "MD", "CUDAGEN_MD", "also write kernels.d, the dependencies of the output, for make and ninja"},
		{&o.commands, "x", "CUDAGEN_X", "print the commands that cudagen runs"},
		{&o.DryRun, "n", "CUDAGEN_N", "print the commands that cudagen would run, and run none"},
	} {
		value, err := strconv.ParseBool(env(getenv, b.env, "false"))
		if err != nil {
			return nil, diag.Flags.Errorf("%s=%s: want true or false", b.env, getenv(b.env))
		}
		flags.BoolVar(b.value, b.name, value, b.help+" ("+b.env+")")
	}
	sourceFlags(flags, &o.SourceOptions, getenv)
	o.Link = commaList(getenv("CUDAGEN_DLINK"))
	flags.Var((*commaListFlag)(&o.Link), "dlink", "comma-separated .cu `files` with device functions and variables that the kernels use, linked into their image; repeatable (CUDAGEN_DLINK)")
	templateFlag(flags, &o.templates, getenv)
	return flags, nil
}

// parseFlags parses the command line. Defaults come from the environment. The options are there beside
// an inputError, too.
func parseFlags(args []string, getenv func(string) string, stdout, stderr io.Writer) (*options, error) {
	var o options
	flags, err := o.flags(getenv)
	if err != nil {
		return nil, err
	}
	all := args
	args, o.CompilerFlags = compilerFlags(args)
	named, err := parseMixed(flags, separate(args), usage(), stdout)
	if name, unknown := unknownFlag(err); unknown && diag.RemedyOf(err).IsZero() {
		err = fmt.Errorf("%w: %w", err, diag.Do("give flags of the compiler behind --, as in %s", diag.Call("kernels.cu -- "+name)))
	}
	if err != nil {
		return nil, err
	}
	paths, err := files(named, "a .cu file, a folder or ./...")
	if err != nil {
		return nil, err
	}
	o.args = slices.DeleteFunc(slices.Clone(all), func(arg string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(arg, "-") && (name == "check" || name == "json")
	})
	found, err := cufiles.Expand(paths)
	o.files = found.Files
	for _, f := range found.Files {
		o.Sources = append(o.Sources, f.Path)
	}
	o.Folders, o.skipped, o.visited = found.Folders, found.Skipped, found.Visited
	if err != nil {
		return &o, &inputError{err}
	}
	o.generate = getenv("GOFILE") != ""
	o.AnyCompiler = true // what a variable names is whichever this machine has
	flags.Visit(func(f *flag.Flag) { o.AnyCompiler = o.AnyCompiler && f.Name != "compiler" })
	if o.Compiler != "" && !slices.Contains(gen.Compilers(), o.Compiler) { // also if nothing has to be compiled
		return &o, &inputError{diag.FlagValue.Errorf("unknown compiler %q: %w", o.Compiler, diag.Do("choose one of %s", strings.Join(gen.Compilers(), ", ")))}
	}
	if o.Emitters, err = emitters(o.templates); err != nil {
		return &o, &inputError{err}
	}
	if o.Archs, err = targets(o.arch); err != nil {
		return nil, err
	}
	if o.ccbin != "" {
		o.CompilerFlags = append(o.CompilerFlags, "-ccbin", o.ccbin)
	}
	o.Native = nativeArchs
	if o.commands || o.DryRun {
		o.Trace = func(command []string) { fmt.Fprintln(stderr, quoted(command)) }
	}
	o.given, o.variables = given(flags, o.CompilerFlags, getenv)
	return &o, nil
}

// wantsJSON reports whether a command line asks for JSON, also one that is not understood: what is
// wrong with it is a diagnostic, too.
func wantsJSON(args []string, getenv func(string) string) bool {
	wanted, _ := strconv.ParseBool(getenv("CUDAGEN_JSON"))
	flags, err := new(options).flags(func(string) string { return "" })
	if err != nil {
		return wanted
	}
	args, _ = compilerFlags(args)
	args = separate(args)
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") {
			continue
		}
		name, value, assigned := strings.Cut(strings.TrimPrefix(args[i][1:], "-"), "=")
		if name == "json" {
			on, err := strconv.ParseBool(value)
			wanted = !assigned || err != nil || on
			continue
		}
		if f := flags.Lookup(name); f != nil && !assigned {
			if b, ok := f.Value.(interface{ IsBoolFlag() bool }); !ok || !b.IsBoolFlag() {
				i++ // its value
			}
		}
	}
	return wanted
}

// A commaListFlag is a flag with a list, separated by commas, that may be repeated.
type commaListFlag []string

func (l *commaListFlag) String() string { return strings.Join(*l, ",") }

// Set adds the values of one list.
func (l *commaListFlag) Set(value string) error {
	list := commaList(value)
	if len(list) == 0 {
		return diag.FlagValue.New("the value is empty")
	}
	*l = append(*l, list...)
	return nil
}

// commaList splits a comma-separated list.
func commaList(text string) (list []string) {
	for value := range strings.SplitSeq(text, ",") {
		if value = strings.TrimSpace(value); value != "" {
			list = append(list, value)
		}
	}
	return list
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
		return nil, diag.UnsupportedArch.Errorf("-arch names no target: %w", diag.Do("use compute_75, for example"))
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
func printSkipped(w io.Writer, list []cufiles.Skipped) {
	for i, s := range list {
		if i == maxSkipped {
			fmt.Fprintf(w, "cudagen: skipped %d more\n", len(list)-i)
			return
		}
		fmt.Fprintf(w, "cudagen: skipped %s: %s\n", s.Path, s.Reason)
	}
}
