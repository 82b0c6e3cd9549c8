package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/internal/source"
)

const initUsage = `cudagen init writes a first kernel, a program that launches it, and a test.

Usage:

	cudagen init [folder]

It writes kernels.cu, main.go with a line for go generate, and main_test.go into the folder, by
default this one, and generates the Go code. That needs no CUDA compiler. Without a go.mod it makes
a module, and adds cudagen as a tool if the module does not have it. Then

	go run .

runs on a GPU, or on the simulated device, and go test runs on the simulated device. After a change
of kernels.cu,

	go generate

compiles it. On a machine without a CUDA compiler, go tool cudagen toolchain install comes before that,
once. Existing files are never overwritten.
`

//go:embed starter
var starter embed.FS

// starterFiles are the files of the first program, and what they are embedded as.
var starterFiles = []struct{ name, embedded string }{
	{"kernels.cu", "kernels.cu"},
	{"kernels.ptx", "kernels.ptx"},
	{"kernels.cudagen.json", "kernels.cudagen.json"},
	{"main.go", "main.go.txt"},
	{"main_test.go", "main_test.go.txt"},
}

// runInit runs the subcommand init.
func runInit(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cudagen init", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	named, err := parseMixed(flags, args, initUsage, stdout)
	if err == nil && len(named) > 1 {
		err = diag.Flags.Errorf("unexpected argument %q", named[1])
	}
	if err != nil {
		return notRun("cudagen init", err, stderr)
	}
	s := &start{folder: ".", getenv: getenv, stderr: stderr}
	if len(named) == 1 {
		s.folder = filepath.Clean(named[0])
	}
	if err := s.run(ctx); err != nil {
		fmt.Fprintf(stderr, "cudagen init: %s\n", spoken(err))
		return exitInput
	}
	return exitOK
}

// A start is one call of init.
type start struct {
	folder string
	getenv func(string) string
	stderr io.Writer
}

func (s *start) run(ctx context.Context) error {
	if err := s.refuse(); err != nil {
		return err
	}
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return source.NewError(s.folder, diag.FileAccess.Errorf("the folder cannot be made: %s (%w)", source.Describe(err), diag.Do("name another folder: %s", diag.Call("init FOLDER"))))
	}
	if err := s.writeFiles(); err != nil {
		return err
	}
	result, err := gen.Generate(ctx, gen.Options{
		Sources: []string{filepath.Join(s.folder, "kernels.cu")}, Archs: []string{defaultArch}, Package: "main",
		SourceOptions: gen.SourceOptions{Std: gen.DefaultStd},
	})
	if err != nil {
		return err
	}
	for _, path := range result.Written {
		s.say("wrote " + path)
	}
	if err := s.makeModule(ctx); err != nil {
		return err
	}
	change := ""
	if s.folder != "." {
		change = "cd " + quoted([]string{s.folder}) + " && "
	}
	s.say("run it: " + change + "go run .")
	s.say("change kernels.cu, and then: go generate (without a compiler, before that: go tool cudagen toolchain install)")
	return nil
}

func (s *start) say(line string) { fmt.Fprintln(s.stderr, "cudagen: "+line) }

// names returns the names of the files that init writes.
func (s *start) names() (names []string) {
	for _, f := range starterFiles {
		names = append(names, f.name)
	}
	return append(names, "kernels_cuda.go")
}

// refuse returns why the files cannot be written: some are there, or other Go files are, or Go takes no package there.
func (s *start) refuse() error {
	var present []string
	for _, name := range s.names() {
		if _, err := os.Lstat(filepath.Join(s.folder, name)); err == nil {
			present = append(present, name)
		}
	}
	if present != nil {
		return fmt.Errorf("%s has %s already: nothing was written (%w)", s.place(), strings.Join(present, ", "), diag.Do("name another folder: %s", diag.Call("init FOLDER")))
	}
	if files, _ := filepath.Glob(filepath.Join(s.folder, "*.go")); files != nil { // the error is about the pattern
		return fmt.Errorf("%s is there already, and init writes a program of its own: nothing was written (%w)", files[0], diag.Do("name another folder: %s", diag.Call("init FOLDER")))
	}
	folder, err := filepath.Abs(s.folder)
	if err != nil {
		return err
	}
	if _, root, found := around(folder, "go.mod"); found {
		relative, err := filepath.Rel(root, folder)
		if err == nil {
			err = module.CheckImportPath(path.Join("module", filepath.ToSlash(relative)))
		}
		if invalid := new(module.InvalidPathError); errors.As(err, &invalid) {
			return fmt.Errorf("%s cannot be the folder of a Go package: %w: nothing was written (%w)", s.place(), invalid.Err, diag.Do("name another folder: %s", diag.Call("init FOLDER")))
		}
	}
	return nil
}

func (s *start) place() string {
	if s.folder == "." {
		return "this folder"
	}
	return s.folder
}

func (s *start) writeFiles() error {
	defer leftover.Whole()()
	for _, f := range starterFiles {
		content, err := starter.ReadFile("starter/" + f.embedded)
		if err != nil {
			return err
		}
		path := filepath.Join(s.folder, f.name)
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			_, err = file.Write(content)
			err = errors.Join(err, file.Close())
		}
		if err != nil {
			return err
		}
		s.say("wrote " + path)
	}
	return nil
}

// makeModule makes a module of the folder, unless it lies in one, and adds cudagen to it, unless it is
// there.
func (s *start) makeModule(ctx context.Context) error {
	folder, err := filepath.Abs(s.folder)
	if err != nil {
		return err
	}
	mod, found := goMod(folder)
	if !found {
		if err := s.goCommand(ctx, "mod", "init", moduleName(filepath.Base(folder))); err != nil {
			return err
		}
	}
	if isOwn(mod) {
		return nil
	}
	if !hasTool(mod) {
		version := "latest"
		if v := invoked().version; v != "" {
			version = v
		}
		if err := s.goCommand(ctx, "get", "-tool", commandPath+"@"+version); err != nil {
			return err
		}
	}
	// The go command calls a module indirect that has tools only. The program imports this one.
	if mod, _ := goMod(folder); indirect(mod) {
		return s.goCommand(ctx, "get", "-t", ".")
	}
	return nil
}

// indirect reports whether a go.mod says that the module with this command is not imported.
func indirect(mod *modfile.File) bool {
	require := requirement(mod)
	return require != nil && require.Indirect
}

// goCommand runs the go command in the folder. An error says how to run it by hand.
func (s *start) goCommand(ctx context.Context, args ...string) error {
	line := "go " + quoted(args)
	s.say(line)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = s.folder
	cmd.Stdout, cmd.Stderr = s.stderr, s.stderr
	if err := leftover.Run(cmd); err != nil {
		return fmt.Errorf("the files are written, but %s: %w: %w", line, err, diag.Do("run it in %s, then go run . there", s.place()))
	}
	return nil
}

var notInModule = regexp.MustCompile(`[^a-zA-Z0-9._-]+`)

// moduleName returns the path of a new module in a folder of a name.
func moduleName(folder string) string {
	name := strings.Trim(notInModule.ReplaceAllString(folder, "-"), "-.")
	if name == "" {
		name = "hello"
	}
	return name
}
