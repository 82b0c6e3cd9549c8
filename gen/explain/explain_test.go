package explain_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/explain"
	"github.com/cudagen/cudagen/gen/inspect"
	"github.com/cudagen/cudagen/internal/messages"
)

var example = regexp.MustCompile("(?s)```cuda\n(.*?)```")

// errorsOf returns what cudagen says of a source, without a compiler.
func errorsOf(t *testing.T, source string) (list []string) {
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	report := inspect.New(gen.NewReader(gen.Options{Package: "p"}).Read(path), inspect.Options{})
	for _, e := range report.Refused {
		list = append(list, e.Text)
	}
	for _, k := range report.Kernels {
		if k.Status == inspect.Unsupported {
			list = append(list, k.Reason)
		}
	}
	return list
}

// Each example has the code of its page, and what mends it has no error.
func TestExamples(t *testing.T) {
	examples := 0
	for _, class := range explain.Classes() {
		t.Run(class.Code, func(t *testing.T) {
			assert.NotEmpty(t, strings.TrimSpace(class.Text))
			found := example.FindAllStringSubmatch(class.Text, -1)
			if len(found) == 0 {
				return
			}
			examples++
			require.Len(t, found, 2, "an example and its mend")
			wrong := errorsOf(t, found[0][1])
			require.NotEmpty(t, wrong)
			assert.Equal(t, class.Code, explain.Code(wrong[0]), wrong[0])
			assert.Empty(t, errorsOf(t, found[1][1]))
		})
	}
	assert.Greater(t, examples, 15)
}

// Each rule has a page, and each page a rule, in the order of the codes.
func TestCodesAreComplete(t *testing.T) {
	var codes []string
	for _, class := range explain.Classes() {
		codes = append(codes, class.Code)
	}
	assert.True(t, slices.IsSorted(codes), codes)
	assert.Equal(t, len(codes), len(slices.Compact(slices.Clone(codes))))
	rules := explain.RuleCodes()
	assert.ElementsMatch(t, codes, rules)
}

// Each diagnostic in these packages has a class of its own, and is not taken for a message of the
// CUDA compiler: these are parts of messages, or text of another kind.
func TestMessagesHaveCodes(t *testing.T) {
	for _, name := range []string{"bind", "directive", "output", "proof", "read", "share", "source", "sources", "view"} {
		found, err := messages.InPackage("../" + name)
		require.NoError(t, err)
		for _, m := range found {
			if explain.Code(m.Text) == explain.OfCompiler && !slices.Contains(parts, m.Text) {
				t.Errorf("%s: %q has no code (a rule in package explain is missing)", m.Pos, m.Text)
			}
		}
	}
}

// Each diagnostic of the corpus has a class.
func TestCorpusHasCodes(t *testing.T) {
	paths, err := filepath.Glob("../testdata/errors/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		source, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, message := range errorsOf(t, string(source)) {
			assert.NotEqual(t, explain.OfCompiler, explain.Code(message), message)
		}
	}
}

func TestFind(t *testing.T) {
	class, found := explain.Find("s102")
	require.True(t, found)
	assert.Equal(t, "unknown type", class.Title)
	_, found = explain.Find("S1020")
	assert.False(t, found)
	assert.Equal(t, explain.OfCompiler, explain.Code(`identifier "x" undeclared`))
}
