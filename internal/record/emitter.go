package record

import (
	"bytes"
	"strings"

	"github.com/cudagen/cudagen/internal/diag"
)

// An Emitter is a template, or another emitter, that ran.
type Emitter struct {
	Name    string   `json:"name"`              // path relative to the record, builtin:mock, or what a program calls it
	Version string   `json:"version"`           // of a template: SHA-256 of its text
	Program bool     `json:"program,omitempty"` // it belongs to a program that calls package gen, and runs there alone
	Blocks  bool     `json:"blocks,omitempty"`  // it adds to the Go file
	Outputs []Output `json:"outputs,omitempty"` // that it wrote
}

// An Output is a file that an Emitter wrote, in the folder of the record.
type Output struct {
	File   string `json:"file"`   // base name
	SHA256 string `json:"sha256"` // see HashInput
}

// Programs returns the names of the emitters that only the program has that generated the output.
func (r *Record) Programs() (names []string) {
	for _, e := range r.Emitters {
		if e.Program {
			names = append(names, e.Name)
		}
	}
	return names
}

// StaleEmitters returns the reasons, for people, why what emitters wrote is not what the emitters
// is write. Nothing has to be compiled for that.
func (r *Record) StaleEmitters(is []Emitter) []string {
	var reasons []string
	was := make(map[string]Emitter)
	for _, e := range r.Emitters {
		was[e.Name] = e
	}
	for _, e := range is {
		old, known := was[e.Name]
		switch {
		case !known:
			reasons = append(reasons, "-template "+e.Name+" is new")
		case old.Version != e.Version:
			reasons = append(reasons, "the template "+e.Name+" changed")
		}
		delete(was, e.Name)
	}
	for _, e := range r.Emitters {
		if _, left := was[e.Name]; left {
			reasons = append(reasons, "it was made with -template "+e.Name+", which is missing")
		}
	}
	return reasons
}

// Wrote reports whether an emitter of r wrote content as the file called name. Where r does not
// tell, a line that says so does, among the first ones of content.
func (r *Record) Wrote(name string, content []byte) bool {
	if r != nil {
		for _, e := range r.Emitters {
			for _, o := range e.Outputs {
				if o.File == name && o.SHA256 == HashInput(content) {
					return true
				}
			}
		}
	}
	return Marked(content)
}

// Marked reports whether content says that cudagen generated it: in one of its first lines, in
// whatever form its language has comments.
func Marked(content []byte) bool {
	const lines = 5
	mark := []byte(strings.TrimSpace(strings.TrimPrefix(Marker, "//")))
	for range lines {
		line, rest, _ := bytes.Cut(content, []byte("\n"))
		if bytes.Contains(line, mark) {
			return true
		}
		content = rest
	}
	return false
}

func (e *Emitter) check() error {
	if e.Name == "" || e.Version == "" {
		return diag.BadRecord.New("an emitter has no name or no version")
	}
	for _, o := range e.Outputs {
		if !isFileName(o.File) || !isHash(o.SHA256) {
			return diag.BadRecord.Errorf("emitter %s: output %q is not the name of a file, or has no SHA-256", e.Name, o.File)
		}
	}
	return nil
}
