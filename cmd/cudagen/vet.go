package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/leftover"
	"github.com/cudagen/cudagen/vet"
)

const vetUsage = `cudagen vet looks for mistakes in the use of the runtime that compilers cannot see.

Usage:

	cudagen vet [flags of go vet] [packages]
	go vet -vettool=$(which cudagen) [packages]

Both are the same: go vet runs cudagen for each package, and keeps the results in Go's build
cache. -json prints reports as JSON, -cudaerror (and so on) runs only the named analyzers,
-cudaerror=false all but them, and go fix -fixtool=$(which cudagen) writes the mends that
reports suggest.

Analyzers:

`

// isVetTool reports whether go vet runs cudagen: it asks for the version and the flags, and then
// hands over the configuration of a package.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	return args[0] == "-V=full" || args[0] == "-flags" || strings.HasSuffix(args[len(args)-1], ".cfg")
}

// runVetTool analyses one package for go vet, and ends the process.
func runVetTool() {
	if os.Args[1] == "-V=full" {
		if err := printIdentity(os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "cudagen vet:", spoken(err))
			os.Exit(exitInput)
		}
		os.Exit(exitOK)
	}
	unitchecker.Main(vet.Analyzers()...)
}

// printIdentity prints what go vet knows a tool by, and keeps results for: a hash of the program and, because cudastale
// reads them, of the .cu files, their headers and the records of the module, or of those of the workspace.
func printIdentity(w io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	program, err := os.Open(self)
	if err != nil {
		return err
	}
	defer program.Close()
	h := sha256.New()
	if _, err := io.Copy(h, program); err != nil {
		return err
	}
	working, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, folder := range append(workspace(working), working) {
		state, err := vet.State(folder)
		if err != nil && folder != working {
			continue // a workspace may name what is not there, which the go command reports
		}
		if err != nil {
			return err
		}
		h.Write(state)
	}
	_, err = fmt.Fprintf(w, "%s version devel buildID=%x\n", self, h.Sum(nil))
	return err
}

// runVet runs go vet with this command as its tool.
func runVet(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) > 0 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		fmt.Fprint(stdout, vetUsage)
		for _, a := range vet.Analyzers() {
			summary, _, _ := strings.Cut(a.Doc, "\n")
			fmt.Fprintf(stdout, "\t%-14s %s\n", a.Name, summary)
		}
		return exitOK
	}
	self, err := os.Executable()
	if err != nil {
		newReporter(os.Getenv, stdout, stderr).errors(err)
		return exitInput
	}
	command := exec.CommandContext(ctx, "go", append([]string{"vet", "-vettool=" + self}, args...)...)
	command.Stdout, command.Stderr = stdout, stderr
	err = leftover.Run(command)
	var exit *exec.ExitError
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &exit):
		return exitInput
	case errors.Is(err, exec.ErrNotFound):
		err = fmt.Errorf("cudagen vet runs go vet, and there is no go on PATH: %w", diag.Do("install Go"))
	}
	newReporter(os.Getenv, stdout, stderr).errors(err)
	return exitInput
}
