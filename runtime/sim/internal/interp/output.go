package interp

import (
	"maps"
	"slices"
	"sync/atomic"
)

// MaxPrinted is how much one launch may print, in bytes: the size of the device's buffer
// (cudaLimitPrintfFifoSize).
const MaxPrinted = 1 << 20

// DroppedNotice is printed where output is missing.
const DroppedNotice = "\n[the simulated device dropped the printf output of this launch beyond 1 MiB]\n"

// printed counts what the blocks of a launch print.
type printed struct {
	bytes   atomic.Int64
	dropped atomic.Bool
}

// print prints text from a thread of b.
func (b *block) print(text string) {
	if b.printed.bytes.Add(int64(len(text))) > MaxPrinted {
		b.printed.dropped.Store(true)
		return
	}
	b.out = append(b.out, text...)
}

// collect takes what the blocks of the nth gang have printed.
func (r *Run) collect(n uint64, blocks []*block) {
	var text []byte
	for _, b := range blocks {
		text = append(text, b.out...)
		b.out = nil
	}
	if len(text) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.output == nil {
		r.output = make(map[uint64][]byte)
	}
	r.output[n] = text
}

// Text is the output of the grid, in the order of its blocks, whichever ran first.
func (r *Run) Text() (text []byte) {
	for _, n := range slices.Sorted(maps.Keys(r.output)) {
		text = append(text, r.output[n]...)
	}
	if r.printed.dropped.Load() {
		text = append(text, DroppedNotice...)
	}
	return text
}
