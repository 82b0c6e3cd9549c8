// Package progress shows how far a program is: a line on a terminal, once it has taken two seconds.
package progress

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// patience is how long nothing is shown.
const patience = 2 * time.Second

// A Bar is a line of a terminal. The zero value shows nothing.
type Bar struct {
	out   *os.File // nil without a terminal
	what  string
	total int
	start time.Time
	shown time.Time
}

// New returns a bar for total steps, which is shown on out, if that is a terminal.
func New(out *os.File, what string, total int) *Bar {
	b := &Bar{what: what, total: max(total, 1), start: time.Now()}
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
		b.out = out
	}
	return b
}

// Set shows that done steps are done.
func (b *Bar) Set(done int) {
	now := time.Now()
	if b.out == nil || now.Sub(b.start) < patience || now.Sub(b.shown) < time.Second/10 {
		return
	}
	b.shown = now
	fmt.Fprint(b.out, "\r", line(b.what, done, b.total, now.Sub(b.start)), "\x1b[K")
}

// Clear erases the bar until Set is called again: write what else there is to say then.
func (b *Bar) Clear() {
	if b.out != nil && !b.shown.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}

// width is the number of characters of a full bar.
const width = 30

// line returns what is shown after a time.
func line(what string, done, total int, elapsed time.Duration) string {
	done = min(max(done, 0), total)
	full := done * width / total
	text := fmt.Sprintf("%s [%s%s] %d/%d", what, strings.Repeat("=", full), strings.Repeat(" ", width-full), done, total)
	if done > 0 && done < total {
		left := time.Duration(float64(elapsed) / float64(done) * float64(total-done))
		text += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return text
}
