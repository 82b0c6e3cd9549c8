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

const decisionsFolder = "docs/decisions"

// TestDecisionsAreFound checks that every heading of docs/decisions that a comment or a document
// quotes exists, and that the index there links to every heading.
func TestDecisionsAreFound(t *testing.T) {
	problems, quoted, err := checkDecisions(os.DirFS(root))
	require.NoError(t, err)
	assert.Greater(t, quoted, 5)
	for _, problem := range problems {
		t.Error(problem)
	}
}

// TestAMissingDecisionIsSeen is the control.
func TestAMissingDecisionIsSeen(t *testing.T) {
	problems, quoted, err := checkDecisions(fstest.MapFS{
		decisionsFolder + "/README.md": {Data: []byte("- [Why one path?](a.md#why-one-path)\n- [Why two](a.md#why-two)\n")},
		decisionsFolder + "/a.md":      {Data: []byte("# Decisions\n\n## Why one path?\n\n## Why two\n")},
		decisionsFolder + "/b.md":      {Data: []byte("## Why `four`?\n")},
		"a.go":                         {Data: []byte("// Run runs (docs/decisions, \"Why\n// one path?\").\n")},
		"b/b.go":                       {Data: []byte("\t// See docs/decisions,\n\t// \"Why three paths?\".\n")},
		"c/README.md":                  {Data: []byte("slow: docs/decisions, \"Why no path?\".\n")},
	})
	require.NoError(t, err)
	assert.Equal(t, 3, quoted)
	assert.Equal(t, []string{
		`docs/decisions/README.md does not link to "Why four?" of b.md`,
		`b/b.go: docs/decisions has no heading "Why three paths?"`,
		`c/README.md: docs/decisions has no heading "Why no path?"`,
	}, problems)
}

var (
	quotedDecision  = regexp.MustCompile(`docs/decisions,\s+"([^"]+)"`)
	commentMarker   = regexp.MustCompile(`\n\s*//`)
	decisionHeading = regexp.MustCompile(`(?m)^## (.+)$`)
)

// checkDecisions returns the headings that the index lacks, the quotes in fsys of headings that do
// not exist, and the number of all quotes.
func checkDecisions(fsys fs.FS) (problems []string, quoted int, err error) {
	index, err := fs.ReadFile(fsys, decisionsFolder+"/README.md")
	if err != nil {
		return nil, 0, err
	}
	files, err := fs.Glob(fsys, decisionsFolder+"/*.md")
	if err != nil {
		return nil, 0, err
	}
	var headings []string
	for _, name := range files {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, 0, err
		}
		if path.Base(name) == "README.md" {
			continue // its headings are of groups
		}
		for _, m := range decisionHeading.FindAllStringSubmatch(string(text), -1) {
			heading := strings.ReplaceAll(m[1], "`", "")
			headings = append(headings, heading)
			if !strings.Contains(string(index), fmt.Sprintf("[%s](%s#", heading, path.Base(name))) {
				problems = append(problems, fmt.Sprintf("%s/README.md does not link to %q of %s", decisionsFolder, heading, path.Base(name)))
			}
		}
	}
	err = fs.WalkDir(fsys, ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (skipped(entry.Name()) || name == decisionsFolder):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(name, "_test.go") || !slices.Contains([]string{".go", ".s", ".md", ".c", ".h"}, path.Ext(name)):
			return nil
		}
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return err
		}
		for _, m := range quotedDecision.FindAllStringSubmatch(commentMarker.ReplaceAllString(string(text), " "), -1) {
			quoted++
			heading := strings.Join(strings.Fields(m[1]), " ")
			if !slices.Contains(headings, heading) {
				problems = append(problems, fmt.Sprintf("%s: %s has no heading %q", name, decisionsFolder, heading))
			}
		}
		return nil
	})
	return problems, quoted, err
}
