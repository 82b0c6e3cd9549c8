package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
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
