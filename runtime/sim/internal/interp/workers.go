package interp

import (
	"slices"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// A stretch is the turns from first to end that a worker has taken ahead. Gangs that take a microsecond are taken
// many at a time: what all workers write is felt there, and neighbours as a rule use neighbouring
// memory. bench/README.md has what it gains on two cores.
type stretch struct{ first, end uint64 }

func (s stretch) isEmpty() bool { return s.first == s.end }

// What a worker takes ahead.
const (
	mostAhead  = 32
	aheadLimit = 1 << 16 // instructions of threads
)

// givenBack is the turns that workers had taken ahead and have not run, because gangs of theirs wait for others or take
// long. The run's mu protects list.
type givenBack struct {
	list []stretch
	left atomic.Int64 // turns in list
	any  atomic.Bool  // ever: nothing is taken ahead any more
}

// turn returns the next turn that is left for g. After a failure those before it are run, so that the first
// that fails is found.
func (r *Run) turn(g *gang) (turn uint64, ok bool) {
	for {
		if g.ahead.isEmpty() && !r.regain(g) && !r.takeAhead(g) {
			return 0, false
		}
		turn = g.ahead.first
		g.ahead.first++
		if turn < r.failedAt.Load() {
			return turn, true
		}
		g.ahead = stretch{}
	}
}

// takeAhead gives g the next turns of the grid, or returns false.
func (r *Run) takeAhead(g *gang) bool {
	n, gangs := r.ahead(g), limits.Count(r.gangs)
	end := r.next.Add(n)
	if end-n >= gangs {
		return false
	}
	g.ahead = stretch{end - n, min(end, gangs)}
	return true
}

// ahead returns how many turns to take for g, which has run one before if it has executed anything: few of those that are left.
func (r *Run) ahead(g *gang) uint64 {
	cost := g.cost()
	if r.workers == 1 || len(g.blocks) > 1 || cost == 0 || r.given.any.Load() {
		return 1
	}
	gangs := limits.Count(r.gangs)
	left := gangs - min(gangs, r.next.Load())
	return max(1, min(mostAhead, aheadLimit/cost, left/uint64(8*r.workers)))
}

// cost is what the first block of g, as it is or was last, has executed.
func (g *gang) cost() uint64 { return g.blocks[0].executed - g.blocks[0].began }

// giveBack lets every worker run what g has taken ahead, because g waits, perhaps for one of those, or takes long.
func (r *Run) giveBack(g *gang) {
	r.given.any.Store(true)
	if g.ahead.isEmpty() {
		return
	}
	r.mu.Lock()
	r.given.list = append(r.given.list, g.ahead)
	r.given.left.Add(int64(g.ahead.end - g.ahead.first))
	g.ahead = stretch{}
	missing := r.workers - int(r.live.Load())
	r.live.Add(int32(missing))
	r.mu.Unlock()
	for range missing { // those that found nothing left
		r.others.Go(r.work)
	}
}

// regain gives g the first turn that was given back, or returns false.
func (r *Run) regain(g *gang) bool {
	if r.given.left.Load() == 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.given.list
	if len(list) == 0 {
		return false
	}
	n := 0
	for i, t := range list {
		if t.first < list[n].first {
			n = i
		}
	}
	g.ahead = stretch{list[n].first, list[n].first + 1}
	if list[n].first++; list[n].isEmpty() {
		r.given.list = slices.Delete(list, n, n+1)
	}
	r.given.left.Add(-1)
	return true
}

// leave notes that a worker ends, and returns true; unless it must, not while turns are left that were given back.
func (r *Run) leave(must bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !must && r.given.left.Load() > 0 {
		return false
	}
	r.live.Add(-1)
	return true
}

// dropGivenBack lets nobody run what was given back.
func (r *Run) dropGivenBack() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.given.list = nil
	r.given.left.Store(0)
}
