package interp

import (
	"math/bits"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/mbarrier"
)

// knowledge is what a warp knows of what others did, or what a barrier hands on: up to which time of each column
// all is known. The columns are those of races: warps, copies, barriers in memory. The zero value knows nothing.
type knowledge struct {
	clocks []uint32
	lanes  map[int]*[bytecode.WarpSize]uint32 // by warp: for each lane, before which step what it did is known, too; or nil
}

// of returns up to which time of a column all is known.
func (k *knowledge) of(column int) uint32 {
	if column >= len(k.clocks) {
		return 0
	}
	return k.clocks[column]
}

// learn notes that all of a column up to a time is known.
func (k *knowledge) learn(column int, clock uint32) {
	if missing := column + 1 - len(k.clocks); missing > 0 {
		k.clocks = append(k.clocks, make([]uint32, missing)...)
	}
	k.clocks[column] = max(k.clocks[column], clock)
}

// learnLane notes that what a lane of a warp did before a step is known.
func (k *knowledge) learnLane(warp, lane int, step uint32) {
	if k.lanes == nil {
		k.lanes = make(map[int]*[bytecode.WarpSize]uint32)
	}
	steps := k.lanes[warp]
	if steps == nil {
		steps = new([bytecode.WarpSize]uint32)
		k.lanes[warp] = steps
	}
	steps[lane] = max(steps[lane], step)
}

// knowsLanes reports whether what lanes of a warp did at a step is known.
func (k *knowledge) knowsLanes(warp int, lanes, step uint32) bool {
	steps := k.lanes[warp]
	if steps == nil {
		return false
	}
	for m := lanes; m != 0; m &= m - 1 {
		if steps[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)] <= step {
			return false
		}
	}
	return true
}

// join adds what other knows. other may be nil.
func (k *knowledge) join(other *knowledge) {
	if other == nil {
		return
	}
	if missing := len(other.clocks) - len(k.clocks); missing > 0 {
		k.clocks = append(k.clocks, make([]uint32, missing)...)
	}
	for i, t := range other.clocks {
		k.clocks[i] = max(k.clocks[i], t)
	}
	for warp, steps := range other.lanes {
		for lane, step := range steps {
			if step > 0 {
				k.learnLane(warp, lane, step)
			}
		}
	}
}

// forget makes k know nothing.
func (k *knowledge) forget() { *k = knowledge{clocks: k.clocks[:0]} }

// release adds to what lanes of w know and did, and begins a new time of w if they are all of them.
func (r *races) release(w *warp, lanes uint32, to *knowledge) {
	n := r.number(w)
	of := &r.known[n]
	own := of.clocks[n]
	if lanes != w.live && lanes != w.lanes {
		of.clocks[n] = r.met[n]
		to.join(of)
		of.clocks[n] = own
		r.releaseLanes(n, lanes, to)
		return
	}
	to.join(of)
	of.clocks[n]++
}

// releaseLanes adds what single lanes of warp n know of their warp, which has not met.
func (r *races) releaseLanes(n int, lanes uint32, to *knowledge) {
	r.step++
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		to.learn(n, r.own[n][l])
		to.learnLane(n, l, r.step)
		for other, step := range &r.meets[n][l] {
			if step > 0 {
				to.learnLane(n, other, step)
			}
		}
	}
}

// acquire lets lanes of w know what k does.
func (r *races) acquire(w *warp, lanes uint32, k *knowledge) {
	if k == nil || len(k.clocks) == 0 && len(k.lanes) == 0 {
		return
	}
	r.flush()
	n := r.number(w)
	own := r.known[n].clocks[n]
	r.known[n].join(k)
	r.known[n].clocks[n] = own
	delete(r.known[n].lanes, n)
	r.seeAll(n, lanes, k)
	clock, steps := k.of(n), k.lanes[n]
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		r.own[n][l] = max(r.own[n][l], clock)
		if steps == nil {
			continue
		}
		for other, step := range steps {
			r.meets[n][l][other] = max(r.meets[n][l][other], step)
		}
	}
}

// arrive, depart and complete follow a barrier of a block: a warp arrives, a warp leaves, and all
// have arrived. One for all threads of the block does not wait for those that have exited.
func (r *races) arrive(w *warp, number int) {
	r.release(w, w.live, &r.bars[r.rank(w)][number])
}

func (r *races) depart(w *warp, number int, lanes uint32, all bool) {
	r.acquire(w, lanes, &r.bars[r.rank(w)][number])
	if all {
		r.acquire(w, lanes, &r.exited)
	}
	r.meet(w, lanes)
}

// completes notes that a barrier is about to let its threads go on. everybody says that all that have not exited wait
// there and know what the others have done.
func (r *races) completes(everybody bool) {
	if everybody && len(r.blocks) == 1 && !r.copying {
		r.logged.nextPhase()
	}
}

// complete ends a phase of barrier number of b.
func (r *races) complete(b *block, number int) { r.bars[r.rankOf(b)][number].forget() }

// exit notes that lanes of w do nothing any more, which barriers do not wait for.
func (r *races) exit(w *warp) { r.release(w, w.lanes, &r.exited) }

// meet orders what the lanes of w did before they met and what they do later.
func (r *races) meet(w *warp, lanes uint32) {
	r.step++
	n := r.number(w)
	r.copies[n].shareSeen(lanes)
	if lanes == w.lanes { // what was before comes before all that follows
		r.whole[n] = r.step
		r.met[n] = r.known[n].clocks[n]
		r.known[n].clocks[n]++
		return
	}
	r.flush()
	known := &r.meets[n]
	var all [bytecode.WarpSize]uint32
	own := uint32(0)
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		own = max(own, r.own[n][l])
		for o, step := range known[l] {
			all[o] = max(all[o], step)
		}
	}
	for m := lanes; m != 0; m &= m - 1 {
		all[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)] = r.step
	}
	for m := lanes; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		known[l], r.own[n][l] = all, own
	}
}

// fence makes known what strong loads of w have found, and lets its strong stores hand on what it
// has done.
func (r *races) fence(w *warp, lanes uint32) {
	n := r.number(w)
	r.acquire(w, lanes, r.found[n])
	r.publish(w, lanes)
	r.meet(w, lanes)
}

// publish lets strong stores of w hand on what lanes have done.
func (r *races) publish(w *warp, lanes uint32) {
	r.flush()
	n := r.number(w)
	if r.fenced[n] == nil {
		r.fenced[n] = new(knowledge)
	}
	r.release(w, lanes, r.fenced[n])
}

// hand passes knowledge on through strong accesses of lanes of w.
func (r *races) hand(w *warp, address uint64, kind accessKind) {
	n := r.number(w)
	if handed := r.handed[address]; handed != nil && kind != writes {
		if r.found[n] == nil {
			r.found[n] = new(knowledge)
		}
		r.found[n].join(handed)
	}
	if kind == reads || r.fenced[n] == nil {
		return
	}
	if r.handed == nil {
		r.handed = make(map[uint64]*knowledge)
	}
	if r.handed[address] == nil {
		r.handed[address] = new(knowledge)
	}
	r.handed[address].join(r.fenced[n])
}

// A sharedBarrier is what is known about an mbarrier: what its arrivals hand on.
type sharedBarrier struct {
	column  int // whose times copies have that complete there
	pending knowledge
	done    knowledge // of phases that have ended

	begun written // its initialisation, which all its users must come after; not noted if its clock is 0
}

// barrierAt returns what is known about the mbarrier at p.
func (r *races) barrierAt(p unsafe.Pointer) *sharedBarrier {
	s := r.mbarriers[p]
	if s == nil {
		s = &sharedBarrier{column: 2*r.warps + len(r.mbarriers)}
		if r.mbarriers == nil {
			r.mbarriers = make(map[unsafe.Pointer]*sharedBarrier)
		}
		r.mbarriers[p] = s
		r.times = append(r.times, r.time)
	}
	return s
}

// arriveAt notes that lanes of w arrive at the mbarrier at p.
func (r *races) arriveAt(w *warp, lanes uint32, p unsafe.Pointer, relaxed bool) {
	if s := r.barrierAt(p); relaxed {
		s.pending.join(r.fenced[r.number(w)])
	} else {
		r.release(w, lanes, &s.pending)
	}
}

// ended notes that a phase of the mbarrier at p has ended.
func (r *races) ended(p unsafe.Pointer) {
	s := r.barrierAt(p)
	s.done.join(&s.pending)
	s.pending.forget()
}

// passed notes that lanes of w have seen that a phase of the mbarrier at p has ended.
func (r *races) passed(w *warp, lanes uint32, p unsafe.Pointer, relaxed bool) {
	s := r.barrierAt(p)
	if !relaxed {
		r.acquire(w, lanes, &s.done)
		return
	}
	n := r.number(w)
	if r.found[n] == nil {
		r.found[n] = new(knowledge)
	}
	r.found[n].join(&s.done)
}

// beginBarrier notes that a lane of w makes the memory at p, at a cell, an mbarrier. Others may not use it at the same time.
func (r *races) beginBarrier(w *warp, pc int32, lane int, p unsafe.Pointer, cell uint64) {
	r.touch(w, pc, lane, cell, mbarrier.Bytes, writes)
	s := r.barrierAt(p)
	s.pending.forget()
	s.done.forget()
	s.begun = r.writes[cell]
}

// useBarrier notes that a lane of w uses the mbarrier at p.
func (r *races) useBarrier(w *warp, pc int32, lane int, p unsafe.Pointer, cell uint64) {
	r.findBarrier(w, pc, lane, p, cell)
	r.update(w, pc, lane, cell, mbarrier.Bytes)
}

// findBarrier checks that a lane of w knows that the memory at p is an mbarrier. One that ends the mbarrier need know no more:
// docs/decisions, "Is mbarrier.inval a race with arrivals?".
func (r *races) findBarrier(w *warp, pc int32, lane int, p unsafe.Pointer, cell uint64) {
	begun := &r.barrierAt(p).begun
	a := access{w: w, warp: r.number(w), column: r.number(w), lanes: 1 << lane, pc: pc, kind: updates}
	if begun.clock > r.time {
		if _, ok := r.ordered(&a, int(begun.column), 1<<begun.lane, begun.clock, begun.step); !ok {
			r.race(&a, lane, cell, earlier{warp: int(begun.warp), lane: int(begun.lane), pc: begun.pc, did: "wrote"})
		}
	}
}

// arriveCluster, completeCluster and waitCluster are about the barrier of the cluster.
func (r *races) arriveCluster(w *warp, lanes uint32, relaxed bool) {
	if relaxed {
		r.cluster.pending.join(r.fenced[r.number(w)])
	} else {
		r.release(w, lanes, &r.cluster.pending)
	}
}

func (r *races) completeCluster() {
	r.cluster.done.join(&r.cluster.pending)
	r.cluster.done.join(&r.exited)
	r.cluster.pending.forget()
}

func (r *races) waitCluster(w *warp, lanes uint32) { r.acquire(w, lanes, &r.cluster.done) }
