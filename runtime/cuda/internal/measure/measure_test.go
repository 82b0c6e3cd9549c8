package measure

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// TestMedian: medians are exact to 3 %.
func TestMedian(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, most := range []int64{1, 10, 1000, 1e9, 1e15} {
		var h histogram
		var all []int64
		for range 501 {
			ns := random.Int64N(most)
			h.add(ns)
			all = append(all, ns)
		}
		slices.Sort(all)
		assert.InEpsilon(t, float64(all[250])+1, float64(h.median())+1, 0.04, most)
	}
	assert.Zero(t, new(histogram).median())
	for n := range uint64(5000) {
		assert.LessOrEqual(t, leastOf(bucketOf(n)), n)
		assert.Greater(t, leastOf(bucketOf(n)+1), n)
	}
}

func TestLines(t *testing.T) {
	var totals Totals
	copies := totals.Of(Key{"cuMemcpyHtoDAsync", "device 0", Copy})
	copies.Add(1000, 500)
	copies.Add(3000, 500)
	copies.ran(2000, 500)
	slow, fast := totals.Of(Key{"slow", "device 0", Kernel}), totals.Of(Key{"fast", "device 0", Kernel})
	fast.Add(9000, 0)
	slow.Add(100, 0)
	slow.ran(100000, 0)
	slow.Occupancy.Store(250)
	totals.Of(Key{"cuCtxSynchronize", "device 0", Other}).Add(1, 0)
	assert.Same(t, slow, totals.Of(Key{"slow", "device 0", Kernel}))
	lines := totals.Lines()
	require.Len(t, lines, 3)
	assert.Equal(t, []string{"slow", "fast", "cuMemcpyHtoDAsync"}, []string{lines[0].Name, lines[1].Name, lines[2].Name})
	assert.Equal(t, 0.25, lines[0].Occupancy)
	assert.Equal(t, 2, lines[2].Count)
	assert.Equal(t, 4*time.Microsecond, lines[2].Queueing)
	assert.Equal(t, uint64(1000), lines[2].Bytes)
	assert.InEpsilon(t, 500/2e-6, lines[2].BytesPerSecond, 1e-9)
	table := Table(lines)
	for _, want := range []string{"slow", "25%", "0.25", "GB/s"} {
		assert.Contains(t, table, want)
	}
}

func TestCalls(t *testing.T) {
	fill := driver.WatchedCall{Entry: driver.MemsetD16Async, Args: [6]uintptr{1, 2, 3, 4}}
	var e tracefile.Event
	assert.Equal(t, uint64(6), Calls[fill.Entry].Bytes(&fill, &e))
	assert.Equal(t, uint64(6), e.Values[0])
	s, ok := Calls[fill.Entry].Stream(&fill)
	assert.True(t, ok)
	assert.Equal(t, driver.Stream(4), s)
	wait := driver.WatchedCall{Entry: driver.StreamSynchronize, Args: [6]uintptr{7}}
	_, ok = Calls[wait.Entry].Stream(&wait)
	assert.False(t, ok, "nothing is queued")
	assert.Zero(t, Calls[wait.Entry].Bytes(&wait, &e))
}

// TestUnopened: Times that were not opened measure nothing, and ask no driver.
func TestUnopened(t *testing.T) {
	var ts Times
	assert.Equal(t, Timing{}, ts.Begin(1))
	ts.Collect()
	assert.False(t, ts.IsReleased())
	ts.Release()
	ts.Release()
	assert.True(t, ts.IsReleased())
}
