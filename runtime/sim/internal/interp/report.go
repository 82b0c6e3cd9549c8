package interp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// reports is what the checks of a launch have found that does not end it: one for each place. What it has in the end does not depend
// on which worker runs which blocks.
type reports struct {
	mu   sync.Mutex
	list map[placeOf]*finding
	last placeOf // the last of list, when that is full

	k     *bytecode.Kernel
	lines []int32 // by pc: the first that has its source line
}

// placeOf is what a report is made once for.
type placeOf struct {
	check     string
	pc, other int32
	global    bool // a race is in global memory
}

// compare orders places as they stand in the kernel.
func (p placeOf) compare(q placeOf) int {
	return cmp.Or(cmp.Compare(p.pc, q.pc), cmp.Compare(p.other, q.other), cmp.Compare(p.check, q.check), order(p.global, q.global))
}

// in names the place, by what is the same when k is loaded again.
func (p placeOf) in(k *bytecode.Kernel) string {
	text := fmt.Sprintf("%s %s %v: %s", p.check, k.Name, p, k.Places[p.pc].Text)
	if p.check == racecheck {
		text += "; " + k.Where(p.pc) + "; " + k.Where(p.other)
	}
	return text
}

// A finding is what was found at a place.
type finding struct {
	shown []candidate
	count uint64
}

// A candidate is a report of a place that a block in turn has found. Of several the most convincing is shown, of those the first; as a
// launch may end with an early turn, each is kept that no earlier one is as convincing as.
type candidate struct {
	failure    *Failure
	turn       uint64
	convincing convincing
}

// convincing says how convincing a pair of accesses is as a race: a sum. Lanes of a warp may be meant to run in lockstep. An access of the same
// line, or an atomic one, may be meant to be safe.
type convincing int

const (
	plainly   convincing = 1 << iota // both are weak
	elsewhere                        // on another line
	ofOtherWarp
	ofOtherBlock

	certain = plainly | elsewhere | ofOtherWarp // what is no race
)

// maxPlaces is how many places of a launch are reported: the first in the kernel.
const maxPlaces = 1024

// report counts what a check has found at a place. describe says what it is, if no block before has found it there.
func (b *block) report(at placeOf, describe func() *Failure) { b.reportBest(at, certain, describe) }

// reportRace is report for a race, of accesses at both places of at. Races between the same two source lines are one, whichever access came
// first, unless that matters. The one that convinces most is described.
func (b *block) reportRace(at placeOf, c convincing, matters bool, describe func() *Failure) {
	at.pc, at.other = b.reports.lineOf(b.k, at.pc), b.reports.lineOf(b.k, at.other)
	if at.pc > at.other && !matters {
		at.pc, at.other = at.other, at.pc
	}
	b.reportBest(at, c, describe)
}

// reportBest is report for something of which some cases convince more than others. A debugger stops where a place is reported first.
func (b *block) reportBest(at placeOf, c convincing, describe func() *Failure) {
	if first := b.reports.note(at, c, b.gangTurn, describe); first != nil {
		b.debug.Report(&first.Fault, first.Error())
	}
}

// note counts what is found at a place, in a block that began in a turn. It returns the report if it is the first one there.
func (r *reports) note(at placeOf, c convincing, turn uint64, describe func() *Failure) (first *Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.list[at]
	if known == nil {
		if known = r.add(at); known == nil {
			return nil
		}
	}
	known.count++
	for _, other := range known.shown {
		if other.turn <= turn && other.convincing >= c {
			return nil
		}
	}
	known.shown = slices.DeleteFunc(known.shown, func(other candidate) bool { return turn <= other.turn && c >= other.convincing })
	failure := describe()
	failure.Check = at.check
	known.shown = append(known.shown, candidate{failure, turn, c})
	if known.count > 1 {
		return nil
	}
	return failure
}

// add makes room for a place, or returns nil if as many are known that come before it.
func (r *reports) add(at placeOf) *finding {
	if r.list == nil {
		r.list = make(map[placeOf]*finding)
	}
	if len(r.list) == maxPlaces {
		if at.compare(r.last) > 0 {
			return nil
		}
		delete(r.list, r.last)
	}
	r.list[at] = new(finding)
	if len(r.list) == maxPlaces {
		r.last = slices.MaxFunc(slices.Collect(maps.Keys(r.list)), placeOf.compare)
	}
	return r.list[at]
}

// lineOf returns the first instruction of k on the source line of the one at pc, or pc if that has none.
func (r *reports) lineOf(k *bytecode.Kernel, pc int32) int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.k != k {
		r.k, r.lines = k, k.FirstOfLines()
	}
	return r.lines[pc]
}

// all returns the reports of the turns up to last, what convinces most first, else in the order of their places. failed says that a
// turn has failed: how often others have found something depends on how far they came.
func (r *reports) all(k *bytecode.Kernel, last uint64, failed bool) (faults []*driver.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	convinces, places := make(map[*driver.Fault]convincing), make(map[*driver.Fault]placeOf)
	for at, f := range r.list {
		var best *candidate
		for n := range f.shown {
			if c := &f.shown[n]; c.turn <= last && (best == nil || c.convincing > best.convincing) {
				best = c
			}
		}
		if best == nil {
			continue
		}
		fault := best.failure.Fault
		if fault.Count = f.count; failed {
			fault.Count = 1
		}
		fault.Place = at.in(k)
		convinces[&fault], places[&fault] = min(best.convincing, certain), at
		faults = append(faults, &fault)
	}
	slices.SortFunc(faults, func(a, b *driver.Fault) int {
		return cmp.Or(cmp.Compare(convinces[b], convinces[a]), cmp.Compare(a.PTXLine, b.PTXLine), cmp.Compare(a.Check, b.Check), cmp.Compare(a.Reason, b.Reason), places[a].compare(places[b]))
	})
	return faults
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Names of the checks.
const (
	memcheck  = "memcheck"
	racecheck = "racecheck"
	Initcheck = "initcheck"
	synccheck = "synccheck"
	watchdog  = "watchdog"
)
