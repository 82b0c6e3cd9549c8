package nccl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/cudagen/cudagen/internal/ended"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// A Comm is one rank of a communicator: a device. Operations of one communicator run in the order in
// which they were called, on whichever streams, and all ranks must call them in the same order.
//
// Any goroutine may call the methods. A failed communicator cannot be used again: close it.
type Comm struct {
	*shared
	group *group // that collects operations, or nil
}

// shared is what a Comm and its groups share.
type shared struct {
	peers      *Peers
	cfg        CommConfig
	number     uint64 // the same at all ranks
	dev        *cuda.Device
	rank, size int
	world      []int // the ranks in the world of peers, by rank
	back       backend
	graphs     *cuda.Resource // of the graphs that have operations

	failure atomic.Pointer[Error]
	done    chan struct{} // when failure is set
	gone    chan struct{} // when the backend has ended
	goneOne sync.Once

	departures departures

	mu          sync.Mutex // held while operations are issued
	ops         []operation
	latest      atomic.Pointer[operation] // of the last issued: only its kind is read
	kinds       [kinds]operation
	counts      atomic.Uint64
	collectives atomic.Uint64               // operations that all ranks take part in
	stream      atomic.Pointer[cuda.Stream] // of the last operation
	noting      sync.Mutex                  // for streams; NCCL is not called while it is held
	streams     map[weak.Pointer[cuda.Stream]]bool
	prune       int
	group       group
	preMul      map[Op]preMul
	splits      uint64
	closed      bool
}

// A backend is how a communicator works: by NCCL or on simulated devices. mu of the communicator
// is held in issue.
type backend interface {
	// issue queues operations as one, in their order.
	issue(ops []operation) error
	// makePreMul and dropPreMul make and drop a reduction.
	makePreMul(t dataType, factor uint64) (Op, error)
	dropPreMul(op Op) error
	register(addr, bytes uint64) (uintptr, error)
	deregister(handle uintptr) error
	// split returns the backend of the ranks with the same color; color -1 is none.
	split(color, key int, into *shared) (backend, error)
	// ready waits until the backend can be used, done is closed or ctx is done.
	ready(ctx context.Context, done <-chan struct{}) error
	// abort ends the queued operations and the backend. The communicator's graphs have failed.
	abort()
	// finish waits for the queued operations and ends the backend, or returns early if done is
	// closed.
	finish(done <-chan struct{}) error
}

// An announcement is what ranks tell each other to make a communicator.
type announcement struct {
	UUID      string
	Device    string
	Simulated bool
	Config    CommConfig
	Version   int
	ID        []byte // rank 0's
}

const joinOp = "join a communicator"

// A CommConfig configures a communicator, and those that Split makes of it.
type CommConfig struct {
	// Blocking has NCCL do on the calling thread what it does on a thread of its own otherwise, which it starts for
	// each call: operations on small slices take a fraction of the time (docs/distributed.md). The first
	// operations, which connect, and one for which there is no room in NCCL's queue, then wait for other ranks
	// inside of NCCL, where no context ends them: only the loss of a rank or Abort does. On simulated devices it changes
	// nothing.
	Blocking bool
}

// NewComm makes the communicator of all ranks, in which this process has dev. It waits until all
// ranks have called it, one has closed its Peers, or ctx is done: then none of them has a communicator. The Comm must be closed.
func (p *Peers) NewComm(ctx context.Context, dev *cuda.Device) (*Comm, error) {
	return p.NewCommWith(ctx, dev, CommConfig{})
}

// NewCommWith is NewComm with a configuration, which must be the same at all ranks.
func (p *Peers) NewCommWith(ctx context.Context, dev *cuda.Device, cfg CommConfig) (*Comm, error) {
	if err := p.usable(joinOp); err != nil {
		return nil, err
	}
	if dev == nil || dev.Name() == "" {
		return nil, &Error{Op: joinOp, Rank: p.world.Rank, Size: p.world.Size, Detail: "the device is nil", Err: cuda.ErrInvalidValue}
	}
	if _, err := dev.Attribute(cuda.WarpSize); errors.Is(err, cuda.ErrClosed) {
		return nil, &Error{Op: joinOp, Rank: p.world.Rank, Size: p.world.Size, Detail: dev.String(), Err: cuda.ErrClosed}
	}
	number := p.nextControl()
	defer p.expect(number)()
	c := newShared(p, dev, cfg, number, p.world.Rank, p.world.Size)
	c.world = make([]int, c.size)
	for i := range c.world {
		c.world[i] = i
	}
	said, lib, err := c.announce()
	if err != nil {
		return nil, err
	}
	texts, err := p.exchange(ctx, nil, kindJoin, number, said)
	if err != nil {
		return nil, err
	}
	made, err := c.agree(texts)
	if err != nil {
		return nil, err
	}
	if dev.IsSimulated() {
		c.back = newSimulated(c)
		return c.start(ctx)
	}
	var comm *Comm
	err = c.apart(ctx, joinOp, 0, number, func() (err error) {
		if c.back, err = c.joinNCCL(lib, made); err == nil {
			comm, err = c.start(ctx)
		}
		return err
	})
	return comm, err
}

// isCrowded returns whether c is of GPUs, and has ranks beside this one in the process.
func (c *shared) isCrowded() bool { return len(c.peers.siblings) > 1 && !c.dev.IsSimulated() }

// apart calls do, which makes a communicator, when the GPUs of this process can allocate. All ranks of c call it in the
// control meeting of the given communicator and number; none goes on before all have what do makes.
func (c *shared) apart(ctx context.Context, op string, comm, sequence uint64, do func() error) error {
	if !c.isCrowded() {
		return do()
	}
	var err error
	if waited := gpus.build(ctx, c.done, func() error {
		err = do()
		c.peers.meet(ctx, &part{meeting: meeting{comm, leavingChannel, sequence}, kind: kindBarrier, rank: c.rank, size: c.size}) // its errors are those of do
		return nil
	}); waited != nil {
		return c.reason(op, waited)
	}
	return err
}

func newShared(p *Peers, dev *cuda.Device, cfg CommConfig, number uint64, rank, size int) *shared {
	c := &shared{peers: p, cfg: cfg, number: number, dev: dev, rank: rank, size: size, done: make(chan struct{}), gone: make(chan struct{}),
		streams: make(map[weak.Pointer[cuda.Stream]]bool), preMul: make(map[Op]preMul), prune: 64}
	c.group.comm = &Comm{c, &c.group}
	c.graphs = dev.NewResource(fmt.Sprintf("communicator of rank %d of %d", rank, size))
	for k := range c.kinds {
		c.kinds[k].kind = kind(k)
	}
	return c
}

// announce returns what this rank says, and NCCL unless the device is simulated.
func (c *shared) announce() (said []byte, lib *library, err error) {
	a := announcement{Device: c.dev.String(), Simulated: c.dev.IsSimulated(), Config: c.cfg}
	if !a.Simulated {
		if lib, err = nccl(); err != nil {
			return nil, nil, err
		}
		a.Version = lib.version
		if a.UUID, err = c.dev.UUID(); err != nil {
			return nil, nil, err
		}
		if c.rank == 0 {
			made, err := lib.newID()
			if err != nil {
				return nil, nil, err
			}
			a.ID = made[:]
		}
	}
	said, err = json.Marshal(a)
	return said, lib, err
}

// agree returns the id of the communicator, or why the ranks cannot form one.
func (c *shared) agree(texts [][]byte) (*id, error) {
	wrong := func(format string, args ...any) error {
		return &Error{Op: joinOp, Rank: c.rank, Size: c.size, Detail: fmt.Sprintf(format, args...), Err: ErrMismatch}
	}
	if len(texts) != c.size {
		return nil, wrong("%d ranks have come", len(texts))
	}
	var first announcement
	var made id
	seen := make(map[string]int)
	for rank, text := range texts {
		var a announcement
		if err := json.Unmarshal(text, &a); err != nil {
			return nil, wrong("rank %d: %v", rank, err)
		}
		if rank == 0 {
			first = a
			copy(made[:], a.ID)
		}
		name := func(r int) string { return fmt.Sprintf("rank %d (%s)", r, c.hostOf(r)) }
		switch {
		case a.Simulated != first.Simulated:
			return nil, wrong("%s has %s, %s has %s: all must be GPUs, or all simulated", name(0), first.Device, name(rank), a.Device)
		case a.Config != first.Config:
			return nil, wrong("%s has %+v, %s has %+v", name(0), first.Config, name(rank), a.Config)
		case a.Simulated:
			continue
		case a.Version != first.Version:
			return nil, wrong("%s has NCCL %s, %s has NCCL %s: install the same version", name(0), versionText(first.Version), name(rank), versionText(a.Version))
		}
		if before, twice := seen[a.UUID]; twice {
			return nil, wrong("%s and %s have the same GPU, %s: give each process its own (World.OpenDevice)", name(before), name(rank), a.UUID)
		}
		seen[a.UUID] = rank
	}
	return &made, nil
}

// hostOf returns the name of the machine of a rank of c.
func (c *shared) hostOf(rank int) string {
	if rank < 0 || rank >= len(c.world) {
		return ""
	}
	return c.peers.Host(c.world[rank])
}

// start waits until the backend is ready, and has the peers watch c.
func (c *shared) start(ctx context.Context) (*Comm, error) {
	p := c.peers
	p.mu.Lock()
	p.comms[c.number] = c
	told := p.early[c.number]
	delete(p.early, c.number)
	for rank := range p.left {
		defer c.leave(rank, p.leftCause())
	}
	p.mu.Unlock()
	for _, f := range told {
		f(c)
	}
	if e := p.failure.Load(); e != nil {
		c.fail(e.Err)
	}
	if err := c.back.ready(ctx, c.done); err != nil {
		c.fail(err)
		<-c.gone
		return nil, c.reason(joinOp, err)
	}
	return &Comm{shared: c}, nil
}

// reason returns the error of an operation that found err: that of the failure, which may be the
// cause, if there is one.
func (c *shared) reason(op string, err error) error {
	if e := c.failure.Load(); e != nil {
		return &Error{Op: op, Rank: c.rank, Size: c.size, Count: e.Count, Err: e.Err}
	}
	return c.error(op, "", err)
}

func (c *shared) error(op, detail string, err error) error {
	return &Error{Op: op, Rank: c.rank, Size: c.size, Detail: detail, Err: err}
}

// Rank returns the number of this rank in the communicator, from 0.
func (c *Comm) Rank() int {
	if c == nil || c.shared == nil {
		return 0
	}
	return c.rank
}

// Size returns how many ranks the communicator has.
func (c *Comm) Size() int {
	if c == nil || c.shared == nil {
		return 0
	}
	return c.size
}

// Device returns the device of this rank.
func (c *Comm) Device() *cuda.Device {
	if c == nil || c.shared == nil {
		return nil
	}
	return c.dev
}

// Done returns a channel that is closed when the communicator has failed, or is closed.
func (c *Comm) Done() <-chan struct{} {
	if c == nil || c.shared == nil {
		return nil
	}
	return c.done
}

// Err returns why the communicator has failed, or nil. Ask it after graphs that contain operations:
// streams on which graphs are launched do not report it.
func (c *Comm) Err() error {
	if c == nil || c.shared == nil {
		return noComm("use a communicator")
	}
	if e := c.failure.Load(); e != nil {
		return e
	}
	return nil
}

func noComm(op string) error {
	return &Error{Op: op, Detail: "there is no communicator: make one with Run or Peers.NewComm", Err: cuda.ErrInvalidValue}
}

// Abort ends the communicator at once, and what is queued of it, at all ranks: their calls and
// streams return errors that wrap ErrAborted. The Comm must still be closed.
func (c *Comm) Abort() error {
	if c == nil || c.shared == nil {
		return noComm("abort")
	}
	c.fail(ErrAborted)
	return nil
}

// AbortWhenDone aborts the communicator when ctx is done. stop undoes that, as that of
// context.AfterFunc does.
func (c *Comm) AbortWhenDone(ctx context.Context) (stop func() bool) {
	if c == nil || c.shared == nil {
		return func() bool { return false }
	}
	return context.AfterFunc(ctx, func() { c.fail(fmt.Errorf("%w: %w", ErrAborted, ended.Cause(ctx))) })
}

// fail ends the communicator because of something in this process, or because a rank is lost, which
// all notice.
func (c *shared) fail(cause error) {
	var known *LostError
	if c.end(cause) && !errors.As(cause, &known) {
		c.peers.tellFailed(c.number, cause)
	}
}

// end ends the communicator, once.
func (c *shared) end(cause error) bool {
	count := c.counts.Load()
	op := "wait for an operation"
	if latest := c.latest.Load(); latest != nil {
		op = latest.kind.String()
	}
	e := &Error{Op: op, Rank: c.rank, Size: c.size, Count: count, Err: cause}
	if !c.failure.CompareAndSwap(nil, e) {
		if first := c.failure.Load(); first.Err != error(cuda.ErrClosed) { // who has set it may be behind
			c.graphs.Fail(first)
		}
		return false
	}
	close(c.done) // who holds mu waits no longer, but for calls that block
	c.graphs.Fail(e)
	for _, s := range c.noted() {
		s.Fail(e) // before the abort lets its work end; a closed stream has nobody who waits
	}
	c.stream.Store(nil)
	go c.goneOne.Do(func() {
		if c.back != nil {
			c.back.abort()
		}
		c.forget()
		close(c.gone)
	})
	return true
}

func (c *shared) forget() {
	c.peers.mu.Lock()
	delete(c.peers.comms, c.number)
	c.peers.mu.Unlock()
}

// leave notes that a rank of the world does nothing more on the communicator.
func (c *shared) leave(rank int, cause string) {
	if slices.Contains(c.world, rank) && rank != c.world[c.rank] {
		c.departures.note(&LostError{Rank: rank, Host: c.peers.Host(rank), Cause: cause})
	}
}

// Close waits for the operations that are queued and ends the communicator. All ranks must call it.
// Graphs that have operations cannot be launched any more: it waits for those that were, and refuses those that come later.
// With several GPUs of one process it waits for all that is queued on their streams, and what NCCL has is freed later, before
// Run returns.
// It returns early if the communicator fails: when a rank is lost, or at Abort. Close of a failed
// communicator waits until its operations have ended, and returns nil: Err has told why. It may be
// called more than once. In a host function it is an error.
func (c *Comm) Close() error {
	if c == nil || c.shared == nil {
		return nil
	}
	if c.failure.Load() != nil {
		<-c.gone
		return nil
	}
	c.mu.Lock()
	closed := c.closed
	c.closed = true
	c.mu.Unlock()
	if closed {
		return nil
	}
	if err := c.back.finish(c.done); errors.Is(err, cuda.ErrNotPermitted) { // in a host function: close it elsewhere
		c.mu.Lock()
		c.closed = false
		c.mu.Unlock()
		return c.error("close", "", err)
	} else if err != nil {
		c.fail(err)
		<-c.gone
		return c.reason("close", err)
	}
	e := &Error{Op: "use a communicator", Rank: c.rank, Size: c.size, Detail: "the communicator", Err: cuda.ErrClosed}
	if c.failure.CompareAndSwap(nil, e) {
		close(c.done)
		c.peers.tellParted(c.number, c.collectives.Load())
		c.goneOne.Do(func() {
			c.forget()
			close(c.gone)
		})
	} else {
		<-c.gone
	}
	return nil
}
