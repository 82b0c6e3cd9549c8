package simtest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A releaser is a recorder that releases what is stuck when it is told of the first error.
type releaser struct {
	recorder
	release func()
}

func (r *releaser) Errorf(format string, args ...any) {
	r.recorder.Errorf(format, args...)
	r.release()
}

// stuck starts a goroutine that waits for a stream whose work waits for release.
func stuck(t *testing.T, dev *cuda.Device) (release func()) {
	t.Helper()
	s, err := dev.NewStream()
	require.NoError(t, err)
	held, waits := make(chan struct{}), make(chan struct{})
	require.NoError(t, s.LaunchHostFunc(func() { <-held }))
	var all sync.WaitGroup
	all.Go(func() {
		close(waits)
		s.Synchronize()
		s.Close()
	})
	<-waits
	return sync.OnceFunc(func() { close(held); all.Wait() })
}

// ends is a test on a goroutine of its own, with what it says at its end.
func ends(t *testing.T, patience time.Duration, test func(tb *releaser)) []string {
	t.Helper()
	was := goroutinePatience
	defer func() { goroutinePatience = was }()
	goroutinePatience = patience
	tb := &releaser{recorder: recorder{TB: t}, release: func() {}}
	var all sync.WaitGroup
	all.Go(func() {
		test(tb)
		tb.end()
		tb.release()
	})
	all.Wait()
	return tb.errors
}

// The patience of these tests is short where a goroutine is stuck until the test has failed, and long elsewhere.
func TestGoroutinesLeft(t *testing.T) {
	const short, long = 10 * time.Millisecond, time.Minute
	t.Run("one", func(t *testing.T) {
		errors := ends(t, short, func(tb *releaser) { tb.release = stuck(t, New(tb)) })
		require.Len(t, errors, 1)
		assert.Contains(t, errors[0], "simtest: goroutines that the test has started are still in calls of cudagen: wait for them before the test ends: 1 of them at")
		assert.Contains(t, errors[0], "runtime/cuda.(*Stream).Synchronize\n")
		assert.Contains(t, errors[0], strings.Split(here(0), ":")[0]+":")
	})
	t.Run("one that a goroutine has started", func(t *testing.T) {
		errors := ends(t, short, func(tb *releaser) {
			dev := New(tb)
			var all sync.WaitGroup
			all.Go(func() { tb.release = stuck(t, dev) })
			all.Wait()
		})
		assert.Len(t, errors, 1)
	})
	t.Run("one that is allowed", func(t *testing.T) {
		errors := ends(t, short, func(tb *releaser) { go stuck(t, New(tb, AllowGoroutines()))() })
		assert.NotContains(t, strings.Join(errors, ""), "goroutines that the test has started")
	})
	t.Run("one of another test that runs in parallel", func(t *testing.T) {
		var release func()
		others := ends(t, short, func(tb *releaser) {
			release = stuck(t, New(tb))
			tb.release = release
			assert.Empty(t, ends(t, long, func(tb *releaser) { New(tb) }))
		})
		assert.Len(t, others, 1, "the control")
	})
	t.Run("one that was there before", func(t *testing.T) {
		assert.Empty(t, ends(t, long, func(tb *releaser) {
			dev, err := cuda.OpenSimulator()
			require.NoError(t, err)
			release := stuck(t, dev)
			tb.release = func() { release(); dev.Close() }
			New(tb)
		}))
	})
	t.Run("one that is elsewhere", func(t *testing.T) {
		assert.Empty(t, ends(t, long, func(tb *releaser) {
			New(tb)
			held := make(chan struct{})
			go func() { <-held }()
			tb.release = sync.OnceFunc(func() { close(held) })
		}))
	})
	t.Run("one that ends in time", func(t *testing.T) {
		errors := ends(t, long, func(tb *releaser) { go stuck(t, New(tb))() })
		assert.Empty(t, errors)
	})
	t.Run("one of a test that has failed", func(t *testing.T) {
		errors := ends(t, long, func(tb *releaser) {
			dev := New(tb)
			release := stuck(t, dev)
			tb.recorder.Errorf("failed")
			go release()
		})
		assert.Equal(t, []string{"failed"}, errors)
	})
}

// The label does not stay behind on the goroutine of the test.
func TestGoroutineLabelEnds(t *testing.T) {
	ends(t, time.Minute, func(tb *releaser) {
		s := watchGoroutines(tb)
		assert.Contains(t, goroutineProfile(), fmt.Sprintf("%q:%q", goroutineLabel, s.label))
		s.end()
		assert.NotContains(t, goroutineProfile(), fmt.Sprintf("%q:%q", goroutineLabel, s.label))
	})
}
