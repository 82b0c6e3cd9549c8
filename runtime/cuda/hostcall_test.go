package cuda_test

import (
	"errors"
	"io/fs"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// hostWaits are the ways to wait for what was queued on a stream, e having been recorded
// behind it.
var hostWaits = map[string]func(t *testing.T, s *cuda.Stream, e *cuda.Event, b *cuda.Buffer[byte]) error{
	"Stream.Synchronize": func(_ *testing.T, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[byte]) error { return s.Synchronize() },
	"Stream.Wait": func(t *testing.T, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[byte]) error {
		return s.Wait(t.Context())
	},
	"Stream.Query": func(_ *testing.T, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[byte]) error {
		for {
			if over, err := s.Query(); over || err != nil {
				return err
			}
			runtime.Gosched()
		}
	},
	"Stream.Close":      func(_ *testing.T, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[byte]) error { return s.Close() },
	"Event.Synchronize": func(_ *testing.T, _ *cuda.Stream, e *cuda.Event, _ *cuda.Buffer[byte]) error { return e.Synchronize() },
	"Event.Wait": func(t *testing.T, _ *cuda.Stream, e *cuda.Event, _ *cuda.Buffer[byte]) error {
		return e.Wait(t.Context())
	},
	"Event.Query": func(_ *testing.T, _ *cuda.Stream, e *cuda.Event, _ *cuda.Buffer[byte]) error {
		for {
			if over, err := e.Query(); over || err != nil {
				return err
			}
			runtime.Gosched()
		}
	},
	"Device.Synchronize": func(_ *testing.T, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[byte]) error {
		return s.Device().Synchronize()
	},
	"Device.Wait": func(t *testing.T, s *cuda.Stream, _ *cuda.Event, _ *cuda.Buffer[byte]) error {
		return s.Device().Wait(t.Context())
	},
	"CopyTo": func(t *testing.T, s *cuda.Stream, _ *cuda.Event, b *cuda.Buffer[byte]) error {
		host := make([]byte, b.Len())
		err := b.CopyTo(s, host)
		assert.Equal(t, numbered(b.Len(), 3), host, "the copy is made")
		return err
	},
	"CopyToContext": func(t *testing.T, s *cuda.Stream, _ *cuda.Event, b *cuda.Buffer[byte]) error {
		return b.CopyToContext(t.Context(), s, make([]byte, b.Len()))
	},
	"CopyFrom": func(_ *testing.T, s *cuda.Stream, _ *cuda.Event, b *cuda.Buffer[byte]) error {
		return b.CopyFrom(s, make([]byte, b.Len()))
	},
	"Download": func(_ *testing.T, s *cuda.Stream, _ *cuda.Event, b *cuda.Buffer[byte]) error {
		_, err := b.All().Download(s)
		return err
	},
}

// TestHostPanicIsFound: whatever waits first for a stream returns the panic of its host
// function.
func TestHostPanicIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		for name, wait := range hostWaits {
			for _, panics := range []bool{true, false} {
				s := newStream(t, dev)
				b := upload(t, s, numbered(100, 3))
				e, err := dev.NewEvent(cuda.EventConfig{})
				require.NoError(t, err)
				require.NoError(t, s.LaunchHostFunc(func() {
					if panics {
						panic(&fs.PathError{Op: "open", Path: "model", Err: fs.ErrNotExist})
					}
				}))
				require.NoError(t, e.Record(s))
				err = wait(t, s, e, b)
				if panics {
					assert.ErrorIs(t, err, cuda.ErrHostFunc, name)
					assert.ErrorIs(t, err, fs.ErrNotExist, name)
					assert.IsType(t, new(cuda.Error), err, name)
					var path *fs.PathError
					assert.True(t, errors.As(err, &path), name)
					assert.ErrorContains(t, err, "it panicked: open model", name)
				} else {
					assert.NoError(t, err, "the control: %s", name)
				}
				require.NoError(t, e.Close())
				s.Close()
				assert.NoError(t, dev.Synchronize(), "the stream is closed")
			}
		}
	})
}

// TestHostPanicOfAGraphIsFound: the same for host nodes, and for events that the graph records.
func TestHostPanicOfAGraphIsFound(t *testing.T) {
	onEach(t, func(t *testing.T, dev *cuda.Device) {
		s := newStream(t, dev)
		event, err := dev.NewEvent(cuda.EventConfig{})
		require.NoError(t, err)
		defer event.Close()
		bad := cuda.NewHostNode(func() { panic(fs.ErrNotExist) })
		e := built(t, event.RecordNode().After(bad))
		require.NoError(t, event.Wait(t.Context()), "the control: it has not run")
		require.NoError(t, e.Launch(s))
		assert.ErrorIs(t, dev.Synchronize(), fs.ErrNotExist)
		assert.ErrorIs(t, event.Wait(t.Context()), fs.ErrNotExist)
		require.NoError(t, event.Record(newStream(t, dev)))
		assert.NoError(t, event.Wait(t.Context()), "which comes after nothing of the graph's")
	})
}
