package sim

import (
	"encoding/binary"
	"math/rand/v2"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/graph"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/queue"
)

// graphSeed is what OrderGraphs has set.
var graphSeed atomic.Uint64

// OrderGraphs makes graphs that are launched from now on run nodes that do not depend on each
// other in an order that seed chooses. With 0, the default, it is the order in which they were
// added. A program whose results vary with seed lacks a dependency.
func OrderGraphs(seed uint64) { graphSeed.Store(seed) }

func (d *graphCalls) GraphConditionalHandleCreate(of driver.Graph, ctx driver.Context, initial, flags uint32) (h driver.GraphConditionalHandle, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[of]
		switch {
		case ctx != d.primary():
			return driver.ErrorInvalidContext
		case g == nil || flags > driver.AssignDefault:
			return driver.ErrorInvalidValue
		}
		h = driver.GraphConditionalHandle(handle())
		c := &conditional{graph: g, initial: initial, assign: flags == driver.AssignDefault}
		c.value.Store(initial)
		set(&t.conditionals, h, c)
		d.mem.Conditionals.Store(uint64(h), &c.value)
		return driver.Success
	})
	return h, r
}

func (d *graphCalls) GraphUpload(e driver.GraphExec, on driver.Stream) driver.Result {
	if _, r := d.stream(on); r != driver.Success {
		return r
	}
	return d.withGraphs(func(t *graphTable) driver.Result {
		if t.execs[e] == nil {
			return driver.ErrorInvalidValue
		}
		return driver.Success
	})
}

// A graphRun is one launch of a graph.
type graphRun struct {
	d       *primaryContext
	stop    *stopper
	records map[*graphNode]*queue.Mark
	waits   map[*graphNode]func()
	random  *rand.Rand // nil for the order in which nodes were added
}

// GraphLaunch enqueues the nodes as they are now. Launches of one exec run one after the other, in
// the order of the calls, on whatever streams.
func (d *graphCalls) GraphLaunch(e driver.GraphExec, on driver.Stream) driver.Result {
	if c, r := d.capturing(on); c != nil || r != driver.Success {
		if r != driver.Success {
			return r
		}
		return d.captureExec(c, e)
	}
	s, r := d.stream(on)
	if r != driver.Success {
		return r
	}
	run := &graphRun{d: d.primaryContext, records: make(map[*graphNode]*queue.Mark), waits: make(map[*graphNode]func())}
	if seed := graphSeed.Load(); seed != 0 {
		run.random = rand.New(rand.NewPCG(seed, uint64(e)))
	}
	foreign := d.foreignWaits(e)
	var exec *graphExec
	var g *deviceGraph
	r = d.withGraphs(func(t *graphTable) driver.Result {
		if exec = t.execs[e]; exec == nil {
			return driver.ErrorInvalidValue
		}
		g, run.stop = graph.Copy(exec.graph, nil), d.stop.Load()
		if !d.mayAllocate(g, exec.flags) {
			return driver.ErrorInvalidValue
		}
		run.findEvents(g, foreign)
		run.recordEvents(g)
		before, over := exec.last, make(chan struct{})
		exec.last = over
		s.Enqueue(func() {
			defer close(over)
			<-before
			run.assign(g)
			run.graph(g)
		})
		return driver.Success
	})
	return r
}

// mayAllocate reports whether the memory that g allocates was freed since the last launch, or
// frees it if the exec says so. What g frees itself it has freed by then, also where that launch
// has not run yet. d.mu is held.
func (d *graphCalls) mayAllocate(g *deviceGraph, flags uint64) bool {
	for _, n := range g.Nodes {
		if n.Params.Type != driver.MemAllocNodeType || g.Frees(n.Params.Free) || !memory.Exists(uint64(n.Params.Free)) {
			continue
		}
		if flags&driver.AutoFreeOnLaunch == 0 {
			return false
		}
	}
	return true
}

// findEvents finds the places that events stand for which g waits for. foreign are those of other
// devices. d.mu is held.
func (r *graphRun) findEvents(g *deviceGraph, foreign map[driver.Event]func()) {
	for _, n := range g.Waits() {
		e := r.d.events[n.Params.Event]
		switch {
		case e == nil:
			r.waits[n] = foreign[n.Params.Event]
		case e.mark != nil:
			r.waits[n] = e.mark.Wait
		}
	}
}

// foreignWaits returns what waits for the events of other devices that nodes of e wait for.
func (d *graphCalls) foreignWaits(e driver.GraphExec) map[driver.Event]func() {
	var handles []driver.Event
	d.mu.Lock()
	if exec := d.graphs.execs[e]; exec != nil {
		for _, n := range exec.graph.Waits() {
			if d.events[n.Params.Event] == nil {
				handles = append(handles, n.Params.Event)
			}
		}
	}
	d.mu.Unlock()
	waits := make(map[driver.Event]func())
	for _, handle := range handles {
		if m, foreign, r := d.anyMark(handle); r == driver.Success && foreign != nil && m != nil {
			waits[handle] = d.foreignWait(m, foreign)
		}
	}
	return waits
}

// recordEvents records those that g records: from now on others wait for them. d.mu is held.
func (r *graphRun) recordEvents(g *deviceGraph) {
	for _, n := range g.Nodes {
		if n.Child != nil {
			r.recordEvents(n.Child)
		}
		if e := r.d.events[n.Params.Event]; e != nil && n.Params.Type == driver.EventRecordNodeType {
			m := queue.NewMark()
			e.mark, e.capture = m, nil
			r.records[n] = m
		}
	}
}

// assign gives the conditionals of g their initial values, as each launch does.
//
// CUDA Driver API, cuGraphConditionalHandleCreate: CU_GRAPH_COND_ASSIGN_DEFAULT.
func (r *graphRun) assign(g *deviceGraph) {
	for _, n := range g.Nodes {
		if n.Child != nil {
			r.assign(n.Child)
		}
		for _, body := range n.Bodies {
			r.assign(body)
		}
		if c := r.conditionalOf(n); c != nil && c.assign {
			c.value.Store(c.initial)
		}
	}
}

// conditionalOf returns the number that n, a conditional node, depends on. It is nil for other nodes.
func (r *graphRun) conditionalOf(n *graphNode) *conditional {
	if n.Params.Type != driver.ConditionalNodeType {
		return nil
	}
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	return r.d.graphs.conditionals[n.Params.Conditional.Handle]
}

// graph runs the nodes of g in an order that their dependencies allow.
func (r *graphRun) graph(g *deviceGraph) {
	for n := range g.Order(r.random) {
		r.node(n)
	}
}

// node does the work of n, unless an error has stuck. Events are passed in any case: others
// may wait for them.
func (r *graphRun) node(n *graphNode) {
	d := r.d
	if m := r.records[n]; m != nil {
		m.Pass()
		return
	}
	if n.Child != nil {
		r.graph(n.Child)
		return
	}
	if n.Disabled || d.usable() != driver.Success {
		return
	}
	switch n.Params.Type {
	case driver.KernelNodeType:
		place, _ := interp.PlacementOf(n.Kernel.loaded.Kernel, n.Params.Kernel.Config, n.Attrs)
		d.runKernel(n.Kernel.loaded, n.Params.Kernel.Config, place, n.Kernel.block, r.stop)
	case driver.MemcpyNodeType:
		d.runCopy(n.Params.Copy)
	case driver.MemsetNodeType:
		d.runMemset(n.Params.Memset)
	case driver.HostNodeType:
		d.mu.Lock()
		f := d.graphs.hostFuncs[n.Params.Host]
		d.mu.Unlock()
		if f != nil {
			d.callHost(f)
		}
	case driver.EventWaitNodeType:
		if wait := r.waits[n]; wait != nil {
			wait()
		}
	case driver.MemAllocNodeType:
		if !memory.Exists(uint64(n.Params.Free)) {
			d.mem.Renew(uint64(n.Params.Free))
		}
	case driver.MemFreeNodeType:
		if !d.mem.Free(uint64(n.Params.Free)) {
			d.fail(&driver.Fault{Result: driver.ErrorIllegalAddress, Reason: "a graph freed memory that was not allocated"})
		}
	case driver.ConditionalNodeType:
		r.conditional(n)
	}
}

// conditional runs a body of n, or none.
func (r *graphRun) conditional(n *graphNode) {
	c := r.conditionalOf(n)
	if c == nil {
		return
	}
	switch value := c.value.Load(); n.Params.Conditional.Kind {
	case driver.ConditionalIf:
		if value != 0 {
			r.graph(n.Bodies[0])
		} else if len(n.Bodies) > 1 {
			r.graph(n.Bodies[1])
		}
	case driver.ConditionalWhile:
		for c.value.Load() != 0 && r.d.usable() == driver.Success && !r.stop.flag.Load() {
			r.graph(n.Bodies[0])
		}
		if c.value.Load() != 0 && r.d.usable() == driver.Success {
			r.d.fail(&driver.Fault{Result: driver.ErrorLaunchTimeout, Reason: "stopped: a While node of a graph did not end: no kernel of its body has set its conditional to 0"})
		}
	case driver.ConditionalSwitch:
		if uint64(value) < uint64(len(n.Bodies)) {
			r.graph(n.Bodies[value])
		}
	}
}

func (d *primaryContext) runMemset(m driver.MemsetNodeParams) {
	bytes, _ := filledBytes(m)
	mem, ok := memory.BytesAt(uint64(m.Dst), bytes)
	if !ok {
		d.fail(&driver.Fault{Result: driver.ErrorIllegalAddress, Reason: "memory of a fill was freed before it ran"})
		return
	}
	var value [4]byte
	binary.LittleEndian.PutUint32(value[:], m.Value)
	size := uint64(m.ElementBytes)
	for y := range m.Height {
		for x := range m.Width {
			copy(mem[y*m.PitchBytes+x*size:], value[:size])
		}
		memory.Define(uint64(m.Dst)+y*m.PitchBytes, m.Width*size)
	}
}
