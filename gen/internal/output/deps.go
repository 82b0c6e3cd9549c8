package output

import (
	"bytes"
	"path/filepath"
	"strings"
)

// dependencies returns the rule for make and ninja that says what files, those of p, are
// made from: the files that the record names as inputs, as paths from where cudagen runs.
// Each header is a target without a rule, too, so that make can go on when it is gone.
//
// GNU make, Rule Syntax and Force Targets; ninja, depfile.
func (p *Product) dependencies(files []file) file {
	var targets, inputs []string
	for _, f := range files {
		targets = append(targets, makeName(f.path))
	}
	for _, input := range p.Record.Inputs {
		inputs = append(inputs, makeName(p.Place.Resolve(input.Path)))
	}
	for _, path := range p.Inputs {
		inputs = append(inputs, makeName(path))
	}
	var b strings.Builder
	b.WriteString(strings.Join(targets, " ") + ":")
	for _, name := range inputs {
		b.WriteString(" \\\n  " + name)
	}
	b.WriteString("\n")
	for i, name := range inputs {
		if i >= len(p.Record.Inputs) || p.Record.Inputs[i].Path != p.Record.Source {
			b.WriteString("\n" + name + ":\n")
		}
	}
	first := []byte(targets[0])
	return file{path: p.Place.Deps, content: []byte(b.String()), ours: func(old []byte) bool { return bytes.HasPrefix(old, first) }}
}

// makeName escapes what make reads otherwise in a name.
func makeName(path string) string {
	return strings.NewReplacer(" ", `\ `, "#", `\#`, "$", "$$", ":", `\:`).Replace(filepath.ToSlash(path))
}
