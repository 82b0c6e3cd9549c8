package kept_test

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/kept"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

// TestNothingIsGeneratedAgain: the files are those that the first version wrote.
func TestNothingIsGeneratedAgain(t *testing.T) {
	for name, want := range map[string]string{
		"kept_cuda.go": "0a4a081c18c3d8dd3ee125c064f3702b7ad3220778d24c78bc2a2e487b8fb447",
		"kept.ptx":     "1e881fc0e94349349385e231ee969bf90d656ea09342bff32884abcc33ddcc97",
	} {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		sum := sha256.Sum256(content)
		assert.Equal(t, want, hex.EncodeToString(sum[:]), name)
	}
}

// TestKeptCodeRuns: what generated code calls does what it did.
func TestKeptCodeRuns(t *testing.T) {
	dev, err := cuda.OpenSimulator()
	require.NoError(t, err)
	defer dev.Close()
	k, err := kept.LoadKept(dev)
	require.NoError(t, err)
	defer k.Close()
	s, err := dev.NewStream()
	require.NoError(t, err)
	defer s.Close()
	x, err := cuda.Upload(s, []float32{1, 2, 3, 4})
	require.NoError(t, err)
	defer x.Close()
	y, err := cuda.Upload(s, []float32{10, 20, 30, 40})
	require.NoError(t, err)
	defer y.Close()
	has := func(want ...float32) {
		t.Helper()
		got := make([]float32, 4)
		require.NoError(t, x.CopyTo(s, got))
		assert.Equal(t, want, got)
	}

	require.NoError(t, k.Factor.Set(s, 2))
	require.NoError(t, k.Scale.Launch(s, x.All()))
	has(2, 4, 6, 8)
	require.NoError(t, k.Scale.Launch(s, x.Slice(0, 0)), "nothing to do")
	call, err := k.Scale.PrepareDefault(kept.ScaleArgs{X: x.Slice(0, 2)})
	require.NoError(t, err)
	require.NoError(t, call.Set(kept.ScaleArgs{X: x.Slice(0, 1)}))
	batch, err := cuda.NewBatch(call, call.Clone())
	require.NoError(t, err)
	require.NoError(t, batch.Launch(s))
	has(8, 4, 6, 8)

	require.NoError(t, k.Apply.Launch(s, x.All(), y.All(), 2, 2, kept.ModeAdd))
	has(18, 24, 36, 48)
	require.NoError(t, k.Apply.Launch(s, x.All(), cuda.Slice[float32]{}, 2, 2, kept.ModeMultiply))
	assert.ErrorIs(t, k.Apply.Launch(s, x.All(), y.Slice(0, 3), 2, 2, kept.ModeAdd), cuda.ErrShortSlice)
	has(18, 24, 36, 48)

	cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1), Owners: []cuda.Owner{y.Owner()}}
	links := kept.Links{First: y.Ptr(), Count: 4}
	require.NoError(t, k.Follow.LaunchWith(s, cfg, links, y.Ptr(), cuda.Reinterpret[byte](x.All())))
	has(110, 24, 36, 48)
	args := kept.FollowArgs{Links: links, Plain: y.Ptr(), Out: cuda.Reinterpret[byte](x.All()), Owners: []cuda.Owner{y.Owner()}}
	require.NoError(t, k.Follow.LaunchArgsWith(s, cfg, &args))
	follow, err := k.Follow.Prepare(cfg, args)
	require.NoError(t, err)
	require.NoError(t, follow.Launch(s))

	require.NoError(t, k.Seven.Launch(s, x.All(), 4, 1, 2, 3, 4, cuda.Slice[cuda.Ptr[float32]]{}))
	has(10, 10, 10, 10)
	require.NoError(t, k.Seven.LaunchArgs(s, &kept.SevenArgs{Out: x.All(), N: 2, A: 1}))
	has(1, 1, 10, 10)

	assert.ErrorIs(t, k.Wide.Launch(s, x.All(), math.MaxUint64, 2), cuda.ErrOverflow)
	require.NoError(t, k.Wide.Launch(s, x.All(), 3, 1))
	has(1, 1, 10, 1)

	assert.ErrorContains(t, k.Decide.Launch(s, cuda.ConditionalHandle{}, x.All()), "handle exists only in a graph")
	_, err = k.Decide.PrepareDefault(kept.DecideArgs{X: x.All()})
	assert.NoError(t, err)

	assert.Equal(t, "grouped", k.Grouped.Kernel.Name())
	require.NoError(t, y.Close())
	assert.ErrorIs(t, follow.Launch(s), cuda.ErrClosed)
	assert.ErrorIs(t, k.Follow.LaunchArgsWith(s, cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}, &args), cuda.ErrClosed)
	require.NoError(t, k.Close())
	assert.ErrorIs(t, k.Scale.Launch(s, x.All()), cuda.ErrClosed)
	assert.NoError(t, (*kept.Kept)(nil).Close())
}
