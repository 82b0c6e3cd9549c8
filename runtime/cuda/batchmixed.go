package cuda

import (
	"fmt"
	"unsafe"
)

// A FillCall sets every element of Dst to Value, as Fill does, among the calls of a Batch. Change
// its fields between launches.
type FillCall[T any] struct {
	Dst   Slice[T]
	Value T
}

// NewFillCall makes a fill of dst with value, for a Batch.
func NewFillCall[T any](dst Slice[T], value T) *FillCall[T] {
	return &FillCall[T]{Dst: dst, Value: value}
}

// Launch fills on s: Fill.
func (c *FillCall[T]) Launch(s *Stream) error {
	if c == nil {
		return errNilCall("fill a buffer")
	}
	return Fill(s, c.Dst, c.Value)
}

// A CopyCall copies Src to Dst, as Copy does, among the calls of a Batch. Change its fields
// between launches.
type CopyCall[T any] struct {
	Dst, Src Slice[T]
}

// NewCopyCall makes a copy of src to dst, for a Batch.
func NewCopyCall[T any](dst, src Slice[T]) *CopyCall[T] { return &CopyCall[T]{Dst: dst, Src: src} }

// Launch copies on s: Copy.
func (c *CopyCall[T]) Launch(s *Stream) error {
	if c == nil {
		return errNilCall("copy")
	}
	return Copy(s, c.Dst, c.Src)
}

func errNilCall(op string) error {
	return &Error{Op: op, Detail: "the call is nil: use NewFillCall or NewCopyCall", Err: ErrInvalidValue}
}

// An operation is a call that launches no kernel.
type operation interface {
	Prepared
	node() Node
	refresh(Node) bool // makes a node of node's do what the operation says now, and reports whether that is new
}

func (c *FillCall[T]) prepared() *Call { return nil }
func (c *CopyCall[T]) prepared() *Call { return nil }

func (c *FillCall[T]) node() Node { return NewMemsetNode(c.Dst, c.Value) }
func (c *CopyCall[T]) node() Node { return NewMemcpyNode(c.Dst, c.Src) }

func (c *FillCall[T]) refresh(of Node) bool {
	n := of.(*MemsetNode[T])
	if n.Dst == c.Dst && string(bytesOfValue(&n.Value)) == string(bytesOfValue(&c.Value)) {
		return false
	}
	n.Dst, n.Value = c.Dst, c.Value
	return true
}

func (c *CopyCall[T]) refresh(of Node) bool {
	n := of.(*MemcpyNode[T])
	if n.Dst == c.Dst && n.Src == c.Src {
		return false
	}
	n.Dst, n.Src = c.Dst, c.Src
	return true
}

// bytesOfValue returns the memory of v.
func bytesOfValue[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
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
