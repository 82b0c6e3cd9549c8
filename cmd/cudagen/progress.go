package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// A progress shows what a run is doing: on a terminal if it takes longer than a second, elsewhere, as
// under go generate, if it takes longer than plainEvery.
type progress struct {
	status  *statusLine
	sources []string
	done    chan struct{}
	ended   sync.WaitGroup
	once    sync.Once

	mu   sync.Mutex
	what string
}

// patience is how long a run takes before its progress is shown.
const patience = time.Second

// startProgress begins to show the progress of a run over sources with status.
func startProgress(status *statusLine, sources []string, every time.Duration) *progress {
	p := &progress{status: status, sources: sources, done: make(chan struct{})}
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
	for _, word := range command {
		isWord := func(path string) bool { return filepath.Base(path) == filepath.Base(word) }
		at := slices.IndexFunc(p.sources, isWord)
		if at < 0 {
			continue
		}
		what := "compiling " + filepath.ToSlash(p.sources[at])
		if slices.ContainsFunc(p.sources[at+1:], isWord) { // commands may name copies in other folders
			what = "compiling one of the files " + filepath.Base(word)
		} else if len(p.sources) > 1 {
			what += fmt.Sprintf(" (%d of %d files)", at+1, len(p.sources))
		}
		p.mu.Lock()
		p.what = what
		p.mu.Unlock()
	}
}

// line returns the line that is shown.
func (p *progress) line(elapsed time.Duration) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("cudagen: %s, %d s", cmp.Or(p.what, "reading"), int(elapsed.Seconds()))
}

// stop ends it and erases the line. It may be called again.
func (p *progress) stop() {
	p.once.Do(func() {
		close(p.done)
		p.ended.Wait()
		p.status.clear()
	})
}
