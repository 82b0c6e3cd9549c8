//go:build !cudagen_nodriver && (linux || windows) && (amd64 || arm64)

package libcuda

import (
	"runtime"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

func (d *Driver) GraphGetNodes(g driver.Graph) ([]driver.GraphNode, driver.Result) {
	return d.nodesOf(driver.GraphGetNodes, uintptr(g))
}

func (d *Driver) GraphNodeGetDependencies(n driver.GraphNode) ([]driver.GraphNode, driver.Result) {
	return d.nodesOf(driver.GraphNodeGetDependencies, uintptr(n))
}

// nodesOf asks for the number of nodes first.
func (d *Driver) nodesOf(e driver.EntryPoint, of uintptr) ([]driver.GraphNode, driver.Result) {
	f := newFrame()
	defer f.free()
	if r := d.call(e, f, of, 0, f.outAddress(0)); r != driver.Success || f.out[0] == 0 {
		return nil, r
	}
	nodes := make([]driver.GraphNode, f.out[0])
	r := d.call(e, f, of, f.address(0, unsafe.Pointer(&nodes[0])), f.outAddress(0))
	return nodes[:min(uint64(len(nodes)), f.out[0])], r
}

func (d *Driver) GraphKernelNodeSetAttribute(n driver.GraphNode, id uint32, value [8]uint64) driver.Result {
	return d.callThird(driver.GraphKernelNodeSetAttribute, uintptr(n), uintptr(id), unsafe.Pointer(&value), 0)
}

// instantiateParams is CUDA_GRAPH_INSTANTIATE_PARAMS.
type instantiateParams struct {
	flags   uint64
	upload  driver.Stream
	at      driver.GraphNode
	outcome driver.GraphInstantiateResult
	_       int32
}

func (d *Driver) GraphInstantiateWithParams(g driver.Graph, flags uint64) (driver.GraphExec, driver.GraphNode, driver.GraphInstantiateResult, driver.Result) {
	f := newFrame()
	defer f.free()
	p := &instantiateParams{flags: flags}
	r := d.call(driver.GraphInstantiateWithParams, f, f.outAddress(0), uintptr(g), f.address(0, unsafe.Pointer(p)))
	return driver.GraphExec(f.out[0]), p.at, p.outcome, r
}

// updateInfo is CUgraphExecUpdateResultInfo.
type updateInfo struct {
	outcome  driver.GraphExecUpdateResult
	_        int32
	at, from driver.GraphNode
}

func (d *Driver) GraphExecUpdate(e driver.GraphExec, g driver.Graph) (at, from driver.GraphNode, outcome driver.GraphExecUpdateResult, r driver.Result) {
	var info updateInfo
	r = d.callThird(driver.GraphExecUpdate, uintptr(e), uintptr(g), unsafe.Pointer(&info), 0)
	return info.at, info.from, info.outcome, r
}

// captureInfo is what cuStreamGetCaptureInfo_v2 writes.
type captureInfo struct {
	status    driver.StreamCaptureStatus
	id        uint64
	graph     driver.Graph
	last      uint64 // const CUgraphNode *, the driver's memory until the next call
	lastCount uint64
}

func (d *Driver) StreamGetCaptureInfo(s driver.Stream) (driver.StreamCaptureStatus, uint64, driver.Graph, []driver.GraphNode, driver.Result) {
	f := newFrame()
	defer f.free()
	info := new(captureInfo)
	f.address(0, unsafe.Pointer(info))
	at := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	r := d.call(driver.StreamGetCaptureInfo, f, uintptr(s), at(unsafe.Pointer(&info.status)), at(unsafe.Pointer(&info.id)),
		at(unsafe.Pointer(&info.graph)), at(unsafe.Pointer(&info.last)), at(unsafe.Pointer(&info.lastCount)))
	if r != driver.Success || info.lastCount == 0 {
		return info.status, info.id, info.graph, nil, r
	}
	last := append([]driver.GraphNode(nil), unsafe.Slice((*driver.GraphNode)(pointer(info.last)), info.lastCount)...)
	return info.status, info.id, info.graph, last, r
}

func (d *Driver) StreamUpdateCaptureDependencies(s driver.Stream, after []driver.GraphNode, flags uint32) driver.Result {
	f := newFrame()
	defer f.free()
	return d.call(driver.StreamUpdateCaptureDependencies, f, uintptr(s), f.address(0, unsafe.Pointer(unsafe.SliceData(after))), uintptr(len(after)), uintptr(flags))
}

// graphLaunch and the others are addresses of the open driver's entry points, as launchKernel
// is; 0 for what the driver lacks.
var graphLaunch, graphAddNode, graphAddKernelNode, graphExecNodeSetParams, graphExecKernelNodeSetParams uintptr

// openGraphs finds them in d.
func openGraphs(d *Driver) {
	graphLaunch = d.address(driver.GraphLaunch)
	graphAddNode, graphAddKernelNode = d.address(driver.GraphAddNode), d.address(driver.GraphAddKernelNode)
	graphExecNodeSetParams, graphExecKernelNodeSetParams = d.address(driver.GraphExecNodeSetParams), d.address(driver.GraphExecKernelNodeSetParams)
}

// LaunchGraph is Driver.GraphLaunch of the open driver.
func LaunchGraph(e driver.GraphExec, s driver.Stream) driver.Result {
	if graphLaunch == 0 {
		return driver.ErrorCallRequiresNewerDriver
	}
	return invoke(&callRecord{fn: graphLaunch, args: [6]uintptr{uintptr(e), uintptr(s)}})
}

// SetKernelNode is Driver.GraphExecNodeSetParams of the open driver for a kernel. It allocates
// nothing.
func SetKernelNode(e driver.GraphExec, n driver.GraphNode, p *KernelNode) driver.Result {
	r := callRecord{fn: graphExecNodeSetParams, args: [6]uintptr{uintptr(e), uintptr(n)}, third: unsafe.Pointer(&p.params)}
	if r.fn == 0 {
		r.fn, r.third = graphExecKernelNodeSetParams, unsafe.Pointer(&p.params.kernelNode)
	}
	if r.fn == 0 {
		return driver.ErrorCallRequiresNewerDriver
	}
	return invoke(&r)
}

// AddKernelNode is Driver.GraphAddNode of the open driver for a kernel that comes after the nodes
// from, which are in the heap. It allocates nothing.
func AddKernelNode(g driver.Graph, from []driver.GraphNode, p *KernelNode) (driver.GraphNode, driver.Result) {
	count := uintptr(len(from))
	p.added = 0
	r := callRecord{
		fn: graphAddNode, args: [6]uintptr{0, uintptr(g), 0, 0, count, uintptr(unsafe.Pointer(&p.params))},
		first: unsafe.Pointer(&p.added), third: unsafe.Pointer(unsafe.SliceData(from)),
	}
	if r.fn == 0 {
		r.fn, r.args[3], r.args[4] = graphAddKernelNode, count, uintptr(unsafe.Pointer(&p.params.kernelNode))
	}
	if r.fn == 0 {
		return 0, driver.ErrorCallRequiresNewerDriver
	}
	result := invoke(&r)
	runtime.KeepAlive(p) // which the record has the address of
	return p.added, result
}
