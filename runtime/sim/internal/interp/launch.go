package interp

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/coverage"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/profile"
	"github.com/cudagen/cudagen/runtime/sim/internal/schedule"
	"github.com/cudagen/cudagen/runtime/sim/internal/stops"
)

// Execute runs the grid by gangs of blocks, each of which runs at once. Each gang that has run is
// counted in ended.
func Execute(k *bytecode.Kernel, mem *memory.Memory, cfg driver.LaunchConfig, place Placement, params []byte, stop *atomic.Bool, workers int, ended *atomic.Uint64, checks Checks) *Run {
	run := &Run{k: k, cfg: cfg, place: place, ended: ended, gangs: limits.Quotient(cfg.Grid, place.Gang)}
	run.failedAt.Store(limits.Count(run.gangs))
	run.place.grid = grids.Add(1)
	if place.cooperative {
		var ok bool
		if run.place.workspace, ok = mem.Alloc(workspaceBytes, memory.Allocation{Module: true}); ok {
			zero, _ := memory.BytesAt(run.place.workspace, workspaceBytes)
			clear(zero)
			defer mem.Free(run.place.workspace)
		}
	}
	if checks.GlobalRaces {
		run.globalRaces = newGlobalRaces(k)
	}
	if checks.RedZones {
		run.zones = newRedZones(mem, k, cfg.Covers, params)
	}
	if k.Ordered || checks.GlobalRaces || checks.Debugger != nil || isSmall(k, cfg) {
		workers = 1
	}
	workers = int(min(uint64(workers), limits.Count(run.gangs)))
	run.mem, run.params, run.stop, run.checks, run.workers = mem, params, stop, checks, workers
	run.live.Store(int32(workers))
	run.follow(cfg, params)
	defer run.debug.End()
	for range workers - 1 {
		run.others.Go(run.work)
	}
	run.work()
	run.others.Wait()
	run.conclude()
	return run
}

// follow has a debugger follow the launch, if there is one. It waits until no other launch runs, which counts as a launch that makes no progress: one that
// waits for this would wait for ever.
func (r *Run) follow(cfg driver.LaunchConfig, params []byte) {
	if r.checks.Debugger == nil {
		return
	}
	if stalls := r.checks.Watch.Stalls; stalls != nil {
		stalls.Add(1)
		defer stalls.Add(-1)
	}
	r.debug = r.checks.Debugger.Begin(r.k, cfg, params, &r.inspected)
}

// smallLaunch is how many instructions of threads one worker executes by itself: to start others, and to wait for them, takes
// about as long.
const smallLaunch = 1 << 16

// isSmall reports whether a launch executes few instructions, whatever happens in it.
func isSmall(k *bytecode.Kernel, cfg driver.LaunchConfig) bool {
	most := smallLaunch / max(1, uint64(len(k.Code)))
	return planner.Planned(k.Program).Forward && limits.Count(cfg.Grid) <= most && limits.Count(cfg.Block) <= most && limits.Count(cfg.Grid)*limits.Count(cfg.Block) <= most
}

// newGang returns a gang whose blocks have run nothing.
func (r *Run) newGang() *gang {
	g := &gang{run: r}
	for range limits.Count(r.place.Gang) {
		b := newBlock(r.k, r.mem, r.cfg, &r.place, r.params, r.stop)
		b.launched(r)
		g.blocks = append(g.blocks, b)
	}
	g.formClusters()
	if r.debug != nil {
		r.inspected.blocks = append(r.inspected.blocks, g.blocks...)
	}
	for _, b := range g.blocks {
		b.debug = r.debug
		b.observe(r.checks)
	}
	return g
}

// cacheLine is the bytes that cores pass to each other, at most.
const cacheLine = 128

// A Run is a grid being executed.
type Run struct {
	k        *bytecode.Kernel
	cfg      driver.LaunchConfig
	place    Placement
	gangs    driver.Dim3 // of the grid
	Executed atomic.Uint64
	given    givenBack

	mu       sync.Mutex
	Fault    *Failure
	failedAt atomic.Uint64     // the first turn that failed; changes while mu is held
	output   map[uint64][]byte // what each gang has printed

	printed printed
	ended   *atomic.Uint64

	mem     *memory.Memory
	params  []byte
	stop    *atomic.Bool
	checks  Checks
	workers int
	others  sync.WaitGroup // workers besides the first
	live    atomic.Int32   // workers that have not ended
	stall   stall
	reports reports
	Found   []*driver.Fault // besides fault

	Coverage    *coverage.Counts // under mu
	Profile     *profile.Counts  // under mu
	globalRaces *globalRaces     // or nil
	zones       *redZones        // or nil
	debug       *stops.Launch    // or nil
	inspected   inspector        // what a debugger sees

	// What every gang writes has a cache line of its own, apart from what every gang reads: the last of a Run, which with what the allocator puts in front is in whole lines.
	_        [cacheLine]byte
	next     atomic.Uint64 // turn
	finished atomic.Uint64 // gangs
}

// work executes gangs until none is left or one fails.
func (r *Run) work() {
	g := r.takeGang()
	finished := r.runGangs(g)
	r.tell(g)
	r.count(g)
	if finished {
		r.retire(g)
	}
}

// runGangs executes gangs in g until none is left, or returns false when one fails. Of several that fail the first in their
// order is reported, so that the report does not vary.
func (r *Run) runGangs(g *gang) (finished bool) {
	for {
		if !r.take(g) {
			if r.leave(false) {
				return true
			}
			continue
		}
		ended, fault := g.turns(patientTurns)
		if !ended && fault == nil {
			r.tell(g)
			r.giveBack(g)
			if !r.share(g) {
				r.leave(true)
				return false
			}
			continue
		}
		if r.end(g, fault); fault != nil {
			r.leave(true)
			return false
		}
		if g.blocks[0].executed-g.told >= tellAfter {
			r.tell(g)
		}
		if g.cost() > aheadLimit && !g.ahead.isEmpty() { // which others may run meanwhile, if the next ones are like it
			r.giveBack(g)
		}
	}
}

// take makes g the next gang of the grid, if one is left.
func (r *Run) take(g *gang) bool {
	turn, ok := r.turn(g)
	if !ok {
		return false
	}
	if r.stop.Load() {
		r.fail(turn, &Failure{Fault: driver.Fault{Result: driver.ErrorLaunchTimeout, Symbol: r.k.Name, Reason: Stopped}})
		return false
	}
	g.turn, g.index = turn, r.checks.Schedule.Gang(turn, limits.Count(r.gangs))
	g.begin(limits.At(g.index, r.gangs))
	return true
}

// tellAfter is after how many instructions of threads a worker tells which gangs have ended. Where gangs
// take a microsecond, what all workers write is felt.
const tellAfter = 1 << 17

// tell counts the gangs that have ended in g since the last time.
func (r *Run) tell(g *gang) {
	if g.ended > 0 {
		r.ended.Add(g.ended)
		r.finished.Add(g.ended)
	}
	g.ended, g.told = 0, g.blocks[0].executed
}

// end notes that g has ended, or failed.
func (r *Run) end(g *gang, fault *Failure) {
	r.collect(g.index, g.blocks)
	g.ended++
	if fault != nil {
		r.fail(g.turn, fault)
		r.next.Store(limits.Count(r.gangs))
	}
}

// count adds what the blocks of g have executed.
func (r *Run) count(g *gang) {
	for _, b := range g.blocks {
		r.Executed.Add(b.executed)
		if b.coverage != nil {
			r.cover(b.coverage)
		}
		if b.profile != nil {
			r.profile(b.profile)
		}
	}
}

// profile adds what a block has counted.
func (r *Run) profile(p *profile.Counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Profile == nil {
		r.Profile = profile.New(r.k, 0)
	}
	r.Profile.Add(p)
}

// cover adds what a block has counted.
func (r *Run) cover(c *coverage.Counts) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Coverage == nil {
		r.Coverage = coverage.New(r.k.Program)
	}
	r.Coverage.Add(c)
}

func (r *Run) fail(turn uint64, fault *Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if turn < r.failedAt.Load() {
		r.failedAt.Store(turn)
		r.Fault = fault
	}
}

// collect takes what the blocks of the nth gang have printed.
func (r *Run) collect(n uint64, blocks []*block) {
	var text []byte
	for _, b := range blocks {
		text = append(text, b.out...)
		b.out = nil
	}
	if len(text) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.output == nil {
		r.output = make(map[uint64][]byte)
	}
	r.output[n] = text
}

// Text is the output of the grid, in the order of its blocks, whichever ran first.
func (r *Run) Text() (text []byte) {
	if len(r.output) > 0 {
		for _, n := range slices.Sorted(maps.Keys(r.output)) {
			text = append(text, r.output[n]...)
		}
	}
	if r.printed.dropped.Load() {
		text = append(text, DroppedNotice...)
	}
	return text
}

// Checks is how a launch is run in tests.
type Checks struct {
	Races       bool // races in shared memory are found
	Arrays      bool // accesses beyond arrays in shared and local memory are found
	Undefined   bool // uses of undefined values are found
	Exited      bool // barriers and member masks that count on threads which have exited are found
	Coverage    bool // what is executed is counted
	Profile     bool // what it costs is counted
	GlobalRaces bool // races in global memory are found
	RedZones    bool // accesses beyond what slices cover are found
	plainly     bool // each instruction is executed, and each access looked at, by itself: tests compare the faster ways with that
	Schedule    schedule.Seed
	Watch       Watch
	Debugger    *stops.Debugger // or nil
}
