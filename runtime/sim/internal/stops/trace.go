package stops

import (
	"math/bits"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A trace finds the moments before the target to which steps of a warp or lane go back.
type trace struct {
	launch uint64
	resume Resume // whose steps they are

	source      bytecode.Source
	depth       int
	instruction uint64
	lines       []lineBegun // with growing depth, and the last of each
	known       bool
}

// lineBegun is when a warp or lane came to a line.
type lineBegun struct {
	depth int
	count uint64
}

// Trace makes the debugger note the moments to which steps of a block's warp or lane go back, in a launch until its target.
func (d *Debugger) Trace(launch uint64, r Resume) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trace = &trace{launch: launch, resume: r}
}

// Earlier returns the counts of the last instruction before the target, and of the last one that began a line of
// the same function or one of its callers. They are 0 if there is none.
func (d *Debugger) Earlier() (instruction, line uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.trace
	if t == nil {
		return 0, 0
	}
	if n := len(t.lines); n > 0 {
		line = t.lines[n-1].count
	}
	return t.instruction, line
}

// see notes the instruction that l has come to, if it is before the target. d.mu is held, and t may be nil.
func (t *trace) see(l *Launch) {
	if t == nil || t.launch != l.Number || l.d.target.Launch == l.Number && l.count > l.d.target.Count {
		return
	}
	r, now := &t.resume, &l.now
	if now.block != r.Block || now.warp != r.Warp || !r.ByWarp && now.mask>>r.Lane&1 == 0 {
		return
	}
	lane := r.Lane
	if now.mask>>lane&1 == 0 {
		lane = bits.TrailingZeros32(now.mask)
	}
	depth, source := now.w.Depth(lane), l.Kernel.Places[now.pc].Source
	if l.d.target == (Moment{Launch: l.Number, Count: l.count}) { // what is deeper was stepped over
		t.drop(depth)
		return
	}
	t.instruction = l.count
	if source == (bytecode.Source{}) || t.known && source == t.source && depth == t.depth {
		return
	}
	t.source, t.depth, t.known = source, depth, true
	t.drop(depth - 1)
	t.lines = append(t.lines, lineBegun{depth, l.count})
}

// drop forgets the lines that are deeper than a depth.
func (t *trace) drop(depth int) {
	for n := len(t.lines); n > 0 && t.lines[n-1].depth > depth; n-- {
		t.lines = t.lines[:n-1]
	}
}

// An Access is one of a thread to memory or a register that a watch is for.
type Access struct {
	Watch       int
	Moment      Moment
	Kernel      string
	Block       driver.Dim3
	Thread      driver.Dim3
	Warp, Lane  int
	PC          int32
	Place       bytecode.Place
	Write       bool
	Before, Now uint64 // of a register
}
