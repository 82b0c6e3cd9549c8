package nccl

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/runtime/cuda"
)

// A simulated backend copies what a rank sends to page-locked memory, exchanges it in a host
// function, and copies what comes back to the device: each in stream order, so that it can be
// captured.
type simulated struct {
	c     *shared
	event *cuda.Event  // after the last operation; made with the first one
	last  *cuda.Stream // of that

	mu       sync.Mutex
	sequence uint64            // of collectives that have begun to run
	pairs    map[uint64]uint64 // and of sends and receives, by channel
	free     map[int][]*staging
	all      []*staging
	ended    bool
}

func newSimulated(c *shared) *simulated {
	return &simulated{c: c, pairs: make(map[uint64]uint64), free: make(map[int][]*staging)}
}

// A staging is page-locked memory for what goes in and out.
type staging struct {
	memory *cuda.HostBuffer[byte]
	class  int // its size is 1<<class
}

// take returns memory for n bytes. After the end there is none.
func (b *simulated) take(n int) (*staging, error) {
	class := bits.Len(uint(max(n, 64) - 1))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended {
		return nil, fmt.Errorf("the communicator: %w", cuda.ErrClosed)
	}
	if list := b.free[class]; len(list) > 0 {
		s := list[len(list)-1]
		b.free[class] = list[:len(list)-1]
		return s, nil
	}
	memory, err := cuda.AllocHost[byte](b.c.dev, 1<<class, cuda.HostConfig{})
	if err != nil {
		return nil, err
	}
	s := &staging{memory, class}
	b.all = append(b.all, s)
	return s, nil
}

// give takes memory back that nothing uses any more.
func (b *simulated) give(s *staging) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free[s.class] = append(b.free[s.class], s)
}

// A transfer is an operation and where its memory is staged.
type transfer struct {
	operation
	in, out []byte
}

func (b *simulated) issue(ops []operation) error {
	main := ops[0].stream
	_, err := main.Query()
	captured := errors.Is(err, cuda.ErrStreamCaptureUnsupported)
	if captured {
		if err := main.Use(b.c.graphs.Owner()); err != nil {
			return err
		}
	}
	if err := b.gatherStreams(main, ops, captured); err != nil {
		return err
	}
	n := 0
	for _, o := range ops {
		n += padded(o.src.Len()) + padded(o.dst.Len())
	}
	s, err := b.take(n)
	if err != nil {
		return err
	}
	memory := s.memory.Host()
	if memory == nil {
		return fmt.Errorf("%v: %w", b.c.dev, cuda.ErrClosed) // meanwhile
	}
	transfers := make([]transfer, len(ops))
	at := 0
	region := func(n int) (device cuda.Slice[byte], host []byte) {
		device, host = s.memory.Slice(at, at+n), memory[at:at+n]
		at += padded(n)
		return device, host
	}
	outs := make([]cuda.Slice[byte], len(ops))
	for i, o := range ops {
		var in cuda.Slice[byte]
		in, in2 := region(o.src.Len())
		transfers[i] = transfer{operation: o, in: in2}
		outs[i], transfers[i].out = region(o.dst.Len())
		transfers[i].stream, transfers[i].src, transfers[i].dst = nil, cuda.Slice[byte]{}, cuda.Slice[byte]{}
		if o.src.Len() > 0 {
			if err := cuda.Copy(in, o.src).Launch(main); err != nil {
				return err
			}
		}
	}
	if err := main.LaunchHostFunc(func() { b.run(transfers) }); err != nil {
		return err
	}
	for i, o := range ops {
		if o.dst.Len() > 0 {
			if err := cuda.Copy(o.dst, outs[i]).Launch(main); err != nil {
				return err
			}
		}
	}
	if !captured { // a graph keeps its memory
		if err := main.LaunchHostFunc(func() { b.give(s) }); err != nil {
			return err
		}
	}
	return b.scatterStreams(main, ops, captured)
}

// padded rounds n up to a multiple of 8.
func padded(n int) int { return (n + 7) &^ 7 }

// gatherStreams makes main wait for what comes before on other streams.
func (b *simulated) gatherStreams(main *cuda.Stream, ops []operation, captured bool) error {
	if !captured && b.last != nil && b.last != main {
		if err := main.WaitEvent(b.event); err != nil {
			return err
		}
	}
	return b.join(main, others(main, ops))
}

// others returns the streams of ops besides main.
func others(main *cuda.Stream, ops []operation) (streams []*cuda.Stream) {
	for _, o := range ops {
		if o.stream != main && !slices.Contains(streams, o.stream) {
			streams = append(streams, o.stream)
		}
	}
	return streams
}

// join makes s wait for what is queued on streams.
func (b *simulated) join(s *cuda.Stream, streams []*cuda.Stream) error {
	for _, other := range streams {
		e, err := b.c.dev.NewEvent(cuda.EventConfig{})
		if err != nil {
			return err
		}
		err = errors.Join(e.Record(other), s.WaitEvent(e))
		if err := errors.Join(err, e.Close()); err != nil {
			return err
		}
	}
	return nil
}

// scatterStreams makes the other streams, and later operations, wait for what main has.
func (b *simulated) scatterStreams(main *cuda.Stream, ops []operation, captured bool) error {
	for _, other := range others(main, ops) {
		if err := b.join(other, []*cuda.Stream{main}); err != nil {
			return err
		}
	}
	if captured {
		return nil
	}
	if b.event == nil {
		var err error
		if b.event, err = b.c.dev.NewEvent(cuda.EventConfig{}); err != nil {
			return err
		}
	}
	b.last = main
	return b.event.Record(main)
}

// run is the host function: it does transfers together with the other ranks.
func (b *simulated) run(transfers []transfer) {
	if e := b.c.failure.Load(); e != nil {
		panic(e)
	}
	answers := make([]<-chan answer, len(transfers))
	for i := range transfers {
		answers[i] = b.c.peers.contribute(b.part(&transfers[i]))
	}
	for i := range transfers {
		payload, err := b.await(&transfers[i].operation, answers[i])
		if err == nil && len(payload) != len(transfers[i].out) {
			err = fmt.Errorf("%v: %d bytes have come for %d", transfers[i].kind, len(payload), len(transfers[i].out))
		}
		if err != nil {
			b.c.fail(err)
			panic(b.c.failure.Load())
		}
		copy(transfers[i].out, payload)
	}
}

// part returns what this rank contributes.
func (b *simulated) part(t *transfer) *part {
	c := b.c
	p := &part{kind: t.kind, dataType: t.dataType, op: t.op, factor: t.factor, rank: c.rank, size: c.size, root: t.root, count: t.count, payload: slices.Clone(t.in)}
	b.mu.Lock()
	defer b.mu.Unlock()
	p.comm = c.number
	switch t.kind {
	case kindSend:
		p.channel, p.size = pairChannel(c.rank, t.root), 2
	case kindRecv:
		p.channel, p.size = pairChannel(t.root, c.rank), 2
	default:
		b.sequence++
		p.sequence = b.sequence
		return p
	}
	key := p.channel << 1
	if t.kind == kindRecv {
		key |= 1 // a rank may send to itself
	}
	b.pairs[key]++
	p.sequence = b.pairs[key]
	return p
}

// await returns what comes back, or why nothing will.
func (b *simulated) await(o *operation, answers <-chan answer) ([]byte, error) {
	c := b.c
	for {
		changed := c.departures.changed()
		missing := c.missing(o)
		select { // what was to come came before the rank left
		case a := <-answers:
			return a.payload, a.error()
		default:
		}
		if missing != nil {
			return nil, missing
		}
		select {
		case a := <-answers:
			return a.payload, a.error()
		case <-c.done:
			return nil, c.failure.Load().Err
		case <-changed:
		}
	}
}

func (a answer) error() error {
	if a.wrong != "" {
		return fmt.Errorf("%w: %s", ErrMismatch, a.wrong)
	}
	return nil
}

func (b *simulated) makePreMul(dataType, uint64) (Op, error) {
	return builtinOps, nil
}

func (b *simulated) dropPreMul(Op) error { return nil }

func (b *simulated) register(addr, bytes uint64) (uintptr, error) { return 0, nil }

func (b *simulated) deregister(uintptr) error { return nil }

func (b *simulated) split(color, key int, into *shared) (backend, error) {
	if color < 0 {
		return nil, nil
	}
	return newSimulated(into), nil
}

func (b *simulated) ready(context.Context, <-chan struct{}) error { return nil }

func (b *simulated) abort() { b.end() }

// finish waits for what is queued, and for launched graphs: their host functions need the communicator, and end when it fails.
func (b *simulated) finish(done <-chan struct{}) error {
	if err := b.c.graphs.Close(); err != nil {
		return err
	}
	b.c.mu.Lock()
	event := b.event
	b.c.mu.Unlock()
	if event != nil {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		stop := make(chan struct{})
		defer close(stop)
		go func() {
			select {
			case <-done:
				cancel()
			case <-stop:
			}
		}()
		if err := event.Wait(ctx); err != nil && !errors.Is(err, cuda.ErrClosed) {
			return err
		}
	}
	b.end()
	return nil
}

// end closes the memory in the background, when nothing is being queued that uses it. Closing waits for the work of
// the device; Peers.Close waits for that.
func (b *simulated) end() {
	b.mu.Lock()
	ended := b.ended
	b.ended = true
	b.mu.Unlock()
	if ended {
		return
	}
	b.c.peers.inBackground(func() {
		b.c.mu.Lock()
		event := b.event
		b.mu.Lock()
		all := b.all
		b.all, b.free = nil, make(map[int][]*staging)
		b.mu.Unlock()
		b.c.mu.Unlock()
		b.c.graphs.Close() // which need the memory
		for _, s := range all {
			s.memory.Close()
		}
		event.Close()
	})
}
