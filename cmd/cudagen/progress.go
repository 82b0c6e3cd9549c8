package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A progress shows on a terminal what a run is doing, if it takes longer than a second.
type progress struct {
	status statusLine
	files  int
	done   chan struct{}
	ended  sync.WaitGroup
	once   sync.Once

	mu    sync.Mutex
	what  string
	steps int
}

// patience is how long a run takes before its progress is shown.
const patience = time.Second

// startProgress begins to show the progress of a run over files on w. Without a terminal, or
// when every is 0, it shows nothing.
func startProgress(w io.Writer, terminal bool, files int, every time.Duration) *progress {
	p := &progress{status: statusLine{w: w, on: terminal}, files: files, done: make(chan struct{})}
	if !terminal || every <= 0 {
		return p
	}
	p.ended.Go(func() {
		start := time.Now()
		ticks := time.NewTicker(every)
		defer ticks.Stop()
		for {
			select {
			case <-p.done:
				return
			case now := <-ticks.C:
				if elapsed := now.Sub(start); elapsed >= patience {
					p.status.show(p.line(elapsed))
				}
			}
		}
	})
	return p
}

// step notes that a command begins. Any goroutine may call it.
func (p *progress) step(command []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps++
	for _, word := range command {
		if strings.HasSuffix(word, ".cu") {
			p.what = filepath.ToSlash(word)
		}
	}
}

// line returns the line that is shown.
func (p *progress) line(elapsed time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := "reading"
	if p.what != "" {
		what = "compiling " + p.what
	}
	return fmt.Sprintf("cudagen: %s (step %d, files: %d), %d s", what, p.steps, p.files, int(elapsed.Seconds()))
}

// stop ends it and erases the line. It may be called again.
func (p *progress) stop() {
	p.once.Do(func() {
		close(p.done)
		p.ended.Wait()
		p.status.clear()
	})
}
