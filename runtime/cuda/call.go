package cuda

import (
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

// Prepare makes call launch k with cfg and the parameter block at params, which is in
// the heap and has the layout that k was loaded with. If cfg was computed of the arguments,
// its grid may be empty. args are the arguments that have owners, in the order of the
// parameters that are Owned; owners are others that they refer to. Code that was generated before NewCall calls it (internal/kept). Slices must be aligned,
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

// Clone makes call a copy of from with the parameter block at params. Copies of calls do so, and code
// that was generated before NewCall (internal/kept).
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
	detail, err := misaligned(k.owned(i), a.addr, a.align), error(ErrMisalignedAddress)
	switch {
	case detail != "":
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
	if c.kernel.dev != s.dev || s.IsCapturing() { // the launch is an error, or captured
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

// Config returns a copy of the launch configuration.
func (c *Call) Config() LaunchConfig {
	if c == nil {
		return LaunchConfig{}
	}
	cfg := c.config
	cfg.Attributes = cfg.Attributes.clone()
	return cfg
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
	if l := s.capture.Load(); l != nil {
		return l.launch(capturedLaunch{call: c, kernel: c.kernel, config: c.config})
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

// A recorder prepares a call of generated code: what is launched on its stream becomes that of the call. So a
// kernel has one method that checks and converts arguments, for launches and for prepared calls.
type recorder struct {
	made struct{ Call } // what generated types are
	plan
	call   *Call // made, or a copy of it, which is not allowed
	stream Stream
}

// A plan is what a recorder launches.
type plan struct {
	kernel        *Kernel
	computed      bool         // each launch computes the configuration
	given, config LaunchConfig // otherwise it is given; a launch gets a copy, which it may complete
}

// begin makes r, which is zero, the recorder of call, which becomes a copy of from.
func (r *recorder) begin(call, from *Call, p plan) *struct{ Call } {
	r.plan, r.call, r.stream.recorder, call.recorder, call.block = p, call, r, r, from.block
	if from.kernel != nil {
		Generated.Clone(call, from, newBlock(from.params, from.kernel))
	}
	return &r.made
}

// NewCall returns a call of k that is not prepared. If cfg is nil, each launch that Record is for computes it.
// block is a nil pointer to the type of the parameter block.
func (generated) NewCall(k *Kernel, cfg *LaunchConfig, block any) *struct{ Call } {
	p := plan{kernel: k, computed: cfg == nil}
	if cfg != nil {
		p.given, p.config = *cfg, *cfg
	}
	r := new(recorder)
	return r.begin(&r.made.Call, &Call{block: block}, p)
}

// Copy returns a copy of from.
func (generated) Copy(from *Call) *struct{ Call } {
	r := new(recorder)
	if from.recorder == nil {
		return &r.made
	}
	return r.begin(&r.made.Call, from, from.recorder.plan)
}

// Record returns what a launch takes that prepares call.
func (generated) Record(call *Call) (*Kernel, *Stream, *LaunchConfig) {
	r := call.recorder
	switch {
	case r == nil:
		return nil, nil, new(LaunchConfig)
	case r.call != call: // it was copied
		own := new(recorder)
		own.begin(call, call, r.plan)
		r = own
	}
	if r.computed {
		return r.kernel, &r.stream, nil
	}
	r.config.SharedBytes = r.given.SharedBytes
	return r.kernel, &r.stream, &r.config
}

// record is Kernel.launchSpecially on the stream of r.
func (r *recorder) record(k *Kernel, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner) error {
	c := r.call
	if !fits(c, k, cfg, len(owners)) || k.handle() == 0 {
		return r.recordAnew(k, cfg, computed, params, owners)
	}
	for i := range owners {
		a := argument{owners[i].lifetime, *(*uint64)(unsafe.Add(params, c.args[i].offset)), c.args[i].align}
		if err := a.check(k, i); err != nil {
			return err
		}
	}
	for i := range owners {
		a := &c.args[i]
		a.addr = *(*uint64)(unsafe.Add(params, a.offset))
		if o := owners[i].lifetime; a.owner != o {
			a.owner, c.turn = o, 0
		}
	}
	c.version++
	copy(blockOf(c), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	return nil
}

// recordAnew is record for another configuration than before.
func (r *recorder) recordAnew(k *Kernel, cfg *LaunchConfig, computed bool, params unsafe.Pointer, owners []Owner) error {
	defer func() { r.config = r.given }()
	if err := k.openFor("prepare"); err != nil {
		return err
	}
	var few [8]argument
	args := few[:0]
	for i := range k.params.all {
		if p := &k.params.all[i]; p.Owned {
			args = append(args, argument{owners[len(args)].lifetime, *(*uint64)(unsafe.Add(params, p.Offset)), uint64(max(1, p.ElemAlign))})
		}
	}
	c, block := r.call, r.call.params
	if block == nil {
		block = newBlock(params, k)
	}
	err := Generated.Prepare(c, k, *cfg, computed, block, nil, args...)
	if err == nil {
		r.given.Attributes, c.config.Owners = c.config.Attributes, r.given.Owners
		copy(blockOf(c), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	}
	return err
}

// newBlock returns a copy of the parameter block at params of a launch of k.
func newBlock(params unsafe.Pointer, k *Kernel) unsafe.Pointer {
	block := make([]uint64, (k.target.ParamBytes+7)/8+1) // never empty
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&block[0])), k.target.ParamBytes), unsafe.Slice((*byte)(params), k.target.ParamBytes))
	return unsafe.Pointer(&block[0])
}

// A noCopy makes go vet report copies of a struct that has one as a field. It has no size. The
// field comes first and is not embedded: behind the last field it would take room, and its
// methods would be the struct's.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// A ConditionalHandle is an argument of kernels that decide over a conditional node of a
// graph: a cudaGraphConditionalHandle. Only a graph gives it a value; a launch outside of
// the graph is an error.
type ConditionalHandle struct{ life *lifetime }

// noGraph is the lifetime of handles that belong to no graph.
var noGraph = lifetime{graphOnly: true, what: "handle"}

// Owner returns the graph of h. Generated code calls it.
func (h ConditionalHandle) Owner() Owner {
	if h.life == nil {
		return Owner{&noGraph}
	}
	return Owner{h.life}
}

// Param returns the placeholder of h in a parameter block: the graph replaces it by its own handle.
// Generated code calls it.
func (h ConditionalHandle) Param() uint64 { return 0 }

// Argument returns h as an argument of a prepared call. Code that was generated before NewCall calls it.
func (h ConditionalHandle) Argument(align uint64) argument {
	return argument{owner: h.Owner().lifetime, align: align}
}

// blockOf returns the parameter block of c, as the driver interface takes it.
func blockOf(c *Call) []byte { return unsafe.Slice((*byte)(c.params), c.target.ParamBytes) }

// callCovers is ownerCovers of a prepared call.
func callCovers(c *Call) *driver.Covers {
	if !c.kernel.dev.redZones.Load() {
		return nil
	}
	covers := new(driver.Covers)
	for i := range c.args {
		a := &c.args[i]
		param := slices.IndexFunc(c.kernel.params.all, func(p ParamSpec) bool { return p.Owned && p.Offset == a.offset })
		if a.param == configOwner || param < 0 {
			reach(covers, a.owner)
		} else {
			cover(covers, param, a.owner)
		}
	}
	return covers
}
