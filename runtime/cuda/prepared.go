package cuda

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// A Call is a prepared launch: its configuration and arguments are already checked and
// converted. Generated types embed it; SaxpyKernel.Prepare, for example, returns a
// *SaxpyCall.
//
// Only one goroutine at a time may use a Call; Clone makes a copy for another goroutine.
// A Call keeps the buffers of its slices reachable, and needs no Close. Do not copy the
// value: go vet finds that.
//
// A nil *Call is an error, as nil objects are. A nil pointer to a generated type, such as
// *SaxpyCall, panics as every nil struct does: a check would cost each launch.
//
// A launch after the Close of one of its buffers fails with ErrClosed. A concurrent Close
// has the effect that Buffer.Close describes.
type Call struct {
	_ noCopy

	// What a launch reads comes first.
	kernel     *Kernel
	turn       uint64                 // of the stream on which the buffers were last looked at; 0 when they have to be
	target     *libcuda.Target        // the kernel's own; with attributes, &extended
	params     unsafe.Pointer         // the parameter block, in the heap
	attributes *libcuda.AttributeList // nil, or &list
	config     LaunchConfig

	extended libcuda.Target
	list     libcuda.AttributeList
	args     []held
	empty    bool   // the grid, which was computed, has no blocks: turn stays 0
	version  uint64 // how often it was prepared: a batch that became a graph compares it

	recorder *recorder // that prepares it; nil for a BoundCall
	block    any       // a nil pointer to the type of the parameter block, or nil
}

// Every generated call embeds a Call, and the compiler makes a function for each method that it
// gets thereby. So what only the package needs is a function, not a method.

// An argument is an argument with an owner.
type argument struct {
	owner       *lifetime
	addr, align uint64
}

// A held argument is one of a prepared call.
type held struct {
	argument
	param  string
	offset uint32 // in the parameter block
}

// Argument returns s as an argument of a prepared call, whose elements have the alignment
// align in C++. Generated code calls it.
func (s Slice[T]) Argument(align uint64) argument {
	return argument{owner: s.owner, addr: s.addr, align: align}
}

// Prepare makes call launch k with cfg and the parameter block at params, which is in
// the heap and has the layout that k was loaded with. If cfg was computed of the arguments,
// its grid may be empty. args are the arguments that have owners, in the order of the
// parameters that are Owned; owners are others that they refer to. Slices must be aligned,
// every owner open and usable by k's device. cfg must be within the limits of the device
// and of k; Prepare opts k in to the shared memory that cfg requests. On an error call is
// unchanged.
func (generated) Prepare(call *Call, k *Kernel, cfg LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner, args ...argument) error {
	defer k.hold().release()
	if err := k.openFor("prepare"); err != nil {
		return err
	}
	for i := range args {
		if err := args[i].check(k, i); err != nil {
			return err
		}
	}
	if len(owners) == 0 && call.params == params && fits(call, k, &cfg, len(args)) {
		for i := range args {
			call.args[i].argument = args[i]
		}
		call.turn = 0
		call.version++
		return nil
	}
	others := Generated.Owners(cfg.Owners, owners)
	for _, o := range others {
		if err := (&argument{owner: o.lifetime, align: 1}).check(k, named); err != nil {
			return err
		}
	}
	if err := k.allow(&cfg); err != nil {
		return notLaunched(err, "prepare", cfg)
	}
	empty := computed && cfg.emptyGrid() != 0
	var detail string
	if empty {
		detail = k.dev.limits.broken(cfg.nonempty())
	} else {
		detail = k.brokenLimit(&cfg)
	}
	if detail != "" {
		return &Error{Op: "prepare", Kernel: k.name, Config: cfg, Device: k.dev.String(), Driver: k.dev.version, Detail: detail, Err: ErrInvalidValue}
	}
	if cfg.Attributes != call.config.Attributes {
		cfg.Attributes = cfg.Attributes.clone() // what the program makes of its own is for the next Prepare
	}
	target, list, err := k.extended(&cfg)
	if err != nil {
		return err
	}
	all := call.args[:0]
	if call.params != params { // it is a copy, whose list is the other's, too
		all = nil
	}
	all = k.appendHeld(all, args)
	for _, o := range others {
		all = append(all, held{argument{owner: o.lifetime, align: 1}, configOwner, 0})
	}
	*call = Call{kernel: k, target: &k.target, params: params, config: cfg, extended: target, list: list, args: all, empty: empty, version: call.version + 1, recorder: call.recorder, block: call.block}
	pointToOwn(call)
	return nil
}

// fits reports whether call is prepared for k and cfg with so many arguments that have owners,
// so that new arguments are all that changes: k's limits were compared with cfg before, and
// k opted in. Launch attributes are behind a pointer, and may have changed.
func fits(call *Call, k *Kernel, cfg *LaunchConfig, args int) bool {
	c := &call.config
	return call.kernel == k && !call.empty && len(call.args) == args && len(cfg.Owners) == 0 &&
		c.Grid == cfg.Grid && c.Block == cfg.Block && c.SharedBytes == cfg.SharedBytes && c.Attributes == nil && cfg.Attributes == nil
}

// named is the number of an owner that no parameter has.
const named = -1

// appendHeld adds to list the arguments that have owners, with the parameters they are for.
func (k *Kernel) appendHeld(list []held, args []argument) []held {
	for _, p := range k.params.all {
		if p.Owned && len(args) > 0 {
			list = append(list, held{args[0], p.Name, p.Offset})
			args = args[1:]
		}
	}
	return list
}

// pointToOwn lets c launch by its own target and list, if its launch has attributes.
func pointToOwn(c *Call) {
	if c.config.Attributes != nil {
		c.target, c.attributes = &c.extended, &c.list
	}
}

// Clone makes call a copy of from with the parameter block at params. Its code does not
// stand in every kernel's Clone, for the sake of the time that compiling takes.
//
//go:noinline
func (generated) Clone(call, from *Call, params unsafe.Pointer) {
	*call = Call{
		kernel: from.kernel, turn: from.turn, target: from.target, params: params, attributes: from.attributes, config: from.config,
		extended: from.extended, list: from.list, args: slices.Clone(from.args), empty: from.empty,
		recorder: call.recorder, block: from.block,
	}
	pointToOwn(call)
}

// check returns why a, which has the ith owner, cannot be an argument of k, or nil.
func (a *argument) check(k *Kernel, i int) error {
	if a.owner == nil && a.addr == 0 && k.params.isNeeded(i) {
		return k.missingSlice(i)
	}
	if a.owner == nil || a.owner.graphOnly { // which BuildGraph gives a value
		return nil
	}
	what := a.owner.what
	var detail string
	var err error
	switch {
	case a.addr%a.align != 0:
		detail, err = fmt.Sprintf("%s begins at address %#x, must be a multiple of %d, the alignment of its elements", k.owned(i), a.addr, a.align), ErrMisalignedAddress
	case !a.owner.isOpenTo(k.dev):
		detail, err = a.owner.closedFor(k.owned(i))
	case !a.owner.reachableFrom(k.dev):
		detail, err = "the "+what+" of "+k.owned(i)+" is on "+a.owner.dev.besides(k.dev), ErrInvalidValue
	default:
		return nil
	}
	return &Error{Op: "prepare", Kernel: k.name, Device: k.dev.String(), Driver: k.dev.version, Detail: detail, Err: err}
}

// checkBuffers does for all slices of c what use does for those of other launches, and notes
// that it need not be done again in this turn of s: until one of the buffers is closed, or c
// launched on another stream. Buffers of other devices are looked at every time.
func checkBuffers(c *Call, s *Stream, turn uint64) error {
	if c.kernel.dev != s.dev || s.capturing() != nil { // the launch is an error, or captured
		return nil
	}
	for _, a := range c.args {
		if a.owner == nil {
			continue
		}
		if err := a.owner.checkLaunch(c.kernel, s, a.param); err != nil {
			return err
		}
		if a.owner.dev != s.dev {
			turn = 0
		}
	}
	if c.empty || tracing.Load() != nil {
		turn = 0
	}
	c.turn = turn
	return nil
}

// Kernel returns the kernel that c launches.
func (c *Call) Kernel() *Kernel {
	if c == nil {
		return nil
	}
	return c.kernel
}

// Config returns the launch configuration.
func (c *Call) Config() LaunchConfig {
	if c == nil {
		return LaunchConfig{}
	}
	return c.config
}

func (c *Call) prepared() *Call { return c }

// unprepared is the error of op on a call that Prepare has not made.
func unprepared(op string) error {
	return &Error{Op: op, Detail: "the call was not prepared: use what Prepare returned", Err: ErrInvalidValue}
}

// notReady is the error of a launch of a call of k, or of one that was not prepared, without a stream.
//
//go:noinline
func notReady(k *Kernel) error {
	if k == nil {
		return unprepared("launch a call")
	}
	return notLoaded(k)
}

// Launch enqueues the kernel on s, which must be on the kernel's device. It converts and
// allocates nothing. It checks the buffers again if a buffer that s has used was closed,
// or if s is not the stream of the previous launch. No context need be current. An error
// may belong to earlier work on s.
//
// CUDA Driver API, Execution Control, cuLaunchKernel, cuLaunchKernelEx.
func (c *Call) Launch(s *Stream) error {
	if c == nil {
		return notReady(nil)
	}
	k := c.kernel
	if k == nil || s == nil {
		return notReady(k)
	}
	turn := s.turn.Load()   // before the buffers are looked at
	epoch := s.epoch.Load() // before the handles
	kernel, stream := k.handle(), driver.Stream(s.handle.Load())
	// As in Generated.Launch there are few branches.
	if turn-c.turn|uint64(differ(k.native, s.dev)) == 0 && kernel != 0 && stream != 0 {
		r := libcuda.Launch(&libcuda.LaunchRecord{
			Target:     c.target,
			Stream:     stream,
			Params:     c.params,
			Config:     (*libcuda.LaunchConfig)(unsafe.Pointer(&c.config)),
			Attributes: c.attributes,
		})
		epoch.release()
		runtime.KeepAlive(c)
		if r|driver.Result(s.turn.Load()-turn) == driver.Success {
			return nil
		}
		return callLaunched(c, s, turn, r)
	}
	return launchCallSpecially(c, s, turn)
}

// launchCallSpecially is Call.Launch for buffers that have to be looked at in this turn of
// s, and for launches that launchElsewhere does.
//
//go:noinline
func launchCallSpecially(c *Call, s *Stream, turn uint64) error {
	if m := s.capturing(); m != nil {
		return m.call(c)
	}
	if turn != c.turn {
		if err := checkBuffers(c, s, turn); err != nil {
			return err
		}
		if turn == c.turn {
			return c.Launch(s)
		}
	}
	if c.empty {
		return c.kernel.launchNothing(s, &c.config)
	}
	if err := c.kernel.launchElsewhere(s, &c.config, c.params, callCovers(c)); err != nil {
		return err
	}
	return callLaunched(c, s, turn, driver.Success)
}

// callLaunched returns the error of a launch of c in that turn of s whose result is r, or
// that a buffer was closed meanwhile, or nil.
//
//go:noinline
func callLaunched(c *Call, s *Stream, turn uint64, r driver.Result) error {
	if r != driver.Success {
		return c.kernel.explainLaunch(&c.config, r)
	}
	if now := s.turn.Load(); now != turn {
		for _, a := range c.args {
			a.owner.usedLate(s)
		}
		return meanwhile(checkBuffers(c, s, now))
	}
	return nil
}

// Prepared is what a stream launches, and a Batch and a graph take: a prepared call of any kernel,
// which is a pointer to a generated type that embeds Call, or a CopyCall, CopyBoxCall or FillCall.
type Prepared interface {
	Launch(s *Stream) error
	prepared() *Call
}

// A Batch launches prepared calls in order, with one call into C. Fills and copies may be among
// them: Copy, CopyBox, Fill.
//
// A batch that is launched again and again on one stream becomes a graph by itself, which is
// launched for less: from the fourth launch in a row on. NeverGraph prevents that.
//
// Only one goroutine at a time may use a Batch and its calls. A change of a call by Set
// takes effect at the next launch of the batch. A Batch needs no Close.
type Batch struct {
	_ noCopy

	calls   []*Call
	kernels []*Kernel             // those of calls, each once
	records []libcuda.BatchRecord // of calls, on stream; they point to what Set changes in place
	stream  driver.Stream         // of the last launch

	left     uint64 // launches on stream until it becomes a graph, unless never
	patience uint64 // left for another stream
	never    bool

	parts []batchPart // instead of calls, if it has fills or copies
	graph *batchGraph // that it has become, or nil
}

// NewBatch makes a batch of calls, all on the same device. A call may be in it more than
// once.
func NewBatch(calls ...Prepared) (*Batch, error) {
	if slices.ContainsFunc(calls, isOperation) {
		return newMixedBatch(calls)
	}
	return newCallBatch(calls, 0)
}

// newCallBatch makes a batch of launches. first is the number of the first one in errors.
func newCallBatch(calls []Prepared, first int) (*Batch, error) {
	b := &Batch{calls: make([]*Call, len(calls)), records: make([]libcuda.BatchRecord, len(calls)), patience: graphAfter}
	for i, p := range calls {
		var c *Call
		if !isNilCall(p) {
			c = p.prepared()
		}
		if c == nil || c.kernel == nil {
			return nil, &Error{Op: "make a batch", Detail: fmt.Sprintf("call %d was not prepared: use what Prepare returned", first+i), Err: ErrInvalidValue}
		}
		if before := b.calls[0]; i > 0 && c.kernel.dev != before.kernel.dev {
			return nil, &Error{Op: "make a batch", Kernel: c.kernel.name, Device: c.kernel.dev.String(), Detail: fmt.Sprintf("call %d is on another device than call %d, which is on %s", first+i, first, before.kernel.dev.besides(c.kernel.dev)), Err: ErrInvalidValue}
		}
		b.calls[i] = c
		if !slices.Contains(b.kernels, c.kernel) {
			b.kernels = append(b.kernels, c.kernel)
		}
		b.records[i] = batchRecordOf(c)
	}
	return b, nil
}

// batchRecordOf returns c as a record without a stream.
func batchRecordOf(c *Call) libcuda.BatchRecord {
	r := libcuda.BatchRecord{LaunchRecord: libcuda.LaunchRecord{
		Target:     c.target,
		Params:     c.params,
		Config:     (*libcuda.LaunchConfig)(unsafe.Pointer(&c.config)),
		Attributes: c.attributes,
	}}
	if c.attributes == nil {
		params := make([]unsafe.Pointer, c.target.Count+1) // never empty
		for i, offset := range unsafe.Slice(c.target.Offsets, c.target.Count) {
			params[i] = unsafe.Add(c.params, offset)
		}
		r.KernelParams = &params[0]
	}
	return r
}

// Len returns the number of calls.
func (b *Batch) Len() int {
	if b == nil {
		return 0
	}
	n := len(b.calls)
	for _, part := range b.parts {
		n += part.len()
	}
	return n
}

// Launch enqueues the calls on s in order. If one fails, the calls after it are not
// enqueued, and the error is a *BatchError with its index. It allocates nothing. No
// context need be current. An error may belong to earlier work on s.
//
// CUDA Driver API, Execution Control, cuLaunchKernel, cuLaunchKernelEx.
func (b *Batch) Launch(s *Stream) error {
	if b == nil || b.graph != nil || len(b.calls) == 0 {
		return b.launchGraph(s)
	}
	return b.launchCalls(s)
}

// launchCalls launches calls, of which there is one at least.
func (b *Batch) launchCalls(s *Stream) error {
	if s == nil {
		return &BatchError{Index: 0, Count: len(b.calls), Err: notLoaded(b.calls[0].kernel)}
	}
	turn := s.turn.Load()
	for _, c := range b.calls {
		if c.turn != turn && (checkBuffers(c, s, turn) != nil || c.empty || tracing.Load() != nil) {
			return b.launchElsewhere(s)
		}
	}
	epoch := s.epoch.Load() // before the handles
	stream := driver.Stream(s.handle.Load())
	for _, k := range b.kernels {
		if stream == 0 || k.handle() == 0 || k.native != s.dev {
			return b.launchElsewhere(s)
		}
	}
	if stream != b.stream {
		b.useStream(stream)
	}
	batch := &libcuda.Batch{Records: &b.records[0], Count: uint32(len(b.records))}
	r := libcuda.LaunchBatch(batch)
	epoch.release()
	runtime.KeepAlive(b)
	if r != driver.Success {
		c := b.calls[batch.Launched]
		return &BatchError{Index: int(batch.Launched), Count: len(b.calls), Err: c.kernel.explainLaunch(&c.config, r)}
	}
	if s.turn.Load() == turn {
		b.launched(s)
		return nil
	}
	for i, c := range b.calls {
		if err := callLaunched(c, s, turn, driver.Success); err != nil {
			return &BatchError{Index: i, Count: len(b.calls), Err: err}
		}
	}
	return nil
}

// launchNothing is Launch of a batch without calls, which belongs to no device. It launches
// nothing, and is an error if NewBatch has not made it, or s is not open.
func (b *Batch) launchNothing(s *Stream) error {
	const op = "launch a batch"
	if b == nil || b.calls == nil {
		return unmade(op, "the batch")
	}
	_, err := s.open(op)
	return err
}

// launchElsewhere launches one by one: on the simulator, with calls that launch nothing, or
// until the call that cannot be launched on s.
//
//go:noinline
func (b *Batch) launchElsewhere(s *Stream) error {
	for i, c := range b.calls {
		if err := c.Launch(s); err != nil {
			return &BatchError{Index: i, Count: len(b.calls), Err: err}
		}
	}
	b.launchedOn(s)
	return nil
}

// A BatchError reports which call of a batch failed.
type BatchError struct {
	Index int   // of the call that failed, and how many before it were enqueued
	Count int   // of calls in the batch
	Err   error // of that call
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("cuda: launch a batch: call %d of %d (numbered from 0; %d enqueued): %v", e.Index, e.Count, e.Index, e.Err)
}

// Unwrap returns the error of the call.
func (e *BatchError) Unwrap() error { return e.Err }
