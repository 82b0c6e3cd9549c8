package vet_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/cudagen/cudagen/internal/testenv"
	"github.com/cudagen/cudagen/vet"
)

// all runs all analyzers in one pass: the packages are loaded once, and a case for one is a case
// against the others.
func all() *analysis.Analyzer {
	a := &analysis.Analyzer{Name: "all", Doc: "all analyzers"}
	for _, each := range vet.Analyzers() {
		for _, required := range each.Requires {
			if !slices.Contains(a.Requires, required) {
				a.Requires = append(a.Requires, required)
			}
		}
	}
	a.Run = func(pass *analysis.Pass) (any, error) {
		for _, each := range vet.Analyzers() {
			if _, err := each.Run(pass); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	return a
}

// Each mistake is found, its mend is right, and programs that are right get no report: the clean one, and in an
// exhaustive run all examples, with the packages of their tests. The packages in testdata use the runtime itself:
// what changes there is seen here.
func TestAnalyzers(t *testing.T) {
	testenv.Need(t, testenv.Long)
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	var patterns []string
	if testenv.Stride(2) == 1 {
		patterns = append(patterns, "./example/...")
	}
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	for _, f := range folders {
		patterns = append(patterns, "./vet/testdata/"+f.Name())
	}
	analysistest.RunWithSuggestedFixes(t, root, all(), patterns...)
}

func TestValid(t *testing.T) {
	list := vet.Analyzers()
	require.NoError(t, analysis.Validate(list))
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	assert.IsIncreasing(t, names)
	folders, err := os.ReadDir("testdata")
	require.NoError(t, err)
	assert.Len(t, folders, len(list)+1, "one for each analyzer, and clean")
}
