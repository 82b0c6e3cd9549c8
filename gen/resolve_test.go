package gen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
)

// TestTypesInRecords: a record that says something impossible of the types that the
// compiler told is damaged, and never believed.
func TestTypesInRecords(t *testing.T) {
	dir := module(t, map[string]string{"k.cu": unclearSource})
	o := gen.Options{Sources: []string{filepath.Join(dir, "k.cu")}, Archs: []string{"compute_75"}, Package: "p", FindCompiler: nvcc(t)}
	_, err := gen.Generate(t.Context(), o)
	require.NoError(t, err)
	path := filepath.Join(dir, "k.cudagen.json")
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	o.FindCompiler = noCompiler
	for _, test := range []struct{ name, from, to, want string }{
		{"an index too large", `"resolved": \[\s*\d+,\s*\d+`, `"resolved": [0, 99`, "there is no type 99"},
		{"a negative index", `"resolved": \[\s*\d+,\s*\d+`, `"resolved": [0, -1`, "there is no type -1"},
		{"an unknown kind", `"kind": "pointer"`, `"kind": "painter"`, "is of the unknown kind \"painter\""},
		{"an unknown builtin type", `"name": "long"`, `"name": "lang"`, "there is no builtin type \"lang\""},
		{"an array of none", `"len": 3`, `"len": -3`, "is an array of -3"},
		{"another size", `"size": 20,\s*"align": 4,\s*"members"`, `"size": 24, "align": 4, "members"`, "size is 24 by the source and 20 in the image"},
		{"too small a size", `"size": 20,\s*"align": 4,\s*"members"`, `"size": 4, "align": 4, "members"`, "the compiler states that field"},
		{"another type", `"kind": "basic",\s*"name": "double"`, `"kind": "basic", "name": "float"`, "by the source and"},
	} {
		t.Run(test.name, func(t *testing.T) {
			pattern := regexp.MustCompile(test.from)
			require.Regexp(t, pattern, string(good))
			done := false
			bad := pattern.ReplaceAllStringFunc(string(good), func(match string) string {
				if done {
					return match
				}
				done = true
				return test.to
			})
			require.NoError(t, os.WriteFile(path, []byte(bad), 0o644))
			before := snapshot(t, dir)
			_, err := gen.Generate(t.Context(), o)
			require.Error(t, err)
			assert.Contains(t, strings.ReplaceAll(err.Error(), "\n", " "), test.want)
			assert.Equal(t, before, snapshot(t, dir))
		})
	}
}
