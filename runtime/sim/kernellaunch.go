package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/profiled"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/profile"
)

func (d *libraryCalls) LaunchKernel(handle driver.Kernel, cfg driver.LaunchConfig, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	return d.LaunchKernelEx(handle, cfg, driver.LaunchAttributes{}, s, params, offsets)
}

// LaunchKernelEx runs the blocks of a cluster, or all those of a cooperative launch, at
// once. Priorities have no effect, and a programmatic launch begins when the work
// before it has ended, as the driver may always have it.
func (d *libraryCalls) LaunchKernelEx(handle driver.Kernel, cfg driver.LaunchConfig, a driver.LaunchAttributes, s driver.Stream, params []byte, offsets []uint32) driver.Result {
	k, r := d.launchable(handle)
	if r != driver.Success {
		return r
	}
	if added, r, done := d.captureNode(s, func() driver.NodeParams {
		return driver.NodeParams{Type: driver.KernelNodeType, Ctx: d.primary(), Kernel: driver.KernelNodeParams{Kernel: handle, Config: cfg, Params: params, Offsets: offsets}}
	}); done {
		if r == driver.Success {
			r = d.withGraphs(func(t *graphTable) driver.Result {
				if _, r := interp.PlacementOf(k.Kernel, cfg, a); r != driver.Success {
					return t.captured[s].BreakUp(r)
				}
				t.nodes[added.Node].Attrs = a
				return driver.Success
			})
		}
		return r
	}
	if !k.Accepts(cfg) {
		return driver.ErrorInvalidValue
	}
	place, r := interp.PlacementOf(k.Kernel, cfg, a)
	if r != driver.Success {
		return r
	}
	block, ok := k.Gather(params, offsets)
	if !ok {
		return driver.ErrorInvalidValue
	}
	stop := d.stop.Load()
	q, r := d.stream(s)
	if r == driver.Success {
		q.EnqueueForAnyone(func() { d.runKernel(k, cfg, place, block, stop) })
	}
	return r
}

// runKernel runs a launch that was accepted, unless an error has stuck.
func (d *primaryContext) runKernel(k *loaded, cfg driver.LaunchConfig, place interp.Placement, block []byte, stop *stopper) {
	if d.usable() != driver.Success {
		return
	}
	d.running.Add(1)
	defer d.running.Add(-1)
	checks, profiler := d.checks(), driver.TheProfiler()
	checks.Profile = profiler != nil && profiler.Wants(k.Name, k.named())
	run := interp.Execute(k.Kernel, d.mem, cfg, place, block, &stop.flag, interp.Multiprocessors(), &d.ended, checks)
	d.print(run.Text())
	if run.Coverage != nil {
		d.covered.See(k.Program, run.Coverage)
	}
	if run.Profile != nil {
		profiler.Add(k.profiled(cfg, run))
	}
	if run.Fault != nil {
		d.unclean(k, &run.Fault.Fault, run.Found)
	}
}

// unclean notes why a kernel has failed and what checks have found besides, or only that.
func (d *primaryContext) unclean(k *loaded, first *driver.Fault, others []*driver.Fault) {
	all := append([]*driver.Fault{first}, others...)
	for _, f := range all {
		f.Name = k.named()
	}
	if first.Check == "" || d.stopsAtReports() {
		first.Others = others
		d.failOf(first, all...)
		return
	}
	for _, f := range all {
		d.report(f)
	}
}

// profiled returns what a launch cost that was counted.
func (k *loaded) profiled(cfg driver.LaunchConfig, run *interp.Run) *driver.LaunchProfile {
	k.describing.Do(func() {
		k.described = profile.Describe(k.Kernel, k.lib.Target)
		k.described.Image, k.described.Digest = k.image, profiled.Digest(k.described)
	})
	l := &driver.LaunchProfile{Kernel: k.described, Name: k.named(), Grid: cfg.Grid, Block: cfg.Block, SharedBytes: cfg.SharedBytes}
	l.Counts, l.Worst = run.Profile.Profile()
	if f := run.Fault; f != nil && f.Check == "" {
		l.Failed = f.Reason
	}
	return l
}
