package clib

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cudagen/cudagen/internal/record"
	"github.com/cudagen/cudagen/internal/source"
)

// A made is what a Go file is made of. The file has it in a comment, so that a run without a compiler can tell whether it is current.
type made struct {
	inputs  []record.Input
	options string
	by      string // the version of this package's output
	clause  string // the Go package, as its code begins
}

// version is that of what code prints.
const version = 5

// madeOf finds the inputs of a run.
func madeOf(o Options, text []byte) (*made, error) {
	folder := filepath.Dir(o.Source)
	inputs, err := record.Inputs(o.Source, folder, os.ReadFile, o.Include...)
	if err != nil {
		return nil, err
	}
	options := source.Options{Define: o.Define, Std: o.Std}
	for _, dir := range o.Include {
		if relative, err := filepath.Rel(source.Absolute(folder), source.Absolute(dir)); err == nil {
			dir = filepath.ToSlash(relative)
		}
		options.Include = append(options.Include, dir)
	}
	return &made{inputs: inputs, options: strings.Join(options.Flags(), " "), by: fmt.Sprint(version), clause: "package " + o.Package + "\n"}, nil
}

// comment returns what the file says about m.
func (m *made) comment() string {
	var b strings.Builder
	for _, in := range m.inputs {
		fmt.Fprintf(&b, "// made of %s %s\n", in.Path, in.SHA256)
	}
	if m.options != "" {
		fmt.Fprintf(&b, "// with %s\n", m.options)
	}
	fmt.Fprintf(&b, "// as of format %s\n", m.by)
	return b.String()
}

// sign returns the file with body, and what tells later whether it is current.
func (m *made) sign(body []byte) []byte {
	comment := m.comment()
	return []byte(fmt.Sprintf("%s%s// with the sum %x\n\n%s", record.Marker, comment, sum(comment, body), body))
}

func sum(comment string, body []byte) []byte {
	h := sha256.New()
	h.Write([]byte(comment))
	h.Write(body)
	return h.Sum(nil)[:16]
}

// current reports whether content is what sign makes of m.
func (m *made) current(content []byte) bool {
	content = record.Unix(content)
	rest, ok := bytes.CutPrefix(content, []byte(record.Marker+m.comment()))
	if !ok {
		return false
	}
	line, body, ok := bytes.Cut(rest, []byte("\n\n"))
	return ok && bytes.HasPrefix(body, []byte(m.clause)) && string(line) == fmt.Sprintf("// with the sum %x", sum(m.comment(), body))
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
