//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A nodeParams is CUgraphNodeParams: 256 bytes, of which the union is one of the types below.
// What is unused must be zero: a newer driver may have a member there.
type nodeParams struct {
	nodeType driver.GraphNodeType
	_        [3]int32
	union    [29]uint64
	_        int64
}

// The members of the union beside kernelNode. Sizes are those of every cuda.h from 12.0 to
// 13.5.
type (
	memcpyNode struct { // CUDA_MEMCPY_NODE_PARAMS
		_, _ int32 // flags, reserved
		ctx  driver.Context
		copy memcpy3D
	}
	memsetNode struct { // CUDA_MEMSET_NODE_PARAMS_v2; _v1 lacks ctx
		dst           driver.DevicePtr
		pitch         uint64
		value         uint32
		elementBytes  uint32
		width, height uint64
		ctx           driver.Context
	}
	hostNode struct { // CUDA_HOST_NODE_PARAMS_v1, _v2
		function, data uintptr
	}
	allocNode struct { // CUDA_MEM_ALLOC_NODE_PARAMS
		pool    memPoolProps
		_       uintptr // accessDescs, and their count
		_       uint64
		bytes   uint64
		address driver.DevicePtr // out
	}
	conditionalNode struct { // CUDA_CONDITIONAL_NODE_PARAMS
		handle driver.GraphConditionalHandle
		kind   driver.ConditionalKind
		bodies uint32
		graphs uint64 // out: CUgraph *, the driver's memory
		ctx    driver.Context
	}
)

func _() {
	var same [1]struct{}
	_ = same[unsafe.Sizeof(nodeParams{})-256]
	_ = same[unsafe.Offsetof(nodeParams{}.union)-16]
	_ = same[unsafe.Sizeof(memcpyNode{})-216]
	_ = same[unsafe.Sizeof(memcpy3D{})-200]
	_ = same[unsafe.Sizeof(memsetNode{})-48]
	_ = same[unsafe.Offsetof(memsetNode{}.width)-24]
	_ = same[unsafe.Sizeof(allocNode{})-120]
	_ = same[unsafe.Sizeof(conditionalNode{})-32]
}

// as returns the union of c as one of its members.
func as[T any](c *nodeParams) *T { return (*T)(unsafe.Pointer(&c.union)) }

// fill writes p to c, which is zero. A kernel's parameters are not in it: see kernelParams.
func (c *nodeParams) fill(p *driver.NodeParams) {
	c.nodeType = p.Type
	switch p.Type {
	case driver.KernelNodeType:
		*as[kernelNode](c) = kernelNodeOf(p.Kernel.Kernel, p.Ctx, p.Kernel.Config)
	case driver.MemcpyNodeType:
		*as[memcpyNode](c) = memcpyNode{ctx: p.Ctx, copy: memcpy3DOf(p.Copy)}
	case driver.MemsetNodeType:
		m := &p.Memset
		*as[memsetNode](c) = memsetNode{m.Dst, m.PitchBytes, m.Value, m.ElementBytes, m.Width, m.Height, p.Ctx}
	case driver.HostNodeType:
		*as[hostNode](c) = hostNode{hostFuncCallback(), uintptr(p.Host)}
	case driver.ChildGraphNodeType:
		c.union[0] = uint64(p.Child)
	case driver.EventRecordNodeType, driver.EventWaitNodeType:
		c.union[0] = uint64(p.Event)
	case driver.MemAllocNodeType:
		a := as[allocNode](c)
		a.pool = memPoolProps{allocationType: allocationTypePinned, locationType: locationTypeDevice, locationID: int32(p.Alloc.Dev)}
		a.bytes = p.Alloc.Bytes
	case driver.MemFreeNodeType:
		c.union[0] = uint64(p.Free)
	case driver.ConditionalNodeType:
		*as[conditionalNode](c) = conditionalNode{handle: p.Conditional.Handle, kind: p.Conditional.Kind, bodies: uint32(p.Conditional.Bodies), ctx: p.Ctx}
	}
}

// kernelParams appends to array, which is empty, the pointers to the parameters in the block that
// cuLaunchKernel takes, or returns false if an offset is outside of the block.
func kernelParams(array []unsafe.Pointer, k *driver.KernelNodeParams) (all []unsafe.Pointer, ok bool) {
	for _, offset := range k.Offsets {
		if uint64(offset) >= uint64(len(k.Params)) {
			return nil, false
		}
		array = append(array, unsafe.Pointer(&k.Params[offset]))
	}
	return append(array, nil), true // never empty
}

// A nodeCall holds what adding a node hands to the driver. It is in the heap, and pooled.
type nodeCall struct {
	params nodeParams
	from   []driver.GraphNode
	array  []unsafe.Pointer
}

var nodeCalls = sync.Pool{New: func() any { return new(nodeCall) }}

// free returns n to the pool.
func (n *nodeCall) free() {
	n.params = nodeParams{}
	clear(n.array)
	n.from, n.array = n.from[:0], n.array[:0]
	nodeCalls.Put(n)
}

// An edgeData is CUgraphEdgeData.
type edgeData struct {
	fromPort, toPort, kind uint8
	_                      [5]uint8
}

// programmaticEdge is of a kernel that may begin when the one before it allows that:
// CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC, CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC.
var programmaticEdge = edgeData{fromPort: 1, kind: 1}

// GraphAddNode has the driver take a node as a newer driver does, or by the entry point of its
// kind. Conditional nodes and programmatic edges need CUDA 12.3.
func (d *Driver) GraphAddNode(g driver.Graph, after []driver.GraphEdge, p driver.NodeParams) (added driver.AddedNode, r driver.Result) {
	f := newFrame()
	defer f.free()
	call := nodeCalls.Get().(*nodeCall)
	defer call.free()
	c := &call.params
	c.fill(&p)
	if p.Type == driver.KernelNodeType {
		array, ok := kernelParams(call.array, &p.Kernel)
		if !ok {
			return added, driver.ErrorInvalidValue
		}
		call.array = array
		as[kernelNode](c).params = &array[0]
	}
	var edges []edgeData
	for i, e := range after {
		call.from = append(call.from, e.From)
		if e.Programmatic && edges == nil {
			edges = make([]edgeData, len(after))
		}
		if e.Programmatic {
			edges[i] = programmaticEdge
		}
	}
	from, count := f.address(0, unsafe.Pointer(unsafe.SliceData(call.from))), uintptr(len(after))
	switch node := f.outAddress(0); {
	case d.address(driver.GraphAddNode) != 0:
		data := f.address(2, unsafe.Pointer(unsafe.SliceData(edges)))
		r = d.call(driver.GraphAddNode, f, node, uintptr(g), from, data, count, f.address(1, unsafe.Pointer(c)))
	case edges != nil || p.Type == driver.ConditionalNodeType:
		return added, driver.ErrorCallRequiresNewerDriver
	default:
		union := f.address(1, unsafe.Pointer(c)) + unsafe.Offsetof(c.union)
		r = d.addTyped(f, &p, union, node, uintptr(g), from, count)
	}
	if r != driver.Success {
		return added, r
	}
	added.Node = driver.GraphNode(f.out[0])
	switch p.Type {
	case driver.MemAllocNodeType:
		added.Address = as[allocNode](c).address
	case driver.ConditionalNodeType:
		n := as[conditionalNode](c)
		added.Bodies = append(added.Bodies, unsafe.Slice((*driver.Graph)(pointer(n.graphs)), n.bodies)...)
	}
	return added, r
}

// addTyped adds a node by the entry point of its kind, with params at union.
func (d *Driver) addTyped(f *frame, p *driver.NodeParams, union, node, g, from, count uintptr) driver.Result {
	switch p.Type {
	case driver.KernelNodeType:
		return d.call(driver.GraphAddKernelNode, f, node, g, from, count, union)
	case driver.MemcpyNodeType:
		return d.call(driver.GraphAddMemcpyNode, f, node, g, from, count, union+unsafe.Offsetof(memcpyNode{}.copy), uintptr(p.Ctx))
	case driver.MemsetNodeType:
		return d.call(driver.GraphAddMemsetNode, f, node, g, from, count, union, uintptr(p.Ctx))
	case driver.HostNodeType:
		return d.call(driver.GraphAddHostNode, f, node, g, from, count, union)
	case driver.ChildGraphNodeType:
		return d.call(driver.GraphAddChildGraphNode, f, node, g, from, count, uintptr(p.Child))
	case driver.EmptyNodeType:
		return d.call(driver.GraphAddEmptyNode, f, node, g, from, count)
	case driver.EventRecordNodeType:
		return d.call(driver.GraphAddEventRecordNode, f, node, g, from, count, uintptr(p.Event))
	case driver.EventWaitNodeType:
		return d.call(driver.GraphAddEventWaitNode, f, node, g, from, count, uintptr(p.Event))
	case driver.MemAllocNodeType:
		return d.call(driver.GraphAddMemAllocNode, f, node, g, from, count, union)
	case driver.MemFreeNodeType:
		return d.call(driver.GraphAddMemFreeNode, f, node, g, from, count, uintptr(p.Free))
	}
	return driver.ErrorInvalidValue
}

// GraphExecNodeSetParams allocates nothing.
func (d *Driver) GraphExecNodeSetParams(e driver.GraphExec, n driver.GraphNode, p driver.NodeParams) driver.Result {
	call := nodeCalls.Get().(*nodeCall)
	defer call.free()
	c := &call.params
	c.fill(&p)
	if p.Type == driver.KernelNodeType {
		array, ok := kernelParams(call.array, &p.Kernel)
		if !ok {
			return driver.ErrorInvalidValue
		}
		call.array = array
		as[kernelNode](c).params = &array[0]
	}
	if d.address(driver.GraphExecNodeSetParams) != 0 {
		return d.callThird(driver.GraphExecNodeSetParams, uintptr(e), uintptr(n), unsafe.Pointer(c), 0)
	}
	at := unsafe.Pointer(&c.union)
	switch p.Type {
	case driver.KernelNodeType:
		return d.callThird(driver.GraphExecKernelNodeSetParams, uintptr(e), uintptr(n), at, 0)
	case driver.MemcpyNodeType:
		return d.callThird(driver.GraphExecMemcpyNodeSetParams, uintptr(e), uintptr(n), unsafe.Pointer(&as[memcpyNode](c).copy), uintptr(p.Ctx))
	case driver.MemsetNodeType:
		return d.callThird(driver.GraphExecMemsetNodeSetParams, uintptr(e), uintptr(n), at, uintptr(p.Ctx))
	case driver.HostNodeType:
		return d.callThird(driver.GraphExecHostNodeSetParams, uintptr(e), uintptr(n), at, 0)
	case driver.ChildGraphNodeType:
		return d.callPlain(driver.GraphExecChildGraphNodeSetParams, uintptr(e), uintptr(n), uintptr(p.Child))
	case driver.EventRecordNodeType:
		return d.callPlain(driver.GraphExecEventRecordNodeSetEvent, uintptr(e), uintptr(n), uintptr(p.Event))
	case driver.EventWaitNodeType:
		return d.callPlain(driver.GraphExecEventWaitNodeSetEvent, uintptr(e), uintptr(n), uintptr(p.Event))
	}
	return driver.ErrorInvalidValue
}

// callThird calls e with two values, the address third, which may be of the goroutine's
// stack, and another value.
func (d *Driver) callThird(e driver.EntryPoint, a, b uintptr, third unsafe.Pointer, last uintptr) driver.Result {
	fn := d.entry(e)
	if fn == 0 {
		return d.callAside(e, &callRecord{args: [6]uintptr{a, b, 0, last}, third: third})
	}
	return invoke(&callRecord{fn: fn, args: [6]uintptr{a, b, 0, last}, third: third})
}
