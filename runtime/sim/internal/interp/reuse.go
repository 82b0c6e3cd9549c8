package interp

import (
	"bytes"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

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
	ok = r.place.Gang == one && !r.place.clustered && !r.place.cooperative && !c.Coverage && !c.Profile && !c.GlobalRaces && !c.RedZones && !c.plainly
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
	b.printed, b.schedule, b.reports = &r.printed, r.schedule, &r.reports
	b.exited, b.globalRaces, b.zones = r.checks.Exited, r.globalRaces, r.zones
}
