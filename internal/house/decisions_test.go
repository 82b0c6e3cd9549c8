package house

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const decisionsFile = "docs/DECISIONS.md"

// TestDecisionsAreFound checks that every heading of docs/DECISIONS.md that a comment or a
// document quotes exists.
func TestDecisionsAreFound(t *testing.T) {
	problems, quoted, err := checkDecisions(os.DirFS("."))
	require.NoError(t, err)
	assert.Greater(t, quoted, 5)
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestAMissingDecisionIsSeen is the control.
func TestAMissingDecisionIsSeen(t *testing.T) {
	problems, quoted, err := checkDecisions(fstest.MapFS{
		decisionsFile: {Data: []byte("# Decisions\n\n## Why one path?\n\n## Why two\n")},
		"a.go":        {Data: []byte("// Run runs (docs/DECISIONS.md, \"Why\n// one path?\").\n")},
		"b/b.go":      {Data: []byte("\t// See docs/DECISIONS.md,\n\t// \"Why three paths?\".\n")},
		"c/README.md": {Data: []byte("slow: docs/DECISIONS.md, \"Why no path?\".\n")},
	})
	require.NoError(t, err)
	assert.Equal(t, 3, quoted)
	assert.Equal(t, []string{`b/b.go: docs/DECISIONS.md has no heading "Why three paths?"`, `c/README.md: docs/DECISIONS.md has no heading "Why no path?"`}, problems)
}

var (
	quotedDecision = regexp.MustCompile(`docs/DECISIONS\.md,\s+"([^"]+)"`)
	commentMarker  = regexp.MustCompile(`\n\s*//`)
)

// checkDecisions returns the quotes in fsys of headings that do not exist, and the number of
// all quotes.
func checkDecisions(fsys fs.FS) (problems []string, quoted int, err error) {
	text, err := fs.ReadFile(fsys, decisionsFile)
	if err != nil {
		return nil, 0, err
	}
	headings := strings.Split(string(text), "\n")
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && skipped(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || name == decisionsFile || strings.HasSuffix(name, "_test.go") || !slices.Contains([]string{".go", ".s", ".md", ".c", ".h"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		for _, m := range quotedDecision.FindAllStringSubmatch(commentMarker.ReplaceAllString(string(text), " "), -1) {
			quoted++
			heading := strings.Join(strings.Fields(m[1]), " ")
			if !slices.Contains(headings, "## "+heading) {
				problems = append(problems, fmt.Sprintf("%s: %s has no heading %q", name, decisionsFile, heading))
			}
		}
		return nil
	})
	return problems, quoted, err
}
