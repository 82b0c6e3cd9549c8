package nccl

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// Peers are the ranks that have met by Exchange, and their connections to rank 0. Any goroutine may
// call the methods, but the ranks must call NewComm, Barrier and Regroup in the same order.
type Peers struct {
	world      World
	cfg        ExchangeConfig
	generation uint64
	door       *door
	table      []member

	hub      *hub     // in rank 0, and in all ranks of one process
	links    []*link  // of rank 0, by rank; nil for itself
	up       *link    // of the others, to rank 0
	siblings []*Peers // of one process, by rank; nil otherwise

	done    chan struct{} // when failure is set
	failure atomic.Pointer[Error]
	ended   atomic.Bool   // closed
	stop    chan struct{} // when closed

	mu         sync.Mutex
	pending    map[awaited]chan answer
	comms      map[uint64]*shared
	early      map[uint64][]func(*shared) // what other ranks have told of communicators that are not in comms yet
	control    uint64                     // how many control meetings there were
	lost       map[int]*LostError
	departures departures // that left has
	left       map[int]bool
	ending     map[chan struct{}]bool // closed when memory of simulated devices is
}

// An awaited is an answer that has not come.
type awaited struct {
	meeting
	recv bool
}

func newPeers(w World, cfg ExchangeConfig, generation uint64) *Peers {
	return &Peers{world: w, cfg: cfg, generation: generation, done: make(chan struct{}), stop: make(chan struct{}),
		pending: make(map[awaited]chan answer), comms: make(map[uint64]*shared), early: make(map[uint64][]func(*shared)), lost: make(map[int]*LostError), left: make(map[int]bool), ending: make(map[chan struct{}]bool)}
}

// Rank returns the number of this process, from 0.
func (p *Peers) Rank() int {
	if p == nil {
		return 0
	}
	return p.world.Rank
}

// Size returns how many ranks there are.
func (p *Peers) Size() int {
	if p == nil {
		return 0
	}
	return p.world.Size
}

// World returns what the process is told of itself: after Regroup with its new rank.
func (p *Peers) World() World {
	if p == nil {
		return World{}
	}
	return p.world
}

// Host returns the name of the machine of a rank.
func (p *Peers) Host(rank int) string {
	if p == nil || rank < 0 || rank >= len(p.table) {
		return ""
	}
	return p.table[rank].Host
}

// Done returns a channel that is closed when a rank is lost.
func (p *Peers) Done() <-chan struct{} {
	if p == nil {
		return nil
	}
	return p.done
}

// Err returns why the ranks cannot go on, or nil: a rank is lost, or Close was called.
func (p *Peers) Err() error { return p.usable("use the ranks") }

// usable returns why op is not possible.
func (p *Peers) usable(op string) error {
	switch {
	case p == nil || p.world.Size == 0:
		return &Error{Op: op, Detail: "there are no peers: call Exchange", Err: cuda.ErrInvalidValue}
	case p.failure.Load() != nil:
		return p.failure.Load()
	case p.ended.Load():
		return &Error{Op: op, Rank: p.world.Rank, Size: p.world.Size, Detail: "the peers", Err: cuda.ErrClosed}
	}
	return nil
}

// beats is how many heartbeats are sent in a timeout, and deaf after how many without one a rank is
// lost: what is left of the timeout is for telling the others.
const (
	beats = 10
	deaf  = 7
)

// begin begins to watch the ranks, which have met.
func (p *Peers) begin() {
	for _, l := range p.connections() {
		l.heard.Store(time.Now().UnixNano())
	}
	go p.watch()
}

// connections returns the open links.
func (p *Peers) connections() (links []*link) {
	if p.up != nil {
		links = append(links, p.up)
	}
	for _, l := range p.links {
		if l != nil {
			links = append(links, l)
		}
	}
	return links
}

// watch sends heartbeats and misses those of others.
func (p *Peers) watch() {
	pause := p.cfg.timeout() / beats
	tick := time.NewTicker(pause)
	defer tick.Stop()
	links := p.connections()
	before := time.Now()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
		now := time.Now()
		stopped := now.Sub(before) > 3*pause // this process did not run: others may have sent meanwhile
		before = now
		for _, l := range links {
			if l.left.Load() || l.closed.Load() {
				continue
			}
			l.send(heartbeat)
			if stopped {
				l.heard.Store(now.UnixNano())
			} else if silent := l.silence(now); silent > deaf*pause {
				p.lose(int(l.rank.Load()), fmt.Sprintf("it has sent nothing for %v: its process is stopped, or the network is cut", silent.Round(time.Millisecond)))
				l.cut()
			}
		}
	}
}

// broken is called when a connection has ended.
func (p *Peers) broken(l *link, err error) {
	if l.left.Load() || l.closed.Load() || p.ended.Load() {
		l.cut()
		return
	}
	cause := "its connection was closed without a goodbye: its process has ended or was killed"
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		cause = "its connection has failed: " + err.Error()
	}
	p.lose(int(l.rank.Load()), cause)
	l.cut()
}

// lose notes that a rank is lost, has rank 0 tell the others, and ends all communicators.
func (p *Peers) lose(rank int, cause string) {
	e := &LostError{Rank: rank, Host: p.Host(rank), Cause: cause}
	p.mu.Lock()
	known := p.lost[rank] != nil
	p.lost[rank] = e
	p.mu.Unlock()
	if known {
		return
	}
	for i, l := range p.links {
		if l != nil && i != rank {
			l.send(lost, binary.LittleEndian.AppendUint64(nil, uint64(rank)), []byte(cause))
		}
	}
	p.fail(e)
}

// fail ends all communicators, each on its own goroutine: a kernel of one may wait for that of
// another.
func (p *Peers) fail(cause error) {
	e := &Error{Op: "go on", Rank: p.world.Rank, Size: p.world.Size, Err: cause}
	if !p.failure.CompareAndSwap(nil, e) {
		return
	}
	close(p.done)
	p.mu.Lock()
	var comms []*shared
	for _, c := range p.comms {
		comms = append(comms, c)
	}
	p.mu.Unlock()
	for _, c := range comms {
		go c.fail(cause)
	}
}

// receive handles a message from another rank.
func (p *Peers) receive(l *link, t messageType, payload []byte) {
	switch t {
	case contribution:
		if p.hub == nil {
			return
		}
		part, err := decodePart(payload)
		if err != nil {
			return
		}
		p.hub.contribute(part, func(a answer) { l.send(answered, a.encode(), a.payload) })
	case answered:
		a, err := decodeAnswer(payload)
		if err != nil {
			return
		}
		p.mu.Lock()
		key := awaited{a.meeting, a.recv}
		c := p.pending[key]
		delete(p.pending, key)
		p.mu.Unlock()
		if c != nil {
			c <- a
		}
	case lost:
		if len(payload) >= 8 {
			p.lose(int(binary.LittleEndian.Uint64(payload)), string(payload[8:]))
		}
	case failed:
		if len(payload) >= 16 {
			p.hear(l, payload)
		}
	case parting:
		if len(payload) >= 24 {
			p.hub.settle()
			for _, other := range p.links {
				if other != nil && other != l {
					other.send(parting, payload)
				}
			}
			p.part(payload)
		}
	case goodbye:
		if p.up != nil && len(payload) >= 8 { // of another one
			p.leave(int(binary.LittleEndian.Uint64(payload)))
		} else {
			p.leave(int(l.rank.Load()))
		}
	}
}

// hear notes that a communicator has failed at another rank.
func (p *Peers) hear(l *link, payload []byte) {
	number, rank := binary.LittleEndian.Uint64(payload), int(binary.LittleEndian.Uint64(payload[8:]))
	for _, other := range p.links {
		if other != nil && other != l {
			other.send(failed, payload)
		}
	}
	p.failComm(number, rank, string(payload[16:]))
}

func (p *Peers) failComm(number uint64, rank int, cause string) {
	p.deliver(number, func(c *shared) { go c.end(&remoteError{rank, p.Host(rank), cause}) }) // which tells nobody
}

// expect has what other ranks tell of a communicator kept, from before they can have it until this rank does.
// forget ends that.
func (p *Peers) expect(number uint64) (forget func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.early[number] = []func(*shared){}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.early, number)
	}
}

// deliver calls f with a communicator that other ranks tell something of, when this rank has it.
func (p *Peers) deliver(number uint64, f func(*shared)) {
	p.mu.Lock()
	c := p.comms[number]
	if told, expected := p.early[number]; c == nil && expected {
		p.early[number] = append(told, f)
	}
	p.mu.Unlock()
	if c != nil {
		f(c)
	}
}

// tellParted tells the other ranks that a communicator was closed here.
func (p *Peers) tellParted(number, collectives uint64) {
	said := binary.LittleEndian.AppendUint64(nil, number)
	said = binary.LittleEndian.AppendUint64(said, uint64(p.world.Rank))
	said = binary.LittleEndian.AppendUint64(said, collectives)
	p.hub.settle()
	for _, l := range p.connections() {
		l.send(parting, said)
	}
	for _, s := range p.siblings {
		if s != p {
			s.part(said)
		}
	}
}

// part notes that another rank has closed a communicator.
func (p *Peers) part(said []byte) {
	rank, theirs := int(binary.LittleEndian.Uint64(said[8:])), binary.LittleEndian.Uint64(said[16:])
	p.deliver(binary.LittleEndian.Uint64(said), func(c *shared) {
		c.leave(rank, "it has closed the communicator")
		if mine := c.collectives.Load(); mine > theirs {
			go c.fail(&LostError{Rank: rank, Host: p.Host(rank), Cause: fmt.Sprintf("it has closed the communicator after %d collective operations, and this rank has called %d", theirs, mine)})
		}
	})
}

// A remoteError is why a communicator has failed at another rank.
type remoteError struct {
	rank  int
	host  string
	cause string
}

func (e *remoteError) Error() string { return fmt.Sprintf("rank %d (%s): %s", e.rank, e.host, e.cause) }
func (e *remoteError) Unwrap() error { return ErrAborted }

// tellFailed tells the other ranks that a communicator has failed here.
func (p *Peers) tellFailed(number uint64, cause error) {
	head := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, number), uint64(p.world.Rank))
	for _, l := range p.connections() {
		l.send(failed, head, []byte(cause.Error()))
	}
	for _, s := range p.siblings {
		if s != p {
			s.failComm(number, p.world.Rank, cause.Error())
		}
	}
}

// leftCause is how errors say that a rank does nothing more.
func (p *Peers) leftCause() string {
	if p.siblings != nil {
		return "its function has returned"
	}
	return "it has closed its Peers"
}

// leave notes that a rank has closed its Peers.
func (p *Peers) leave(rank int) {
	p.mu.Lock()
	known := p.left[rank]
	p.left[rank] = true
	comms := make([]*shared, 0, len(p.comms))
	for _, c := range p.comms {
		comms = append(comms, c)
	}
	p.mu.Unlock()
	if known {
		return
	}
	p.hub.settle()
	for i, l := range p.links {
		if l != nil && i != rank {
			l.send(goodbye, binary.LittleEndian.AppendUint64(nil, uint64(rank)))
		}
	}
	for _, c := range comms {
		c.leave(rank, p.leftCause())
	}
	p.departures.note(&LostError{Rank: rank, Host: p.Host(rank), Cause: p.leftCause()})
}

// contribute sends a part to the hub. The answer comes on the channel, but not after a failure.
func (p *Peers) contribute(part *part) <-chan answer {
	c := make(chan answer, 1)
	if p.hub != nil {
		p.hub.contribute(part, func(a answer) { c <- a })
		return c
	}
	key := awaited{part.meeting, part.kind == kindRecv}
	p.mu.Lock()
	p.pending[key] = c
	p.mu.Unlock()
	p.up.send(contribution, part.encode(), part.payload)
	return c
}

// exchange gives all members of c, or all ranks if c is nil, what each of them has said. When ctx is done, or one of
// them does nothing more, the ranks cannot go on together.
func (p *Peers) exchange(ctx context.Context, c *shared, k kind, sequence uint64, said []byte) ([][]byte, error) {
	mine := &part{meeting: meeting{0, controlChannel, sequence}, kind: k, rank: p.world.Rank, size: p.world.Size, payload: said}
	d := &p.departures
	if c != nil {
		mine.comm, mine.rank, mine.size, d = c.number, c.rank, c.size, &c.departures
	}
	ctx, stop := within(ctx, d, c)
	defer stop()
	return p.meet(ctx, mine)
}

// meet is exchange at a meeting.
func (p *Peers) meet(ctx context.Context, mine *part) ([][]byte, error) {
	answers := p.contribute(mine)
	select {
	case a := <-answers:
		return mine.texts(a)
	case <-p.done:
		return nil, mine.failed("", p.failure.Load().Err)
	case <-p.stop:
		return nil, mine.failed("the peers", cuda.ErrClosed)
	case <-ctx.Done():
		select { // what all ranks have come to is over, whatever they did then
		case a := <-answers:
			return mine.texts(a)
		default:
		}
		detail := ""
		if p.hub != nil && ctx.Err() == context.Cause(ctx) {
			if missing := p.hub.missing(mine.meeting); len(missing) > 0 {
				detail = fmt.Sprintf("rank %v has not come", missing)
			}
		}
		return nil, mine.failed(detail, causeOf(ctx))
	}
}

// texts returns what the ranks have said.
func (p *part) texts(a answer) ([][]byte, error) {
	if a.wrong != "" {
		return nil, p.failed(a.wrong, ErrMismatch)
	}
	return decodeTexts(a.payload)
}

func (p *part) failed(detail string, err error) error {
	return &Error{Op: p.kind.String(), Rank: p.rank, Size: p.size, Detail: detail, Err: err}
}

// nextControl numbers a control meeting of all ranks.
func (p *Peers) nextControl() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.control++
	return p.control
}

// Barrier waits until all ranks have called it, one has closed its Peers, or ctx is done. After an error the ranks no
// longer agree: close the Peers.
func (p *Peers) Barrier(ctx context.Context) error {
	if err := p.usable("barrier"); err != nil {
		return err
	}
	_, err := p.exchange(ctx, nil, kindBarrier, p.nextControl(), nil)
	return err
}

// Close aborts the communicators that are still open, and leaves the other ranks: it is no loss for
// them, but operations that need this rank end with an error. Close waits for what is to be sent, and
// for what communicators have on simulated devices, for ExchangeConfig.Timeout at most, but not for other ranks: a rank 0 that closes ends what the others do on simulated devices, and nobody
// watches the ranks any more. Shutdown waits for them. Close may be called more than once.
func (p *Peers) Close() error {
	p.end(goodbye)
	return nil
}

// inBackground calls f, which ends something of a simulated device, on a goroutine.
func (p *Peers) inBackground(f func()) {
	over := make(chan struct{})
	p.mu.Lock()
	p.ending[over] = true
	p.mu.Unlock()
	go func() {
		f()
		close(over)
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.ending, over)
	}()
}

// settle waits for what comms have on simulated devices, and for what was ended before: at most as long as for
// connections, because a kernel of the program may not end.
func (p *Peers) settle(comms []*shared) {
	limit := time.After(p.cfg.timeout())
	wait := func(over <-chan struct{}) {
		select {
		case <-over:
		case <-limit:
			limit = time.After(0) // also for the others
		}
	}
	for _, c := range comms {
		if c.dev.IsSimulated() {
			wait(c.gone)
		}
	}
	p.mu.Lock()
	ending := slices.Collect(maps.Keys(p.ending))
	p.mu.Unlock()
	for _, over := range ending {
		wait(over)
	}
}

// end closes p, and sends last on each connection.
func (p *Peers) end(last messageType) {
	if p == nil || p.world.Size == 0 || !p.ended.CompareAndSwap(false, true) {
		return
	}
	p.mu.Lock()
	comms := make([]*shared, 0, len(p.comms))
	for _, c := range p.comms {
		comms = append(comms, c)
	}
	p.mu.Unlock()
	for _, c := range comms {
		c.fail(fmt.Errorf("the peers: %w", cuda.ErrClosed))
	}
	close(p.stop)
	p.hub.settle()
	var wg sync.WaitGroup
	for _, l := range p.connections() {
		wg.Go(func() {
			l.send(last)
			l.finish(p.cfg.timeout())
		})
	}
	wg.Wait()
	for _, s := range p.siblings {
		if s != p {
			s.leave(p.world.Rank)
		}
	}
	p.settle(comms)
	if p.door != nil {
		p.door.close()
	}
}

// Shutdown waits until all other ranks have called Close or Shutdown, or are lost, or ctx is done,
// then calls Close. Only rank 0 waits.
func (p *Peers) Shutdown(ctx context.Context) error {
	if p == nil || p.world.Size == 0 {
		return nil
	}
	defer p.Close()
	for p.failure.Load() == nil {
		waiting := slices.ContainsFunc(p.links, func(l *link) bool { return l != nil && !l.left.Load() })
		if !waiting {
			return nil
		}
		select {
		case <-ctx.Done():
			return &Error{Op: "wait for the ranks to leave", Rank: p.world.Rank, Size: p.world.Size, Err: ended.Cause(ctx)}
		case <-p.done:
		case <-p.stop:
			return nil
		case <-time.After(time.Millisecond):
		}
	}
	return p.failure.Load()
}
