package read

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/directive"
	"github.com/cudagen/cudagen/gen/selection"
)

// exports returns the export directives of file that do not belong to variables, with the
// struct, enum or constant in the line below each. text is what the file says.
func exports(file *cu.File, text []byte) (list []selection.Export) {
	for _, d := range fileDirectives(file) {
		if d.Verb != "export" || d.Pos.Filename != file.Name {
			continue
		}
		below, line := textBelow(d, text)
		e := selection.Export{Directive: d, Type: typeIn(file, line)}
		if e.Type == nil {
			e.Constant = constantBelow(file, below, line)
		}
		list = append(list, e)
	}
	return list
}

// typeDirectives returns the type directives of file.
func typeDirectives(file *cu.File) []cu.Directive {
	return slices.DeleteFunc(fileDirectives(file), func(d cu.Directive) bool { return d.Verb != "type" })
}

// fileDirectives returns the directives that belong to the file, wherever they stand.
func fileDirectives(file *cu.File) []cu.Directive {
	list := slices.Clone(file.Directives)
	for _, k := range file.Kernels {
		list = append(list, k.Directives...)
	}
	list = slices.DeleteFunc(list, func(d cu.Directive) bool { return !directive.OfFile(d.Verb) })
	for _, v := range file.Variables {
		for _, d := range v.Directives {
			if d.Verb == "type" { // what else there is belongs to the variable
				list = append(list, d)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y cu.Directive) int { return cmp.Compare(x.Pos.Offset, y.Pos.Offset) })
	return slices.Compact(list) // variables of one declaration share theirs
}

// textBelow returns the first line below d that is no comment, and its number, which #line may
// have changed.
func textBelow(d cu.Directive, source []byte) (text string, line int) {
	line = d.Pos.Line
	for text := range strings.SplitAfterSeq(string(source[d.Pos.Offset:]), "\n") {
		if text = strings.TrimSpace(text); !strings.HasPrefix(text, "//") {
			return text, line
		}
		line++
	}
	return "", line
}

// typeIn returns the struct or enum whose name, or whose word struct or enum, stands in the
// given line, or nil.
func typeIn(file *cu.File, line int) ctype.Type {
	for _, s := range file.Structs {
		if s.Pos.Filename == file.Name && s.Pos.Line == line {
			return s
		}
	}
	for _, e := range file.Enums {
		if e.Pos.Filename == file.Name && e.Pos.Line == line {
			return e
		}
	}
	return nil
}

// Declarations of a constant: a macro, or a const or constexpr variable, which is the only
// one in its line.
var (
	macroLine    = regexp.MustCompile(`^\s*#\s*define\s+(\w+)\s`)
	constantLine = regexp.MustCompile(`^[^=;({]*\b(?:const|constexpr)\b[^=;({]*?\b(\w+)\s*(?:=[^,;]*;|\{[^,;]*\}\s*;)`)
)

// constantBelow returns the qualified name of the constant that is declared in text, which is
// the given line. It is empty when there is none whose value is understood, and is its last.
func constantBelow(file *cu.File, text string, line int) string {
	qualified, ok := constantIn(file, text)
	if again, redefined := file.Redefined[qualified]; !ok || redefined && (again.Filename != file.Name || again.Line != line) {
		return ""
	}
	return qualified
}

// constantIn returns the qualified name of the constant that is declared in text, if there is
// one whose value is understood.
func constantIn(file *cu.File, text string) (qualified string, ok bool) {
	m := macroLine.FindStringSubmatch(text)
	if m == nil {
		m = constantLine.FindStringSubmatch(text)
	}
	if m == nil {
		return "", false
	}
	var found []string
	for name := range file.Constants {
		if name == m[1] || strings.HasSuffix(name, "::"+m[1]) {
			found = append(found, name)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}
