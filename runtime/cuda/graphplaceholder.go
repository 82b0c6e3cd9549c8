package cuda

import (
	"encoding/binary"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// placeholders are what only a graph that is being built, or an exec, has: handles of
// conditionals, and addresses of memory that the graph allocates.
type placeholders struct {
	handles map[*lifetime]driver.GraphConditionalHandle
	memory  map[*lifetime]driver.DevicePtr
	freed   int
}

// prepare makes handles of the conditionals that nodes of a graph look at: nodes before them may
// set them.
func (p *placeholders) prepare(b *graphBuilder, into driver.Graph, g *Graph, defs []definition) error {
	for i := range defs {
		c := defs[i].condition
		if c == nil {
			continue
		}
		needed := conditionalNodes
		if kind := defs[i].params.Conditional; kind.Kind == driver.ConditionalSwitch || kind.Bodies > 1 {
			needed = elseAndSwitch
		}
		if err := b.dev.needs(buildOp, needed); err != nil {
			return nodeError(buildOp, g.nodes[i], err)
		}
		if _, twice := p.handles[&c.life]; twice {
			return nodeError(buildOp, g.nodes[i], &Error{Op: buildOp, Detail: "another node has its condition: make one for each", Err: ErrInvalidValue})
		}
		h, r := b.dev.drv.GraphConditionalHandleCreate(into, b.dev.ctx, c.initial, driver.AssignDefault)
		if r != driver.Success {
			return nodeError(buildOp, g.nodes[i], b.refused(&defs[i], r))
		}
		if p.handles == nil {
			p.handles = make(map[*lifetime]driver.GraphConditionalHandle)
		}
		p.handles[&c.life] = h
		defs[i].params.Conditional.Handle, defs[i].params.Ctx = h, b.dev.ctx
	}
	return nil
}

// resolve replaces what stands in def for what only the graph has. The parameters of a call are
// copied for that: def.patched.
func (p *placeholders) resolve(def *definition) error {
	if def.memory != nil && def.params.Type == driver.MemFreeNodeType {
		address, ok := p.memory[&def.memory.lifetime]
		if !ok {
			return errForeign(&def.memory.lifetime)
		}
		def.params.Free = address
		p.freed++
		return nil
	}
	for i, at := range []*driver.DevicePtr{&def.params.Copy.Dst.Device, &def.params.Copy.Src.Device, &def.params.Memset.Dst} {
		owner := def.graphMemory[i]
		if owner == nil {
			continue
		}
		address, err := p.value(owner, uint64(*at))
		if err != nil {
			return err
		}
		*at = driver.DevicePtr(address)
	}
	if def.call == nil {
		return nil
	}
	for i := range def.call.args {
		a := &def.call.args[i]
		if a.owner == nil || !a.owner.graphOnly {
			continue
		}
		value, err := p.value(a.owner, a.addr)
		if err != nil {
			return err
		}
		if a.param == configOwner {
			return &Error{Op: buildOp, Kernel: def.call.kernel.name, Detail: "the " + a.owner.what + " is not an argument, but " + configOwner + ": its address is not known before the graph is built", Err: ErrInvalidValue}
		}
		params := &def.params.Kernel.Params
		if !def.patched {
			def.patched, *params = true, slices.Clone(*params)
		}
		binary.NativeEndian.PutUint64((*params)[a.offset:], value)
	}
	return nil
}

func errForeign(of *lifetime) error {
	detail := "it uses memory that no node before it allocates: add the AllocNode to what it comes after"
	if of.what == "handle" {
		detail = "it has the handle of a conditional that no node of its graph, or of a graph around it, looks at"
	}
	return &Error{Op: buildOp, Detail: detail, Err: ErrInvalidValue}
}

// value returns what stands for addr in memory of the graph, or for a handle.
func (p *placeholders) value(of *lifetime, addr uint64) (uint64, error) {
	if h, ok := p.handles[of]; ok {
		return uint64(h), nil
	}
	if address, ok := p.memory[of]; ok {
		return uint64(address) + addr - of.addr, nil
	}
	return 0, errForeign(of)
}

// added notes what the driver has decided for a node.
func (p *placeholders) added(def *definition, added driver.AddedNode) {
	if def.params.Type != driver.MemAllocNodeType {
		return
	}
	if p.memory == nil {
		p.memory = make(map[*lifetime]driver.DevicePtr)
	}
	p.memory[&def.memory.lifetime] = added.Address
}

// flags returns the flags for the exec: memory that no node frees goes at the next launch.
func (p *placeholders) flags() uint64 {
	if len(p.memory) > p.freed {
		return driver.AutoFreeOnLaunch
	}
	return 0
}
