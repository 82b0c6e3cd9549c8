package cu

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cudagen/cudagen/internal/messages"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu/lex"
	"github.com/cudagen/cudagen/internal/diag"
)

// The comment /* ERROR "pattern" */ stands behind the token whose position the error
// has. Inside of comments package messages marks places.
var errorMarker = regexp.MustCompile(`^/\* ERROR "(.*)" \*/$`)

// allErrors returns the errors of the file and of its kernels.
func allErrors(t *testing.T, filename string, src []byte) diag.List {
	t.Helper()
	file, err := ParseFile(filename, src)
	var list diag.List
	if err != nil {
		require.True(t, errors.As(err, &list), "%T", err)
	}
	for _, k := range file.Kernels {
		list = append(list, k.Errors...)
	}
	return list
}

// expectedErrors returns the patterns of the markers in src by the offset of the token
// that they belong to.
func expectedErrors(filename string, src []byte) map[int][]string {
	want := messages.Expected(src)
	s := lex.NewLexer(lex.NewSource(filename, string(src)))
	last := 0
	for l := s.Scan(); l.Kind != lex.EOF; l = s.Scan() {
		if l.Kind != lex.CommentText {
			last = l.Pos().Offset
		} else if m := errorMarker.FindStringSubmatch(l.Text); m != nil {
			want[last] = append(want[last], m[1])
		}
	}
	return want
}

// compareErrors returns the errors that are not expected, and the patterns that no
// error matches.
func compareErrors(t *testing.T, filename string, src []byte) (unexpected, missing []string) {
	want := expectedErrors(filename, src)
	for _, e := range allErrors(t, filename, src) {
		patterns := want[e.Pos.Offset]
		found := false
		for i, pattern := range patterns {
			if regexp.MustCompile(pattern).MatchString(e.Message.Error()) {
				want[e.Pos.Offset] = append(patterns[:i:i], patterns[i+1:]...)
				found = true
				break
			}
		}
		if !found {
			unexpected = append(unexpected, e.Error())
		}
	}
	for _, patterns := range want {
		missing = append(missing, patterns...)
	}
	return unexpected, missing
}

func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/*.cu")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			require.NoError(t, err)
			unexpected, missing := compareErrors(t, filepath.ToSlash(name), src)
			assert.Empty(t, unexpected, "unexpected errors")
			assert.Empty(t, missing, "errors that did not come")
		})
	}
}

// The comparison itself notices an error at another token, one too many and one too few.
func TestErrorsControl(t *testing.T) {
	moved := `__global__ void k(int /* ERROR "unknown type T" */ a, T b);`
	unexpected, missing := compareErrors(t, "k.cu", []byte(moved))
	assert.Len(t, unexpected, 1)
	assert.Len(t, missing, 1)
	unexpected, missing = compareErrors(t, "k.cu", []byte(`__global__ void k(int /* ERROR "x" */ a);`))
	assert.Empty(t, unexpected)
	assert.Len(t, missing, 1)
}
