package tracefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decode reads a trace, whose end may be missing.
func decode(t *testing.T, text string) (events []map[string]any) {
	t.Helper()
	if !strings.HasSuffix(strings.TrimSpace(text), "]") {
		text += "]"
	}
	require.NoError(t, json.Unmarshal([]byte(text), &events), "%s", text)
	return events
}

// lockedBuffer is a buffer that is read while others write.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		event Event
		want  string
	}{
		{Event{Name: "saxpy", Category: "launch", Phase: Complete, Start: 1500, Duration: 2000007},
			`{"name":"saxpy","cat":"launch","ph":"X","pid":1,"tid":2,"ts":1.500,"dur":2000.007}`},
		{Event{Name: `f<"\x00ü">`, Phase: AsyncBegin, Start: -20}, `{"name":"f\u003c\"\\x00ü\"\u003e","ph":"b","pid":1,"tid":2,"ts":-0.020}`},
		{Event{Name: "memory", Phase: Counter, Keys: &Keys{{"bytes", 0}}, Values: [8]uint64{1 << 63}, Error: "a\nb"},
			`{"name":"memory","ph":"C","pid":1,"tid":2,"ts":0,"args":{"bytes":9223372036854775808,"error":"a\nb"}}`},
		{Event{Name: "k", Phase: AsyncEnd, ID: 7, Keys: &Keys{{"grid", 3}, {"shared", 0}}, Values: [8]uint64{1, 2, 3, 4}},
			`{"name":"k","ph":"e","pid":1,"tid":2,"ts":0,"id":7,"args":{"grid":[1,2,3],"shared":4}}`},
		{Event{Name: "k", Phase: Complete, Error: "no"}, `{"name":"k","ph":"X","pid":1,"tid":2,"ts":0,"dur":0,"args":{"error":"no"}}`},
	} {
		got := tt.event.appendTo(nil, Track{1, 2}, true)
		assert.Equal(t, tt.want, string(got))
		assert.True(t, json.Valid(got), "%s", got)
	}
	assert.False(t, json.Valid([]byte("{\"a\nb\":1}")), "the control")
}

// TestWriter: what many goroutines add is there once, in valid JSON, also without the end.
func TestWriter(t *testing.T) {
	var out lockedBuffer
	w := NewWriter(&out)
	w.NameProcess(1, "program")
	w.NameTrack(Track{2, 5}, "stream 5")
	var all sync.WaitGroup
	const each = 5000
	for g := range 8 {
		all.Go(func() {
			for i := range each {
				w.Add(&Event{Name: fmt.Sprint(g, "/", i), Phase: Complete, On: Track{1, int64(g)}})
			}
		})
	}
	all.Wait()
	w.Add(&Event{Name: "kernel", Phase: Complete, On: Track{1, 3}, Also: Track{2, 5}})
	require.NoError(t, w.Flush())
	open := decode(t, out.String())
	require.NoError(t, w.Close())
	require.NoError(t, w.Close())
	w.Add(&Event{Name: "late", Phase: Complete})
	whole := decode(t, out.String())
	assert.Equal(t, open, whole)
	assert.True(t, json.Valid([]byte(out.String())))

	names, tracks := map[string]int{}, map[string]bool{}
	for _, e := range whole {
		if e["ph"] == "X" {
			names[e["name"].(string)]++
		} else {
			name, _ := e["args"].(map[string]any)["name"].(string)
			tracks[name] = true
		}
	}
	assert.Len(t, names, 8*each+1)
	assert.Equal(t, 2, names["kernel"])
	delete(names, "kernel")
	for name, n := range names {
		assert.Equal(t, 1, n, name)
	}
	assert.Contains(t, tracks, "goroutine 7")
	assert.Contains(t, tracks, "stream 5")
	assert.NotContains(t, tracks, "goroutine 8", "the control")
}

// TestEmptyTrace: a trace without events is valid, too.
func TestEmptyTrace(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, NewWriter(&out).Close())
	assert.Equal(t, "[\n]\n", out.String())
	assert.NoError(t, NewWriter(nil).Close())
}

var errFull = errors.New("the disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestWriteError: the error of the file is that of Close.
func TestWriteError(t *testing.T) {
	w := NewWriter(fullDisk{})
	w.Add(&Event{Name: "a", Phase: Complete})
	assert.ErrorIs(t, w.Close(), errFull)
}

func BenchmarkAdd(b *testing.B) {
	w := NewWriter(io.Discard)
	defer w.Close()
	e := Event{Name: "saxpy", Category: "launch", Phase: Complete, On: Track{1234, 7}, Also: Track{1235, 2}, Start: 123456789, Duration: 2345, Keys: &Keys{{"grid", 3}, {"block", 3}, {"shared bytes", 0}}}
	for b.Loop() {
		w.Add(&e)
	}
}

// TestPause: a file is whole after Pause, and after events that came later and the next Pause or Close.
func TestPause(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "run.json")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	w := NewWriter(f)
	require.NoError(t, w.Pause(), "of nothing")
	whole := func(want ...string) {
		t.Helper()
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var events []struct{ Name string }
		require.NoError(t, json.Unmarshal(text, &events), "%s", text)
		var names []string
		for _, e := range events {
			if e.Name != "thread_name" {
				names = append(names, e.Name)
			}
		}
		assert.Equal(t, want, names)
	}
	add := func(name string) { w.Add(&Event{Name: name, Phase: Complete, On: Track{1, 1}}) }
	add("a")
	require.NoError(t, w.Pause())
	whole("a")
	require.NoError(t, w.Pause())
	whole("a")
	add("b")
	require.NoError(t, w.Flush())
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.False(t, json.Valid(text), "the control: events take the place of the end")
	w.NameTrack(Track{1, 2}, "t")
	require.NoError(t, w.Pause())
	whole("a", "b")
	require.NoError(t, w.Close())
	whole("a", "b")
	require.NoError(t, w.Pause())
	whole("a", "b")

	var pipe bytes.Buffer
	w = NewWriter(&pipe)
	add("a")
	require.NoError(t, w.Pause())
	assert.False(t, json.Valid(pipe.Bytes()), "what cannot seek has no end before Close")
	require.NoError(t, w.Close())
	assert.True(t, json.Valid(pipe.Bytes()))
}
