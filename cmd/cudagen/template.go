package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
	"github.com/cudagen/cudagen/templates"
)

// templateFlag adds the flag that names templates.
func templateFlag(flags *flag.FlagSet, names *[]string, getenv func(string) string) {
	*names = strings.FieldsFunc(getenv("CUDAGEN_TEMPLATE"), func(r rune) bool { return r == ',' })
	flags.Var((*listFlag)(names), "template", "`file` of a template, or builtin:"+strings.Join(templates.Names(), ", builtin:")+"; repeatable (CUDAGEN_TEMPLATE, separated by commas)")
}

// emitters returns the emitters that run the templates called names.
func emitters(names []string) (list []gen.Emitter, err error) {
	for _, name := range names {
		t, err := templates.Open(name)
		if err != nil {
			return nil, diag.BadTemplate.Of(err)
		}
		list = append(list, t.Emitter())
	}
	return list, nil
}

const templateUsage = `cudagen template helps to write templates, which make more files of kernels.

Usage:

	cudagen template list            print the templates that come with cudagen
	cudagen template show NAME       print the text of one of them
	cudagen template new NAME        write NAME.tmpl, a commented template to begin with

Run a template with

	cudagen -template NAME.tmpl kernels.cu
	cudagen -template builtin:mock kernels.cu

See docs/templates.md.
`

// runTemplate runs cudagen template and returns its exit code.
func runTemplate(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cudagen template", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	err := parseHelped(flags, args, templateUsage, stdout)
	if err == nil {
		err = template(flags.Args(), stdout, stderr)
	}
	if err != nil {
		return notRun("cudagen template", err, stderr)
	}
	return exitOK
}

// template does what the arguments of cudagen template say.
func template(args []string, stdout, stderr io.Writer) error {
	switch {
	case len(args) == 1 && args[0] == "list":
		w := tabwriter.NewWriter(stdout, 0, 8, 2, ' ', 0)
		for _, name := range templates.Names() {
			t, err := templates.Builtin(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(w, "builtin:%s\t%s\n", name, t.Summary())
		}
		return w.Flush()
	case len(args) == 2 && args[0] == "show":
		t, err := templates.Builtin(strings.TrimPrefix(args[1], "builtin:"))
		if err != nil {
			return &inputError{err}
		}
		_, err = io.WriteString(stdout, t.Text())
		return err
	case len(args) == 2 && args[0] == "new":
		return newTemplate(args[1], stderr)
	}
	return diag.Flags.New("say list, show NAME or new NAME")
}

// newTemplate writes a template to begin with.
func newTemplate(name string, stderr io.Writer) error {
	path := name
	if filepath.Ext(path) == "" {
		path += ".tmpl"
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		if errors.Is(err, os.ErrExist) {
			return &inputError{diag.FileAccess.Errorf("%s exists: %w", path, diag.Do("give another name"))}
		}
		return &inputError{source.NewError(path, diag.FileAccess.Errorf("cannot be written: %w", errors.Unwrap(err)))}
	}
	_, err = io.WriteString(file, strings.ReplaceAll(templates.Starter(), "FILE", filepath.ToSlash(path)))
	if err = errors.Join(err, file.Close()); err != nil {
		return &inputError{err}
	}
	fmt.Fprintf(stderr, "cudagen: wrote %s: run %s -template %[1]s kernels.cu\n", path, ownCommand())
	return nil
}
