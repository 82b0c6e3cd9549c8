package cuda

import (
	"encoding/binary"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// placeholders are what a graph that is being built, or an exec, has instead of tokens: handles
// of conditionals, and addresses of memory that the graph allocates.
type placeholders struct {
	handles map[*Conditional]driver.GraphConditionalHandle
	memory  map[*allocation]driver.DevicePtr
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
		if _, twice := p.handles[c]; twice {
			return nodeError(buildOp, g.nodes[i], &Error{Op: buildOp, Detail: "another node has its condition: make one for each", Err: ErrInvalidValue})
		}
		h, r := b.dev.drv.GraphConditionalHandleCreate(into, b.dev.ctx, c.initial, driver.AssignDefault)
		if r != driver.Success {
			return nodeError(buildOp, g.nodes[i], b.refused(&defs[i], r))
		}
		if p.handles == nil {
			p.handles = make(map[*Conditional]driver.GraphConditionalHandle)
		}
		p.handles[c] = h
		defs[i].params.Conditional.Handle, defs[i].params.Ctx = h, b.dev.ctx
	}
	return nil
}

// resolve replaces the tokens in def. Parameters are copied: those of the call stay as they are.
func (p *placeholders) resolve(def *definition) error {
	if def.memory != nil && def.params.Type == driver.MemFreeNodeType {
		address, ok := p.memory[def.memory]
		if !ok {
			return errForeignMemory()
		}
		def.params.Free = address
		p.freed++
		return nil
	}
	for _, at := range []*driver.DevicePtr{&def.params.Copy.Src.Device, &def.params.Copy.Dst.Device, &def.params.Memset.Dst} {
		if memoryTokenOf(uint64(*at)) {
			address, ok := p.address(uint64(*at))
			if !ok {
				return errForeignMemory()
			}
			*at = driver.DevicePtr(address)
		}
	}
	if def.call != nil {
		return p.resolveCall(def)
	}
	return nil
}

func errForeignMemory() error {
	return &Error{Op: buildOp, Detail: "it uses memory that no node before it allocates: add the AllocNode to what it comes after", Err: ErrInvalidValue}
}

// memoryTokenOf reports whether addr may be that of an AllocNode: no device has such addresses.
func memoryTokenOf(addr uint64) bool { return addr>>60 == memoryToken>>60 }

// address returns the address for one in an AllocNode's memory.
func (p *placeholders) address(token uint64) (uint64, bool) {
	for a, address := range p.memory {
		if token >= a.addr && token-a.addr <= a.bytes {
			return uint64(address) + token - a.addr, true
		}
	}
	return 0, false
}

// resolveCall looks for tokens where parameters of 8 bytes begin. def.patched says that there
// were some.
func (p *placeholders) resolveCall(def *definition) error {
	for i := range def.call.args {
		a := def.call.args[i].owner
		if a == nil || a.kind != graphMemory {
			continue
		}
		if _, ok := p.memory[a]; !ok {
			return errForeignMemory()
		}
	}
	if len(p.handles)+len(p.memory) == 0 {
		return nil
	}
	k := &def.params.Kernel
	for i, offset := range k.Offsets {
		end := uint32(len(k.Params))
		if i+1 < len(k.Offsets) {
			end = k.Offsets[i+1]
		}
		if end < offset+8 {
			continue
		}
		value := binary.NativeEndian.Uint64(k.Params[offset:])
		is, ok := p.value(def, value)
		if !ok {
			continue
		}
		if !def.patched {
			def.patched, k.Params = true, slices.Clone(k.Params)
		}
		binary.NativeEndian.PutUint64(k.Params[offset:], is)
	}
	return nil
}

// value returns what stands for a token in the parameters of a call.
func (p *placeholders) value(def *definition, token uint64) (uint64, bool) {
	for c, h := range p.handles {
		if c.token == token {
			return uint64(h), true
		}
	}
	for i := range def.call.args {
		if a := &def.call.args[i]; a.owner != nil && a.owner.kind == graphMemory && a.addr == token {
			return p.address(token)
		}
	}
	return 0, false
}

// added notes what the driver has decided for a node.
func (p *placeholders) added(def *definition, added driver.AddedNode) {
	if def.params.Type != driver.MemAllocNodeType {
		return
	}
	if p.memory == nil {
		p.memory = make(map[*allocation]driver.DevicePtr)
	}
	p.memory[def.memory] = added.Address
}

// flags returns the flags for the exec: memory that no node frees goes at the next launch.
func (p *placeholders) flags() uint64 {
	if len(p.memory) > p.freed {
		return driver.AutoFreeOnLaunch
	}
	return 0
}
