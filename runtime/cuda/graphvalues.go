package cuda

import (
	"encoding/binary"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Conditional is a number that kernels of a graph set, by cudaGraphSetConditional, and that
// one conditional node looks at. Kernels take it as a cudaGraphConditionalHandle: pass Handle.
type Conditional struct {
	initial uint32
	life    lifetime
}

// NewConditional makes a conditional whose value is initial whenever its graph is launched.
func NewConditional(initial uint32) *Conditional {
	return &Conditional{initial: initial, life: lifetime{graphOnly: true, what: "handle"}}
}

// Handle stands for the handle in a kernel's arguments. When a graph is built, its handle of the
// conditional takes the place. A launch outside of a graph is an error.
func (c *Conditional) Handle() ConditionalHandle {
	if c == nil {
		return ConditionalHandle{}
	}
	return ConditionalHandle{&c.life}
}

// A conditionalWork runs one of its bodies, or none, by the value of condition.
type conditionalWork struct {
	condition *Conditional
	bodies    []*Graph
	kind      driver.ConditionalKind
}

// If makes a node that runs then if the value of c is not 0, else otherwise, which may be nil.
// CUDA 12.3; with otherwise, CUDA 12.8.
//
// The bodies of conditional nodes hold kernels, copies, fills, empty nodes, conditional nodes and
// graphs of these.
func (c *Conditional) If(then, otherwise *Graph) *Node {
	w := &conditionalWork{condition: c, bodies: []*Graph{then}, kind: driver.ConditionalIf}
	if otherwise != nil {
		w.bodies = append(w.bodies, otherwise)
	}
	return &Node{work: w}
}

// While makes a node that runs body as long as the value of c is not 0. CUDA 12.3.
func (c *Conditional) While(body *Graph) *Node {
	return &Node{work: &conditionalWork{condition: c, bodies: []*Graph{body}, kind: driver.ConditionalWhile}}
}

// Switch makes a node that runs the body with the number that c's value is, counted from 0, or
// none if there is none. CUDA 12.8.
func (c *Conditional) Switch(bodies ...*Graph) *Node {
	return &Node{work: &conditionalWork{condition: c, bodies: bodies, kind: driver.ConditionalSwitch}}
}

func (w *conditionalWork) text() string { return [...]string{"if", "while", "switch"}[w.kind] }

func (w *conditionalWork) define(def *definition) error {
	if w.condition == nil || len(w.bodies) == 0 {
		return &Error{Op: buildOp, Detail: "it has no condition or no body", Err: ErrInvalidValue}
	}
	is := def.other()
	def.kind, is.condition, is.bodies = driver.ConditionalNodeType, w.condition, w.bodies
	is.params.Conditional = driver.ConditionalNodeParams{Kind: w.kind, Bodies: len(w.bodies)}
	return nil
}

// givenByGraph are the values that only a graph that is being built, or an exec, has: handles of
// conditionals, and addresses of memory that the graph allocates.
type givenByGraph struct {
	handles map[*lifetime]driver.GraphConditionalHandle
	memory  map[*lifetime]driver.DevicePtr
	freed   map[*lifetime]bool

	building []*buildPlace // the graphs that are being built, each inside of the one before
	outer    *buildPlace   // the first of them
	made     map[*lifetime]*allocated
}

// A buildPlace is the node of a graph that is being built.
type buildPlace struct{ node, nodes int }

// An allocated is memory that a node of place's graph allocates.
type allocated struct {
	place  *buildPlace
	behind []bool // by node: it comes after that one, or is it
}

// enter notes that a graph of so many nodes is being built; leave ends that.
func (p *givenByGraph) enter(nodes int) {
	place := &buildPlace{nodes: nodes}
	if len(p.building) == 0 {
		p.outer = place
	}
	p.building = append(p.building, place)
}

func (p *givenByGraph) leave() { p.building = p.building[:len(p.building)-1] }

// revisit notes that the node i of the graph that was built is changed. Nodes with higher numbers are in bodies of others.
func (p *givenByGraph) revisit(i int) {
	if p.building = p.building[:0]; i < p.outer.nodes {
		p.outer.node = i
		p.building = append(p.building, p.outer)
	}
}

// step notes that the node i is being built, which comes after others.
func (p *givenByGraph) step(i int, after []int) {
	place := p.building[len(p.building)-1]
	place.node = i
	for _, m := range p.made {
		if m.place == place {
			m.behind[i] = slices.ContainsFunc(after, func(j int) bool { return m.behind[j] })
		}
	}
}

// isBehind reports whether the node that is being built, or the one that has its graph, comes after the one that allocates of.
func (p *givenByGraph) isBehind(of *lifetime) bool {
	m := p.made[of]
	return m == nil || !slices.Contains(p.building, m.place) || m.behind[m.place.node]
}

// prepare makes handles of the conditionals that nodes of a graph look at: nodes before them may
// set them.
func (p *givenByGraph) prepare(b *graphBuilder, into driver.Graph, g *Graph, nodes []execNode) error {
	for i := range nodes {
		c := nodes[i].def.done().condition
		if c == nil {
			continue
		}
		needed := conditionalNodes
		if kind := nodes[i].def.work.params.Conditional; kind.Kind == driver.ConditionalSwitch || kind.Bodies > 1 {
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
			return nodeError(buildOp, g.nodes[i], b.refused(&nodes[i].def, r))
		}
		if p.handles == nil {
			p.handles = make(map[*lifetime]driver.GraphConditionalHandle)
		}
		p.handles[&c.life] = h
		w := nodes[i].def.work
		w.params.Conditional.Handle, w.params.Ctx = h, b.dev.ctx
	}
	return nil
}

// resolve replaces the placeholders in def by the values that only the graph has. For a call with
// placeholders it returns a copy of the parameters with the values, otherwise nil: the driver gets
// the parameters as they are.
func (p *givenByGraph) resolve(def *definition) (block []byte, err error) {
	if def.call != nil {
		return p.block(def.call)
	}
	w := def.done()
	if def.kind == driver.MemAllocNodeType {
		if _, twice := p.memory[&w.memory.lifetime]; twice {
			return nil, &Error{Op: buildOp, Detail: "another node of the graph allocates its memory: use NewAllocNode for each", Err: ErrInvalidValue}
		}
	}
	if w.memory != nil && def.kind == driver.MemFreeNodeType {
		address, ok := p.memory[&w.memory.lifetime]
		if !ok {
			return nil, errForeign(&w.memory.lifetime)
		}
		if p.freed[&w.memory.lifetime] {
			return nil, &Error{Op: buildOp, Detail: "another node of the graph frees its memory", Err: ErrInvalidValue}
		}
		if p.freed == nil {
			p.freed = make(map[*lifetime]bool)
		}
		p.freed[&w.memory.lifetime] = true
		w.params.Free = address
		return nil, nil
	}
	for i, owner := range w.graphMemory {
		if owner == nil {
			continue
		}
		at := []*driver.DevicePtr{&w.params.Copy.Dst.Device, &w.params.Copy.Src.Device, &w.params.Memset.Dst}[i]
		address, err := p.value(owner, uint64(*at))
		if err != nil {
			return nil, err
		}
		*at = driver.DevicePtr(address)
	}
	return nil, nil
}

// block returns the parameters of c with the values of what only the graph has, or nil if it has
// nothing such.
func (p *givenByGraph) block(c *Call) (block []byte, err error) {
	for i := range c.args {
		a := &c.args[i]
		if a.owner == nil || !a.owner.graphOnly {
			continue
		}
		value, err := p.value(a.owner, a.addr)
		if err != nil {
			return nil, err
		}
		if a.param == configOwner {
			return nil, &Error{Op: buildOp, Kernel: c.kernel.name, Detail: "the " + a.owner.what + " is not an argument, but " + configOwner + ": its address is not known before the graph is built", Err: ErrInvalidValue}
		}
		if block == nil {
			block = slices.Clone(blockOf(c))
		}
		binary.NativeEndian.PutUint64(block[a.offset:], value)
	}
	return block, nil
}

func errForeign(of *lifetime) error {
	detail := "it uses memory that no node before it allocates: add the node of NewAllocNode to what it comes after"
	if of.what == "handle" {
		detail = "it has the handle of a conditional that no node of its graph, or of a graph around it, looks at"
	}
	return &Error{Op: buildOp, Detail: detail, Err: ErrInvalidValue}
}

// value returns the graph's value for the placeholder addr, of memory or of a handle.
func (p *givenByGraph) value(of *lifetime, addr uint64) (uint64, error) {
	if h, ok := p.handles[of]; ok {
		return uint64(h), nil
	}
	if address, ok := p.memory[of]; ok && p.isBehind(of) {
		return uint64(address) + addr - of.addr, nil
	}
	return 0, errForeign(of)
}

// added notes what the driver has decided for a node.
func (p *givenByGraph) added(def *definition, added driver.AddedNode) {
	if def.kind != driver.MemAllocNodeType {
		return
	}
	if p.memory == nil {
		p.memory = make(map[*lifetime]driver.DevicePtr)
	}
	of := &def.work.memory.lifetime
	p.memory[of] = added.Address
	if len(p.building) == 0 {
		return
	}
	if p.made == nil {
		p.made = make(map[*lifetime]*allocated)
	}
	place := p.building[len(p.building)-1]
	m := &allocated{place, make([]bool, place.nodes)}
	m.behind[place.node] = true
	p.made[of] = m
}

// flags returns the flags for the exec: memory that no node frees goes at the next launch.
func (p *givenByGraph) flags() uint64 {
	if len(p.memory) > len(p.freed) {
		return driver.AutoFreeOnLaunch
	}
	return 0
}
