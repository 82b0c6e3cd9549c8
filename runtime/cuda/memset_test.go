package cuda_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// fills compares Fill on the device, and captured, with a loop: for each length, in the middle of a
// buffer, in page-locked memory too.
func fills[T comparable](t *testing.T, s *cuda.Stream, value T) {
	t.Helper()
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 9, 100} {
		want := make([]T, n+3)
		for i := range n {
			want[i+2] = value
		}
		b := upload(t, s, make([]T, n+3))
		locked, err := cuda.AllocHost[T](s.Device(), n+3, cuda.HostConfig{})
		require.NoError(t, err)
		require.NoError(t, cuda.Fill(locked.Slice(2, n+2), value).Launch(s))
		require.NoError(t, s.Synchronize())
		assert.Equal(t, want, locked.Host())
		require.NoError(t, locked.Close())
		got := make([]T, n+3)
		require.NoError(t, cuda.Fill(b.Slice(2, n+2), value).Launch(s))
		require.NoError(t, b.CopyTo(s, got))
		assert.Equal(t, want, got, "%d of %T", n, value)

		require.NoError(t, b.Clear(s))
		g, err := cuda.Capture(s, func(s *cuda.Stream) error { return cuda.Fill(b.Slice(2, n+2), value).Launch(s) })
		require.NoError(t, err)
		e, err := g.Instantiate()
		require.NoError(t, err)
		require.NoError(t, e.Launch(s))
		require.NoError(t, e.Close())
		require.NoError(t, b.CopyTo(s, got))
		if !isFake(s.Device()) { // which does not run graphs
			assert.Equal(t, want, got, "captured, %d of %T", n, value)
		}
	}
}

func TestFillWide(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		fills(t, s, 3.14159)
		fills(t, s, uint64(0x0123456789abcdef))
		fills(t, s, complex(1.5, -2))
		fills(t, s, vec.Double2{X: 1, Y: 2})
		fills(t, s, vec.Float3{X: 1, Y: 2, Z: 3})
		fills(t, s, [3]byte{1, 2, 3})
		fills(t, s, [5]uint16{1, 2, 3, 4, 5})
		fills(t, s, [16]float32{15: 1})
		fills(t, s, int32(7)) // the control: one fill

		b := upload(t, s, make([]byte, 100))
		got := make([]byte, 100)
		odd := cuda.Shifted(cuda.Reinterpret[uint64](b.Slice(0, 80)), 3) // as Adopt may have it
		require.NoError(t, cuda.Fill(odd, 0x0123456789abcdef).Launch(s))
		require.NoError(t, b.CopyTo(s, got))
		assert.Equal(t, []byte{0, 0, 0, 0xef, 0xcd}, got[:5])
		assert.Equal(t, []byte{0x23, 0x01, 0, 0}, got[81:85])

		require.NoError(t, b.Close())
		assert.ErrorIs(t, cuda.Fill(odd, 1).Launch(s), cuda.ErrClosed)
		_, err := cuda.Capture(s, func(s *cuda.Stream) error { return cuda.Fill(odd, 1).Launch(s) })
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

// TestFillWideDoesNotWait counts the driver's calls, and fails each of them.
func TestFillWideDoesNotWait(t *testing.T) {
	dev, library := openFake(t)
	s := newStream(t, dev)
	b := upload(t, s, make([]float64, 1000)).All()
	library.Reset()
	require.NoError(t, cuda.Fill(b, 1.5).Launch(s))
	calls := library.Calls()
	assert.Equal(t, 2, count(calls, "cuMemsetD32Async"))
	assert.Equal(t, 10, count(calls, "cuMemcpyDtoDAsync"))
	assert.Len(t, calls, 12)
	for nth := range calls {
		library.Reset()
		library.FailNth(nth+1, 999)
		assert.ErrorContains(t, cuda.Fill(b, 1.5).Launch(s), "fill a buffer")
		assert.Len(t, library.Calls(), nth+1, "nothing is queued behind it")
	}
	library.Reset()
	for name, fill := range map[string]func() error{
		"8 bytes": func() error { return cuda.Fill(b, 1.5).Launch(s) },
		"4 bytes": func() error { return cuda.Fill(cuda.Reinterpret[float32](b), 1.5).Launch(s) },
	} {
		allocs := testing.AllocsPerRun(100, func() {
			if err := fill(); err != nil {
				panic(err)
			}
		})
		if !raceEnabled {
			assert.Zero(t, allocs, name)
		}
	}
}
