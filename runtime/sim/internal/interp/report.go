package interp

import (
	"cmp"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// reports is what the checks of a launch have found that does not end it: one for each place.
type reports struct {
	mu   sync.Mutex
	list map[placeOf]*finding
}

// A placeOf is what a report is made once for.
type placeOf struct {
	check     string
	pc, other int32
}

// A finding is a report, and the turn of the block that it is of.
type finding struct {
	failure *Failure
	turn    uint64
	count   uint64
}

// maxReports is how many places of a launch are reported.
const maxReports = 100

// report counts what a check has found at a place. describe says what it is, for the first block in
// which it was found. A debugger stops where a place is reported first.
func (b *block) report(at placeOf, describe func() *Failure) {
	if first := b.reports.note(at, b.gangTurn, describe); first != nil {
		b.debug.Report(&first.Fault, first.Error())
	}
}

// note counts what is found at a place, in a block that began in a turn. It returns the report if it is the first one there.
func (r *reports) note(at placeOf, turn uint64, describe func() *Failure) (first *Failure) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.list[at]
	if known == nil {
		if len(r.list) >= maxReports {
			return nil
		}
		if r.list == nil {
			r.list = make(map[placeOf]*finding)
		}
		known = &finding{turn: ^uint64(0)}
		r.list[at] = known
	}
	known.count++
	if turn < known.turn {
		known.failure, known.turn = describe(), turn
		known.failure.Check = at.check
	}
	if known.count == 1 {
		return known.failure
	}
	return nil
}

// all returns the reports in the order of their places.
func (r *reports) all() (faults []*driver.Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.list {
		fault := f.failure.Fault
		fault.Count = f.count
		faults = append(faults, &fault)
	}
	slices.SortFunc(faults, func(a, b *driver.Fault) int {
		return cmp.Or(cmp.Compare(a.PTXLine, b.PTXLine), cmp.Compare(a.Check, b.Check), cmp.Compare(a.Reason, b.Reason))
	})
	return faults
}

// Names of the checks.
const (
	memcheck  = "memcheck"
	racecheck = "racecheck"
	Initcheck = "initcheck"
	synccheck = "synccheck"
	watchdog  = "watchdog"
)
