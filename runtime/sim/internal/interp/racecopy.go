package interp

import (
	"fmt"
	"math/bits"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// Copies that run by themselves write shared memory from when they begin on. What they have written is there for
// a lane that knows that they are done: it has waited for their group or at their mbarrier, or was told. Their
// writes are in columns of their own. A copy from shared memory reads it until its group is waited for.
//
// PTX ISA, Asynchronous operations; cp.async, cp.async.bulk: completion mechanisms.

// warpCopies is what is known about the copies of a warp's lanes, and about those that they know of.
type warpCopies struct {
	groups [bytecode.WarpSize][]uint32        // the times of the groups of cp.async that a lane has committed and not waited for
	seen   map[int]*[bytecode.WarpSize]uint32 // by column of copies: up to which time each lane knows that they are done
	bulk   [bytecode.WarpSize][]uint32        // as groups, of bulk copies from shared memory
	time   uint32                             // of these
}

// A pendingRead is what a bulk copy still reads of shared memory.
type pendingRead struct {
	w        *warp
	pc       int32
	lane     int
	from, to uint64 // cells
	time     uint32 // of its group
}

// copyColumn is the column of the copies (cp.async) of a warp.
func (r *races) copyColumn(warp int) int { return r.warps + warp }

// copyAsync notes that a cp.async of a lane of w begins to write cells.
func (r *races) copyAsync(w *warp, pc int32, lane int, from, width uint64) {
	n := r.number(w)
	r.copy(w, pc, lane, cellRange{from, width, weak}, r.copyColumn(n), r.times[n]+1)
}

// A cellRange is cells that a copy writes, or updates as an atomic.
type cellRange struct {
	from, width uint64
	strength    strength
}

// collect begins to collect what a copy writes, until deliver.
func (r *races) collect() { r.collecting, r.collected = true, r.collected[:0] }

// deliver notes what was collected as the writes of a copy of a lane of w, which completes at the mbarrier at p.
func (r *races) deliver(w *warp, pc int32, lane int, p unsafe.Pointer) {
	r.collecting = false
	if len(r.collected) == 0 {
		return
	}
	s := r.barrierAt(p)
	t := &r.times[s.column-r.warps]
	*t++
	for _, c := range r.collected {
		r.copy(w, pc, lane, c, s.column, *t)
	}
	s.pending.learn(s.column, *t)
}

// copy notes the writes of a copy, at a time of a column.
func (r *races) copy(w *warp, pc int32, lane int, cells cellRange, column int, time uint32) {
	r.checkEach(cells.from, cells.width)
	r.instance++
	r.copying = true
	a := access{w: w, warp: r.number(w), column: column, clock: time, lanes: 1 << lane, pc: pc, kind: writes, strength: cells.strength}
	r.range32(&a, cells.from, cells.width)
}

// commitCopies ends the group of cp.async of lanes of w.
func (r *races) commitCopies(w *warp, lanes uint32) {
	n := r.number(w)
	r.times[n]++
	for m := lanes; m != 0; m &= m - 1 {
		groups := &r.copies[n].groups[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)]
		*groups = append(*groups, r.times[n])
	}
}

// waitCopies lets lanes of w know that their copies are done, but for the last groups.
func (r *races) waitCopies(w *warp, lanes uint32, last uint64) {
	n := r.number(w)
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		groups := &r.copies[n].groups[l]
		done := len(*groups) - int(min(last, uint64(len(*groups))))
		if done == 0 {
			continue
		}
		time := (*groups)[done-1]
		*groups = append((*groups)[:0], (*groups)[done:]...)
		r.see(n, l, r.copyColumn(n), time)
		r.known[n].learn(r.copyColumn(n), time)
	}
}

// trackCopies has the mbarrier at p hand on that the copies of lanes of w are done.
func (r *races) trackCopies(w *warp, lanes uint32, p unsafe.Pointer) {
	n := r.number(w)
	r.times[n]++
	s := r.barrierAt(p)
	s.pending.learn(r.copyColumn(n), r.times[n])
	r.release(w, lanes, &s.pending)
}

// see lets a lane know that copies of a column are done, up to a time.
func (r *races) see(warp, lane, column int, time uint32) {
	c := &r.copies[warp]
	if c.seen == nil {
		c.seen = make(map[int]*[bytecode.WarpSize]uint32)
	}
	if c.seen[column] == nil {
		c.seen[column] = new([bytecode.WarpSize]uint32)
	}
	c.seen[column][lane] = max(c.seen[column][lane], time)
}

// seeAll lets lanes of a warp know of what copies k knows that they are done.
func (r *races) seeAll(warp int, lanes uint32, k *knowledge) {
	for column := r.warps; column < len(k.clocks); column++ {
		if k.clocks[column] <= r.time {
			continue
		}
		for m := lanes; m != 0; m &= m - 1 {
			r.see(warp, bits.TrailingZeros32(m)&(bytecode.WarpSize-1), column, k.clocks[column])
		}
	}
}

// shareSeen lets lanes that meet know what one of them knows of copies.
func (c *warpCopies) shareSeen(lanes uint32) {
	for _, times := range c.seen {
		most := uint32(0)
		for m := lanes; m != 0; m &= m - 1 {
			most = max(most, times[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)])
		}
		for m := lanes; m != 0; m &= m - 1 {
			times[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)] = most
		}
	}
}

// copied reports whether a copy of a column is known to be done before a. If not, lane is one of a's that does
// not know.
func (r *races) copied(a *access, column int, time uint32) (lane int, ok bool) {
	seen := r.copies[a.warp].seen[column]
	for m := a.lanes; m != 0; m &= m - 1 {
		if lane = bits.TrailingZeros32(m) & (bytecode.WarpSize - 1); seen == nil || seen[lane] < time {
			return lane, false
		}
	}
	return lane, true
}

// readBulk notes that a bulk copy of a lane of w begins to read cells.
func (r *races) readBulk(w *warp, pc int32, lane int, from, width uint64) {
	r.touch(w, pc, lane, from, width, reads)
	if len(r.pending) < maxPending {
		r.pending = append(r.pending, pendingRead{w, pc, lane, from, from + width, r.copies[r.number(w)].time + 1})
	}
}

// maxPending is how many reads of copies are known at a time.
const maxPending = 4096

// commitBulk and waitBulk are about the groups of bulk copies from shared memory.
func (r *races) commitBulk(w *warp, lanes uint32) {
	c := &r.copies[r.number(w)]
	c.time++
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		c.bulk[l] = append(c.bulk[l], c.time)
	}
}

func (r *races) waitBulk(w *warp, lanes uint32, last uint64) {
	c := &r.copies[r.number(w)]
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		if done := len(c.bulk[l]) - int(min(last, uint64(len(c.bulk[l])))); done > 0 {
			time := c.bulk[l][done-1]
			c.bulk[l] = append(c.bulk[l][:0], c.bulk[l][done:]...)
			r.finishReads(w, l, time)
		}
	}
}

// finishReads makes reads of copies that a lane has waited for reads of the lane itself.
func (r *races) finishReads(w *warp, lane int, time uint32) {
	rest := r.pending[:0]
	for _, p := range r.pending {
		if p.w != w || p.lane != lane || p.time > time {
			rest = append(rest, p)
			continue
		}
		r.touch(w, p.pc, lane, p.from, p.to-p.from, reads)
	}
	r.pending = rest
}

// checkPending reports a write to a cell that a copy still reads.
func (r *races) checkPending(a *access, cell uint64) {
	for n := range r.pending {
		if p := &r.pending[n]; cell >= p.from && cell < p.to {
			r.race(a, bits.TrailingZeros32(a.lanes), cell, earlier{warp: r.number(p.w), lane: p.lane, pc: p.pc, did: copyReads})
			return
		}
	}
}

// A copyGroup is a commit of a group of copies, or the wait for groups.
type copyGroup struct {
	bulk, commit bool
	all          bool   // also of what is not committed
	last         uint64 // groups that a wait does not wait for
}

func (*copyGroup) Moves() (data []int32, stores bool) { return nil, false }

func (g *copyGroup) Registers() []*int32 { return nil }

// run does nothing but for what looks for races: copies are done when they begin.
func (g *copyGroup) run(b *block, w *warp, _ *bytecode.Instr, _ int32, e uint32) *Failure {
	switch r := b.races; {
	case r == nil:
	case g.bulk && g.commit:
		r.commitBulk(w, e)
	case g.bulk:
		r.waitBulk(w, e, g.last)
	case g.commit:
		r.commitCopies(w, e)
	default:
		if g.all {
			r.commitCopies(w, e)
		}
		r.waitCopies(w, e, g.last)
	}
	return nil
}

// What an earlier access did, besides "wrote" and "read".
const (
	copyWrites = "copies to"
	copyReads  = "copies from"

	productReads = "multiplies"
)

// An earlier access is one that another races with.
type earlier struct {
	warp, lane int
	pc         int32
	did        string
	strength   strength
	together   bool // it is of the same instruction as the other, and the same time
}

// race reports the race between a lane of a and an access before, at a cell.
func (r *races) race(a *access, lane int, cell uint64, before earlier) {
	c := convincing(0)
	if before.strength == weak && a.strength == weak {
		c |= plainly
	}
	if !r.blocks[0].k.SameLine(a.pc, before.pc) {
		c |= elsewhere
	}
	if before.warp != a.warp {
		c |= ofOtherWarp
	}
	copies := a.column >= r.warps || before.did == copyWrites || before.did == copyReads || before.did == productReads // what helps depends on which came first
	r.block(a.warp).reportRace(placeOf{check: racecheck, pc: a.pc, other: before.pc}, c, copies, func() *Failure { return r.describe(a, lane, cell, before) })
}

// guessed is what helps, too, where one of two accesses is atomic and the other one reads.
const guessed = "; if any value will do, as before an atomicCAS, read it by a volatile or atomic load"

// describe describes the race between a lane of a and an access before, at a cell.
func (r *races) describe(a *access, lane int, cell uint64, before earlier) *Failure {
	b, w, pc := r.block(a.warp), a.w, a.pc
	does := [...]string{"reads", "writes", "updates"}[a.kind]
	if a.column >= r.warps {
		does = "a copy writes"
	}
	at := cell % r.bytes
	memory, barrier := "shared", "__syncthreads()"
	if rank := int(cell / r.bytes); r.blocks[rank] != b {
		memory, barrier = fmt.Sprintf("block (%d,%d,%d)'s shared", r.blocks[rank].index.X, r.blocks[rank].index.Y, r.blocks[rank].index.Z), "cluster.sync()"
	}
	from := r.block(before.warp)
	thread := from.thread(before.warp%len(from.warps)*bytecode.WarpSize + before.lane)
	who, where := fmt.Sprintf("thread (%d,%d,%d)", thread.X, thread.Y, thread.Z), b.k.Where(before.pc)
	if from != b {
		who, barrier = who+fmt.Sprintf(" of block (%d,%d,%d)", from.index.X, from.index.Y, from.index.Z), "cluster.sync()"
	}
	report := func(format string, args ...any) *Failure {
		return b.accessFault(w, pc, lane, at, driver.ErrorLaunchFailed, "race: "+format, args...)
	}
	switch {
	case before.together:
		return report("%s %s address %#x, to which %s of the same warp writes another value at %s in the same instruction: let one thread write, or use an atomic", does, memory, at, who, where)
	case before.did == copyWrites:
		return report("%s %s address %#x, to which %s copies at %s, and does not know that the copy is done: wait for the copy (its group or mbarrier), and let other threads know by a barrier behind the wait", does, memory, at, who, where)
	case before.did == copyReads:
		return report("%s %s address %#x, from which %s still copies at %s: wait for the copy's group before", does, memory, at, who, where)
	case before.did == productReads:
		return report("%s %s address %#x, which wgmma of warp %d still reads at %s: commit its group and wait for it (wgmma.wait_group) before, and let other threads know by a barrier behind the wait", does, memory, at, before.warp%len(from.warps), where)
	}
	mend := "put " + barrier + " between"
	if b.k.SameLine(pc, before.pc) { // as sum += x
		mend = "let one thread do that, use an atomic, or put " + barrier + " between turns of a loop"
	}
	if a.kind == reads && before.did == "updated" || a.kind == updates && before.did == "read" {
		mend += guessed
	}
	if before.warp == a.warp {
		mend = strings.Replace(mend, barrier, "__syncwarp() or __syncthreads()", 1)
		return report("%s %s address %#x, which %s of the same warp %s at %s, with nothing between that orders them: %s", does, memory, at, who, before.did, where, mend)
	}
	return report("%s %s address %#x, which %s %s at %s, with no barrier between: %s", does, memory, at, who, before.did, where, mend)
}
