package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var variableInText = regexp.MustCompile(`"(CUDAGEN_[A-Z_]+)"|\((CUDAGEN_[A-Z_]+)[),]`)

// The table has all environment variables that the module reads, and no others.
func TestVariablesAreComplete(t *testing.T) {
	found := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "bench" || strings.HasPrefix(entry.Name(), ".") && path != "../..") {
			return errorOrSkip(err)
		}
		if entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "var variables = []variable{") {
			return err
		}
		for _, m := range variableInText.FindAllStringSubmatch(string(text), -1) {
			found[m[1]+m[2]] = true
		}
		return nil
	})
	require.NoError(t, err)
	var names []string
	for _, v := range variables {
		names = append(names, v.name)
		assert.True(t, found[v.name], "%s is in the table, and nothing reads it", v.name)
	}
	assert.True(t, slices.IsSorted(names))
	for name := range found {
		assert.Contains(t, names, name)
	}
}

func errorOrSkip(err error) error {
	if err != nil {
		return err
	}
	return fs.SkipDir
}

func TestUnknownVariables(t *testing.T) {
	var b bytes.Buffer
	warnUnknownVariables([]string{"CUDAGEN_ARCH=x", "CUDAGEN_TEST_ROLE=1", "HOME=/", "CUDAGEN_PKGS=p", "CUDAGEN_SOMETHING_ELSE=1"}, &reporter{stderr: &b, command: "cudagen"})
	assert.Equal(t, `cudagen: warning: there is no variable CUDAGEN_PKGS (did you mean CUDAGEN_PKG?)
cudagen: warning: there is no variable CUDAGEN_SOMETHING_ELSE (see cudagen help variables)
`, b.String())
}
