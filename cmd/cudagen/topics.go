package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/explain"
)

//go:embed topics
var topics embed.FS

// A topic is what cudagen help explains.
type topic struct {
	name, line string
	print      func(w io.Writer, getenv func(string) string) error
}

// helpTopics returns the topics in the order in which they are listed.
func helpTopics() []topic {
	return []topic{
		{"directives", "the comments that describe a kernel", text("directives")},
		{"expressions", "the expressions in directives", text("expressions")},
		{"types", "which types parameters may have, and what they are in Go", text("types")},
		{"templates", "instances of function templates; templates that make more files", text("templates")},
		{"flags", "the flags of the generator", printFlags},
		{"variables", "the environment variables", printVariables},
	}
}

// text returns the print function of a topic that is a file.
func text(name string) func(io.Writer, func(string) string) error {
	return func(w io.Writer, _ func(string) string) error {
		_, err := io.WriteString(w, topicText(name))
		return err
	}
}

func topicText(name string) string {
	content, err := topics.ReadFile("topics/" + name + ".txt")
	if err != nil {
		panic(err) // the file is embedded
	}
	return string(content)
}

// usage returns the help of the generator but for its flags.
func usage() string {
	var calls, names [][2]string
	for _, c := range commands() {
		calls = append(calls, [2]string{strings.TrimSpace("cudagen " + c.name + " " + c.args), c.line})
	}
	for _, t := range helpTopics() {
		names = append(names, [2]string{t.name, t.line})
	}
	text := table(calls) + "\nTopics of cudagen help:\n\n" + table(names)
	return fmt.Sprintf(topicText("usage"), text) + topicText("directives") + "\nFlags and their environment variables:\n\n"
}

// table returns two columns, indented.
func table(rows [][2]string) string {
	var b, indented strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
	}
	w.Flush()
	for line := range strings.Lines(b.String()) {
		indented.WriteString("\t" + line)
	}
	return indented.String()
}

// runHelp runs the subcommand help.
func runHelp(args []string, getenv func(string) string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		args = []string{"-h"}
	}
	if err := help(args, getenv, stdout, stderr); err != nil {
		return notRun("cudagen help", err, stderr)
	}
	return exitOK
}

func help(args []string, getenv func(string) string, stdout, stderr io.Writer) error {
	name := args[0]
	switch c := findCommand(name); {
	case name == "-h", name == "-help", name == "--help":
		_, err := parseFlags([]string{"-h"}, getenv, stdout, stderr)
		return err
	case c != nil && name == "help":
		return help([]string{"-h"}, getenv, stdout, stderr)
	case c != nil:
		c.run(context.Background(), []string{"-h"}, getenv, stdout, stderr)
		return nil
	case len(args) > 1:
		return diag.Flags.Errorf("unexpected argument %q", args[1])
	}
	names := []string{}
	for _, t := range helpTopics() {
		if t.name == name {
			return t.print(stdout, getenv)
		}
		names = append(names, t.name)
	}
	for _, c := range commands() {
		names = append(names, c.word())
	}
	if class, found := explain.Find(name); found {
		return printClass(stdout, class)
	}
	return diag.UnknownWord.Errorf("there is no topic %s%w", name, nearest(name, names))
}

func printFlags(w io.Writer, getenv func(string) string) error {
	var o options
	flags, err := o.flags(getenv)
	if err != nil {
		return err
	}
	flags.SetOutput(w)
	flags.PrintDefaults()
	return nil
}

func printVariables(w io.Writer, _ func(string) string) error {
	var rows [][2]string
	for _, v := range variables {
		rows = append(rows, [2]string{v.name, v.line})
	}
	_, err := io.WriteString(w, table(rows))
	return err
}

const explainUsage = `cudagen explain prints what a diagnostic means, with an example and what mends it.

Usage:

	cudagen explain S102
	cudagen explain         the codes

On a terminal each error names its code. -json prints it in other cases.
`

// runExplain runs the subcommand explain.
func runExplain(args []string, _ func(string) string, stdout, stderr io.Writer) int {
	if err := explainCode(args, stdout); err != nil {
		return notRun("cudagen explain", err, stderr)
	}
	return exitOK
}

func explainCode(args []string, stdout io.Writer) error {
	switch {
	case len(args) == 0:
		for _, c := range explain.Classes() {
			fmt.Fprintf(stdout, "%s  %s\n", c.Code, c.Title)
		}
		return nil
	case len(args) > 1:
		return diag.Flags.New("explain takes one code")
	case args[0] == "-h" || args[0] == "-help" || args[0] == "--help":
		_, err := io.WriteString(stdout, explainUsage)
		return err
	}
	class, found := explain.Find(args[0])
	if !found {
		var codes []string
		for _, c := range explain.Classes() {
			codes = append(codes, string(c.Code))
		}
		return diag.UnknownWord.Errorf("there is no code %s (there are %s)", args[0], strings.Join(codes, ", "))
	}
	return printClass(stdout, class)
}

func printClass(w io.Writer, class explain.Class) error {
	_, err := fmt.Fprintf(w, "%s: %s\n\n%s", class.Code, class.Title, class.Text)
	return err
}
