package gen

import (
	"bytes"
	"path/filepath"
	"strings"
)

// depFile returns the rule for make and ninja that says what the unit's output is made
// from: the files that the record names as inputs, as paths from where cudagen runs. Each
// header is a target without a rule, too, so that make can go on when it is gone.
//
// GNU make, Rule Syntax and Force Targets; ninja, depfile.
func (u *unit) depFile() outputFile {
	var targets, inputs []string
	for _, f := range u.files() {
		targets = append(targets, makeName(f.path))
	}
	for _, input := range u.record.Inputs {
		inputs = append(inputs, makeName(filepath.Join(filepath.Dir(u.out.record), filepath.FromSlash(input.Path))))
	}
	var b strings.Builder
	b.WriteString(strings.Join(targets, " ") + ":")
	for _, name := range inputs {
		b.WriteString(" \\\n  " + name)
	}
	b.WriteString("\n")
	for i, input := range u.record.Inputs {
		if input.Path != u.record.Source {
			b.WriteString("\n" + inputs[i] + ":\n")
		}
	}
	first := []byte(targets[0])
	return outputFile{u.out.deps, []byte(b.String()), func(old []byte) bool { return bytes.HasPrefix(old, first) }}
}

// makeName escapes what make reads otherwise in a name.
func makeName(path string) string {
	return strings.NewReplacer(" ", `\ `, "#", `\#`, "$", "$$", ":", `\:`).Replace(filepath.ToSlash(path))
}
