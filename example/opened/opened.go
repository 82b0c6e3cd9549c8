// Package opened makes what a program needs step by step, and closes it in turn: libraries, streams, handles and buffers. It knows none of them.
package opened

import (
	"io"
	"slices"
)

// A List has what was made, the first thing first. The zero value is empty.
type List []io.Closer

// Make takes steps. If one fails, it closes what is in l, and returns the error.
func (l *List) Make(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			l.Close()
			return err
		}
	}
	return nil
}

// Keep returns a function that puts what was made into place, and into l: Keep(l, &stream)(dev.NewStream()) is a step.
func Keep[T io.Closer](l *List, place *T) func(T, error) error {
	return func(made T, err error) error {
		if err == nil {
			*place = made
			*l = append(*l, made)
		}
		return err
	}
}

// Close closes what is in l, the last thing first.
func (l *List) Close() {
	for _, c := range slices.Backward(*l) {
		c.Close()
	}
	*l = nil
}
