package cuda

import "fmt"

// An operation is a call that launches no kernel.
type operation interface {
	Prepared
	work
	refresh(told operation) bool // makes told, a frozen copy, what the operation is, and reports whether that is new
}

func errNilCall(op string) error {
	return &Error{Op: op, Detail: "the call is nil: use Copy, CopyBox or Fill", Err: ErrInvalidValue}
}

func (c *FillCall[T]) prepared() *Call    { return nil }
func (c *CopyCall[T]) prepared() *Call    { return nil }
func (c *CopyBoxCall[T]) prepared() *Call { return nil }

func (c *FillCall[T]) frozen() work    { return frozenOperation(c) }
func (c *CopyCall[T]) frozen() work    { return frozenOperation(c) }
func (c *CopyBoxCall[T]) frozen() work { return frozenOperation(c) }

// frozenOperation returns a copy of what c points to: C is one of the calls above.
func frozenOperation[C any, P interface {
	*C
	work
}](c P) work {
	if c == nil {
		return c
	}
	copied := *c
	return P(&copied)
}

func (c *FillCall[T]) refresh(told operation) bool {
	was := told.(*FillCall[T])
	if was.Dst == c.Dst && string(bytesOfValue(&was.Value)) == string(bytesOfValue(&c.Value)) {
		return false
	}
	*was = *c
	return true
}

func (c *CopyCall[T]) refresh(told operation) bool    { return refreshed(told.(*CopyCall[T]), c) }
func (c *CopyBoxCall[T]) refresh(told operation) bool { return refreshed(told.(*CopyBoxCall[T]), c) }

func refreshed[C comparable](told, c *C) bool {
	if *told == *c {
		return false
	}
	*told = *c
	return true
}

// isOperation reports whether p is an operation.
func isOperation(p Prepared) bool {
	_, is := p.(operation)
	return is
}

// A batchPart is a part of a batch: launches, or one operation.
type batchPart struct {
	calls *Batch
	op    operation
}

func (p *batchPart) len() int {
	if p.calls != nil {
		return p.calls.Len()
	}
	return 1
}

// newMixedBatch makes a batch that has fills or copies, of batches that have none.
func newMixedBatch(calls []Prepared) (*Batch, error) {
	const op = "make a batch"
	b := &Batch{patience: graphAfter}
	for len(calls) > 0 {
		n := 0
		for n < len(calls) && !isOperation(calls[n]) {
			n++
		}
		if n > 0 {
			launches, err := newCallBatch(calls[:n], b.Len())
			if err != nil {
				return nil, err
			}
			dev := launches.calls[0].kernel.dev
			for _, part := range b.parts {
				if before := part.calls; before != nil && before.calls[0].kernel.dev != dev {
					return nil, &Error{Op: op, Device: dev.String(), Detail: fmt.Sprintf("call %d is on another device than calls before it, which are on %v", b.Len(), before.calls[0].kernel.dev), Err: ErrInvalidValue}
				}
			}
			b.parts = append(b.parts, batchPart{calls: launches.NeverGraph()})
		}
		if calls = calls[n:]; len(calls) > 0 {
			if isNilCall(calls[0]) {
				return nil, &Error{Op: op, Detail: fmt.Sprintf("call %d is nil", b.Len()), Err: ErrInvalidValue}
			}
			b.parts, calls = append(b.parts, batchPart{op: calls[0].(operation)}), calls[1:]
		}
	}
	return b, nil
}

// launchParts launches the parts one after the other.
func (b *Batch) launchParts(s *Stream) error {
	first, count := 0, b.Len()
	for _, part := range b.parts {
		var err error
		if part.calls != nil {
			err = part.calls.launchCalls(s)
		} else {
			err = part.op.Launch(s)
		}
		if failed, ok := err.(*BatchError); ok {
			return &BatchError{Index: first + failed.Index, Count: count, Err: failed.Err}
		}
		if err != nil {
			return &BatchError{Index: first, Count: count, Err: err}
		}
		first += part.len()
	}
	b.launchedOn(s)
	return nil
}
