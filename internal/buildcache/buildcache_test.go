package buildcache

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func keyOf(text string) Key { return sha256.Sum256([]byte(text)) }

// returns is a build of data that counts how often it is made.
func returns(data string, made *int) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		*made++
		return data, nil
	}
}

func get(t *testing.T, c *Cache, name string, build func(context.Context) (string, error)) Result {
	t.Helper()
	r, err := c.Get(t.Context(), keyOf(name), build)
	require.NoError(t, err)
	return r
}

func TestMemoryThenDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	made := 0
	c := New(Options{Dir: dir})
	assert.Equal(t, Result{Data: "one", Origin: Built}, get(t, c, "k", returns("one", &made)))
	assert.Equal(t, Result{Data: "one", Origin: Memory}, get(t, c, "k", returns("two", &made)))
	assert.Equal(t, Stats{MemoryHits: 1, Misses: 1, Builds: 1}, c.Stats())

	c = New(Options{Dir: dir})
	assert.Equal(t, Result{Data: "one", Origin: Disk}, get(t, c, "k", returns("two", &made)))
	assert.Equal(t, Result{Data: "two", Origin: Built}, get(t, c, "other", returns("two", &made)))
	assert.Equal(t, Stats{DiskHits: 1, Misses: 1, Builds: 1}, c.Stats())
	assert.Equal(t, 2, made)
}

func TestWithoutFolder(t *testing.T) {
	made := 0
	c := New(Options{})
	get(t, c, "k", returns("one", &made))
	assert.Equal(t, Memory, get(t, c, "k", returns("one", &made)).Origin)
	assert.Equal(t, 1, made)
}

func TestOff(t *testing.T) {
	made := 0
	var c *Cache
	for range 2 {
		assert.Equal(t, Result{Data: "one", Origin: Built}, get(t, c, "k", returns("one", &made)))
	}
	assert.Equal(t, 2, made)
	assert.Zero(t, c.Stats())
}

func TestFailuresAreNotKept(t *testing.T) {
	c := New(Options{Dir: t.TempDir()})
	boom := errors.New("boom")
	_, err := c.Get(t.Context(), keyOf("k"), func(context.Context) (string, error) { return "", boom })
	assert.Equal(t, boom, err)
	made := 0
	assert.Equal(t, Built, get(t, c, "k", returns("one", &made)).Origin)
	assert.Equal(t, Stats{Misses: 2, Builds: 2}, c.Stats())
}

func TestOneBuildForAll(t *testing.T) {
	c := New(Options{Dir: t.TempDir()})
	var made atomic.Int64
	var group sync.WaitGroup
	for range 64 {
		for k := range 20 {
			group.Go(func() {
				name := fmt.Sprint(k)
				r, err := c.Get(t.Context(), keyOf(name), func(context.Context) (string, error) {
					made.Add(1)
					return name, nil
				})
				assert.NoError(t, err)
				assert.Equal(t, name, r.Data)
			})
		}
	}
	group.Wait()
	assert.EqualValues(t, 20, made.Load())
	assert.Equal(t, Stats{MemoryHits: 63 * 20, Misses: 20, Builds: 20}, c.Stats())
}

// TestWhoeverLeaves: a build goes on while somebody waits, and stops when nobody does.
func TestWhoeverLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{})
		release := make(chan struct{})
		build := func(ctx context.Context) (string, error) {
			select {
			case <-release:
				return "one", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}
		leader, leave := context.WithCancel(t.Context())
		results := make(chan error, 3)
		wait := func(ctx context.Context) {
			_, err := c.Get(ctx, keyOf("k"), build)
			results <- err
		}
		go wait(leader)
		synctest.Wait()
		go wait(t.Context())
		synctest.Wait()
		leave()
		assert.ErrorIs(t, <-results, context.Canceled)
		close(release)
		assert.NoError(t, <-results, "another still waited")
		assert.EqualValues(t, 1, c.Stats().Builds)

		release = make(chan struct{})
		alone, leave := context.WithCancel(t.Context())
		go func() {
			_, err := c.Get(alone, keyOf("k2"), build)
			results <- err
		}()
		synctest.Wait()
		leave()
		assert.ErrorIs(t, <-results, context.Canceled)
		close(release)
		r, err := c.Get(t.Context(), keyOf("k2"), build)
		require.NoError(t, err, "what was stopped is not joined")
		assert.Equal(t, Built, r.Origin)
	})
}

func TestDoneBeforehand(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	boom := errors.New("boom")
	cancel(boom)
	for _, c := range []*Cache{nil, New(Options{})} {
		_, err := c.Get(ctx, keyOf("k"), nil)
		assert.ErrorIs(t, err, boom)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	c := New(Options{MemoryBytes: 10})
	made := 0
	for _, name := range []string{"aaaa", "bbbb", "aaaa", "cccc", "aaaa", "bbbb", "much too long for it"} {
		get(t, c, name, returns(name, &made))
	}
	// cccc took the place of bbbb, which was used before aaaa, and bbbb that of cccc.
	assert.Equal(t, Stats{MemoryHits: 2, Misses: 5, Builds: 5, Evictions: 2}, c.Stats())
}

func TestDefaultDir(t *testing.T) {
	root := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", root)
	t.Setenv("LocalAppData", root)
	user, err := os.UserCacheDir()
	require.NoError(t, err)
	for _, tt := range []struct {
		value, dir string
		off        bool
		err        string
	}{
		{"", filepath.Join(user, "cudagen", "build"), false, ""},
		{"off", "", true, ""},
		{root, root, false, ""},
		{"relative", "", false, "CUDAGEN_CACHE=relative: want off or an absolute path"},
	} {
		t.Run(tt.value, func(t *testing.T) {
			dir, off, err := DefaultDir(func(string) string { return tt.value })
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.off, off)
			assert.Equal(t, tt.dir, dir)
		})
	}
}

func BenchmarkMemoryHit(b *testing.B) {
	c := New(Options{})
	build := func(context.Context) (string, error) { return "data", nil }
	for b.Loop() {
		if _, err := c.Get(b.Context(), Key{}, build); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDiskHit(b *testing.B) {
	dir := b.TempDir()
	build := func(context.Context) (string, error) { return strings.Repeat("ptx\n", 5000), nil }
	for b.Loop() {
		if _, err := New(Options{Dir: dir}).Get(b.Context(), Key{}, build); err != nil {
			b.Fatal(err)
		}
	}
}
