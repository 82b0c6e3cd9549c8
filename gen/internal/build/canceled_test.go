package build_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen"
	"github.com/cudagen/cudagen/gen/internal/gentest"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/folderlock"
	"github.com/cudagen/cudagen/internal/testenv"
)

// Generate writes nothing if it waits for another process in vain.
func TestCanceledWhileLocked(t *testing.T) {
	testenv.Need(t, testenv.Long)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	path := gentest.Write(t, "k.cu", "extern \"C\" __global__ void k(int n) {}\n")
	o := gentest.Options(path, func() (compile.Compiler, error) {
		return gentest.Stub(".version 6.3\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 k_param_0) { ret; }\n"), nil
	})
	unlock := folderlock.Lock(t.Context(), []string{filepath.Dir(path)})
	var ctx context.Context
	var err error
	for wait := 50 * time.Millisecond; wait < time.Minute; wait *= 4 { // a busy machine takes long until it waits for the folder
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(wait, cancel)
		_, err = gen.Generate(ctx, o)
		require.ErrorIs(t, err, context.Canceled)
		if strings.Contains(err.Error(), "nothing was written: ") {
			break
		}
	}
	assert.ErrorContains(t, err, "nothing was written: ")
	assert.Len(t, gentest.Snapshot(t, filepath.Dir(path)), 1)
	unlock()
	_, err = gen.Generate(t.Context(), o)
	assert.NoError(t, err)

	_, err = gen.Generate(ctx, o)
	assert.ErrorIs(t, err, context.Canceled)
}
