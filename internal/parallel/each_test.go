package parallel

import (
	"errors"
	"go/token"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/diag"
)

// TestEach: each element has its step, at most as many at a time as there are processors.
func TestEach(t *testing.T) {
	var ran [100]atomic.Int32
	var now, most atomic.Int32
	list := make([]int, len(ran))
	for i := range list {
		list[i] = i
	}
	assert.NoError(t, Each(list, func(i int) error {
		n := now.Add(1)
		defer now.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		ran[i].Add(1)
		runtime.Gosched()
		return nil
	}))
	for i := range ran {
		assert.EqualValues(t, 1, ran[i].Load(), i)
	}
	assert.LessOrEqual(t, int(most.Load()), runtime.GOMAXPROCS(0))
}

// TestJoin: errors of sources are one list, and others are joined with them.
func TestJoin(t *testing.T) {
	at := func(line int) diag.List {
		return diag.List{diag.NewError(token.Position{Filename: "a.cu", Line: line}, errors.New("wrong"))}
	}
	one, two, other := at(1), at(2), errors.New("no compiler")
	assert.NoError(t, Join(nil))
	assert.NoError(t, Join([]error{nil, nil}))
	err := Join([]error{one, nil, two})
	list, ok := err.(diag.List)
	assert.True(t, ok)
	assert.Equal(t, append(one, two...), list)
	err = Join([]error{one, other, nil, two})
	assert.ErrorIs(t, err, other)
	assert.ErrorContains(t, err, "a.cu:1")
	assert.ErrorContains(t, err, "a.cu:2")
	assert.Equal(t, err, Each([]error{one, other, two}, func(err error) error { return err }))
}
