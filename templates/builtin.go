package templates

import (
	"embed"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

//go:embed builtin/*.tmpl starter.tmpl
var files embed.FS

// Names returns the names of the templates that cudagen brings, sorted.
func Names() (names []string) {
	entries, err := files.ReadDir("builtin")
	if err != nil {
		panic("templates: " + err.Error()) // the folder is embedded
	}
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".tmpl"))
	}
	return names
}

// Builtin returns the template that cudagen brings under a name: mock.
func Builtin(name string) (*Template, error) {
	if !slices.Contains(Names(), name) {
		return nil, diag.BadTemplate.Errorf("there is no template %s%s: there are %s%s", source.BuiltinTemplate, name, source.BuiltinTemplate, strings.Join(Names(), ", "+source.BuiltinTemplate))
	}
	text, err := files.ReadFile("builtin/" + name + ".tmpl")
	if err != nil {
		return nil, err
	}
	return Parse(source.BuiltinTemplate+name, string(text))
}

// Text returns the text of the template, which a template of one's own may begin with.
func (t *Template) Text() string { return t.text }

// Summary returns what the template says of itself: its first comment, on one line.
func (t *Template) Summary() string {
	_, rest, found := strings.Cut(t.text, "/*")
	comment, _, ended := strings.Cut(rest, "*/")
	if !found || !ended {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimSpace(comment), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// Starter returns the text of a commented template to begin with.
func Starter() string {
	text, err := files.ReadFile("starter.tmpl")
	if err != nil {
		panic("templates: " + err.Error()) // it is embedded
	}
	return string(text)
}

// suggestion names the bundled template that somebody may have meant by name.
func suggestion(name string) diag.Message {
	short := strings.TrimSuffix(path.Base(name), ".tmpl")
	if slices.Contains(Names(), short) {
		return diag.Hint("did you mean %s%s?", source.BuiltinTemplate, short)
	}
	return diag.Message{}
}

// nearestField returns a hint at the field of a type of the model that is most like name.
func nearestField(typeName, name string) diag.Message {
	t, known := types()[typeName]
	if !known {
		return diag.Message{}
	}
	var names []string
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") != "-" {
			names = append(names, t.Field(i).Name)
		}
	}
	p := reflect.PointerTo(t)
	for i := range p.NumMethod() {
		names = append(names, p.Method(i).Name)
	}
	if best := nearest(name, names); best != "" {
		return diag.Hint("did you mean %s?", best)
	}
	return diag.Message{Text: fmt.Sprintf(" (%s has %s)", typeName, strings.Join(names, ", "))}
}

// types returns the struct types of the model, by name.
func types() map[string]reflect.Type {
	found := make(map[string]reflect.Type)
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			visit(t.Elem())
		case reflect.Struct:
			if _, seen := found[t.Name()]; seen {
				return
			}
			found[t.Name()] = t
			for i := range t.NumField() {
				visit(t.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[model.File]())
	return found
}

// nearest returns the one of names that differs from name in the fewest letters, or "" if all
// differ in more than half of them.
func nearest(name string, names []string) string {
	best, least := "", len(name)/2+1
	for _, n := range names {
		if d := levenshtein.ComputeDistance(strings.ToLower(name), strings.ToLower(n)); d < least {
			best, least = n, d
		}
	}
	return best
}
