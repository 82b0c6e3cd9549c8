//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package libcuda

import (
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/cudagen/cudagen/internal/fakecuda"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newOldDevice is newDevice with a driver for a version of CUDA.
func newOldDevice(t testing.TB, version int) *device {
	t.Helper()
	d, fake := openFake(t, fakecuda.Options{Version: version})
	dev := &device{Driver: d, fake: fake}
	require.Equal(t, driver.Success, d.Init())
	var r driver.Result
	dev.ctx, r = d.DevicePrimaryCtxRetain(0)
	require.Equal(t, driver.Success, r)
	dev.stream = dev.newStream(t)
	fake.Reset()
	return dev
}

func (d *device) newGraph(t testing.TB) driver.Graph {
	g, r := d.GraphCreate(0)
	require.Equal(t, driver.Success, r)
	return g
}

func (d *device) alloc(t testing.TB, bytes uint64) driver.DevicePtr {
	p, r := d.MemAllocAsync(bytes, d.stream)
	require.Equal(t, driver.Success, r)
	return p
}

func (d *device) pageLocked(t testing.TB, bytes uint64) (p unsafe.Pointer) {
	d.withContext(t, func() {
		var r driver.Result
		p, r = d.MemHostAlloc(bytes, 0)
		require.Equal(t, driver.Success, r)
	})
	return p
}

func (d *device) newEvent(t testing.TB) (e driver.Event) {
	d.withContext(t, func() {
		var r driver.Result
		e, r = d.EventCreate(0)
		require.Equal(t, driver.Success, r)
	})
	return e
}

func (d *device) instantiate(t testing.TB, g driver.Graph) (e driver.GraphExec) {
	d.withContext(t, func() {
		var at driver.GraphNode
		var outcome driver.GraphInstantiateResult
		var r driver.Result
		e, at, outcome, r = d.GraphInstantiateWithParams(g, 0)
		require.Equal(t, driver.Success, r)
		assert.Zero(t, at)
		assert.Zero(t, outcome)
	})
	return e
}

var kernelParamsOf = []param{{4, 4}, {8, 8}, {32, 32}}

// kernelNode is a launch of the first of d's kernels, whose arguments seed decides.
func (d *device) kernelNode(k driver.Kernel, seed int) (driver.NodeParams, []byte) {
	offsets, size := layout(kernelParamsOf)
	block := pattern(seed, size)
	return driver.NodeParams{Type: driver.KernelNodeType, Ctx: d.ctx, Kernel: driver.KernelNodeParams{
		Kernel: k, Params: block, Offsets: offsets,
		Config: driver.LaunchConfig{Grid: driver.Dim3{X: 2, Y: 3, Z: 4}, Block: driver.Dim3{X: 5, Y: 6, Z: 7}, SharedBytes: 8},
	}}, arguments(block, kernelParamsOf)
}

// nodes returns a node of each kind that every driver has, and what the driver sees of its
// parameters.
func (d *device) nodes(t testing.TB) (list []driver.NodeParams, want [][]uint64) {
	k := d.kernels(t, kernelParamsOf)[0]
	kernel, _ := d.kernelNode(k, 1)
	to, from, host := d.alloc(t, 4096), d.alloc(t, 4096), d.pageLocked(t, 4096)
	event, child, ctx := d.newEvent(t), d.newGraph(t), uint64(d.ctx)
	number := d.KeepHostFunc(func() {})
	t.Cleanup(func() { d.DropHostFunc(number) })
	line := func(dst, src driver.Memory3D) driver.NodeParams {
		return driver.NodeParams{Type: driver.MemcpyNodeType, Ctx: d.ctx, Copy: driver.Copy3D{Dst: dst, Src: src, WidthBytes: 64, Height: 1, Depth: 1}}
	}
	box := driver.Copy3D{
		Dst: driver.Memory3D{Device: to, PitchBytes: 100, Height: 4}, Src: driver.Memory3D{Device: from, PitchBytes: 200, Height: 3},
		WidthBytes: 16, Height: 3, Depth: 2,
	}
	hostAt := uint64(uintptr(host))
	return []driver.NodeParams{
			kernel,
			line(driver.Memory3D{Device: to}, driver.Memory3D{Host: host}),
			line(driver.Memory3D{Host: host}, driver.Memory3D{Device: from}),
			{Type: driver.MemcpyNodeType, Ctx: d.ctx, Copy: box},
			{Type: driver.MemsetNodeType, Ctx: d.ctx, Memset: driver.MemsetNodeParams{Dst: to, PitchBytes: 256, Value: 0x1234, ElementBytes: 2, Width: 9, Height: 3}},
			{Type: driver.HostNodeType, Host: number},
			{Type: driver.ChildGraphNodeType, Child: child},
			{Type: driver.EmptyNodeType},
			{Type: driver.EventRecordNodeType, Event: event},
			{Type: driver.EventWaitNodeType, Event: event},
		}, [][]uint64{
			{uint64(k), 2, 3, 4, 5, 6, 7, 8, ctx},
			{1, hostAt, 0, 0, 0, 2, 0, uint64(to), 0, 0, 64, 1, 1, ctx},
			{2, 0, uint64(from), 0, 0, 1, hostAt, 0, 0, 0, 64, 1, 1, ctx},
			{2, 0, uint64(from), 200, 3, 2, 0, uint64(to), 100, 4, 16, 3, 2, ctx},
			{uint64(to), 256, 0x1234, 2, 9, 3, ctx},
			{uint64(number)},
			{},
			{},
			{uint64(event)},
			{uint64(event)},
		}
}

// TestNodesArrive: the driver sees of each node what was given, by the general entry point
// and, on drivers without it, by those of its kind.
func TestNodesArrive(t *testing.T) {
	for _, tt := range []struct {
		name    string
		version int
		general bool
	}{{"13.0", 13000, true}, {"12.3", 12030, true}, {"12.2", 12020, false}, {"12.0", 12000, false}} {
		t.Run(tt.name, func(t *testing.T) {
			d := newOldDevice(t, tt.version)
			g := d.newGraph(t)
			list, want := d.nodes(t)
			var after []driver.GraphEdge
			for i, p := range list {
				d.fake.Reset()
				added, r := d.GraphAddNode(g, after, p)
				require.Equal(t, driver.Success, r, "node %d", i)
				node, ok := d.fake.Node(uint64(added.Node))
				require.True(t, ok)
				assert.Equal(t, int(p.Type), node.Kind)
				assert.Equal(t, len(after), node.Dependencies)
				assert.Equal(t, want[i], node.Numbers[:len(want[i])], "node %d", i)
				if calls := d.fake.Calls(); assert.Len(t, calls, 1) {
					assert.Equal(t, tt.general, calls[0] == "cuGraphAddNode", calls[0])
				}
				after = append(after, driver.GraphEdge{From: added.Node})
			}
			nodes, r := d.GraphGetNodes(g)
			assert.Equal(t, driver.Success, r)
			assert.Len(t, nodes, len(list))
			for i, e := range after {
				assert.Equal(t, e.From, nodes[i])
			}

			// The same nodes of an exec are told something else.
			e := d.instantiate(t, g)
			for i, p := range list {
				d.fake.Reset()
				r := d.GraphExecNodeSetParams(e, nodes[i], p)
				switch {
				case p.Type == driver.EmptyNodeType:
					assert.NotEqual(t, driver.Success, r)
					continue
				case p.Copy.Depth > 1 || p.Memset.Height > 1:
					assert.Equal(t, driver.ErrorInvalidValue, r, "boxes cannot be updated")
				default:
					assert.Equal(t, driver.Success, r, "node %d", i)
				}
				if calls := d.fake.Calls(); assert.Len(t, calls, 1) {
					assert.Equal(t, tt.version >= 12020, calls[0] == "cuGraphExecNodeSetParams", calls[0])
				}
			}
			_, r = d.GraphAddNode(g, nil, driver.NodeParams{Type: 77})
			assert.Equal(t, driver.ErrorInvalidValue, r)
			assert.Equal(t, driver.Success, d.GraphExecDestroy(e))
			assert.Equal(t, driver.Success, d.GraphDestroy(g))
		})
	}
}

// TestWrongLayoutIsSeen is the control of TestNodesArrive: the fake driver refuses what lies
// elsewhere, or in what is reserved.
func TestWrongLayoutIsSeen(t *testing.T) {
	d := newDevice(t)
	g := d.newGraph(t)
	list, _ := d.nodes(t)
	add := func(c *nodeParams) driver.Result {
		f := newFrame()
		defer f.free()
		return d.call(driver.GraphAddNode, f, f.outAddress(0), uintptr(g), 0, 0, 0, f.address(1, unsafe.Pointer(c)))
	}
	for i, p := range list {
		params, ok := kernelParams(nil, &p.Kernel)
		require.True(t, ok)
		made := func() *nodeParams {
			c := new(nodeParams)
			if c.fill(&p); p.Type == driver.KernelNodeType {
				as[kernelNode](c).params = &params[0]
			}
			return c
		}
		require.Equal(t, driver.Success, add(made()), "node %d", i)
		behind := made()
		behind.union[28] = 1
		assert.Equal(t, driver.ErrorInvalidValue, add(behind), "behind the union of node %d", i)
		if p.Type == driver.EmptyNodeType {
			continue
		}
		shifted := made()
		copy(shifted.union[1:], shifted.union[:28])
		shifted.union[0] = 0
		assert.NotEqual(t, driver.Success, add(shifted), "a member at another offset, node %d", i)
		runtime.KeepAlive(params)
	}
}

// TestTypedEntryPoints: each is used when the general one is missing, and its error comes back.
func TestTypedEntryPoints(t *testing.T) {
	d := newOldDevice(t, 12000)
	g := d.newGraph(t)
	list, _ := d.nodes(t)
	alloc := driver.NodeParams{Type: driver.MemAllocNodeType, Alloc: driver.MemAllocNodeParams{Bytes: 4096}}
	added, r := d.GraphAddNode(g, nil, alloc)
	require.Equal(t, driver.Success, r)
	require.NotZero(t, added.Address)
	list = append(list, alloc, driver.NodeParams{Type: driver.MemFreeNodeType, Free: added.Address})
	seen := map[string]bool{}
	failing := func(call func() driver.Result) {
		d.fake.Reset()
		d.fake.FailNth(1, int(driver.ErrorSystemNotReady))
		if r := call(); len(d.fake.Calls()) == 1 {
			assert.Equal(t, driver.ErrorSystemNotReady, r)
			seen[d.fake.Calls()[0]] = true
		}
	}
	for _, p := range list {
		failing(func() driver.Result { _, r := d.GraphAddNode(g, nil, p); return r })
		failing(func() driver.Result { return d.GraphExecNodeSetParams(1, 1, p) })
	}
	for e := driver.GraphAddKernelNode; e < driver.EntryPoint(driver.NumEntryPoints); e++ {
		assert.True(t, seen[e.Name()], e.Name())
	}
	_, r = d.GraphAddNode(g, nil, driver.NodeParams{Type: driver.ConditionalNodeType})
	assert.Equal(t, driver.ErrorCallRequiresNewerDriver, r)
	_, r = d.GraphAddNode(g, []driver.GraphEdge{{From: added.Node, Programmatic: true}}, list[0])
	assert.Equal(t, driver.ErrorCallRequiresNewerDriver, r)
}

// TestGraphLaunches: what a graph launches is what its nodes say, and what they are told
// later.
func TestGraphLaunches(t *testing.T) {
	d := newDevice(t)
	k := d.kernels(t, kernelParamsOf)[0]
	g := d.newGraph(t)
	p, want := d.kernelNode(k, 1)
	first, r := d.GraphAddNode(g, nil, p)
	require.Equal(t, driver.Success, r)
	attributes := Attributes(driver.LaunchAttributes{Cluster: driver.Dim3{X: 2, Y: 1, Z: 1}, Cooperative: true, HasPriority: true, Priority: -3})
	for _, a := range attributes.List[:attributes.Count] {
		require.Equal(t, driver.Success, d.GraphKernelNodeSetAttribute(first.Node, a.ID, a.Value))
	}
	second, r := d.GraphAddNode(g, []driver.GraphEdge{{From: first.Node, Programmatic: true}}, p)
	require.Equal(t, driver.Success, r)
	clear(p.Kernel.Params) // the driver has copied them
	e := d.instantiate(t, g)
	d.fake.Reset()
	require.Equal(t, driver.Success, d.GraphUpload(e, d.stream))
	require.Equal(t, driver.Success, d.GraphLaunch(e, d.stream))
	launches := d.fake.Launches()
	require.Len(t, launches, 2)
	for _, l := range launches {
		assert.Equal(t, want, l.Arguments)
		assert.Equal(t, [3]uint32{2, 3, 4}, l.Grid)
		assert.Equal(t, [3]uint32{5, 6, 7}, l.Block)
		assert.Equal(t, uint32(8), l.SharedBytes)
	}
	assert.Equal(t, [3]uint32{2, 1, 1}, launches[0].Cluster)
	assert.True(t, launches[0].Cooperative && launches[0].HasPriority && !launches[0].Programmatic)
	assert.Equal(t, int32(-3), launches[0].Priority)
	assert.True(t, launches[1].Programmatic)

	p, want = d.kernelNode(k, 2)
	require.Equal(t, driver.Success, d.GraphExecNodeSetParams(e, second.Node, p))
	require.Equal(t, driver.Success, d.GraphNodeSetEnabled(e, first.Node, 0))
	d.fake.Reset()
	require.Equal(t, driver.Success, d.GraphLaunch(e, d.stream))
	launches = d.fake.Launches()
	require.Len(t, launches, 1)
	assert.Equal(t, want, launches[0].Arguments)

	at, from, outcome, r := d.GraphExecUpdate(e, g)
	assert.Equal(t, driver.Success, r)
	assert.Zero(t, outcome)
	assert.Zero(t, uint64(at)|uint64(from))
	other := d.newGraph(t)
	empty, r := d.GraphAddNode(other, nil, driver.NodeParams{Type: driver.EmptyNodeType})
	require.Equal(t, driver.Success, r)
	at, _, outcome, r = d.GraphExecUpdate(e, other)
	assert.Equal(t, driver.ErrorGraphExecUpdateFailure, r)
	assert.Equal(t, empty.Node, at)
	assert.Equal(t, driver.GraphExecUpdateResult(3), outcome)
	assert.Equal(t, "a node is of another kind", outcome.String())
	clone, r := d.GraphClone(g)
	require.Equal(t, driver.Success, r)
	there, r := d.GraphNodeFindInClone(first.Node, clone)
	assert.Equal(t, driver.Success, r)
	assert.NotEqual(t, first.Node, there)
}

// TestConditionalNodes: bodies come back, and a node at fault is named.
func TestConditionalNodes(t *testing.T) {
	d := newDevice(t)
	g := d.newGraph(t)
	h, r := d.GraphConditionalHandleCreate(g, d.ctx, 1, driver.AssignDefault)
	require.Equal(t, driver.Success, r)
	p := driver.NodeParams{Type: driver.ConditionalNodeType, Ctx: d.ctx, Conditional: driver.ConditionalNodeParams{Handle: h, Kind: driver.ConditionalSwitch, Bodies: 3}}
	added, r := d.GraphAddNode(g, nil, p)
	require.Equal(t, driver.Success, r)
	require.Len(t, added.Bodies, 3)
	node, _ := d.fake.Node(uint64(added.Node))
	assert.Equal(t, []uint64{uint64(h), 2, 3, uint64(d.ctx)}, node.Numbers[:4])
	number := d.KeepHostFunc(func() {})
	defer d.DropHostFunc(number)
	host, r := d.GraphAddNode(added.Bodies[1], nil, driver.NodeParams{Type: driver.HostNodeType, Host: number})
	require.Equal(t, driver.Success, r)
	d.withContext(t, func() {
		_, at, outcome, r := d.GraphInstantiateWithParams(g, 0)
		assert.Equal(t, driver.ErrorInvalidValue, r)
		assert.Equal(t, host.Node, at)
		assert.Equal(t, "a node's operation cannot be instantiated here", outcome.String())
	})
}

// TestHostNodes: a function is called at each launch until it is dropped.
func TestHostNodes(t *testing.T) {
	d := newDevice(t)
	g := d.newGraph(t)
	var calls atomic.Int32
	number := d.KeepHostFunc(func() { calls.Add(1) })
	_, r := d.GraphAddNode(g, nil, driver.NodeParams{Type: driver.HostNodeType, Host: number})
	require.Equal(t, driver.Success, r)
	e := d.instantiate(t, g)
	for range 3 {
		require.Equal(t, driver.Success, d.GraphLaunch(e, d.stream))
	}
	require.Equal(t, driver.Success, d.StreamSynchronize(d.stream))
	assert.Equal(t, int32(3), calls.Load())
	assert.True(t, d.DropHostFunc(number))
	assert.False(t, d.DropHostFunc(number))
	require.Equal(t, driver.Success, d.GraphLaunch(e, d.stream), "a function that is gone is not called")
	require.Equal(t, driver.Success, d.StreamSynchronize(d.stream))
	assert.Equal(t, int32(3), calls.Load())
}

// TestCaptureCalls adds a node to the graph of a capture, as runtime/cuda does.
func TestCaptureCalls(t *testing.T) {
	d := newDevice(t)
	status, _, _, _, r := d.StreamGetCaptureInfo(d.stream)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, driver.NotCapturing, status)
	_, r = d.StreamEndCapture(d.stream)
	assert.Equal(t, driver.ErrorIllegalState, r)

	require.Equal(t, driver.Success, d.StreamBeginCapture(d.stream, driver.CaptureRelaxed))
	status, id, g, last, r := d.StreamGetCaptureInfo(d.stream)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, driver.Capturing, status)
	assert.NotZero(t, id)
	assert.Empty(t, last)
	first, r := d.GraphAddNode(g, nil, driver.NodeParams{Type: driver.EmptyNodeType})
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, d.StreamUpdateCaptureDependencies(d.stream, []driver.GraphNode{first.Node}, driver.SetCaptureDependencies))

	// Another stream joins.
	side, event := d.newStream(t), d.newEvent(t)
	require.Equal(t, driver.Success, d.EventRecord(event, d.stream))
	require.Equal(t, driver.Success, d.StreamWaitEvent(side, event, 0))
	_, _, same, last, r := d.StreamGetCaptureInfo(side)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, g, same)
	assert.Equal(t, []driver.GraphNode{first.Node}, last)
	ended, r := d.StreamEndCapture(d.stream)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, g, ended)
	assert.Equal(t, driver.ErrorCapturedEvent, d.EventQuery(event))

	require.Equal(t, driver.Success, d.StreamBeginCapture(d.stream, driver.CaptureRelaxed))
	assert.Equal(t, driver.ErrorStreamCaptureUnsupported, d.StreamQuery(d.stream))
	status, _, _, _, _ = d.StreamGetCaptureInfo(d.stream)
	assert.Equal(t, driver.CaptureInvalidated, status)
	_, r = d.StreamEndCapture(d.stream)
	assert.Equal(t, driver.ErrorStreamCaptureInvalidated, r)
	assert.Equal(t, driver.Success, d.StreamQuery(d.stream), "the stream works again")
}

// TestNodeUpdatesAllocateNothing: an update of any node, on new and old drivers.
func TestNodeUpdatesAllocateNothing(t *testing.T) {
	for _, version := range []int{13000, 12000} {
		d := newOldDevice(t, version)
		g := d.newGraph(t)
		list, _ := d.nodes(t)
		for _, p := range list {
			if p.Type == driver.KernelNodeType || p.Type == driver.ChildGraphNodeType {
				continue
			}
			added, r := d.GraphAddNode(g, nil, p)
			require.Equal(t, driver.Success, r)
			e := d.instantiate(t, g)
			allocs := testing.AllocsPerRun(10, func() { d.GraphExecNodeSetParams(e, added.Node, p) })
			if pooledLaunch {
				allocs = max(0, allocs-1) // purego is handed the parameters, which are in the heap then
			}
			assertNoAllocs(t, allocs, pooledLaunch)
		}
	}
}

// TestKernelNode is the way that kernels and updates of them take: 0 allocations, on new and old
// drivers.
func TestKernelNode(t *testing.T) {
	for _, version := range []int{13000, 12000} {
		d := newOldDevice(t, version)
		openGraphs(d.Driver)
		t.Cleanup(func() {
			graphLaunch, graphAddNode, graphAddKernelNode, graphExecNodeSetParams, graphExecKernelNodeSetParams = 0, 0, 0, 0, 0
		})
		k := d.kernels(t, kernelParamsOf)[0]
		g := d.newGraph(t)
		node := NewKernelNode(d.ctx)
		set := func(seed int, cfg LaunchConfig) (want []byte) {
			p, want := d.kernelNode(k, seed)
			target := &Target{Offsets: unsafe.SliceData(p.Kernel.Offsets), Count: uint32(len(p.Kernel.Offsets))}
			node.Set(k, target, &cfg, unsafe.Pointer(&p.Kernel.Params[0]))
			return want
		}
		var added []driver.GraphNode
		var wants [][]byte
		for i := range 3 { // the last one comes after two
			wants = append(wants, set(i, LaunchConfig{uint32(i) + 1, 1, 1, 32, 1, 1, 0}))
			from := added
			if i == 1 {
				from = nil
			}
			n, r := AddKernelNode(g, from, node)
			require.Equal(t, driver.Success, r)
			added = append(added, n)
		}
		e := d.instantiate(t, g)
		launches := func() []fakecuda.Launch {
			d.fake.Reset()
			require.Equal(t, driver.Success, LaunchGraph(e, d.stream))
			return d.fake.Launches()
		}
		for i, l := range launches() {
			assert.Equal(t, wants[i], l.Arguments)
			assert.Equal(t, uint32(i)+1, l.Grid[0])
		}
		want := set(7, LaunchConfig{9, 1, 1, 32, 1, 1, 16})
		require.Equal(t, driver.Success, SetKernelNode(e, added[1], node))
		l := launches()[1]
		assert.Equal(t, want, l.Arguments)
		assert.Equal(t, [3]uint32{9, 1, 1}, l.Grid)
		assert.Equal(t, uint32(16), l.SharedBytes)
		_, r := AddKernelNode(g, []driver.GraphNode{0}, node)
		assert.NotEqual(t, driver.Success, r, "no such node")
		assertNoAllocs(t, testing.AllocsPerRun(10, func() { AddKernelNode(g, added, node) }), pooledLaunch)
		assertNoAllocs(t, testing.AllocsPerRun(10, func() { SetKernelNode(e, added[1], node) }), pooledLaunch)
		assertNoAllocs(t, testing.AllocsPerRun(10, func() { LaunchGraph(e, d.stream) }), pooledLaunch)
	}
}

// TestNodesOfAGraph: their kinds and dependencies, and graphs without some of them.
func TestNodesOfAGraph(t *testing.T) {
	d := newOldDevice(t, 13000)
	g := d.newGraph(t)
	add := func(typ driver.GraphNodeType, after ...driver.GraphNode) driver.GraphNode {
		p := driver.NodeParams{Type: typ, Ctx: d.ctx}
		if typ == driver.MemsetNodeType {
			p.Memset = driver.MemsetNodeParams{Dst: d.alloc(t, 64), ElementBytes: 1, Width: 64, Height: 1}
		}
		var edges []driver.GraphEdge
		for _, a := range after {
			edges = append(edges, driver.GraphEdge{From: a})
		}
		added, r := d.GraphAddNode(g, edges, p)
		require.Equal(t, driver.Success, r)
		return added.Node
	}
	first, second := add(driver.EmptyNodeType), add(driver.MemsetNodeType)
	third := add(driver.MemsetNodeType, first, second)
	for node, want := range map[driver.GraphNode][]driver.GraphNode{first: nil, third: {first, second}} {
		after, r := d.GraphNodeGetDependencies(node)
		assert.Equal(t, driver.Success, r)
		assert.Equal(t, want, after)
	}
	typ, r := d.GraphNodeGetType(third)
	assert.Equal(t, driver.Success, r)
	assert.Equal(t, driver.MemsetNodeType, typ)
	clone, r := d.GraphClone(g)
	require.Equal(t, driver.Success, r)
	found, r := d.GraphNodeFindInClone(first, clone)
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, d.GraphDestroyNode(found))
	for graph, want := range map[driver.Graph]int{g: 3, clone: 2} {
		nodes, r := d.GraphGetNodes(graph)
		assert.Equal(t, driver.Success, r)
		assert.Len(t, nodes, want)
	}
	_, r = d.GraphNodeGetType(found)
	assert.Equal(t, driver.ErrorInvalidValue, r, "it is gone")
	_, r = d.GraphNodeGetDependencies(found)
	assert.Equal(t, driver.ErrorInvalidValue, r)
	assert.Equal(t, driver.ErrorInvalidValue, d.GraphDestroyNode(found))
	d.instantiate(t, clone)
}

// TestKernelNodesBesideTheCollector: what the driver reads stays where it is and as it is, while
// stacks move and the collector runs.
func TestKernelNodesBesideTheCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	d := newOldDevice(t, 13000)
	openGraphs(d.Driver)
	t.Cleanup(func() {
		graphLaunch, graphAddNode, graphAddKernelNode, graphExecNodeSetParams, graphExecKernelNodeSetParams = 0, 0, 0, 0, 0
	})
	k := d.kernels(t, kernelParamsOf)[0]
	var deeper func(depth int, f func()) byte
	deeper = func(depth int, f func()) byte {
		var room [512]byte
		if depth == 0 {
			f()
			return room[0]
		}
		return room[depth] + deeper(depth-1, f)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 30 {
				wg := make(chan struct{})
				go func() { // whose stack is small
					defer close(wg)
					graph := d.newGraph(t)
					node := NewKernelNode(d.ctx)
					var from []driver.GraphNode
					set := func(seed int) {
						p, _ := d.kernelNode(k, seed)
						target := &Target{Offsets: unsafe.SliceData(p.Kernel.Offsets), Count: uint32(len(p.Kernel.Offsets))}
						node.Set(k, target, &LaunchConfig{uint32(seed) + 1, 1, 1, 32, 1, 1, 0}, unsafe.Pointer(&p.Kernel.Params[0]))
					}
					for n := range 3 {
						deeper(4*n, func() {
							set(1000*g + 10*i + n)
							added, r := AddKernelNode(graph, from, node)
							assert.Equal(t, driver.Success, r)
							from = []driver.GraphNode{added}
						})
					}
					e := d.instantiate(t, graph)
					deeper(20, func() {
						set(1000*g + 10*i + 9)
						assert.Equal(t, driver.Success, SetKernelNode(e, from[0], node))
					})
					assert.Equal(t, driver.Success, LaunchGraph(e, d.stream))
					assert.Equal(t, driver.Success, d.GraphExecDestroy(e))
					assert.Equal(t, driver.Success, d.GraphDestroy(graph))
				}()
				<-wg
			}
		})
	}
	wg.Wait()
	seen := make(map[uint32][]byte)
	for _, l := range d.fake.Launches() {
		seen[l.Grid[0]] = l.Arguments
	}
	for g := range 4 {
		for i := range 30 {
			for _, n := range []int{0, 1, 9} {
				seed := 1000*g + 10*i + n
				_, want := d.kernelNode(k, seed)
				assert.Equal(t, want, seen[uint32(seed)+1], "launch %d", seed)
			}
		}
	}
}
