package sourcefile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/sourcefile"
)

// A file of the module is shown from the working directory, which is the folder of this package, and one that is not there as the image has it.
func TestShown(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	elsewhere := filepath.Join(t.TempDir(), "util.cuh")
	require.NoError(t, os.WriteFile(elsewhere, nil, 0o644))
	files, err := os.ReadDir(".")
	require.NoError(t, err)
	mine := files[0].Name()
	for name, want := range map[string]string{
		"runtime/internal/sourcefile/" + mine:                            mine,
		"github.com/cudagen/cudagen/runtime/internal/sourcefile/" + mine: mine,
		"github.com/cudagen/cudagen/none.go":                             "github.com/cudagen/cudagen/none.go",
		"example/kernels.cu":                                             "../../../example/kernels.cu",
		mine:                                                             mine,
		filepath.Join(here, mine):                                        mine,
		filepath.ToSlash(elsewhere):                                      filepath.ToSlash(elsewhere),
		"kernels.cu":                                                     "kernels.cu",
		"example":                                                        "example",
		"other/" + mine:                                                  "other/" + mine,
		"":                                                               "",
	} {
		assert.Equal(t, want, sourcefile.Shown(name), name)
	}
	assert.Empty(t, sourcefile.Find("kernels.cu"))
	assert.Empty(t, sourcefile.Find("other/"+mine))
}
