package model

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
)

var (
	//go:embed model.go
	modelSource []byte

	//go:embed gotype.go
	goTypeSource []byte
)

// Declarations returns the declarations of the model as a Go file of package model, which needs no
// other package: programs that read the JSON can copy it.
func Declarations() []byte {
	var b bytes.Buffer
	b.Write(modelSource)
	_, rest, _ := bytes.Cut(goTypeSource, []byte("import \"strconv\"\n"))
	b.Write(rest)
	internal := `// Blocks and Import are of no use outside of cudagen.
type (
	Blocks map[string]string
	Import struct{ Name, Path string }
)
`
	text := bytes.Replace(b.Bytes(), []byte("package model\n"), []byte("package model\n\nimport \"strconv\"\n"), 1)
	code, err := format.Source(append(text, "\n"+internal...))
	if err != nil {
		panic("model: " + err.Error()) // a test formats it
	}
	return code
}

// Schema returns the JSON schema (draft 2020-12) of a list of File.
func Schema() []byte {
	s := schema{docs: docs(), Defs: make(map[string]any)}
	files := map[string]any{
		"$schema":     "https://json-schema.org/draft/2020-12/schema",
		"title":       fmt.Sprintf("cudagen model, version %d", Version),
		"description": "What cudagen model -json prints: one object for each .cu file.",
		"type":        "array", "items": s.of(reflect.TypeFor[File]()), "$defs": s.Defs,
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(files); err != nil {
		panic("model: " + err.Error()) // maps of strings always encode
	}
	return b.Bytes()
}

// A schema describes types.
type schema struct {
	docs map[string]string
	Defs map[string]any
}

// of returns the schema of values of t.
func (s *schema) of(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Array:
		return map[string]any{"type": "array", "items": s.of(t.Elem()), "minItems": t.Len(), "maxItems": t.Len()}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Struct:
		s.define(t)
		return map[string]any{"$ref": "#/$defs/" + t.Name()}
	}
	return map[string]any{"type": "string"}
}

// define adds the struct t to the definitions.
func (s *schema) define(t reflect.Type) {
	if s.Defs[t.Name()] != nil {
		return
	}
	properties, required := make(map[string]any), []string{}
	definition := map[string]any{"type": "object", "description": s.docs[t.Name()], "properties": properties}
	s.Defs[t.Name()] = definition
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		property := s.of(f.Type)
		if doc := s.docs[t.Name()+"."+f.Name]; doc != "" {
			property["description"] = doc
		}
		properties[name] = property
		if options == "" {
			required = append(required, name)
		}
	}
	slices.Sort(required)
	definition["required"] = required
}

// docs returns the doc comments of the types and fields of the model, by Type and Type.Field.
func docs() map[string]string {
	texts := make(map[string]string)
	for _, source := range [][]byte{modelSource, goTypeSource} {
		file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ParseComments)
		if err != nil {
			panic("model: " + err.Error()) // it is this package
		}
		ast.Inspect(file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				return true
			}
			for _, spec := range d.Specs {
				spec := spec.(*ast.TypeSpec)
				texts[spec.Name.Name] = oneLine(d.Doc)
				of, ok := spec.Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range of.Fields.List {
					for _, name := range f.Names {
						texts[spec.Name.Name+"."+name.Name] = strings.TrimSpace(oneLine(f.Doc) + " " + oneLine(f.Comment))
					}
				}
			}
			return false
		})
	}
	return texts
}

// oneLine returns the text of a comment.
func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

// Doc returns the doc comment of a type of the model, or of a field: Kernel, Kernel.GoName.
func Doc(name string) string { return docs()[name] }
