package sim

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/graph"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// GraphAddNode takes a programmatic edge for a plain one, as the device may always do.
func (d *graphCalls) GraphAddNode(handle driver.Graph, after []driver.GraphEdge, p driver.NodeParams) (added driver.AddedNode, r driver.Result) {
	n, r := d.newNode(p)
	if r != driver.Success {
		return added, r
	}
	r = d.withGraphs(func(t *graphTable) driver.Result {
		g := t.graphs[handle]
		if g == nil {
			return driver.ErrorInvalidValue
		}
		for _, e := range after {
			before := t.nodes[e.From]
			if before == nil || before.Graph != g || e.Programmatic && (before.Kernel == nil || n.Kernel == nil) {
				return driver.ErrorInvalidValue
			}
			n.After = append(n.After, before)
		}
		added, r = d.add(g, n)
		return r
	})
	return added, r
}

// add adds n to g. d.mu is held.
func (d *primaryContext) add(g *deviceGraph, n *graphNode) (added driver.AddedNode, r driver.Result) {
	t := &d.graphs
	switch n.Params.Type {
	case driver.ChildGraphNodeType:
		child := t.graphs[n.Params.Child]
		if child == nil {
			return added, driver.ErrorInvalidValue
		}
		n.Child = graph.Copy(child, n)
		d.register(n.Child)
	case driver.EventRecordNodeType:
		if d.events[n.Params.Event] == nil {
			return added, driver.ErrorInvalidValue
		}
	case driver.MemAllocNodeType:
		// The address is the node's from now on, the memory is there when it has run.
		address, ok := d.mem.Plan(n.Params.Alloc.Bytes)
		if !ok {
			return added, driver.ErrorOutOfMemory
		}
		n.Params.Free = driver.DevicePtr(address)
		added.Address = n.Params.Free
	case driver.HostNodeType:
		if t.hostFuncs[n.Params.Host] == nil {
			return added, driver.ErrorInvalidValue
		}
	case driver.ConditionalNodeType:
		c := t.conditionals[n.Params.Conditional.Handle]
		if c == nil || c.used {
			return added, driver.ErrorInvalidValue
		}
		c.used = true
		for range n.Params.Conditional.Bodies {
			body := d.newGraph(n)
			n.Bodies = append(n.Bodies, body)
			added.Bodies = append(added.Bodies, body.Handle)
		}
	}
	n.Handle = driver.GraphNode(handle())
	set(&t.nodes, n.Handle, n)
	g.Add(n)
	added.Node = n.Handle
	return added, driver.Success
}

// newNode returns a node that is in no graph, if the device takes one with these parameters.
func (d *primaryContext) newNode(p driver.NodeParams) (*graphNode, driver.Result) {
	n := &graphNode{Params: p}
	switch p.Type {
	case driver.KernelNodeType, driver.MemcpyNodeType, driver.MemsetNodeType, driver.ConditionalNodeType:
		if p.Ctx != d.primary() {
			return nil, driver.ErrorInvalidContext
		}
	}
	ok := true
	switch p.Type {
	case driver.KernelNodeType:
		k, r := d.launchable(p.Kernel.Kernel)
		if r != driver.Success {
			return nil, r
		}
		var block []byte
		block, ok = k.Gather(p.Kernel.Params, p.Kernel.Offsets)
		n.Kernel = &nodeKernel{k, block}
		ok = ok && k.Accepts(p.Kernel.Config)
		n.Params.Kernel.Params, n.Params.Kernel.Offsets = nil, nil
	case driver.MemcpyNodeType:
		for _, m := range []driver.Memory3D{p.Copy.Src, p.Copy.Dst} {
			bytes, counted := extent(p.Copy, m)
			_, there := memory.BytesAt(uint64(m.Device), bytes)
			ok = ok && counted && (m.Host != nil || there || memory.IsPlanned(uint64(m.Device), bytes))
		}
		ok = ok && p.Copy.WidthBytes > 0 && p.Copy.Height > 0 && p.Copy.Depth > 0
	case driver.MemsetNodeType:
		bytes, counted := filledBytes(p.Memset)
		_, there := memory.BytesAt(uint64(p.Memset.Dst), bytes)
		ok = counted && (there || memory.IsPlanned(uint64(p.Memset.Dst), bytes))
	case driver.MemAllocNodeType:
		ok = p.Alloc.Dev == d.dev && p.Alloc.Bytes > 0
	case driver.ConditionalNodeType:
		c := p.Conditional
		switch c.Kind {
		case driver.ConditionalIf:
			ok = c.Bodies == 1 || c.Bodies == 2
		case driver.ConditionalWhile:
			ok = c.Bodies == 1
		default:
			ok = c.Kind == driver.ConditionalSwitch && c.Bodies >= 1
		}
	case driver.EventWaitNodeType:
		ok = d.hasEvent(p.Event)
	case driver.MemFreeNodeType, driver.HostNodeType, driver.ChildGraphNodeType, driver.EmptyNodeType, driver.EventRecordNodeType:
	default:
		ok = false
	}
	if !ok {
		return nil, driver.ErrorInvalidValue
	}
	return n, driver.Success
}

// The attributes of kernel nodes, CUlaunchAttributeID.
const (
	nodeCooperative = 2
	nodeCluster     = 4
	nodePriority    = 8
)

func (d *graphCalls) GraphKernelNodeSetAttribute(handle driver.GraphNode, id uint32, value [8]uint64) driver.Result {
	return d.withGraphs(func(t *graphTable) driver.Result {
		n := t.nodes[handle]
		if n == nil || n.Kernel == nil {
			return driver.ErrorInvalidValue
		}
		a := n.Attrs
		switch id {
		case nodeCooperative:
			a.Cooperative = uint32(value[0]) != 0
		case nodeCluster:
			a.Cluster = driver.Dim3{X: uint32(value[0]), Y: uint32(value[0] >> 32), Z: uint32(value[1])}
		case nodePriority: // which has no effect
		default:
			return driver.ErrorInvalidValue
		}
		if _, r := interp.PlacementOf(n.Kernel.loaded.Kernel, n.Params.Kernel.Config, a); r != driver.Success {
			return r
		}
		n.Attrs = a
		return driver.Success
	})
}
