//go:build unix

package output_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Runs at the same time in one folder make what one run makes, whichever ends last.
func TestSharedTypesOfRunsAtOnce(t *testing.T) {
	want, err := generateIn(t, gentest.Module(t, copyOf(sharing)), "a.cu", "b.cu", "c.cu", "d.cu")
	require.NoError(t, err)
	for range testenv.Cases(4, 20) {
		dir := gentest.Module(t, copyOf(sharing))
		errs := make(chan error)
		names := []string{"a.cu", "b.cu", "c.cu", "d.cu"}
		for _, name := range names {
			go func() {
				_, err := gen.Generate(t.Context(), folderOptions(t, dir, []string{name}))
				errs <- err
			}()
		}
		for range names {
			assert.NoError(t, <-errs)
		}
		require.Equal(t, want, gentest.Snapshot(t, dir))
	}
}
