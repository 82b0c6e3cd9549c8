package interp

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// Blocks that run for long share their worker with others: they may wait for blocks that have not
// started, which on a GPU with enough processors run beside them. They start as soon as those that
// run repeat themselves. If all that a GPU has room for repeat themselves, the launch makes no progress (docs/decisions, "When
// does a simulated kernel make no progress?").

const (
	// patientTurns is how many turns of its warps a gang has its worker for itself.
	patientTurns = 64
	// gpuProcessors is how many multiprocessors a GPU has on which blocks may wait for each other: an H200's.
	gpuProcessors = 132
	// alonePatience is how long gangs run before another starts beside them although they do not repeat
	// themselves; with each it doubles.
	alonePatience = 100 * time.Millisecond
)

// A Watch says when a launch that makes no progress is stopped. The zero value is that of a launch
// which nothing outside of it can help.
type Watch struct {
	Patience time.Duration         // how long all blocks repeat themselves; 0 means StallPatience
	Budget   time.Duration         // how long no block ends; 0 means without limit
	Quiet    func() (uint64, bool) // a number that changes when others do something, and whether they could
	Stalls   *atomic.Int32         // counts the launches that make no progress, or nil
}

// How long a launch may make no progress, and how long where the host can write the memory that
// threads wait for.
const (
	StallPatience     = 4 * time.Second
	StallPatienceHost = 10 * time.Second

	timedPatience = 8 // times that, if threads ask %globaltimer: they may wait for a time
)

// A stall is what the workers of a launch know about its progress.
type stall struct {
	mu      sync.Mutex
	workers int       // whose blocks all repeat themselves
	since   time.Time // when they were all of them; zero if they are not
	others  uint64    // watch.quiet's number by then

	over    atomic.Bool // the launch is stopped
	reason  string
	waiting []driver.Waiting
}

// A crew is the gangs that one worker runs in turns.
type crew struct {
	run     *Run
	gangs   []*gang
	spare   []*gang // that have ended
	limit   int     // of gangs
	none    bool    // no other gang is left to be started
	stalled bool

	patience time.Duration
	started  time.Time // the last gang
	ended    uint64    // gangs of the launch by the time of
	since    time.Time
}

// share runs first beside other gangs until none is left that has begun. It reports false if the
// worker should end.
func (r *Run) share(first *gang) bool {
	now := time.Now()
	c := &crew{run: r, gangs: []*gang{first}, limit: r.room(), patience: alonePatience, started: now, since: now}
	first.pulse.reset()
	defer c.setStalled(false)
	defer func() {
		for _, g := range append(c.spare, c.gangs...) {
			if g != first {
				r.count(g)
			}
		}
	}()
	for len(c.gangs) > 0 {
		if !c.round() {
			return false
		}
		repeat := c.repeat()
		if repeat || time.Since(c.started) > c.patience {
			c.start(repeat)
		}
		c.setStalled(c.repeat() && (c.none || len(c.gangs) >= c.limit))
		if c.givesUp() {
			r.testify(c.gangs)
			if r.debug != nil { // there is no other worker, which would testify, too
				if fault := r.noProgress(); fault != nil {
					r.debug.Stuck(&fault.Fault, fault.Error())
				}
			}
			return false
		}
		if c.stalled {
			time.Sleep(c.rest())
		}
	}
	return true
}

// room is how many gangs a worker runs at once at most.
func (r *Run) room() int {
	blocks := r.k.Resident(limits.Count(r.cfg.Block), uint64(r.cfg.SharedBytes)) * gpuProcessors
	return max(1, blocks/int(limits.Count(r.place.Gang))/max(1, r.workers))
}

// round lets each gang take a turn. It reports false if one has failed.
func (c *crew) round() bool {
	rest := c.gangs[:0]
	for i, g := range c.gangs {
		ended, fault := g.turns(1)
		switch {
		case fault != nil:
			c.run.end(g, fault)
			c.run.tell(g)
			c.gangs = append(rest, c.gangs[i:]...)
			return false
		case ended:
			c.run.end(g, nil)
			c.run.tell(g)
			c.spare = append(c.spare, g)
		default:
			g.pulse.beat(g)
			rest = append(rest, g)
		}
	}
	c.gangs = rest
	return true
}

// repeat reports whether all gangs repeat themselves.
func (c *crew) repeat() bool {
	for _, g := range c.gangs {
		if !g.pulse.repeats {
			return false
		}
	}
	return true
}

// start lets other gangs run beside those that do: as many again if those wait, else one.
func (c *crew) start(wait bool) {
	n := 1
	if wait {
		n = max(1, len(c.gangs))
	}
	c.none = c.none && c.run.given.left.Load() == 0
	for ; n > 0 && !c.none && len(c.gangs) < c.limit; n-- {
		var g *gang
		if last := len(c.spare) - 1; last >= 0 {
			g, c.spare = c.spare[last], c.spare[:last]
		} else {
			g = c.run.newGang()
		}
		if !c.run.take(g) {
			c.spare, c.none = append(c.spare, g), true
			break
		}
		g.pulse.reset()
		c.gangs = append(c.gangs, g)
	}
	if c.started = time.Now(); !wait && c.patience < math.MaxInt64/2 {
		c.patience *= 2
	}
}

// setStalled notes whether the worker can do nothing.
func (c *crew) setStalled(stalled bool) {
	if c.stalled == stalled {
		return
	}
	c.stalled = stalled
	s := &c.run.stall
	s.mu.Lock()
	defer s.mu.Unlock()
	if stalled {
		s.workers++
	} else {
		s.workers--
		c.run.setSince(time.Time{})
	}
}

// setSince sets since when the launch makes no progress. r.stall.mu is held.
func (r *Run) setSince(t time.Time) {
	s, stalls := &r.stall, r.checks.Watch.Stalls
	if stalls != nil && s.since.IsZero() != t.IsZero() {
		if t.IsZero() {
			stalls.Add(-1)
		} else {
			stalls.Add(1)
		}
	}
	s.since = t
}

// givesUp reports whether the worker should stop what it runs.
func (c *crew) givesUp() bool {
	r := c.run
	s := &r.stall
	if s.over.Load() || c.stalled && r.hasFailed() {
		return true
	}
	now := time.Now()
	if ended := c.run.finished.Load(); ended != c.ended {
		c.ended, c.since = ended, now
	}
	if budget := r.checks.Watch.Budget; budget > 0 && now.Sub(c.since) > budget {
		s.stop("budget exceeded: no block has ended for " + budget.String())
		return true
	}
	if !c.stalled {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	others, quiet := uint64(0), true
	if s.workers < int(r.live.Load()) {
		r.setSince(time.Time{})
		return false
	}
	if s.since.IsZero() {
		r.setSince(now)
		s.others = 0
	}
	if r.checks.Watch.Quiet != nil {
		others, quiet = r.checks.Watch.Quiet()
	}
	if others != s.others || !quiet {
		s.since, s.others = now, others
	}
	patience := r.checks.Watch.Patience
	if patience == 0 {
		patience = StallPatience
	}
	if r.k.Timed().Any {
		patience *= timedPatience
	}
	if now.Sub(s.since) < patience {
		return false
	}
	reason := "no progress: every thread waits for another"
	if left := limits.Count(r.gangs) - min(limits.Count(r.gangs), r.next.Load()); left > 0 || r.given.left.Load() > 0 {
		reason = "no progress: every thread of the blocks that run at once waits, perhaps for a block that has not started"
	}
	if s.reason == "" {
		s.reason = reason
	}
	s.over.Store(true)
	return true
}

// maxPause is how long a launch that makes no progress leaves its processor to others at most.
const maxPause = time.Millisecond

// rest is how long the worker lets others run while no thread of the launch can do anything and nothing has happened
// outside of it. What then happens is seen late by at most a quarter of that time.
func (c *crew) rest() time.Duration {
	s := &c.run.stall
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() { // other workers can
		return 0
	}
	return min(time.Since(s.since)/4, maxPause)
}

// stop ends the launch.
func (s *stall) stop(reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason == "" {
		s.reason = reason
	}
	s.over.Store(true)
}

// testify notes where the threads of gangs stand that are stopped.
func (r *Run) testify(gangs []*gang) {
	r.next.Store(limits.Count(r.gangs))
	r.dropGivenBack()
	r.stall.mu.Lock()
	defer r.stall.mu.Unlock()
	for _, g := range gangs {
		r.stall.waiting = append(r.stall.waiting, waiting(g.running)...)
	}
}

// conclude makes a failure of a launch that was stopped, or in which checks have found something.
func (r *Run) conclude() {
	r.Found = r.reports.all(r.k, r.failedAt.Load(), r.Fault != nil || len(r.stall.waiting) > 0)
	if r.Fault == nil && len(r.Found) > 0 {
		r.Fault, r.Found = &Failure{*r.Found[0]}, r.Found[1:]
	}
	fault := r.noProgress()
	if fault == nil || r.Fault != nil && r.Fault.Check == "" {
		return
	}
	if r.Fault != nil {
		r.Found = append(r.Found, &r.Fault.Fault)
	}
	r.Fault = fault
}

// noProgress is the failure of a launch that was stopped because it makes no progress, or nil.
func (r *Run) noProgress() *Failure {
	if len(r.stall.waiting) == 0 {
		return nil
	}
	sortWaiting(r.stall.waiting)
	return standstill(r.k.Name, driver.ErrorLaunchTimeout, r.stall.reason, r.stall.waiting)
}

func (r *Run) hasFailed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Fault != nil
}
