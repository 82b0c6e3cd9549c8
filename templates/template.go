// Package templates makes emitters of text/template templates over package model: those that
// cudagen brings and those of its users. docs/templates.md is the guide.
//
// A template says in blocks of its own what it writes:
//
//	{{define "model"}}2{{end}}                         the model.Version that it is written for
//	{{define "output"}}{{.Stem}}_bench_test.go{{end}}  the file's name, in the folder of the Go file
//	{{define "package"}}{{.Package}}_test{{end}}       of Go: another package than that of the kernels
//	{{define "tags"}}linux{{end}}                      of Go: another build constraint
//
// Blocks called file.header, file.extra, kernel.doc, kernel.extra, args.doc and struct.extra add
// to the standard Go file. A template has an output, such blocks, or both.
//
// It knows no C++ and runs no compiler. Start with Open.
package templates

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// A Template is a text/template over a model.File.
type Template struct {
	name   string // for messages
	file   string // path; empty for one without a file
	text   string
	parsed *template.Template
}

// mainName is the name of what stands outside of blocks, for text/template.
const mainName = "outside of blocks"

// Open returns the template called builtin:NAME, or that in the file called name.
//
// Errors in templates are gen.Diagnostics.
func Open(name string) (*Template, error) {
	if short, builtin := strings.CutPrefix(name, source.BuiltinTemplate); builtin {
		return Builtin(short)
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.InFile(name, diag.BadTemplate.New("there is no such template").With(suggestion(name)))
	case err != nil:
		return nil, diag.InFile(name, diag.BadTemplate.Errorf("cannot be read: %w", errors.Unwrap(err)))
	}
	t, err := Parse(name, string(text))
	if err == nil {
		t.file = name
	}
	return t, err
}

// Parse returns the template that text is. Name is for messages, and in the record.
func Parse(name, text string) (*Template, error) {
	t := &Template{name: name, text: text}
	if at := strings.IndexByte(text, 0); at >= 0 {
		return nil, t.errorAt(at, diag.BadTemplate.New("the template is not text"))
	}
	parsed, err := template.New(mainName).Option("missingkey=error").Funcs(new(printer).functions()).Parse(text)
	if err != nil {
		return nil, t.notUnderstood(err)
	}
	t.parsed = parsed
	return t, t.check()
}

// Emitter returns the emitter that runs t.
func (t *Template) Emitter() model.Emitter {
	sum := sha256.Sum256([]byte(strings.ReplaceAll(t.text, "\r\n", "\n")))
	e := model.Emitter{Name: t.name, Version: hex.EncodeToString(sum[:]), File: t.file}
	if t.has("output") {
		e.Emit = func(f *model.File) ([]model.Output, error) {
			o, err := t.output(f)
			return []model.Output{o}, err
		}
	}
	if slices.ContainsFunc(blocks, func(b model.Block) bool { return t.has(string(b)) }) {
		e.Blocks = t.blocks
	}
	return e
}

// blocks are the names of those that fill the standard output.
var blocks = []model.Block{model.FileHeader, model.FileExtra, model.KernelDoc, model.KernelExtra, model.ArgsDoc, model.StructExtra}

func (t *Template) has(name string) bool { return t.parsed.Lookup(name) != nil }

// check finds out whether t says what it has to say.
func (t *Template) check() error {
	fills := slices.ContainsFunc(blocks, func(b model.Block) bool { return t.has(string(b)) })
	switch {
	case !t.has("model"):
		return t.errorAt(0, diag.BadTemplate.Errorf("the template does not say which model it is written for: %w", diag.Do(`add {{define "model"}}%d{{end}}`, model.Version)))
	case !t.has("output") && !fills:
		return t.errorAt(0, diag.BadTemplate.Errorf("the template does not say which file it writes: %w", diag.Do(`add {{define "output"}}{{.Stem}}_name.go{{end}}`)))
	case !t.has("output") && t.main() != "":
		return t.errorAt(t.mainAt(), diag.BadTemplate.Errorf("there is text outside of blocks, and the template does not say which file it writes: %w", diag.Do(`add {{define "output"}}{{.Stem}}_name.go{{end}}`)))
	}
	for _, defined := range t.parsed.Templates() {
		name := defined.Name()
		near := slices.ContainsFunc(blocks, func(b model.Block) bool { return strings.HasPrefix(name, strings.SplitAfter(string(b), ".")[0]) })
		if near && !slices.Contains(blocks, model.Block(name)) {
			return t.errorAt(int(defined.Root.Pos), diag.BadTemplate.Errorf("there is no block %s in the standard output: there are %s", name, blockNames()))
		}
	}
	version := strings.TrimSpace(t.parsed.Lookup("model").Root.String())
	if version != strconv.Itoa(model.Version) {
		return t.errorAt(int(t.parsed.Lookup("model").Root.Pos), diag.BadTemplate.Errorf("the template is written for version %s of the model, and this cudagen has version %d: see docs/templates.md for what changed", version, model.Version))
	}
	return nil
}

func blockNames() string {
	names := make([]string, len(blocks))
	for i, b := range blocks {
		names[i] = string(b)
	}
	return strings.Join(names, ", ")
}

// main returns what stands outside of blocks, without blanks around it and comments.
func (t *Template) main() string {
	if t.parsed.Tree == nil {
		return ""
	}
	return strings.TrimSpace(t.parsed.Root.String())
}

// mainAt returns the offset of what stands outside of blocks.
func (t *Template) mainAt() int {
	for _, n := range t.parsed.Root.Nodes {
		if text, ok := n.(*parse.TextNode); !ok || strings.TrimSpace(string(text.Text)) != "" {
			return int(n.Position())
		}
	}
	return 0
}

// errorAt returns an error at an offset in the template's text.
func (t *Template) errorAt(offset int, message diag.Message) error {
	return diag.List{{Pos: t.position(offset), Message: message}}
}

// position returns the place of an offset in the text: that of the first character behind blanks.
func (t *Template) position(offset int) token.Position {
	offset = min(max(offset, 0), len(t.text))
	for offset < len(t.text) && strings.ContainsRune(" \t\r\n", rune(t.text[offset])) {
		offset++
	}
	if offset == len(t.text) {
		offset = 0
	}
	before := t.text[:offset]
	return token.Position{Filename: t.name, Offset: offset, Line: 1 + strings.Count(before, "\n"), Column: offset - strings.LastIndexByte(before, '\n')}
}

// at matches the place in an error of text/template: "template: bench.tmpl:3:12: executing …".
var at = regexp.MustCompile(`^template: (?s:(.*?)):(\d+):(?:(\d+):)? ?(?s:(.*))$`)

// executing matches what text/template says of where it was.
var executing = regexp.MustCompile(`^executing "(?:[^"\\]|\\.)*" at <(?:.*?)>: `)

// positioned returns an error of text/template with its place in a diag.List.
func (t *Template) positioned(err error) error {
	var list diag.List
	if errors.As(err, &list) {
		return list
	}
	m := at.FindStringSubmatch(err.Error())
	if m == nil {
		return diag.BadTemplate.Errorf("%s: %w", t.name, err)
	}
	line, _ := strconv.Atoi(m[2])
	column, _ := strconv.Atoi(m[3])
	pos := token.Position{Filename: t.name, Line: line, Column: column + 1} // text/template counts columns from 0
	if m[3] == "" {
		pos = t.lineStart(line)
	}
	message := executing.ReplaceAllString(strings.ReplaceAll(m[4], "\n", " "), "")
	return diag.List{{Pos: pos, Message: diag.Message{Code: diag.BadTemplate, Text: message, Remedy: diag.RemedyOf(err)}.With(hint(message))}}
}

// begun matches where text/template says that something begins that has no end.
var begun = regexp.MustCompile(` started at ` + mainName + `:(\d+)$`)

// undefined matches a function that templates do not have.
var undefined = regexp.MustCompile(`^function "(\w+)" not defined$`)

// notUnderstood returns an error of text/template about the syntax.
func (t *Template) notUnderstood(err error) error {
	err = t.positioned(err)
	var list diag.List
	if !errors.As(err, &list) {
		return err
	}
	for _, e := range list {
		if m := begun.FindStringSubmatch(e.Text); m != nil {
			line, _ := strconv.Atoi(m[1])
			e.Pos, e.Text = t.lineStart(line), strings.TrimSuffix(e.Text, m[0])
		}
		if m := undefined.FindStringSubmatch(e.Text); m != nil {
			if best := nearest(m[1], slices.Sorted(maps.Keys(new(printer).functions()))); best != "" {
				e.Add(diag.Hint("did you mean %s?", best))
			}
		}
		if strings.HasSuffix(e.Text, "unexpected EOF") {
			e.Text += ": an {{end}} is missing"
		}
		e.Text = "the template is not understood: " + e.Text
	}
	return list
}

// lineStart returns the place where the text of a line begins.
func (t *Template) lineStart(line int) token.Position {
	lines := strings.Split(t.text, "\n")
	if line < 1 || line > len(lines) {
		return token.Position{Filename: t.name, Line: max(line, 1), Column: 1}
	}
	text := lines[line-1]
	return token.Position{Filename: t.name, Line: line, Column: 1 + len(text) - len(strings.TrimLeft(text, " \t"))}
}

// missing matches a field that the model does not have.
var missing = regexp.MustCompile(`can't evaluate field (\w+) in type \*?(?:\w+\.)*(\w+)`)

// hint returns what to do about an error of text/template, or nothing.
func hint(message string) diag.Message {
	if m := missing.FindStringSubmatch(message); m != nil {
		return nearestField(m[2], m[1])
	}
	if strings.Contains(message, "map has no entry for key") {
		return diag.Hint(`write {{data . "key" "otherwise"}} for data that may be missing`)
	}
	return diag.Message{}
}
