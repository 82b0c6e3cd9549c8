package clib

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A made is what a Go file is made of. The file has it in a comment, so that a run without a compiler can tell whether it is current.
type made struct {
	inputs  []record.Input
	options []string // flags with their values: "-I ../include"
	by      string   // the version of this package's output
	clause  string   // the Go package, as its code begins
}

// version is that of what code prints.
const version = 13

// madeOf finds the inputs of a run.
func madeOf(o Options, text []byte) (*made, error) {
	folder := filepath.Dir(o.Source)
	include := make([]string, len(o.Include))
	for i, dir := range o.Include {
		include[i] = source.Absolute(dir)
	}
	inputs, err := record.Inputs(source.Absolute(o.Source), source.Absolute(folder), os.ReadFile, include...)
	if err != nil {
		return nil, err
	}
	var options []string
	for _, dir := range o.Include {
		if relative, err := filepath.Rel(source.Absolute(folder), source.Absolute(dir)); err == nil {
			dir = relative
		}
		options = append(options, includeFlag+filepath.ToSlash(dir))
	}
	for _, macro := range o.Define {
		options = append(options, defineFlag+macro)
	}
	if o.Std != "" && o.Std != source.DefaultStd {
		options = append(options, stdFlag+o.Std)
	}
	return &made{inputs: inputs, options: options, by: fmt.Sprint(version), clause: "package " + o.Package + "\n"}, nil
}

// add adds files, which lie in or below folder or a folder of headers, to the inputs that lines of the header name: names of other
// includes come from macros.
func (m *made) add(folder string, o *Options, files []string) error {
	folder = source.Absolute(folder)
	for _, path := range files {
		path = source.Absolute(path)
		relative, err := filepath.Rel(folder, path)
		if err != nil || !slices.ContainsFunc(append([]string{folder}, o.Include...), func(dir string) bool { return below(source.Absolute(dir), path) }) {
			continue
		}
		name := filepath.ToSlash(relative)
		if slices.ContainsFunc(m.inputs, func(in record.Input) bool { return in.Path == name }) {
			continue
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return source.Unreadable(path, err)
		}
		m.inputs = append(m.inputs, record.Input{Path: name, SHA256: record.HashInput(content)})
	}
	slices.SortFunc(m.inputs, func(x, y record.Input) int { return strings.Compare(x.Path, y.Path) })
	return nil
}

// below reports whether path lies in folder or in one below it.
func below(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

// inputsOf returns the paths of the inputs that a Go file in folder names.
func inputsOf(folder string, content []byte) (paths []string) {
	head, _, _ := bytes.Cut(record.Unix(content), []byte("\n\n"))
	for line := range strings.Lines(string(head)) {
		if name, is := inputOf(line); is {
			paths = append(paths, filepath.Join(folder, filepath.FromSlash(name)))
		}
	}
	return paths
}

// madeOfPrefix begins the lines that name an input and its hash.
const madeOfPrefix = "// made of "

// inputOf returns the name of the input in a line of the comment.
func inputOf(line string) (name string, ok bool) {
	input, is := strings.CutPrefix(line, madeOfPrefix)
	at := strings.LastIndexByte(input, ' ')
	if !is || at < 0 {
		return "", false
	}
	return input[:at], true
}

// The flags that a file names, with the blank behind them.
const (
	includeFlag = "-I "
	defineFlag  = "-D "
	stdFlag     = "-std "
)

// recall returns o with the options that content, the file for it, was made with, if o has none.
func (o Options) recall(content []byte) Options {
	if len(o.Include) > 0 || len(o.Define) > 0 || o.Std != "" {
		return o
	}
	head, _, _ := bytes.Cut(record.Unix(content), []byte("\n\n"))
	for line := range strings.Lines(string(head)) {
		option, _ := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "// with ")
		if folder, is := strings.CutPrefix(option, includeFlag); is {
			if folder = filepath.FromSlash(folder); !filepath.IsAbs(folder) {
				folder = filepath.Join(filepath.Dir(o.Source), folder)
			}
			o.Include = append(o.Include, folder)
		} else if macro, is := strings.CutPrefix(option, defineFlag); is {
			o.Define = append(o.Define, macro)
		} else if std, is := strings.CutPrefix(option, stdFlag); is {
			o.Std = std
		}
	}
	return o
}

// comment returns what the file says about m.
func (m *made) comment() string {
	var b strings.Builder
	for _, in := range m.inputs {
		fmt.Fprintf(&b, madeOfPrefix+"%s %s\n", in.Path, in.SHA256)
	}
	for _, option := range m.options {
		fmt.Fprintf(&b, "// with %s\n", option)
	}
	fmt.Fprintf(&b, "// as of format %s\n", m.by)
	return b.String()
}

// sign returns the file with body, and what tells later whether it is current.
func (m *made) sign(body []byte) []byte { return record.Sign(m.comment(), body) }

// madeFrom returns the header that a Go file, called name, was made of, from its content; "" for other files.
func madeFrom(name string, content []byte) string {
	if !record.Marked(content) {
		return ""
	}
	head, _, _ := bytes.Cut(record.Unix(content), []byte("\n\n"))
	for line := range strings.Lines(string(head)) {
		if header, is := inputOf(line); is && goFile(header) == name {
			return header
		}
	}
	return ""
}

// current reports whether content is what sign makes of m.
func (m *made) current(content []byte) bool {
	comment, body, edited, ok := record.Sum(content)
	return ok && comment == m.comment() && bytes.HasPrefix(body, []byte(m.clause)) && !edited
}

// stale says why content is not current.
func (m *made) stale(content []byte) string {
	switch {
	case content == nil:
		return "is not there"
	case !bytes.Contains(record.Unix(content), []byte("\n"+m.clause)):
		return "is not of " + strings.TrimSpace(m.clause)
	case bytes.Contains(record.Unix(content), []byte(m.comment())):
		return "was edited"
	}
	for _, in := range m.inputs {
		if !bytes.Contains(content, []byte(in.SHA256)) {
			return in.Path + " changed"
		}
	}
	return "was made with other options, or by another version of cudagen"
}
