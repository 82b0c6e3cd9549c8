package link

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A misuse is an error of what a program has passed. It wraps cuda.ErrInvalidValue, whose text is that of a
// driver's answer.
type misuse string

func misused(format string, args ...any) error { return misuse(fmt.Sprintf(format, args...)) }

func (m misuse) Error() string { return string(m) }

func (m misuse) Unwrap() error { return cuda.ErrInvalidValue }
