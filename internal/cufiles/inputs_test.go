package cufiles_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/cufiles"
	"github.com/cudagen/cudagen/internal/record"
)

func TestInputs(t *testing.T) {
	by := &record.Record{Source: "k.cu", Inputs: []record.Input{{Path: "by/macro.h", SHA256: record.HashInput(nil)}, {Path: "k.cu", SHA256: record.HashInput(nil)}}}
	tree(t, map[string]string{
		"k.cu":           "#include \"h/a.h\"\n#if 0\n#include <b.h>\n#endif\n#include \"missing.h\"\n",
		"k.cudagen.json": string(by.Encode()),
		"h/a.h":          "#include \"c.inl\"\n",
		"h/c.inl":        "",
		"inc/b.h":        "",
		"other.cu":       directive,
		"unrelated.h":    "",
	})
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	var list []string
	for _, path := range cufiles.Inputs([]string{"k.cu", "none.cu"}, []string{"inc", here}) {
		relative, err := filepath.Rel(here, path)
		require.NoError(t, err)
		list = append(list, filepath.ToSlash(relative))
	}
	assert.Equal(t, []string{"b.h", "by/macro.h", "h/a.h", "h/c.inl", "inc/b.h", "inc/c.inl", "inc/h/a.h", "inc/missing.h", "k.cu", "missing.h", "none.cu"}, list)

	e, err := cufiles.Expand([]string{"./..."})
	require.NoError(t, err)
	assert.Equal(t, []string{".", "h", "inc"}, e.Visited)
}
