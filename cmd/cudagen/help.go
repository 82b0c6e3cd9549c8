package main

import (
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"io"
	"path/filepath"
	"strings"
)

// parseHelped parses args. If they request help, it prints the help to stdout and returns
// flag.ErrHelp.
func parseHelped(flags *flag.FlagSet, args []string, usage string, stdout io.Writer) error {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	return err
}

// notRun returns the exit code of a command whose arguments request help, or are wrong. It
// prints the error to stderr.
func notRun(command string, err error, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	var input *inputError
	if errors.As(err, &input) {
		if list, positions := input.error.(scanner.ErrorList); positions {
			scanner.PrintError(stderr, list)
			return exitInput
		}
		fmt.Fprintf(stderr, "%s: %v\n", command, err)
		return exitInput
	}
	fmt.Fprintf(stderr, "%s: %v (see %[1]s -h)\n", command, err)
	return exitUsage
}

// files returns the arguments after the flags, which name files or folders. what describes
// them in an error.
func files(flags *flag.FlagSet, what string) ([]string, error) {
	var list []string
	for _, path := range flags.Args() {
		if strings.HasPrefix(path, "-") {
			return nil, fmt.Errorf("%s follows %s: write flags first (and ./%[1]s for a file of that name)", path, flags.Arg(0))
		}
		list = append(list, filepath.Clean(path))
	}
	if list == nil {
		return nil, errors.New("name " + what)
	}
	return list, nil
}
