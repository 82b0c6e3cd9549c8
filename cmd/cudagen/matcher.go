package main

import (
	"embed"
	"flag"
	"io"
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

var matchers = handout{what: "problem matcher", whose: "name what reads it", names: []string{"github", "vscode"}, files: matcherFiles, folder: "matcher"}

// runMatcher runs the subcommand matcher.
func runMatcher(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cudagen matcher", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	named, err := parseMixed(flags, args, matcherUsage, stdout)
	if err == nil {
		err = matchers.print(named, stdout)
	}
	if err != nil {
		return notRun("cudagen matcher", err, stderr)
	}
	return exitOK
}
