package interp

import "sync/atomic"

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
