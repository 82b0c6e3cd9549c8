package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/diag"
)

// A reporter prints diagnostics: one per line as compilers do; on a terminal with the line of the
// source, a caret and the code of the diagnostic; with -json as objects.
type reporter struct {
	stdout, stderr io.Writer
	json           bool
	terminal       bool // stderr is a terminal
	color          bool
	command        string // how the user calls cudagen
	folder         string // in front of relative names of files
	before         func() // unless nil, is called before the first line is printed

	sources map[string][]string // lines by path
}

// newReporter returns the reporter of a command. A command that prints JSON prints it to stdout.
func newReporter(getenv func(string) string, stdout, stderr io.Writer) *reporter {
	r := &reporter{stdout: stdout, stderr: stderr, terminal: isTerminal(stderr), command: ownCommand()}
	r.color = r.terminal && colored(getenv)
	r.folder = workspaceFolder(getenv)
	return r
}

// workspaceFolder returns the working folder relative to the repository where a workflow of GitHub
// runs go generate, and "" elsewhere. go generate runs cudagen in the folder of each package, and
// problem matchers take the names of files as relative to the repository.
//
// GitHub Docs, Variables: GITHUB_WORKSPACE.
func workspaceFolder(getenv func(string) string) string {
	root := getenv("GITHUB_WORKSPACE")
	if root == "" || getenv("GOFILE") == "" {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return ""
	}
	folder, err := filepath.Rel(root, here)
	if err != nil || folder == "." || !filepath.IsLocal(folder) {
		return ""
	}
	return folder
}

// named returns the name of a file, or a line that begins with one, as it is printed.
func (r *reporter) named(path string) string {
	if r.folder == "" || path == "" || filepath.IsAbs(path) {
		return path
	}
	return r.folder + string(filepath.Separator) + path
}

// shown returns text, which has remedy, as it is printed for people.
func (r *reporter) shown(text string, remedy diag.Remedy) string {
	short := shorten(text, remedy.Error())
	if short == text {
		return remedy.In(text, r.command)
	}
	return remedy.In(short, r.command) + " (-json prints names in full)"
}

// begin prepares for printing.
func (r *reporter) begin() {
	if r.before != nil {
		r.before()
		r.before = nil
	}
}

// colored reports whether a terminal may be written to in colour.
//
// no-color.org: any value of NO_COLOR but the empty one.
func colored(getenv func(string) string) bool {
	if getenv("NO_COLOR") != "" || getenv("TERM") == "dumb" {
		return false
	}
	return runtime.GOOS != "windows" || getenv("WT_SESSION") != "" || getenv("TERM") != ""
}

// A diagnostic is the JSON form of an error, a warning or a note. Later versions only add fields.
type diagnostic struct {
	Severity string    `json:"severity"` // error, warning, note
	File     string    `json:"file"`     // empty if the message is about no file
	Line     int       `json:"line"`     // from 1; 0 if the message is about the whole file
	Column   int       `json:"column"`   // in bytes, from 1; 0 if it is not known
	Code     diag.Code `json:"code"`     // of cudagen explain
	Message  string    `json:"message"`  // with the fix
	Fix      string    `json:"fix"`      // what to do, if the message says it

	Edit *diag.Edit `json:"edit,omitempty"` // that does it
}

// errors prints errors: those of sources one by one, and others after the command's name.
func (r *reporter) errors(err error) {
	if list, ok := err.(diag.List); ok {
		if !r.json { // an editor shows each at its place
			list = byCause(list)
		}
		r.list("error", list)
		return
	}
	_, whole := err.(interface{ DiagnosticCode() diag.Code })
	joined, several := err.(interface{ Unwrap() []error })
	if several && !whole && err.Error() == errors.Join(joined.Unwrap()...).Error() {
		for _, one := range joined.Unwrap() {
			r.errors(one)
		}
		return
	}
	file, message := diag.FileOf(err)
	if r.json {
		r.object("error", token.Position{Filename: file}, message)
		return
	}
	r.begin()
	line := err.Error()
	if line != message.Error() { // which begins with the file
		line = r.named(line)
	}
	fmt.Fprintf(r.stderr, "cudagen: %s\n", r.shown(line, message.Remedy))
	if r.terminal {
		r.hint(message.Code)
	}
}

// stale prints a message about a stale file, which it begins with, after the command's name.
func (r *reporter) stale(file string, message diag.Message) {
	if r.json {
		r.object("error", token.Position{Filename: file}, message)
		return
	}
	r.begin()
	fmt.Fprintf(r.stderr, "cudagen: %s\n", r.shown(r.named(message.Error()), message.Remedy))
}

// warn prints a warning about the command line.
func (r *reporter) warn(message diag.Message) {
	if r.json {
		r.object("warning", token.Position{}, message)
		return
	}
	r.begin()
	fmt.Fprintf(r.stderr, "cudagen: warning: %s\n", r.shown(message.Error(), message.Remedy))
}

// notRun prints why the command line is not understood, unless it asks for help, and returns the exit
// code.
func (r *reporter) notRun(err error) int {
	if !r.json || errors.Is(err, flag.ErrHelp) {
		return notRun("cudagen", err, r.stderr)
	}
	message := diag.MessageOf(err)
	message.Code = diag.CodeOr(err, diag.Flags)
	r.object("error", token.Position{}, message)
	return exitUsage
}

// messages prints what inspect reports.
func (r *reporter) messages(severity string, list []inspect.Message) {
	for _, m := range list {
		r.one(severity, &diag.Error{Pos: token.Position{Filename: m.File, Line: m.Line, Column: m.Column}, Message: diag.Message{Code: m.Code, Text: m.Text, Remedy: diag.Reread(m.Fix)}})
	}
}

// list prints diagnostics of sources.
func (r *reporter) list(severity string, list diag.List) {
	for _, e := range list {
		r.one(severity, e)
	}
}

// one prints a diagnostic.
func (r *reporter) one(severity string, e *diag.Error) {
	pos := e.Pos
	if r.json {
		r.object(severity, pos, e.Message)
		return
	}
	r.begin()
	message := r.shown(e.Message.Error(), e.Remedy)
	label := ""
	if severity != "error" {
		label = severity + ": "
	}
	place := ""
	if pos.IsValid() || pos.Filename != "" || severity != "error" {
		shown := pos
		shown.Filename = r.named(pos.Filename)
		place = shown.String() + ": "
	}
	fmt.Fprintf(r.stderr, "%s%s%s\n", r.paint(bold, place), r.paint(colorOf(severity), label), message)
	if r.terminal {
		r.excerpt(pos, severity)
		if severity == "error" {
			r.hint(diag.CodeOf(e))
		}
	}
}

// object prints a diagnostic as a line of JSON.
func (r *reporter) object(severity string, pos token.Position, m diag.Message) {
	d := diagnostic{severity, pos.Filename, pos.Line, pos.Column, diag.CodeOf(m), m.Remedy.In(m.Error(), r.command), m.Remedy.In(m.Remedy.Error(), r.command), m.Remedy.Edit.OrNil()}
	encoder := json.NewEncoder(r.stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		fmt.Fprintf(r.stderr, "cudagen: %v\n", err)
	}
}

// hint names the page of a code.
func (r *reporter) hint(code diag.Code) {
	fmt.Fprintf(r.stderr, "  %s\n", r.paint(dim, "help: "+r.command+" explain "+string(code)))
}

// excerpt prints the line of the source with a caret below it.
func (r *reporter) excerpt(pos token.Position, severity string) {
	line, ok := r.line(pos)
	if !ok {
		return
	}
	number := strconv.Itoa(pos.Line)
	fmt.Fprintf(r.stderr, "  %s %s\n", r.paint(dim, number+" |"), line)
	if pos.Column < 1 || pos.Column > len(line)+1 {
		return
	}
	fmt.Fprintf(r.stderr, "  %s %s%s\n", r.paint(dim, strings.Repeat(" ", len(number))+" |"), blanks(line[:pos.Column-1]), r.paint(colorOf(severity), "^"))
}

// blanks returns blanks as wide as text: tabs stay, and continuation bytes of UTF-8 have no width.
func blanks(text string) string {
	var b strings.Builder
	for i := range text {
		if text[i] == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// line returns a line of a source.
func (r *reporter) line(pos token.Position) (text string, ok bool) {
	lines, known := r.sources[pos.Filename]
	if !known {
		content, err := os.ReadFile(pos.Filename)
		if err == nil {
			lines = strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
		}
		if r.sources == nil {
			r.sources = make(map[string][]string)
		}
		r.sources[pos.Filename] = lines
	}
	if pos.Line < 1 || pos.Line > len(lines) {
		return "", false
	}
	return printable(lines[pos.Line-1]), true
}

// printable returns text without control characters, which would control the terminal.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' && c != '\t' || c == 0x7f || 0x80 <= c && c < 0xa0 {
			return '?'
		}
		return c
	}, text)
}

// Colours.
//
// ECMA-48, Control Functions: SGR.
const (
	bold   = "\x1b[1m"
	dim    = "\x1b[2m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[1;36m"
	plain  = "\x1b[0m"
)

func colorOf(severity string) string {
	switch severity {
	case "error":
		return red
	case "warning":
		return yellow
	}
	return cyan
}

func (r *reporter) paint(color, text string) string {
	if !r.color || text == "" {
		return text
	}
	return color + text + plain
}
