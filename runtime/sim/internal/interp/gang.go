package interp

import (
	"bytes"
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

// A gang is blocks of a grid that run at once: a cluster, or all those of a cooperative launch.
// They take turns, so that they may wait for each other on one core, too, and what they do does not vary.
type gang struct {
	run     *Run
	shape   shape // if it may be of another launch later
	blocks  []*block
	running []*block // those that have not ended

	turn  uint64 // in which it began, and its number
	index uint64
	pulse pulse

	ahead stretch
	ended uint64 // gangs, and what the first block had executed when they were told last
	told  uint64
}

// formClusters puts the blocks of g into their clusters.
func (g *gang) formClusters() {
	place := g.run.place
	if !place.clustered && !g.run.k.Clusters {
		return
	}
	clusters := make(map[driver.Dim3]*cluster)
	for i, b := range g.blocks {
		at := limits.Quotient(limits.At(uint64(i), place.Gang), place.cluster)
		if clusters[at] == nil {
			clusters[at] = &cluster{}
		}
		b.cluster = clusters[at]
		b.cluster.blocks = append(b.cluster.blocks, b)
	}
}

// begin makes the gang the one at a place among the gangs of the grid.
func (g *gang) begin(place driver.Dim3) {
	g.running = append(g.running[:0], g.blocks...)
	for _, b := range g.blocks {
		b.gangTurn = g.turn
	}
	if len(g.blocks) == 1 {
		g.blocks[0].begin(place) // its place is the block's
		return
	}
	size := g.run.place.Gang
	for i, b := range g.blocks {
		in := limits.At(uint64(i), size)
		b.begin(driver.Dim3{X: place.X*size.X + in.X, Y: place.Y*size.Y + in.Y, Z: place.Z*size.Z + in.Z})
	}
}

// turns lets the blocks of the gang take up to n turns. ended reports whether all have ended.
func (g *gang) turns(n int) (ended bool, fault *Failure) {
	for range n {
		progressed, rest := false, g.running[:0]
		for _, b := range g.running {
			alive, progress, fault := b.turn()
			if !alive && fault == nil {
				fault = b.unfinished()
			}
			if fault != nil {
				return false, fault
			}
			progressed = progressed || progress
			if alive {
				rest = append(rest, b)
			}
		}
		switch g.running = rest; {
		case len(rest) == 0:
			return true, nil
		case !progressed:
			fault := deadlock(rest)
			g.run.debug.Stuck(&fault.Fault, fault.Error())
			return false, fault
		}
	}
	return false, nil
}

// turn lets each warp run for its share of time. alive reports whether any is left, and progress
// whether any executed an instruction.
func (b *block) turn() (alive, progress bool, fault *Failure) {
	b.turns.Shuffle()
	for n := range b.warps {
		w := &b.warps[b.turns.At(n)]
		if w.live == 0 {
			continue
		}
		ran, fault := b.advance(w)
		if fault != nil {
			return true, true, fault
		}
		progress = progress || ran
		alive = alive || w.live != 0
	}
	if alive {
		fault = b.interrupted() // its warps may never run for long
	}
	return alive, progress, fault
}

// interrupted returns the failure of a block that must stop between the turns of its warps,
// or nil.
func (b *block) interrupted() *Failure {
	if !b.stop.Load() {
		return nil
	}
	for n := range b.warps {
		w := &b.warps[n]
		if len(w.groups) > 0 {
			return b.stopAt(w, w.groups[0].pc, bits.TrailingZeros32(w.groups[0].mask))
		}
	}
	return nil
}

// unfinished reports a barrier at which threads arrived without waiting and that
// never completed.
func (b *block) unfinished() *Failure {
	for n := range b.barriers {
		if bar := &b.barriers[n]; bar.arrived > 0 {
			return b.fault(&b.warps[0], bar.pc, 0, driver.ErrorLaunchFailed, "the block ended while barrier %d had %d of %d threads", n, bar.arrived, bar.wanted)
		}
	}
	return nil
}

// To make a block, its registers and what its checks know is most of what a small launch costs. Blocks that have ended
// run those of later launches of their kernel, which find in them what a block finds that runs behind another of its grid.

// A shape is what blocks must have in common for that.
type shape struct {
	block                    driver.Dim3
	sharedBytes              uint32
	races, arrays, undefined bool
}

// reusable returns the shape of r's blocks. ok is false where each launch makes its own: blocks that run beside others of
// their gang, and checks that are of a launch.
func (r *Run) reusable() (s shape, ok bool) {
	one := driver.Dim3{X: 1, Y: 1, Z: 1}
	c := &r.checks
	ok = r.place.Gang == one && !r.place.clustered && !r.place.cooperative && !c.Coverage && !c.Profile && !c.GlobalRaces && !c.RedZones && !c.plainly && c.Debugger == nil
	return shape{r.cfg.Block, r.cfg.SharedBytes, c.Races, c.Arrays, c.Undefined}, ok
}

// takeGang returns a gang of an earlier launch, or a new one.
func (r *Run) takeGang() *gang {
	s, ok := r.reusable()
	if !ok {
		return r.newGang()
	}
	if g, spare := r.k.Spare.Get().(*gang); spare && g.shape == s {
		g.join(r)
		return g
	}
	g := r.newGang()
	g.shape = s
	return g
}

// retire gives g, whose last block has ended without a failure, to later launches.
func (r *Run) retire(g *gang) {
	if _, ok := r.reusable(); !ok || !g.blocks[0].races.isYoung() {
		return
	}
	b := g.blocks[0]
	for n := range b.warps { // which point into device memory
		b.warps[n].at.Base = nil
		clear(b.warps[n].surveys)
	}
	g.run, b.mem, b.stop, b.place, b.printed, b.reports = nil, nil, nil, nil, nil, nil // r may be forgotten
	r.k.Spare.Put(g)
}

// join makes g, of an earlier launch, a gang of r.
func (g *gang) join(r *Run) {
	*g = gang{run: r, shape: g.shape, blocks: g.blocks, running: g.running}
	b := g.blocks[0]
	moved := len(r.k.Placed) > 0 && b.k != r.k
	same := bytes.Equal(b.params, r.params) && !moved
	b.k, b.mem, b.cfg, b.place, b.stop = r.k, r.mem, r.cfg, &r.place, r.stop
	b.params = append(b.params[:0], r.params...)
	b.launched(r)
	b.executed = 0
	for n := range b.warps {
		if moved {
			b.placeConstants(&b.warps[n])
		}
		same = !b.fillSpecials(&b.warps[n], bytecode.ByLaunch) && same
	}
	if !same {
		b.prepare()
	}
}

// launched has b report to r.
func (b *block) launched(r *Run) {
	b.printed, b.schedule, b.reports = &r.printed, r.checks.Schedule, &r.reports
	b.exited, b.globalRaces, b.zones = r.checks.Exited, r.globalRaces, r.zones
}
