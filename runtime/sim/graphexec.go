package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/graph"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
)

func (d *graphCalls) GraphInstantiateWithParams(of driver.Graph, flags uint64) (e driver.GraphExec, at driver.GraphNode, outcome driver.GraphInstantiateResult, r driver.Result) {
	if r := d.current(); r != driver.Success {
		return 0, 0, 0, r
	}
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[of]
		if g == nil || g.Owner != nil || flags > 15 {
			return driver.ErrorInvalidValue
		}
		if n := g.Misfit(false); n != nil {
			at, outcome = n.Handle, 3
			return driver.ErrorInvalidValue
		}
		for _, c := range t.conditionals {
			if c.graph == g && !c.used {
				outcome = 5
				return driver.ErrorInvalidValue
			}
		}
		e = driver.GraphExec(handle())
		exec := &graphExec{graph: graph.Copy(g, nil), flags: flags, last: make(chan struct{})}
		close(exec.last)
		set(&t.execs, e, exec)
		return driver.Success
	})
	return e, at, outcome, r
}

// GraphExecDestroy lets launches run that were enqueued.
func (d *graphCalls) GraphExecDestroy(e driver.GraphExec) driver.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.graphs.execs[e] == nil {
		return driver.ErrorInvalidValue
	}
	delete(d.graphs.execs, e)
	return driver.Result(d.sticky.Load())
}

// GraphExecNodeSetParams updates what the driver can: kernels, copies and fills of one
// dimension, host functions, events, and children of the same shape.
func (d *graphCalls) GraphExecNodeSetParams(e driver.GraphExec, handle driver.GraphNode, p driver.NodeParams) driver.Result {
	n, r := d.newNode(p)
	if r != driver.Success {
		return r
	}
	return d.withGraphs(func(t *graphTable) driver.Result {
		exec := t.execs[e]
		if exec == nil || t.nodes[handle] == nil {
			return driver.ErrorInvalidValue
		}
		was := exec.graph.Find(handle)
		if was == nil || was.Params.Type != p.Type {
			return driver.ErrorInvalidValue
		}
		switch p.Type {
		case driver.KernelNodeType:
			if _, r := interp.PlacementOf(n.Kernel.loaded.Kernel, p.Kernel.Config, was.Attrs); r != driver.Success {
				return r
			}
		case driver.MemcpyNodeType:
			if !graph.MayUpdate(was.Params.Copy, p.Copy) {
				return driver.ErrorInvalidValue
			}
		case driver.MemsetNodeType:
			if was.Params.Memset.Height != 1 || p.Memset.Height != 1 {
				return driver.ErrorInvalidValue
			}
		case driver.HostNodeType:
			if t.hostFuncs[p.Host] == nil {
				return driver.ErrorInvalidValue
			}
		case driver.EventRecordNodeType:
			if d.events[p.Event] == nil {
				return driver.ErrorInvalidValue
			}
		case driver.EventWaitNodeType:
		case driver.ChildGraphNodeType:
			child := t.graphs[p.Child]
			if child == nil || was.Child.Difference(child) != nil {
				return driver.ErrorInvalidValue
			}
			was.Child.Adopt(child)
			return driver.Success
		default:
			return driver.ErrorNotSupported
		}
		was.Params, was.Kernel = n.Params, n.Kernel
		return driver.Success
	})
}

func (d *graphCalls) GraphExecUpdate(e driver.GraphExec, handle driver.Graph) (at, from driver.GraphNode, outcome driver.GraphExecUpdateResult, r driver.Result) {
	r = d.withGraphs(func(t *graphTable) driver.Result {
		exec, g := t.execs[e], t.graphs[handle]
		if exec == nil || g == nil {
			outcome = 1
			return driver.ErrorInvalidValue
		}
		if diff := exec.graph.Difference(g); diff != nil {
			if outcome = diff.Outcome; diff.At != nil {
				at = diff.At.Handle
			}
			return driver.ErrorGraphExecUpdateFailure
		}
		exec.graph.Adopt(g)
		return driver.Success
	})
	return at, from, outcome, r
}

func (d *graphCalls) GraphNodeSetEnabled(e driver.GraphExec, handle driver.GraphNode, enabled uint32) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		exec := t.execs[e]
		if exec == nil || t.nodes[handle] == nil {
			return driver.ErrorInvalidValue
		}
		n := exec.graph.Find(handle)
		if n == nil || n.Params.Type > driver.MemsetNodeType {
			return driver.ErrorInvalidValue
		}
		n.Disabled = enabled == 0
		return driver.Success
	})
}
