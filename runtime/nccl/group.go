package nccl

import (
	"errors"
	"fmt"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// An operation is to be queued on a stream.
type operation struct {
	kind     kind
	dataType dataType
	op       Op
	factor   uint64 // of a pre-multiplied sum
	root     int    // or the other rank of send and receive
	count    int    // elements, as NCCL counts them
	stream   *cuda.Stream
	dst, src cuda.Slice[byte]
}

// A group collects operations.
type group struct {
	comm *Comm
	ops  []operation
	err  error
	open bool

	dropped []Op // of NCCL, when it has ended
}

// Group makes one operation of those that f calls with the Comm that it is given: sends and receives
// that wait for each other must be one. They are queued when f has returned nil; after an error of f,
// or of one of them, none is queued. Operations of a group may be on several streams. Groups of a
// communicator must not overlap; f must not keep the Comm.
func (c *Comm) Group(f func(*Comm) error) error {
	const op = "group"
	if err := c.usable(op); err != nil {
		return err
	}
	if f == nil {
		return c.error(op, "the function is nil", cuda.ErrInvalidValue)
	}
	if c.group != nil {
		return c.error(op, "groups do not nest", cuda.ErrInvalidValue)
	}
	g := &c.shared.group
	c.mu.Lock()
	if g.open {
		c.mu.Unlock()
		return c.error(op, "another group of the communicator has not ended", cuda.ErrInvalidValue)
	}
	g.open, g.err = true, nil
	c.mu.Unlock()
	returned := false
	defer func() {
		if !returned { // f has panicked
			g.close()
		}
	}()
	err := f(g.comm)
	returned = true
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		err = g.err
	}
	if err == nil && len(g.ops) > 0 {
		err = c.issue(g.ops)
	}
	if e := g.clear(); err == nil {
		err = e
	}
	return err
}

func (g *group) close() {
	g.comm.mu.Lock()
	defer g.comm.mu.Unlock()
	_ = g.clear() // a panic is on its way
}

// clear ends the group, and the reductions that were dropped meanwhile. mu is held.
func (g *group) clear() (err error) {
	clear(g.ops)
	for _, op := range g.dropped {
		err = errors.Join(err, g.comm.drop(op))
	}
	g.ops, g.dropped, g.open = g.ops[:0], nil, false
	return err
}

// usable returns why op is not possible.
func (c *Comm) usable(op string) error {
	if c == nil || c.shared == nil {
		return noComm(op)
	}
	if e := c.failure.Load(); e != nil {
		return &Error{Op: op, Rank: c.rank, Size: c.size, Count: e.Count, Detail: e.Detail, Err: e.Err}
	}
	return nil
}

// queue checks o and queues it, or adds it to the group.
func (c *Comm) queue(o *operation) error {
	if err := c.usable(o.kind.String()); err != nil {
		return err
	}
	err := c.check(o)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil && !c.closed {
		err = c.noteReduction(o)
	}
	if g := c.group; g != nil {
		if !g.open {
			return c.error(o.kind.String(), "the group has ended", cuda.ErrInvalidValue)
		}
		if g.err = errors.Join(g.err, err); err == nil {
			g.ops = append(g.ops, *o)
		}
		return err
	}
	if err != nil {
		return err
	}
	if c.shared.group.open {
		return c.error(o.kind.String(), "a group of the communicator has not ended: use the Comm that its function is given", cuda.ErrInvalidValue)
	}
	c.ops = append(c.ops[:0], *o)
	err = c.issue(c.ops)
	c.ops[0] = operation{}
	return err
}

// check returns what is wrong with o by itself, without other ranks.
func (c *Comm) check(o *operation) error {
	op := o.kind.String()
	switch {
	case o.stream == nil:
		return c.error(op, "the stream is nil: make one with Device.NewStream", cuda.ErrInvalidValue)
	case o.stream.Device() != c.dev:
		return c.error(op, "the stream is on "+c.besides(o.stream.Device()), cuda.ErrInvalidValue)
	case o.root < 0 || o.root >= c.size:
		return c.error(op, fmt.Sprintf("there is no rank %d", o.root), cuda.ErrInvalidValue)
	case o.dst.IsZero() && o.writes(c.rank):
		return c.error(op, "dst is the zero Slice: use one of a buffer", cuda.ErrInvalidValue)
	case o.src.IsZero() && o.reads(c.rank):
		return c.error(op, "src is the zero Slice: use one of a buffer", cuda.ErrInvalidValue)
	}
	return nil
}

// writes reports whether o writes dst on a rank.
func (o *operation) writes(rank int) bool {
	switch o.kind {
	case kindSend:
		return false
	case kindReduce, kindGather:
		return rank == o.root
	}
	return true
}

// reads reports whether o reads src on a rank.
func (o *operation) reads(rank int) bool {
	switch o.kind {
	case kindRecv:
		return false
	case kindBroadcast, kindScatter:
		return rank == o.root
	}
	return true
}

// besides names d, which is not this rank's device.
func (c *shared) besides(d *cuda.Device) string {
	if d.String() == c.dev.String() {
		return d.String() + ", which was opened separately from this rank's"
	}
	return fmt.Sprintf("%v, this rank has %v", d, c.dev)
}

// alone returns the kind of a send of this rank to itself, or of a receipt, that ops have no other for. NCCL
// refuses those, and they would wait for ever.
func (c *shared) alone(ops []operation) (k kind, found bool) {
	sends := 0
	for i := range ops {
		if o := &ops[i]; o.root == c.rank {
			switch o.kind {
			case kindSend:
				sends++
			case kindRecv:
				sends--
			}
		}
	}
	if sends < 0 {
		return kindRecv, true
	}
	return kindSend, sends > 0
}

// issue queues operations. mu is held.
func (c *shared) issue(ops []operation) error {
	op := ops[0].kind.String()
	if c.departures.all.Load() != nil {
		for i := range ops {
			if e := c.missing(&ops[i]); e != nil {
				return c.error(ops[i].kind.String(), "", e)
			}
		}
	}
	if c.closed {
		return c.error(op, "the communicator", cuda.ErrClosed)
	}
	if k, found := c.alone(ops); found {
		return c.error(k.String(), "a rank that sends to itself receives in the same Group", cuda.ErrInvalidValue)
	}
	collectives := uint64(0)
	for i := range ops {
		o := &ops[i]
		if err := o.stream.Use(o.dst.Owner(), o.src.Owner()); err != nil {
			return c.error(o.kind.String(), "", err)
		}
		if o.stream != c.stream.Load() {
			c.noteStream(o.stream)
		}
		if o.kind != kindSend && o.kind != kindRecv {
			collectives++
		}
	}
	c.latest.Store(&c.kinds[ops[len(ops)-1].kind])
	c.counts.Add(uint64(len(ops)))
	c.collectives.Add(collectives)
	if err := c.back.issue(ops); err != nil {
		return c.reason(op, err)
	}
	if c.failure.Load() != nil { // meanwhile; or its streams are told
		return c.reason(op, nil)
	}
	return nil
}

// noteReduction looks a pre-multiplied sum up, which may be dropped before o is issued. mu is held.
func (c *shared) noteReduction(o *operation) error {
	if o.op < builtinOps && o.op >= 0 {
		return nil
	}
	made, ok := c.preMul[o.op]
	switch {
	case !ok:
		return c.error(o.kind.String(), fmt.Sprintf("there is no reduction %d: NewPreMulSum makes them for one communicator", int32(o.op)), cuda.ErrInvalidValue)
	case made.dataType != o.dataType:
		return c.error(o.kind.String(), fmt.Sprintf("the pre-multiplied sum is for %v, the elements are %v", made.dataType, o.dataType), cuda.ErrInvalidValue)
	}
	o.op, o.factor = made.op, made.factor
	return nil
}

// noteStream notes that there is work on s.
func (c *shared) noteStream(s *cuda.Stream) {
	c.stream.Store(s)
	c.noting.Lock()
	defer c.noting.Unlock()
	c.streams[weak.Make(s)] = true
	if len(c.streams) > c.prune {
		for w := range c.streams {
			if w.Value() == nil {
				delete(c.streams, w)
			}
		}
		c.prune = 2*len(c.streams) + 64
	}
}

// noted returns the streams on which there was work.
func (c *shared) noted() (streams []*cuda.Stream) {
	c.noting.Lock()
	defer c.noting.Unlock()
	for w := range c.streams {
		if s := w.Value(); s != nil {
			streams = append(streams, s)
		}
	}
	return streams
}

// A preMul is a reduction that multiplies this rank's elements before they are added.
type preMul struct {
	op       Op // NCCL's
	dataType dataType
	factor   uint64
}

// NewPreMulSum returns a reduction for c: the sum of the ranks' elements, each rank's multiplied by
// its own factor before. It is for elements of type T, and lasts until DropPreMulSum or the end of c.
//
// NCCL, ncclRedOpCreatePreMulSum.
func NewPreMulSum[T Element](c *Comm, factor T) (Op, error) {
	const op = "make a pre-multiplied sum"
	if err := c.usable(op); err != nil {
		return -1, err
	}
	t, bits := dataTypeOf[T](), bitsOf(factor)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return -1, c.error(op, "the communicator", cuda.ErrClosed)
	}
	inner, err := c.back.makePreMul(t, bits)
	if err != nil {
		return -1, c.reason(op, err)
	}
	made := builtinOps + Op(madeOps.Add(1))
	c.preMul[made] = preMul{inner, t, bits}
	return made, nil
}

// madeOps counts the reductions of all communicators, which NCCL numbers by communicator.
var madeOps atomic.Int32

// DropPreMulSum ends a reduction of NewPreMulSum. Operations that were called with it are not
// affected.
//
// NCCL, ncclRedOpDestroy.
func (c *Comm) DropPreMulSum(reduction Op) error {
	const op = "drop a pre-multiplied sum"
	if err := c.usable(op); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	made, ok := c.preMul[reduction]
	if !ok || c.closed {
		return c.error(op, fmt.Sprintf("there is no reduction %d", int32(reduction)), cuda.ErrInvalidValue)
	}
	delete(c.preMul, reduction)
	if g := &c.shared.group; g.open { // its operations are issued later
		g.dropped = append(g.dropped, made.op)
		return nil
	}
	return c.drop(made.op)
}

// drop ends a reduction of NCCL. mu is held.
func (c *shared) drop(made Op) error {
	if err := c.back.dropPreMul(made); err != nil {
		return c.reason("drop a pre-multiplied sum", err)
	}
	return nil
}
