//go:build !cudagen_nodriver && linux && (amd64 || arm64)

package nvrtclib

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSignals: a signal reaches the program while NVRTC compiles, in its front end and its back end, and afterwards. The fake's
// own handler ends the process, and Go's ends it when it runs on a goroutine's stack.
func TestSignals(t *testing.T) {
	l, err := Open(buildFake(t, "-DSIGNALS"))
	require.NoError(t, err)
	received := make(chan os.Signal, 1)
	signal.Notify(received, frontEndSignals[0], frontEndSignals[1])
	defer signal.Stop(received)
	compiled := make(chan error)
	go func() {
		_, err := l.Compile(t.Context(), Program{Source: "400 400", Name: "k.cu"})
		compiled <- err
	}()
	begin := time.Now()
	send := func(at time.Duration) {
		time.Sleep(time.Until(begin.Add(at)))
		for _, sent := range frontEndSignals {
			require.NoError(t, syscall.Kill(os.Getpid(), sent))
			assert.Equal(t, os.Signal(sent), <-received)
		}
	}
	send(200 * time.Millisecond)
	send(600 * time.Millisecond)
	require.NoError(t, <-compiled)
	send(0)
	handledByGo(t)
}

// TestSignalsOfTwo: a compilation that begins while an abandoned one has the signals guards them, too, when that has ended.
func TestSignalsOfTwo(t *testing.T) {
	ofNVRTC := sigaction{handler: 0x1000} // nobody sends it
	endFirst := guardSignals()
	action(syscall.SIGTERM, &ofNVRTC)
	endSecond := guardSignals()
	endFirst()
	handledByGo(t)
	action(syscall.SIGTERM, &ofNVRTC)
	endSecond()
	handledByGo(t)
	assert.Zero(t, guard.users)
}

// TestIgnoredSignals: who ignores a signal goes on doing so.
func TestIgnoredSignals(t *testing.T) {
	l, err := Open(buildFake(t, "-DSIGNALS"))
	require.NoError(t, err)
	signal.Ignore(syscall.SIGTERM)
	defer func() { // Reset does not undo Ignore, nor would this for SIGINT
		received := make(chan os.Signal, 1)
		signal.Notify(received, syscall.SIGTERM)
		signal.Stop(received)
	}()
	_, err = l.Compile(t.Context(), Program{Source: "20", Name: "k.cu"})
	require.NoError(t, err)
	now, ok := action(syscall.SIGTERM, nil)
	require.True(t, ok)
	assert.EqualValues(t, ignored, now.handler)
}

func TestSignalsAfterNVRTC(t *testing.T) {
	_, err := openReal(t).Compile(t.Context(), Program{Source: "__global__ void k() {}", Name: "k.cu"})
	require.NoError(t, err)
	handledByGo(t)
}

func handledByGo(t *testing.T) {
	t.Helper()
	want, ok := action(syscall.SIGURG, nil)
	require.True(t, ok)
	for _, s := range frontEndSignals {
		got, ok := action(s, nil)
		require.True(t, ok)
		assert.Equal(t, want, got, "%v", s)
	}
}
