package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/cudagen/cudagen/internal/diag"
)

// A command is a subcommand.
type command struct {
	name, args, line string // line describes it in one line
	run              func(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int
}

// commands returns the subcommands in the order of the help.
func commands() []command {
	return []command{
		{"init", "[folder]", "write a first kernel, a program and a test", runInit},
		{"watch", "[flags] kernels.cu…", "generate, and again after every change", runWatch},
		{"inspect", "[flags] kernels.cu…", "print what cudagen reads from files, without a compiler", withoutContext(runInspect)},
		{"library", "[flags] lib.h…", "make a Go package of a C library, such as cuBLAS", runLibrary},
		{"template", "list|show|new NAME", "list the templates that make more files, or begin one", withoutContext(runTemplate)},
		{"model", "-json|-schema|-go", "print what templates see, for tools in any language", runModel},
		{"doctor", "[-json]", "report which compilers and devices work", runDoctor},
		{"toolchain install", "", "install NVIDIA's compilers, without root, Python or a CUDA toolkit", runToolchain},
		{"vet", "[packages]", "look for mistakes in programs that use the runtime", func(ctx context.Context, args []string, _ func(string) string, stdout, stderr io.Writer) int {
			return runVet(ctx, args, stdout, stderr)
		}},
		{"sim", "kernels.ptx…", "print what PTX needs that the simulated device does not have", withoutContext(runSim)},
		{"profile", "[flags] program|packages", "run on the simulated device, and report what kernels cost, line by line", runProfile},
		{"debug", "[-listen address]", "debug kernels on the simulated device, for an editor", runDebug},
		{"clean", "[-n] [-cache] [folder…]", "remove what cudagen generated", withoutContext(runClean)},
		{"completion", strings.Join(completions.names, "|"), "print a script that completes the command line in a shell", withoutContext(runCompletion)},
		{"matcher", strings.Join(matchers.names, "|"), "print a problem matcher, which shows errors at their lines", withoutContext(runMatcher)},
		{"explain", "[code]", "explain a diagnostic", withoutContext(runExplain)},
		{"help", "[topic]", "explain directives, types, expressions, templates, flags, variables", withoutContext(runHelp)},
		{"version", "", "print the version", withoutContext(runVersion)},
	}
}

// withoutContext makes the run function of a command that ends at once.
func withoutContext(run func([]string, func(string) string, io.Writer, io.Writer) int) func(context.Context, []string, func(string) string, io.Writer, io.Writer) int {
	return func(_ context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
		return run(args, getenv, stdout, stderr)
	}
}

// word is what the command line has: "toolchain" of "toolchain install".
func (c *command) word() string {
	word, _, _ := strings.Cut(c.name, " ")
	return word
}

// findCommand returns the subcommand of a name, or nil.
func findCommand(name string) *command {
	for _, c := range commands() {
		if c.word() == name {
			return &c
		}
	}
	return nil
}

// mistyped returns the error for a first argument that is no subcommand, no file and no pattern,
// such as inpsect; nil for others.
func mistyped(arg string) error {
	if arg == "" || strings.HasPrefix(arg, "-") || filepath.Ext(arg) != "" || strings.ContainsAny(arg, "*?[./\\") {
		return nil
	}
	if _, err := os.Lstat(arg); err == nil {
		return nil
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.word())
	}
	return diag.UnknownWord.Errorf("there is no command, file or folder %s%w", arg, nearest(arg, names))
}

// nearest returns a hint at the name that is most like got, or at all names.
func nearest(got string, names []string) diag.Message {
	if best, near := closest(got, names); near {
		return diag.Hint("did you mean %s?", best)
	}
	return diag.Message{Text: fmt.Sprintf(" (there are %s)", strings.Join(names, ", "))}
}

// closest returns the name that is most like got, and whether it is near.
func closest(got string, names []string) (best string, near bool) {
	if len(names) == 0 {
		return "", false
	}
	distance := func(name string) int { return levenshtein.ComputeDistance(got, name) }
	best = slices.MinFunc(names, func(a, b string) int { return distance(a) - distance(b) })
	return best, distance(best) <= max(1, len(got)/2)
}
