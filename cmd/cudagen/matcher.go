package main

import (
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
)

const matcherUsage = `cudagen matcher prints a problem matcher: how a program finds the errors, warnings and notes in what
cudagen prints, with their files, lines and columns.

Usage:

	cudagen matcher github|vscode

github is for workflows of GitHub, which then show each at its line of a change:

	- run: |
	    go tool cudagen matcher github > "$RUNNER_TEMP/cudagen.json"
	    echo "::add-matcher::$RUNNER_TEMP/cudagen.json"
	- run: go generate ./...

vscode is a file .vscode/tasks.json for Visual Studio Code, with a task that generates.
`

// Problem matchers by the name of the program that reads them. Their regular expressions are those
// of RE2, JavaScript and .NET alike.
//
//go:embed matcher
var matcherFiles embed.FS

// matchers returns the programs that have a problem matcher.
func matchers() []string { return []string{"github", "vscode"} }

// runMatcher runs the subcommand matcher.
func runMatcher(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cudagen matcher", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	named, err := parseMixed(flags, args, matcherUsage, stdout)
	if err == nil {
		err = printMatcher(named, stdout)
	}
	if err != nil {
		return notRun("cudagen matcher", err, stderr)
	}
	return exitOK
}

// printMatcher prints the problem matcher for the program that args names.
func printMatcher(args []string, stdout io.Writer) error {
	if len(args) != 1 {
		return errors.New("name what reads it: " + strings.Join(matchers(), ", "))
	}
	if !slices.Contains(matchers(), args[0]) {
		return fmt.Errorf("there is no problem matcher for %s%s", args[0], nearest(args[0], matchers()))
	}
	text, err := matcherFiles.ReadFile("matcher/" + args[0])
	if err != nil {
		return err
	}
	_, err = stdout.Write(text)
	return err
}
