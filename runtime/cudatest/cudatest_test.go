package cudatest

import (
	"bytes"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// openStream opens what is to be closed.
func openStream() *leak.Record { return opened() }

func opened() *leak.Record { return leak.Opened("a stream on device 0") }

func TestLeaksFailTheTests(t *testing.T) {
	var left *leak.Record
	_, thisFile, _, _ := runtime.Caller(0)
	for _, test := range []struct {
		name  string
		tests func() int
		code  int
		said  []string
	}{
		{"all is closed", func() int { openStream().Closed(); return 0 }, 0, nil},
		{"tests fail", func() int { return 2 }, 2, nil},
		{"something is open", func() int { left = openStream(); return 0 }, 1,
			[]string{"cuda: leak: not closed: a stream on device 0, opened by\n", "cudatest.openStream\n", filepath.Base(thisFile) + ":"}},
		{"the tests' own failure comes first", func() int { return 3 }, 3, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stderr bytes.Buffer
			assert.Equal(t, test.code, run(test.tests, &stderr))
			if test.said == nil {
				assert.Empty(t, stderr.String())
			}
			for _, said := range test.said {
				assert.Contains(t, stderr.String(), said)
			}
		})
	}
	assert.True(t, left.Closed())
	assert.False(t, left.Closed())
	assert.Empty(t, leak.Open())
}
