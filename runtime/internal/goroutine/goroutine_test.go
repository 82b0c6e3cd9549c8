package goroutine

import (
	"context"
	"runtime/pprof"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestID: the number is that of stack traces, of many goroutines at once and of ones that reuse
// what others have left.
func TestID(t *testing.T) {
	at, found := idOffset()
	require.Equal(t, current() != nil, found, "the number is where we look, at %d", at)
	seen := make(map[uint64]bool)
	var mu sync.Mutex
	for range 20 {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				id := ID()
				assert.Equal(t, printedID(), id)
				mu.Lock()
				defer mu.Unlock()
				assert.False(t, seen[id])
				seen[id] = true
			})
		}
		all.Wait()
	}
	assert.Len(t, seen, 1000)
	if found { // the control: beside it there is another number
		assert.NotEqual(t, printedID(), ID()+1)
	}
}

// TestLabels: With keeps what the goroutine had, and changes nothing.
func TestLabels(t *testing.T) {
	require.NotNil(t, labelKey())
	pprof.Do(context.Background(), pprof.Labels("request", "7"), func(context.Context) {
		before := CurrentLabels()
		with := before.With("kernel", "saxpy")
		assert.Equal(t, before, CurrentLabels())
		assert.Equal(t, map[string]string{"request": "7"}, texts(before))
		assert.Equal(t, map[string]string{"request": "7", "kernel": "saxpy"}, texts(with))
		assert.Equal(t, map[string]string{"request": "7", "kernel": "scan"}, texts(with.With("kernel", "scan")))
		with.Use()
		assert.Equal(t, with, CurrentLabels())
		before.Use()
	})
	assert.Equal(t, map[string]string{"kernel": "saxpy"}, texts(Labels{}.With("kernel", "saxpy")))
	assert.Empty(t, texts(Labels{}))
}

// texts returns what is in l.
func texts(l Labels) map[string]string {
	all := make(map[string]string)
	if l.set == nil {
		return all
	}
	pprof.ForLabels(contextOf(l), func(key, value string) bool {
		all[key] = value
		return true
	})
	return all
}
