package queue

import "time"

// A Mark is a place in a queue.
type Mark struct {
	passed chan struct{} // closed when the queue comes by
	at     time.Time     // when; read after passed is closed
}

// NewMark returns a mark that no queue has passed.
func NewMark() *Mark { return &Mark{passed: make(chan struct{})} }

// Pass is the work that stands at the mark. It must be called once.
func (m *Mark) Pass() {
	m.at = time.Now()
	close(m.passed)
}

// Passed is closed when the mark has been passed.
func (m *Mark) Passed() <-chan struct{} { return m.passed }

// IsPassed reports whether the mark has been passed.
func (m *Mark) IsPassed() bool {
	select {
	case <-m.passed:
		return true
	default:
		return false
	}
}

// Wait returns when the mark has been passed.
func (m *Mark) Wait() { <-m.passed }

// Since returns the time from earlier to m, both of which have been passed.
func (m *Mark) Since(earlier *Mark) time.Duration { return m.at.Sub(earlier.at) }
