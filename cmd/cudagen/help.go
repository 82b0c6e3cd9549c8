package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// parseHelped parses args. When they ask for help it is written to stdout, and the error
// is flag.ErrHelp.
func parseHelped(flags *flag.FlagSet, args []string, usage string, stdout io.Writer) error {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	return err
}

// notRun returns the exit code of a command whose arguments only ask for help, or are
// wrong: then it says so.
func notRun(command string, err error, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	fmt.Fprintf(stderr, "%s: %v (%[1]s -h shows how)\n", command, err)
	return exitUsage
}

// files returns the arguments behind the flags, which name files or folders. what says in a
// message what they are.
func files(flags *flag.FlagSet, what string) ([]string, error) {
	var list []string
	for _, path := range flags.Args() {
		if strings.HasPrefix(path, "-") {
			return nil, fmt.Errorf("%s stands behind %s: write flags first (and ./%[1]s for a file of that name)", path, flags.Arg(0))
		}
		list = append(list, filepath.Clean(path))
	}
	if list == nil {
		return nil, errors.New("give " + what)
	}
	return list, nil
}
