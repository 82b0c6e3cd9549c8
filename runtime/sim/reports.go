package sim

import (
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// maxReports is how many places of a device are reported.
const maxReports = 100

// reports is what checks have found behind which work has gone on, once for each place.
type reports struct {
	mu   sync.Mutex
	at   map[string]*driver.Fault // by place
	list []*driver.Fault
	more map[string]bool     // places that are not reported
	tell func(*driver.Fault) // unless nil, is called with what is found at a place for the first time
}

// report notes what a check has found. With Checks.Stop it ends the context.
func (d *primaryContext) report(f *driver.Fault) {
	if d.stopsAtReports() {
		d.failOf(f, f)
		return
	}
	d.found.add(f)
}

// failOf is fail for a fault with all that was found in its launch. What checks have found is noted if another failure was first.
func (d *primaryContext) failOf(f *driver.Fault, all ...*driver.Fault) {
	if d.fail(f) {
		d.found.tellOf(all...)
		return
	}
	for _, f := range all {
		if f.Check != "" {
			d.found.add(f)
		}
	}
}

// stopsAtReports reports whether what a check finds ends the context.
func (d *primaryContext) stopsAtReports() bool {
	c := d.asked.Load()
	return c != nil && c.Stop
}

func (r *reports) add(f *driver.Fault) {
	if tell := r.note(f); tell != nil {
		tell(f)
	}
}

// note adds f, and returns whom to tell about it.
func (r *reports) note(f *driver.Fault) (tell func(*driver.Fault)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.at[f.Place]; known != nil {
		known.Count += f.Count
		return nil
	}
	if len(r.list) == maxReports {
		set(&r.more, f.Place, true)
		return nil
	}
	own := *f
	set(&r.at, f.Place, &own)
	r.list = append(r.list, &own)
	return r.tell
}

// tellOf tells what checks have found that is in the fault which has ended the context.
func (r *reports) tellOf(all ...*driver.Fault) {
	r.mu.Lock()
	tell := r.tell
	r.mu.Unlock()
	for _, f := range all {
		if f.Check != "" && tell != nil {
			tell(f)
		}
	}
}

// Reports implements driver.Simulation.
func (d *primaryContext) Reports() (found []*driver.Fault, more int) {
	r := &d.found
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.list {
		own := *f
		found = append(found, &own)
	}
	return found, len(r.more)
}

// OnReport implements driver.Simulation.
func (d *primaryContext) OnReport(tell func(*driver.Fault)) {
	d.found.mu.Lock()
	defer d.found.mu.Unlock()
	d.found.tell = tell
}
