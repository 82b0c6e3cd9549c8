package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/doctor"
)

// jsonFields returns the fields of the JSON of a type, with those of the elements of lists behind a dot.
func jsonFields(t reflect.Type) (list []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == "-" || !t.Field(i).IsExported() {
			continue
		}
		if options != "" {
			options = "," + options
		}
		list = append(list, name+options+" "+t.Field(i).Type.Kind().String())
		for _, inner := range jsonFields(t.Field(i).Type) {
			list = append(list, name+"."+inner)
		}
	}
	return list
}

// What tools parse keeps its fields. Later versions add some, which are added to the list here.
func TestJSONFields(t *testing.T) {
	var b strings.Builder
	for _, of := range []struct {
		command string
		output  reflect.Type
	}{{"cudagen -json", reflect.TypeFor[diagnostic]()}, {"cudagen inspect -json", reflect.TypeFor[inspect.Report]()}, {"cudagen doctor -json", reflect.TypeFor[doctor.Report]()}} {
		b.WriteString(of.command + "\n\t" + strings.Join(jsonFields(of.output), "\n\t") + "\n")
	}
	const golden = "testdata/jsonfields.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())

	type inner struct {
		A int `json:"a"`
	}
	type before struct {
		List []inner `json:"list"`
	}
	for _, after := range []reflect.Type{
		reflect.TypeFor[struct {
			List []inner `json:"lists"`
		}](),
		reflect.TypeFor[struct {
			List []inner `json:"list,omitempty"`
		}](),
		reflect.TypeFor[struct {
			List []struct {
				A string `json:"a"`
			} `json:"list"`
		}](),
		reflect.TypeFor[struct{}](),
	} {
		assert.NotEqual(t, jsonFields(reflect.TypeFor[before]()), jsonFields(after), "the control: %v", after)
	}
}
