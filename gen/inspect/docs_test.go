package inspect_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/inspect"
)

// keys returns the JSON keys of a struct and of those in it.
func keys(t reflect.Type) (list []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		if key, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); key != "-" {
			list = append(append(list, key), keys(t.Field(i).Type)...)
		}
	}
	return list
}

// docs/inspect.md describes every key.
func TestEveryKeyIsDescribed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "inspect.md"))
	require.NoError(t, err)
	list := keys(reflect.TypeFor[inspect.Report]())
	assert.Contains(t, list, "bitOffset")
	for _, key := range list {
		found := strings.Contains(string(text), "`"+key+"`") || strings.Contains(string(text), `"`+key+`"`)
		assert.True(t, found, "docs/inspect.md does not name %q", key)
	}
}
