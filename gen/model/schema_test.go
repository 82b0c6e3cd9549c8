package model_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/model"
	"github.com/cudagen/cudagen/internal/testenv"
)

// A schema is the part of a JSON schema that Schema uses.
type schema struct {
	Ref                  string            `json:"$ref"`
	Type                 string            `json:"type"`
	Items                *schema           `json:"items"`
	MinItems             *int              `json:"minItems"`
	Properties           map[string]schema `json:"properties"`
	AdditionalProperties *schema           `json:"additionalProperties"`
	Required             []string          `json:"required"`
	Description          string            `json:"description"`
	Defs                 map[string]schema `json:"$defs"`
}

// check returns what of value is not as s demands.
func (s *schema) check(root *schema, path string, value any) (problems []string) {
	if s.Ref != "" {
		def, known := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if !known {
			return []string{path + ": there is no " + s.Ref}
		}
		return def.check(root, path, value)
	}
	is := map[string]string{"map[string]interface {}": "object", "[]interface {}": "array", "string": "string", "float64": "integer", "bool": "boolean"}[fmt.Sprintf("%T", value)]
	if is != s.Type {
		return []string{fmt.Sprintf("%s is %T, want %s", path, value, s.Type)}
	}
	switch value := value.(type) {
	case []any:
		if s.MinItems != nil && len(value) != *s.MinItems {
			problems = append(problems, path+" has another length")
		}
		for i, v := range value {
			problems = append(problems, s.Items.check(root, fmt.Sprint(path, "[", i, "]"), v)...)
		}
	case map[string]any:
		for _, name := range s.Required {
			if _, there := value[name]; !there {
				problems = append(problems, path+" has no "+name)
			}
		}
		for name, v := range value {
			property, known := s.Properties[name]
			switch {
			case known:
				problems = append(problems, property.check(root, path+"."+name, v)...)
			case s.AdditionalProperties != nil:
				problems = append(problems, s.AdditionalProperties.check(root, path+"."+name, v)...)
			default:
				problems = append(problems, path+"."+name+" is not in the schema")
			}
		}
	}
	return problems
}

// filled returns a value of t whose fields are all set; slices have an element.
func filled(t reflect.Type, depth int) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.String:
		v.SetString("text")
	case reflect.Pointer:
		if depth > 0 {
			v.Set(filled(t.Elem(), depth-1).Addr())
		}
	case reflect.Slice:
		v.Set(reflect.Append(reflect.MakeSlice(t, 0, 1), filled(t.Elem(), depth)))
	case reflect.Array:
		for i := range t.Len() {
			v.Index(i).Set(filled(t.Elem(), depth))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(t))
		v.SetMapIndex(filled(t.Key(), depth), filled(t.Elem(), depth))
	case reflect.Struct:
		for i := range t.NumField() {
			v.Field(i).Set(filled(t.Field(i).Type, depth))
		}
	}
	return v
}

// Every model is as the schema says, from one without anything to one with everything, and a
// field that the schema does not have is found.
func TestSchema(t *testing.T) {
	var s schema
	require.NoError(t, json.Unmarshal(model.Schema(), &s))
	check := func(text string) []string {
		var value any
		require.NoError(t, json.Unmarshal([]byte(text), &value))
		return s.check(&s, "$", value)
	}
	full, err := json.Marshal([]any{filled(reflect.TypeFor[model.File](), 3).Interface()})
	require.NoError(t, err)
	assert.Empty(t, check(string(full)))
	empty, err := json.Marshal([]model.File{{Images: []model.Image{}, Enums: []model.Enum{}, Structs: []model.Struct{}, Foreign: []model.Struct{}, Kernels: []model.Kernel{}, Variables: []model.Variable{}, Constants: []model.Constant{}}})
	require.NoError(t, err)
	assert.Empty(t, check(string(empty)))

	assert.NotEmpty(t, check(strings.Replace(string(full), `"goName"`, `"goNames"`, 1)))
	assert.NotEmpty(t, check(strings.Replace(string(full), `"offset":7`, `"offset":"7"`, 1)))
	assert.NotEmpty(t, check(strings.Replace(string(empty), `"kernels":[],`, ``, 1)))
}

// Every field has a name in JSON, and every type and nearly every field a comment.
func TestDocumented(t *testing.T) {
	var s schema
	require.NoError(t, json.Unmarshal(model.Schema(), &s))
	silent := map[string]bool{ // their names say it
		"cooperative": true, "const": true, "goName": true, "size": true, "witnesses": true, "value": true, "align": true, "offset": true,
		"type": true, "pos": true, "doc": true, "space": true, "cType": true, "cName": true, "count": true, "first": true,
	}
	for name, def := range s.Defs {
		assert.NotEmpty(t, def.Description, name)
		for field, property := range def.Properties {
			assert.True(t, property.Description != "" || silent[field], "%s.%s has no comment", name, field)
			assert.Equal(t, strings.ToLower(field[:1]), field[:1], "%s.%s", name, field)
		}
	}
	assert.Equal(t, "for each thread", model.Doc("Code.Registers"))
}

// What model -go prints is Go that needs no other package.
func TestDeclarations(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "declarations", model.Declarations(), parser.ParseComments)
	require.NoError(t, err)
	config := types.Config{Importer: testenv.Importer(fset)}
	pkg, err := config.Check("model", fset, []*ast.File{file}, nil)
	require.NoError(t, err)
	assert.NotNil(t, pkg.Scope().Lookup("File"))
	assert.NotNil(t, pkg.Scope().Lookup("GoType"))
}
