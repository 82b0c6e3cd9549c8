package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/runtime/profile"
)

const profileUsage = `cudagen profile runs a program or tests on the simulated device, and says what their kernels cost.

Usage:

	cudagen profile [flags] program [arguments]
	cudagen profile [flags] packages [flags of go test]
	cudagen profile [flags] counts.json…

	cudagen profile go run .
	cudagen profile -kernel saxpy -launch 1 ./... -run TestSaxpy
	cudagen profile -roofline roof.svg -gpu H200 ./train -steps 1

The program and its packages stay as they are. Packages, which begin with a dot, are tested by go test: flags of cudagen profile
come before them. Files that
end in .json are what programs have written whose environment had CUDAGEN_PROFILE.

It prints a report: for each kernel what it executes, how many sectors of memory it touches where how many
would do, conflicts, atomics and occupancy, and then the lines that waste most, with the reason. It writes a file
for go tool pprof, which shows all lines:

	go tool pprof -http=: -sample_index=global_sectors_wasted cuda.prof

Where there is a ptxas, the report has the registers of kernels, and what is spilled. docs/profiling.md says what is counted. The exit code is that of the program, or 1 if nothing was counted.

Flags:

`

// profileOptions are the flags of the subcommand profile.
type profileOptions struct {
	file, roofline, gpu string
	cfg                 profile.Config
}

func (o *profileOptions) flags() *flag.FlagSet {
	flags := flag.NewFlagSet("cudagen profile", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.file, "o", "cuda.prof", "write the profile for go tool pprof to `file`, or the report if its name ends in .txt")
	flags.StringVar(&o.cfg.Kernel, "kernel", "", "count only the kernel of this `name`")
	flags.IntVar(&o.cfg.Launch, "launch", 0, "count only launch `n` of each kernel, from 1 on, as they begin")
	flags.StringVar(&o.roofline, "roofline", "", "draw what a GPU allows the kernels, as SVG, to `file`")
	flags.StringVar(&o.gpu, "gpu", "H200", "`name` of that GPU: "+strings.Join(gpuNames(), ", "))
	return flags
}

func gpuNames() (names []string) {
	for _, g := range profile.GPUs() {
		names = append(names, g.Name)
	}
	return names
}

// runProfile runs the subcommand profile.
func runProfile(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var o profileOptions
	flags := o.flags()
	err := parseHelped(flags, args, profileUsage, stdout)
	switch {
	case err != nil:
	case flags.NArg() == 0:
		err = diag.FlagValue.New("name a program, packages such as ./..., or files that CUDAGEN_PROFILE has named")
	case o.roofline != "" && !strings.EqualFold(filepath.Ext(o.roofline), ".svg"):
		err = diag.FlagValue.Errorf("-roofline %s: the picture is an SVG: %w", o.roofline, diag.Do("give the file the ending .svg"))
	case o.cfg.Launch < 0 || o.cfg.Launch == 0 && isSet(flags, "launch"):
		err = diag.FlagValue.Errorf("-launch %d: launches are counted from 1 on", o.cfg.Launch)
	case o.cfg.Launch > 0 && ofFiles(flags.Args()):
		err = diag.FlagValue.Errorf("-launch %d: launches are told apart while a program runs, and %s has their sums: run the program with it", o.cfg.Launch, flags.Arg(0))
	default:
		err = errors.Join(profile.New(o.cfg).WriteRoofline(io.Discard, o.gpu), inFolder("-o", o.file), inFolder("-roofline", o.roofline))
	}
	if err != nil {
		return notRun("cudagen profile", err, stderr)
	}
	fail := func(err error) int {
		fmt.Fprintf(stderr, "cudagen profile: %s\n", spoken(err))
		return exitInput
	}
	p, code := profile.New(o.cfg), exitOK
	files := flags.Args()
	if !ofFiles(files) {
		folder, err := leftover.Dir("", "cudagen-profile-")
		if err != nil {
			return fail(err)
		}
		defer leftover.Remove(folder)
		if code, err = o.profiled(ctx, folder, flags.Args(), stdout, stderr); err != nil {
			return fail(err)
		}
		if files, err = filepath.Glob(filepath.Join(folder, "*.json")); err != nil {
			return fail(err)
		}
	}
	for _, name := range files {
		if err := readProfile(p, name); err != nil {
			return fail(err)
		}
	}
	if err := assembled(ctx, p, getenv); err != nil {
		return fail(err)
	}
	if err := o.write(p, stdout); err != nil {
		return fail(err)
	}
	if p.Launches() == 0 {
		return max(code, exitInput)
	}
	return code
}

// isSet reports whether the command line has a flag.
func isSet(flags *flag.FlagSet, name string) (set bool) {
	flags.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	return set
}

// ofFiles reports whether the arguments are what programs have written.
func ofFiles(args []string) bool { return filepath.Ext(args[0]) == ".json" }

// inFolder returns an error if the file of a flag would be in no folder.
func inFolder(flag, file string) error {
	if folder := filepath.Dir(file); file != "" && !isFolder(folder) {
		return diag.FlagValue.Errorf("%s %s: there is no folder %s", flag, file, folder)
	}
	return nil
}

// profiled runs a command whose processes write what they count to folder, and returns its exit code.
func (o *profileOptions) profiled(ctx context.Context, folder string, args []string, stdout, stderr io.Writer) (code int, err error) {
	if strings.HasPrefix(args[0], ".") && (strings.HasSuffix(args[0], "...") || isFolder(args[0])) {
		args = append([]string{"go", "test", "-count=1"}, args...)
	}
	switch local := strings.HasPrefix(args[0], "."); {
	case isFolder(args[0]):
		return 0, diag.NoFile.Errorf("%s is a folder: packages begin with a dot, as in ./%s", args[0], filepath.ToSlash(args[0]))
	case local && !isFile(args[0]):
		return 0, diag.NoFile.Errorf("there is no file or folder %s", args[0])
	}
	command := exec.CommandContext(ctx, args[0], args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, stdout, stderr
	command.Env = append(os.Environ(), "CUDAGEN_PROFILE="+filepath.Join(folder, "%p.json"), "CUDAGEN_PROFILE_KERNEL="+o.cfg.Kernel)
	if o.cfg.Launch > 0 {
		command.Env = append(command.Env, fmt.Sprint("CUDAGEN_PROFILE_LAUNCH=", o.cfg.Launch))
	}
	if os.Getenv("CUDAGEN_SIM_DEVICES") == "" {
		command.Env = append(command.Env, "CUDAGEN_DEVICE=sim") // GPUs count nothing
	}
	err = leftover.Run(command)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return exitOK, nil
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case errors.As(err, &exit):
		return max(exitInput, exit.ExitCode()), nil
	case errors.Is(err, exec.ErrNotFound):
		return 0, diag.NoFile.Errorf("there is no program %s on PATH: packages begin with a dot, as in ./...", args[0])
	}
	return 0, err
}

// isFolder reports whether there is a folder at path.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isFile reports whether there is something else at path.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// readProfile adds what a program has written to p.
func readProfile(p *profile.Profile, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := p.Read(file); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// assembled lets p know how many registers kernels have, and what is spilled, if there is a ptxas.
func assembled(ctx context.Context, p *profile.Profile, getenv func(string) string) error {
	ptxas := compile.Ptxas(getenv)
	if ptxas == "" {
		return nil
	}
	return p.Assemble(func(ptx, arch string) (string, error) {
		file, err := leftover.File("", "cudagen-*.ptx")
		if err != nil {
			return "", err
		}
		defer leftover.Remove(file.Name())
		_, err = file.WriteString(ptx)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
		out, err := exec.CommandContext(ctx, ptxas, "-v", "-arch", arch, "-o", os.DevNull, file.Name()).CombinedOutput()
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		if err != nil { // it is older than the PTX: the report says what is not known
			return "", nil
		}
		return string(out), nil
	})
}

// write writes the report and the files that were asked for.
func (o *profileOptions) write(p *profile.Profile, stdout io.Writer) error {
	err := p.WriteReport(stdout)
	if p.Launches() == 0 {
		return err
	}
	content := p.Write
	if filepath.Ext(o.file) == ".txt" {
		content = p.WriteReport
	}
	err = errors.Join(err, writeTo(o.file, content))
	if o.roofline != "" {
		err = errors.Join(err, writeTo(o.roofline, func(w io.Writer) error { return p.WriteRoofline(w, o.gpu) }))
	}
	return err
}

// writeTo writes a file.
func writeTo(name string, content func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}
