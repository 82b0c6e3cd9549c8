package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// parseHelped parses args. If they request help, it prints the help to stdout and returns
// flag.ErrHelp. An unknown flag is answered with the nearest one.
func parseHelped(flags *flag.FlagSet, args []string, usage string, stdout io.Writer) error {
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	} else if err != nil {
		if name, unknown := unknownFlag(err); unknown {
			var names []string
			flags.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
			if hint := nearest("-"+strings.TrimLeft(name, "-"), names); !hint.Remedy.IsZero() {
				err = fmt.Errorf("%w%w", err, hint)
			}
		}
	}
	return err
}

// unknownFlag returns the flag that err says is not known.
func unknownFlag(err error) (name string, unknown bool) {
	if err == nil {
		return "", false
	}
	name, unknown = strings.CutPrefix(err.Error(), "flag provided but not defined: ")
	name, _, _ = strings.Cut(name, " ")
	return name, unknown
}

// parseMixed is parseHelped for flags that may stand behind other arguments, which it returns.
// Behind -- there are no flags.
func parseMixed(flags *flag.FlagSet, args []string, usage string, stdout io.Writer) (others []string, err error) {
	args, literal := compilerFlags(args)
	for {
		if err := parseHelped(flags, args, usage, stdout); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			others = append(others, literal...)
			if slices.Contains(others, "") { // of a variable in a script that is not set, not this folder
				return nil, diag.Flags.Errorf(`unexpected argument "": %w`, diag.Do(`name a file or a folder`))
			}
			return others, nil
		}
		others = append(others, flags.Arg(0))
		args = flags.Args()[1:]
	}
}

// notRun returns the exit code of a command whose arguments request help, or are wrong. It
// prints the error to stderr.
func notRun(command string, err error, stderr io.Writer) int {
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	var input *inputError
	if errors.As(err, &input) {
		if list, positions := input.error.(diag.List); positions {
			diag.Print(stderr, list)
			return exitInput
		}
		fmt.Fprintf(stderr, "%s: %s\n", command, spoken(err))
		return exitInput
	}
	fmt.Fprintf(stderr, "%s: %s (see %s -h)\n", command, spoken(err), ownCommand()+strings.TrimPrefix(command, "cudagen"))
	return exitUsage
}

// files returns the arguments that name files or folders, clean. what describes them in an error.
func files(args []string, what string) ([]string, error) {
	var list []string
	for _, path := range args {
		list = append(list, filepath.Clean(path))
	}
	if list == nil {
		return nil, diag.FlagValue.New("name " + what)
	}
	return list, nil
}
