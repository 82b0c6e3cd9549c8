package cuda_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A noted says what stands of a stream in a lifetime: whether it has a bit there, and
// whether it is among the others.
type noted struct{ bit, other bool }

func notedIn(o cuda.Owner, s *cuda.Stream) noted {
	bit, other := cuda.Noted(o, s)
	return noted{bit, other}
}

// TestStreamsAreNotedOnce: after its first launch a stream has its bit in every buffer of
// its device, whatever the kind of memory and however many streams use it.
func TestStreamsAreNotedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k := loadExample(t, dev)
		home, far := newStream(t, dev), newStream(t, dev)
		pool, err := cuda.Alloc[float32](home, 8)
		require.NoError(t, err)
		defer pool.Close()
		locked, err := cuda.AllocHost[float32](dev, 8, cuda.HostConfig{})
		require.NoError(t, err)
		defer locked.Close()
		managed, err := cuda.AllocManaged[float32](dev, 8)
		require.NoError(t, err)
		defer managed.Close()
		for name, x := range map[string]cuda.Slice[float32]{"pool": pool.All(), "page-locked": locked.All(), "managed": managed.All()} {
			assert.Equal(t, noted{bit: name == "pool"}, notedIn(x.Owner(), home), name)
			assert.Equal(t, noted{}, notedIn(x.Owner(), far), name)
			for range 2 {
				for _, s := range []*cuda.Stream{home, far} {
					require.NoError(t, read(k, s, x), name)
				}
			}
			assert.Equal(t, noted{bit: true, other: name != "pool"}, notedIn(x.Owner(), home), name)
			assert.Equal(t, noted{bit: true, other: true}, notedIn(x.Owner(), far), name)
		}
	})
}

// TestManyStreams: streams beyond the bits are noted, too, and launches after Close fail on
// each of them.
func TestManyStreams(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k := loadExample(t, dev)
		x, err := cuda.AllocHost[float32](dev, 8, cuda.HostConfig{})
		require.NoError(t, err)
		streams := make([]*cuda.Stream, 70)
		bits := 0
		for i := range streams {
			streams[i] = newStream(t, dev)
			require.NoError(t, read(k, streams[i], x.All()))
			got := notedIn(x.All().Owner(), streams[i])
			assert.True(t, got.other)
			if got.bit {
				bits++
			}
		}
		assert.Equal(t, 47, bits)
		require.NoError(t, x.Close())
		for _, s := range streams {
			assert.ErrorIs(t, read(k, s, x.All()), cuda.ErrClosed)
		}
	})
}

// TestBitsOfGoneStreams: a stream that gets the bit of one that is gone is not noted where
// that was.
func TestBitsOfGoneStreams(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k := loadExample(t, dev)
		x, err := cuda.AllocHost[float32](dev, 8, cuda.HostConfig{})
		require.NoError(t, err)
		defer x.Close()
		for range 3 {
			for range 47 {
				s, err := dev.NewStream()
				require.NoError(t, err)
				assert.Equal(t, noted{}, notedIn(x.All().Owner(), s), "a new stream")
				require.NoError(t, read(k, s, x.All()))
				require.NoError(t, s.Close())
			}
			cuda.AwaitCalls(dev)
		}
		s := newStream(t, dev)
		require.NoError(t, read(k, s, x.All()))
		assert.Equal(t, noted{bit: true, other: true}, notedIn(x.All().Owner(), s), "bits are given again")
		assert.Equal(t, 4, cuda.Others(x.All().Owner()), "the last of each of the driver's streams")
	})
}

// TestOneBufferOfWeights: 16 goroutines with a stream each share buffers of each kind, while
// streams come and go; then the buffers are closed beside them.
func TestOneBufferOfWeights(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		k := loadExample(t, dev)
		home := newStream(t, dev)
		weights, err := cuda.Alloc[float32](home, 8)
		require.NoError(t, err)
		locked, err := cuda.AllocHost[float32](dev, 8, cuda.HostConfig{})
		require.NoError(t, err)
		managed, err := cuda.AllocManaged[float32](dev, 8)
		require.NoError(t, err)
		all := []cuda.Slice[float32]{weights.All(), locked.All(), managed.All()}
		var group sync.WaitGroup
		for range 16 {
			group.Go(func() {
				for range 4 {
					s, err := dev.NewStream()
					if !assert.NoError(t, err) {
						return
					}
					y, err := cuda.Alloc[float32](s, 8)
					assert.NoError(t, err)
					call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 1, X: all[0], Y: y.All()})
					assert.NoError(t, err)
					for i := range 30 {
						assert.NoError(t, k.Saxpy.Launch(s, 1, all[i%3], y.All()))
						assert.NoError(t, call.Launch(s))
					}
					assert.NoError(t, y.Close())
					assert.NoError(t, s.Close())
				}
			})
		}
		group.Wait()
		last := newStream(t, dev)
		y, err := cuda.Alloc[float32](last, 8)
		require.NoError(t, err)
		defer y.Close()
		call, err := k.Saxpy.PrepareDefault(example.SaxpyArgs{A: 1, X: all[1], Y: y.All()})
		require.NoError(t, err)
		require.NoError(t, call.Launch(last))
		assert.NoError(t, locked.Close())
		assert.ErrorIs(t, call.Launch(last), cuda.ErrClosed)
		assert.NoError(t, weights.Close())
		assert.NoError(t, managed.Close())
		for i := range all {
			assert.ErrorIs(t, read(k, last, all[i]), cuda.ErrClosed)
		}
	})
}

// read launches a kernel on s that reads x.
func read(k *example.Kernels, s *cuda.Stream, x cuda.Slice[float32]) error {
	y, err := cuda.Alloc[float32](s, x.Len())
	if err != nil {
		return err
	}
	return errors.Join(k.Saxpy.Launch(s, 2, x, y.All()), y.Close())
}

// loadExample loads the example's kernels on dev.
func loadExample(t *testing.T, dev *cuda.Device) *example.Kernels {
	t.Helper()
	k, err := example.LoadKernels(dev)
	require.NoError(t, err)
	t.Cleanup(func() { k.Close() })
	return k
}
