package sim

import (
	"time"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/debug"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/schedule"
)

// SetChecks implements driver.Simulation.
func (d *primaryContext) SetChecks(c driver.Checks) {
	d.asked.Store(&c)
	d.mem.Shadowed.Store(c.Undefined)
	d.mem.Traced.Store(c.Origins)
}

// Elements implements driver.Simulation.
func (d *primaryContext) Elements(p driver.DevicePtr, padding []bool) { setPadding(uint64(p), padding) }

// Stop implements driver.Simulation.
func (d *primaryContext) Stop() {
	d.stop.Load().stop()
}

// checks returns how a launch that begins is run.
func (d *primaryContext) checks() interp.Checks {
	asked := driver.Checks{}
	if c := d.asked.Load(); c != nil {
		asked = *c
	}
	debugger := debug.Attached().Debugger()
	if debugger != nil {
		asked.Budget = 0 // the time for which it is stopped does not count
	}
	return interp.Checks{
		Races: asked.SharedRaces, Arrays: asked.Arrays, Undefined: asked.Undefined, Exited: asked.Exited, Coverage: asked.Coverage, GlobalRaces: asked.GlobalRaces, RedZones: asked.RedZones,
		Schedule: schedule.Seed(asked.Schedule), Watch: d.watchdog(asked.Budget), Debugger: debugger,
	}
}

// watchdog returns when a launch that makes no progress is stopped.
func (d *primaryContext) watchdog(budget time.Duration) interp.Watch {
	w := interp.Watch{Patience: interp.StallPatience, Budget: budget, Quiet: d.othersQuiet, Stalls: &d.stalls}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.hosts) > 0 || len(d.managed) > 0 {
		w.Patience = interp.StallPatienceHost
	}
	return w
}

// quiet returns a number that changes when work ends on d or on a device that reaches its memory,
// and whether no kernel that makes progress and no host function runs there.
func (d *primaryContext) quiet() (ended uint64, quiet bool) {
	quiet = true
	for _, other := range append(d.others(), d) {
		if other != d && !d.mem.Reaches(other.mem) && !other.mem.Reaches(d.mem) {
			continue
		}
		n, inHostFunc := other.progress(nil)
		ended += n
		quiet = quiet && !inHostFunc && other.running.Load() == other.stalls.Load()
	}
	return ended, quiet
}
