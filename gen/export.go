package gen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cudagen/cudagen/gen/ctype"
	"github.com/cudagen/cudagen/gen/cu"
	"github.com/cudagen/cudagen/gen/goname"
	"github.com/cudagen/cudagen/gen/layout"
	"github.com/cudagen/cudagen/gen/model"
)

// exports adds to the model what export directives ask for: the struct, enum or constant
// in the line below each. Variables are unit.variables. source is the text of the file.
func (b *builder) exports(file *cu.File, source []byte) {
	for _, d := range fileDirectives(file) {
		if d.Verb != "export" || d.Pos.Filename != file.Name {
			continue
		}
		if d.Args != "" && !goname.IsExported(d.Args) {
			b.errs.Add(d.ArgsPos, fmt.Sprintf("export: %s is no exported Go name", d.Args))
			continue
		}
		text, line := textBelow(d, source)
		if !b.exportType(file, d, line) && !b.exportConstant(file, d, text, line) {
			b.errs.Add(d.Pos, "export: in the line below stands no struct, no enum, no variable in the memory of a device, and no integer constant that is understood and fits an int64")
		}
	}
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

// exportedTypes returns the structs and enums that export directives ask for.
func exportedTypes(file *cu.File, source []byte) (list []ctype.Type) {
	for _, d := range fileDirectives(file) {
		if d.Verb != "export" || d.Pos.Filename != file.Name {
			continue
		}
		_, line := textBelow(d, source)
		if t := typeIn(file, line); t != nil {
			list = append(list, t)
		}
	}
	return list
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

// exportType exports the struct or enum in the given line. It returns false when there is
// none.
func (b *builder) exportType(file *cu.File, d cu.Directive, line int) bool {
	t := typeIn(file, line)
	var err error
	switch t := t.(type) {
	case nil:
		return false
	case *ctype.Struct:
		_, err = layout.GoType(t, func(ctype.Type) model.GoType { return model.GoType{} })
	default:
		_, _, err = layout.Of(t)
	}
	if err != nil {
		b.errs.Add(d.Pos, fmt.Sprintf("export: %v", err))
		return true
	}
	b.nameExport(t, d)
	b.named(t)
	return true
}

// nameExport gives t the name in the directive d, if there is one.
func (b *builder) nameExport(t ctype.Type, d cu.Directive) {
	if d.Args != "" && !b.types.Claim(b.typeKey(t), d.Args) {
		b.errs.Add(d.ArgsPos, fmt.Sprintf("export: the Go name %s is taken already", d.Args))
	}
}

// Declarations of a constant: a macro, or a const or constexpr variable, which is the only
// one in its line.
var (
	macroLine    = regexp.MustCompile(`^\s*#\s*define\s+(\w+)\s`)
	constantLine = regexp.MustCompile(`^[^=;({]*\b(?:const|constexpr)\b[^=;({]*?\b(\w+)\s*(?:=[^,;]*;|\{[^,;]*\}\s*;)`)
)

// exportConstant exports the constant that is declared in text, which is the given line. It
// returns false when there is none whose value is understood, and is its last.
func (b *builder) exportConstant(file *cu.File, d cu.Directive, text string, line int) bool {
	qualified, ok := constantIn(file, text)
	if again, redefined := file.Redefined[qualified]; !ok || redefined && (again.Filename != file.Name || again.Line != line) {
		return false
	}
	name := d.Args
	if name == "" {
		name = goname.Exported(qualified[strings.LastIndex(qualified, ":")+1:])
	}
	if !b.scope.Add(name) {
		b.errs.Add(d.Pos, fmt.Sprintf("export: the Go name %s is taken already: give another with //cudagen:export GoName", name))
		return true
	}
	b.file.Constants = append(b.file.Constants, model.Constant{
		GoName: name, CName: qualified, Value: fmt.Sprint(file.Constants[qualified]), Pos: model.Pos{File: b.file.Source, Line: d.Pos.Line},
	})
	return true
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
