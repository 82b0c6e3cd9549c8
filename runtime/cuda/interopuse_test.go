package cuda_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// TestUse: memory that another library uses is checked as that of a launch.
func TestUse(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		other, err := cuda.OpenSimulator()
		require.NoError(t, err)
		defer other.Close()
		x, gone := upload(t, s, []int32{1}), upload(t, s, []int32{1})
		far := upload(t, newStream(t, other), []int32{1})
		require.NoError(t, gone.Close())
		require.NoError(t, s.Use(x.Owner(), cuda.Owner{}))
		require.NoError(t, s.Use())
		assert.ErrorIs(t, s.Use(x.Owner(), gone.Owner()), cuda.ErrClosed)
		assert.ErrorIs(t, s.Use(far.Owner()), cuda.ErrInvalidValue)
		_, err = cuda.Capture(s, func(s *cuda.Stream) error {
			assert.NoError(t, s.Use(x.Owner()))
			assert.ErrorIs(t, s.Use(gone.Owner()), cuda.ErrClosed)
			assert.ErrorIs(t, s.Use(far.Owner()), cuda.ErrInvalidValue)
			return s.LaunchHostFunc(func() {})
		})
		assert.NoError(t, err)
		owner := x.Owner()
		assert.Zero(t, testing.AllocsPerRun(100, func() { s.Use(owner, owner) }))
	})
}

// TestUseInCapture: an exec with another library's work cannot be launched when the memory is gone.
func TestUseInCapture(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		x := upload(t, s, make([]int32, 4))
		g, err := cuda.Capture(s, func(s *cuda.Stream) error {
			if err := s.Use(x.Owner()); err != nil {
				return err
			}
			if r := cuda.FillForeign(s, x.All(), 1, false); r != 0 {
				return cuda.Code(r)
			}
			return nil
		})
		require.NoError(t, err)
		e, err := g.Instantiate()
		require.NoError(t, err)
		defer e.Close()
		require.NoError(t, e.Launch(s))
		require.NoError(t, x.Close())
		assert.ErrorIs(t, e.Launch(s), cuda.ErrClosed)
		_, err = g.Instantiate()
		assert.ErrorIs(t, err, cuda.ErrClosed)
	})
}

// TestFail: whoever waits for the stream is told.
func TestFail(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s, other := newStream(t, dev), newStream(t, dev)
		lost := errors.New("rank 3 is lost")
		require.NoError(t, s.Synchronize())
		require.NoError(t, s.Fail(lost))
		require.NoError(t, s.Fail(errors.New("a later one")))
		assert.ErrorIs(t, s.Synchronize(), lost)
		assert.ErrorIs(t, s.Wait(t.Context()), lost)
		assert.NoError(t, other.Synchronize())
		assert.ErrorIs(t, s.Close(), lost)
		assert.ErrorIs(t, s.Fail(lost), cuda.ErrClosed)
	})
}
