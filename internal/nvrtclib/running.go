//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package nvrtclib

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/ebitengine/purego"
)

// turn is held by the one compilation that somebody waits for. A caller that waits inside of
// NVRTC cannot be interrupted.
//
// NVRTC runs one front end at a time and, since 12.3, back ends beside each other. It may be
// called from any thread.
var turn = make(chan struct{}, 1)

// maxAbandoned is how many abandoned compilations may run beside the one that holds the turn:
// each has a thread and memory. One more keeps its turn until it ends.
const maxAbandoned = 4

var background = make(chan struct{}, maxAbandoned)

// A running is a compilation that has begun and not ended.
type running struct {
	number    uintptr // NVRTC hands it to the flow callback
	cancelled atomic.Bool

	mu     sync.Mutex
	ended  bool
	behind bool // in the background: another may have the turn
}

var lastNumber atomic.Uintptr

// runnings has each running by its number.
var runnings sync.Map

// begin waits for a turn.
func begin(ctx context.Context) (*running, error) {
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	r := &running{number: lastNumber.Add(1)}
	runnings.Store(r.number, r)
	return r, nil
}

// abandon asks NVRTC to cancel r, and lets the next compilation begin.
func (r *running) abandon() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.cancelled.Store(true)
	select {
	case background <- struct{}{}:
		r.behind = true
		<-turn
	default:
	}
}

func (r *running) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	runnings.Delete(r.number)
	r.ended = true
	if r.behind {
		<-background
	} else {
		<-turn
	}
}

// flowCallback returns the address of the C function that NVRTC asks now and then whether to
// cancel the compilation with a number. purego makes 2000 callbacks at most and frees none: there
// is this one.
//
// NVRTC User Guide, Compilation: nvrtcSetFlowCallback.
var flowCallback = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(number, _ uintptr) uintptr {
		if r, ok := runnings.Load(number); ok && r.(*running).cancelled.Load() {
			return 1
		}
		return 0
	})
})
