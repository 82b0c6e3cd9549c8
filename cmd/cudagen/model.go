package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
)

const modelUsage = `cudagen model prints what templates see of .cu files, for tools in any language.

Usage:

	cudagen model -json [flags] kernels.cu…  print a JSON array with the model of each file
	cudagen model -schema                    print the JSON schema of that array
	cudagen model -go                        print the model's declarations in Go

The flags behind -json are those of cudagen; without any, a file is read with those of its record. What
is not current is compiled; nothing is written. See docs/templates.md.
`

// runModel runs cudagen model and returns its exit code.
func runModel(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	var err error
	switch first := strings.Replace(strings.Join(args[:min(1, len(args))], ""), "--", "-", 1); {
	case first == "-h" || first == "-help":
		fmt.Fprint(stdout, modelUsage)
		return exitOK
	case first == "-schema" && len(args) == 1:
		_, err = stdout.Write(model.Schema())
	case first == "-go" && len(args) == 1:
		_, err = stdout.Write(model.Declarations())
	case first == "-json" || slices.Contains(args, "-json"):
		return modelJSON(ctx, slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg == "-json" || arg == "--json" }), getenv, stdout, stderr)
	default:
		err = diag.Flags.New("say -json kernels.cu, -schema or -go")
	}
	if err != nil {
		return notRun("cudagen model", err, stderr)
	}
	return exitOK
}

// modelJSON prints the models of the files that args name.
func modelJSON(ctx context.Context, args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	o, err := parseFlags(args, getenv, stdout, stderr)
	if err == nil {
		err = o.setPlan(getenv, true)
	}
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		return notRun("cudagen model", err, stderr)
	}
	var models []*model.File
	for _, one := range o.plan {
		some, err := gen.Models(ctx, one)
		if err != nil {
			newReporter(getenv, stdout, stderr).errors(err)
			return exitInput
		}
		models = append(models, some...)
	}
	encoder := json.NewEncoder(stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(models); err != nil {
		return notRun("cudagen model", &inputError{err}, stderr)
	}
	return exitOK
}
