package main

import (
	"fmt"
	"math"
)

// An output is what a kernel computed, beside what plain Go computed.
type output interface {
	// check compares the two. The verdict says how.
	check() (verdict string, err error)
	// against compares with the same kernel's output on another device.
	against(other output) error
}

// exact is an output of integers, which must be identical.
type exact[T comparable] struct{ got, want []T }

func (e exact[T]) check() (string, error) {
	return fmt.Sprintf("%d values identical", len(e.want)), identical(e.got, e.want)
}

func (e exact[T]) against(other output) error { return identical(e.got, other.(exact[T]).got) }

func identical[T comparable](got, want []T) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d values, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("value %d is %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// near is an output of floats: a device may fuse a multiplication with an addition
// where Go rounds twice. No value may be off by more than bound.
type near struct {
	got, want []float32
	bound     float64
}

func (n near) check() (string, error) {
	worst, err := within(n.got, n.want, n.bound)
	return fmt.Sprintf("off by at most %.2g, bound %.2g", worst, n.bound), err
}

func (n near) against(other output) error {
	_, err := within(n.got, other.(near).got, n.bound)
	return err
}

func within(got, want []float32, bound float64) (worst float64, err error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("%d values, want %d", len(got), len(want))
	}
	for i := range want {
		off := math.Abs(float64(got[i]) - float64(want[i]))
		if !(off <= bound) { // a NaN is not within any bound
			return off, fmt.Errorf("value %d is %v, want %v within %.2g", i, got[i], want[i], bound)
		}
		worst = max(worst, off)
	}
	return worst, nil
}
