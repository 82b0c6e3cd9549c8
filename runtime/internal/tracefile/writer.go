package tracefile

import (
	"io"
	"strconv"
	"sync"
	"time"
)

// A Writer writes events. Any goroutine may call its methods. A Writer of no io.Writer drops all.
type Writer struct {
	w io.Writer

	mu      sync.Mutex // never held while w is written to
	pending []Event
	closed  bool

	writing sync.Mutex // held while w is written to
	spare   []Event    // of the writer's last turn
	text    []byte
	begun   bool
	paused  bool // the end of the array is written
	known   map[Track]bool
	err     error

	wake, done chan struct{}
}

const (
	// flushEvery bounds what is lost of a program that ends without Close.
	flushEvery = 50 * time.Millisecond
	// soonAt is how many events are written before that time, and mostPending how many whoever
	// adds one more writes itself.
	soonAt      = 4096
	mostPending = 1 << 16
)

// NewWriter makes a Writer to w. NameProcess and NameTrack say what tracks are called.
func NewWriter(w io.Writer) *Writer {
	t := &Writer{w: w, known: make(map[Track]bool), wake: make(chan struct{}, 1), done: make(chan struct{})}
	if w != nil {
		t.pending, t.spare = make([]Event, 0, 2*soonAt), make([]Event, 0, 2*soonAt)
		go t.run()
	}
	return t
}

// run writes from time to time what is pending.
func (t *Writer) run() {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case <-t.done:
			return
		case <-t.wake:
		case <-tick.C:
		}
		t.Flush()
	}
}

// Add adds an event. It does not wait, unless events come faster than they can be written.
func (t *Writer) Add(e *Event) {
	if t.w == nil {
		return
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	t.pending = append(t.pending, *e)
	n := len(t.pending)
	t.mu.Unlock()
	switch {
	case n >= mostPending:
		t.Flush()
	case n == soonAt:
		select {
		case t.wake <- struct{}{}:
		default:
		}
	}
}

// Flush writes what was added, and returns the first error of the io.Writer.
func (t *Writer) Flush() error {
	if t.w == nil {
		return nil
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	events := t.pending
	t.pending = t.spare[:0]
	t.mu.Unlock()
	t.spare = events
	b := t.text[:0]
	last := Track{}
	for i := range events {
		e := &events[i]
		if e.On != last && e.Phase != Counter {
			last = e.On
			if !t.known[last] {
				t.known[last] = true
				b = t.appendName(b, "thread_name", last, "goroutine "+strconv.FormatInt(last.Thread, 10))
			}
		}
		b = e.appendTo(t.begin(b), e.On, true)
		if e.Also != (Track{}) {
			b = e.appendTo(t.begin(b), e.Also, false)
		}
	}
	t.text = b
	t.write(b)
	return t.err
}

// end is the end of the array. An event is longer.
const end = "\n]\n"

// Pause writes what was added and the end of the array, which events that come later overwrite: until then the
// file is whole. It writes no end to what cannot seek, such as a pipe. It returns the first error of the io.Writer.
func (t *Writer) Pause() error {
	err := t.Flush()
	seeker, ok := t.w.(io.Seeker)
	if err != nil || !ok {
		return err
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	if _, err := seeker.Seek(0, io.SeekCurrent); err != nil || t.paused || !t.begun {
		return nil
	}
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if !closed {
		t.write([]byte(end))
		t.paused = true
	}
	return t.err
}

// write writes text, unless an error came before. t.writing is held.
func (t *Writer) write(text []byte) {
	if t.err != nil || len(text) == 0 {
		return
	}
	if t.paused {
		t.paused = false
		if _, t.err = t.w.(io.Seeker).Seek(-int64(len(end)), io.SeekCurrent); t.err != nil {
			return
		}
	}
	_, t.err = t.w.Write(text)
}

// begin appends what stands before an event. t.writing is held.
func (t *Writer) begin(b []byte) []byte {
	if !t.begun {
		t.begun = true
		return append(b, "[\n"...)
	}
	return append(b, ",\n"...)
}

// NameProcess says what the tracks of a process have as their title, and where they stand.
func (t *Writer) NameProcess(process int64, name string) {
	t.meta(func(b []byte) []byte {
		b = t.appendName(b, "process_name", Track{process, 0}, name)
		b = append(t.begin(b), `{"name":"process_sort_index","ph":"M","pid":`...)
		b = strconv.AppendInt(b, process, 10)
		b = append(b, `,"tid":0,"args":{"sort_index":`...)
		b = strconv.AppendInt(b, process, 10)
		return append(b, "}}"...)
	})
}

// NameTrack says what a track is called. Other tracks are goroutines.
func (t *Writer) NameTrack(at Track, name string) {
	t.meta(func(b []byte) []byte {
		t.known[at] = true
		return t.appendName(b, "thread_name", at, name)
	})
}

// meta writes what add appends.
func (t *Writer) meta(add func([]byte) []byte) {
	if t.w == nil {
		return
	}
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if !closed {
		t.write(add(nil))
	}
}

func (t *Writer) appendName(b []byte, kind string, at Track, name string) []byte {
	b = append(t.begin(b), `{"name":"`...)
	b = append(b, kind...)
	b = append(b, `","ph":"M","pid":`...)
	b = strconv.AppendInt(b, at.Process, 10)
	b = append(b, `,"tid":`...)
	b = strconv.AppendInt(b, at.Thread, 10)
	b = append(b, `,"args":{"name":`...)
	b = appendText(b, name)
	return append(b, "}}"...)
}

// Close writes what was added and the end of the array, and returns the first error of the
// io.Writer. Events that are added later are dropped.
func (t *Writer) Close() error {
	t.mu.Lock()
	closed := t.closed
	t.closed = true
	t.mu.Unlock()
	if t.w == nil {
		return nil
	}
	err := t.Flush()
	if closed {
		return err
	}
	close(t.done)
	t.writing.Lock()
	defer t.writing.Unlock()
	if !t.begun {
		t.write([]byte("["))
	}
	t.write([]byte(end))
	return t.err
}
