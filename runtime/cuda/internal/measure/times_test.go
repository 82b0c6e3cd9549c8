package measure

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/tracefile"
)

// A stopwatch is a driver whose events are marks of a clock that the test moves: work runs when it says so.
type stopwatch struct {
	driver.Driver
	now     int64
	marks   map[driver.Event]int64
	made    driver.Event
	streams int
	query   driver.Result // of streams and events

	failRecord, failCreate, failElapsed bool
}

func (d *stopwatch) StreamCreate(uint32) (driver.Stream, driver.Result) {
	if d.failCreate {
		return 9, driver.ErrorOutOfMemory
	}
	d.streams++
	return 9, driver.Success
}

func (d *stopwatch) StreamDestroy(driver.Stream) driver.Result {
	d.streams--
	return driver.Success
}

func (d *stopwatch) EventCreate(uint32) (driver.Event, driver.Result) {
	if d.failCreate {
		return 0, driver.ErrorOutOfMemory
	}
	d.made++
	d.marks[d.made] = -1
	return d.made, driver.Success
}

func (d *stopwatch) EventDestroy(e driver.Event) driver.Result {
	if _, ok := d.marks[e]; !ok {
		return driver.ErrorInvalidHandle
	}
	delete(d.marks, e)
	return driver.Success
}

func (d *stopwatch) EventRecord(e driver.Event, _ driver.Stream) driver.Result {
	if d.failRecord {
		return driver.ErrorLaunchFailed
	}
	d.marks[e] = d.now
	return driver.Success
}

func (d *stopwatch) EventElapsedTime(start, end driver.Event) (float32, driver.Result) {
	if d.failElapsed {
		return 0, driver.ErrorLaunchFailed
	}
	return float32(d.marks[end]-d.marks[start]) / 1e6, driver.Success
}

func (d *stopwatch) StreamQuery(driver.Stream) driver.Result { return d.query }
func (d *stopwatch) EventQuery(driver.Event) driver.Result   { return d.query }

// opened returns Times of d, what they write, and how many results of releasing they had.
func opened(t *testing.T, d *stopwatch) (*Times, *tracefile.Writer, *bytes.Buffer, *int) {
	t.Helper()
	d.marks = map[driver.Event]int64{}
	var text bytes.Buffer
	file, ts, given, held := tracefile.NewWriter(&text), new(Times), new(int), 0
	ts.Open(Device{
		Driver:    d,
		InContext: func(f func() driver.Result) driver.Result { return f() },
		Hold:      func() func() { held++; return func() { held-- } },
		Given:     func(r driver.Result) { *given++; assert.Equal(t, driver.Success, r) },
	}, file, func() int64 { return d.now })
	t.Cleanup(func() { assert.Zero(t, held, "every Hold is released") })
	return ts, file, &text, given
}

// TestTimes: an event begins when its work ran by the host's clock, and lasts as long as the work.
func TestTimes(t *testing.T) {
	d := &stopwatch{now: 5e6}
	ts, file, text, given := opened(t, d)
	var totals Totals
	sum := totals.Of(Key{"work", "device 0", Kernel})
	run := func(queued, waits, takes int64) {
		d.now = queued
		e := &tracefile.Event{Name: "work", Phase: tracefile.Complete, Start: d.now}
		d.now += waits
		timing := ts.Begin(3)
		require.NotZero(t, timing.Start)
		d.now += takes
		ts.End(timing, e, sum, 100)
		assert.Equal(t, timing, TimingOf(timing.Start, timing.End, 3, timing.Owner()))
	}
	run(6e6, 2e6, 3e6)
	d.query = driver.ErrorNotReady
	ts.Collect()
	assert.Zero(t, totals.Lines()[0].Running, "it runs yet")
	d.query = driver.Success
	ts.Collect()
	run(20e6, 0, 5e6)
	ts.Collect()
	ts.Collect() // each work counts once
	require.NoError(t, file.Close())
	assert.EqualValues(t, 8e6, totals.Lines()[0].Running)
	assert.Contains(t, text.String(), `"ts":8000`)
	assert.Contains(t, text.String(), `"dur":3000`)
	assert.Contains(t, text.String(), `"ts":20000`)
	assert.Contains(t, text.String(), `"dur":5000`)
	assert.EqualValues(t, eventsMade, d.made, "events are used again")
	ts.Release()
	ts.Release()
	assert.Empty(t, d.marks)
	assert.Zero(t, d.streams)
	assert.Equal(t, eventsMade+1, *given)
}

// TestClocks: a clock serves for a second, and its event is free again when nothing is measured by it.
func TestClocks(t *testing.T) {
	d := new(stopwatch)
	ts, file, _, _ := opened(t, d)
	defer file.Close()
	first := ts.clock
	require.NotNil(t, first)
	timing := ts.Begin(3)
	d.now = clockFor - 1
	ts.Collect()
	assert.Same(t, first, ts.clock)
	d.now = clockFor
	ts.Collect()
	second := ts.clock
	assert.NotSame(t, first, second)
	assert.Equal(t, clockFor, second.at)
	assert.Len(t, ts.idle, eventsMade-4, "two clocks and a timing")
	ts.GiveBack(timing)
	assert.Len(t, ts.idle, eventsMade-1, "the second clock")
	d.now = 3 * clockFor
	ts.Collect()
	assert.Len(t, ts.idle, eventsMade-1, "nothing was measured by the second")
	ts.Release()
	assert.Empty(t, d.marks)
}

// TestNothingMeasured: where the driver fails, work has no time, and no event is lost.
func TestNothingMeasured(t *testing.T) {
	var totals Totals
	sum := totals.Of(Key{"work", "device 0", Kernel})
	t.Run("no stream", func(t *testing.T) {
		d := &stopwatch{failCreate: true}
		ts, file, _, _ := opened(t, d)
		defer file.Close()
		assert.Zero(t, ts.Begin(3))
		ts.Collect()
		ts.Release()
		assert.Zero(t, d.streams)
	})
	t.Run("the clock's stream waits", func(t *testing.T) {
		d := &stopwatch{query: driver.ErrorNotReady}
		ts, file, _, _ := opened(t, d)
		defer file.Close()
		assert.Nil(t, ts.clock)
		assert.Zero(t, ts.Begin(3))
		assert.Len(t, ts.idle, eventsMade)
	})
	t.Run("the clock's stream fails", func(t *testing.T) {
		ts, file, _, _ := opened(t, &stopwatch{query: driver.ErrorLaunchFailed})
		defer file.Close()
		assert.Nil(t, ts.clock)
	})
	t.Run("recording fails", func(t *testing.T) {
		d := new(stopwatch)
		ts, file, _, _ := opened(t, d)
		defer file.Close()
		timing := ts.Begin(3)
		d.failRecord = true
		assert.Zero(t, ts.Begin(3))
		ts.End(timing, &tracefile.Event{}, sum, 0)
		assert.Empty(t, ts.pending)
		assert.Len(t, ts.idle, eventsMade-1)
	})
	t.Run("the work fails", func(t *testing.T) {
		d := new(stopwatch)
		ts, file, _, _ := opened(t, d)
		defer file.Close()
		ts.End(ts.Begin(3), &tracefile.Event{}, sum, 0)
		d.failElapsed = true
		ts.Collect()
		assert.Len(t, ts.idle, eventsMade-1)
		assert.Zero(t, totals.Lines()[0].Running)
	})
	t.Run("released meanwhile", func(t *testing.T) {
		d := new(stopwatch)
		ts, file, _, given := opened(t, d)
		defer file.Close()
		timing := ts.Begin(3)
		ts.Release()
		assert.Zero(t, *given, "a call records its events yet")
		assert.Zero(t, ts.Begin(3))
		ts.End(timing, &tracefile.Event{}, sum, 0)
		assert.Equal(t, eventsMade+1, *given)
		ts.Collect()
		assert.Zero(t, totals.Lines()[0].Running)
	})
	t.Run("much waits", func(t *testing.T) {
		d := new(stopwatch)
		ts, file, _, _ := opened(t, d)
		defer file.Close()
		d.query = driver.ErrorNotReady
		ts.pending = make([]measured, mostTimings)
		assert.Zero(t, ts.Begin(3))
		ts.pending = ts.pending[:mostTimings-1]
		assert.NotZero(t, ts.Begin(3))
	})
	t.Run("many end", func(t *testing.T) {
		ts, file, _, _ := opened(t, new(stopwatch))
		defer file.Close()
		for n := range collectAt {
			assert.Len(t, ts.pending, n)
			ts.End(ts.Begin(3), &tracefile.Event{}, sum, 0)
		}
		assert.Empty(t, ts.pending)
	})
}
