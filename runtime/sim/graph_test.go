package sim

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A grapher builds graphs on a device and reads what they leave behind.
type grapher struct {
	t testing.TB
	driver.Driver
	ctx driver.Context
	s   driver.Stream
	k   driver.Kernel
	p   driver.DevicePtr // 4 numbers
	g   driver.Graph
}

func newGrapher(t *testing.T) *grapher {
	d, s := opened(t)
	_, k := kernelOf(t, d, examplePTX(t)+"\x00", "add_delta")
	b := &grapher{t: t, Driver: d, ctx: d.(*device).primary(), s: s, k: k, p: alloc(t, d, s, []int32{1, 2, 3, 4})}
	var r driver.Result
	b.g, r = d.GraphCreate(0)
	require.Equal(t, driver.Success, r)
	return b
}

func (b *grapher) adding(delta int32) driver.NodeParams {
	return driver.NodeParams{Type: driver.KernelNodeType, Ctx: b.ctx, Kernel: driver.KernelNodeParams{
		Kernel: b.k, Config: config(1, 128, 0), Params: addDelta(4, b.p, delta), Offsets: addDeltaOffsets,
	}}
}

// setting sets the nth number to value.
func (b *grapher) setting(n int, value uint32) driver.NodeParams {
	return b.Driver.(*device).fillNode(b.p+driver.DevicePtr(4*n), value, 4, 1)
}

// copying copies the number at from to to.
func (b *grapher) copying(to, from int) driver.NodeParams {
	return b.Driver.(*device).lineNode(side(nil, b.p+driver.DevicePtr(4*to)), side(nil, b.p+driver.DevicePtr(4*from)), 4)
}

func (b *grapher) add(p driver.NodeParams, after ...driver.GraphNode) driver.GraphNode {
	b.t.Helper()
	return b.addTo(b.g, p, after...).Node
}

func (b *grapher) addTo(g driver.Graph, p driver.NodeParams, after ...driver.GraphNode) driver.AddedNode {
	b.t.Helper()
	var edges []driver.GraphEdge
	for _, n := range after {
		edges = append(edges, driver.GraphEdge{From: n})
	}
	added, r := b.GraphAddNode(g, edges, p)
	require.Equal(b.t, driver.Success, r)
	return added
}

func (b *grapher) instantiate(g driver.Graph) driver.GraphExec {
	b.t.Helper()
	e, _, _, r := b.GraphInstantiateWithParams(g, 0)
	require.Equal(b.t, driver.Success, r)
	return e
}

// numbers launches e and returns the four numbers.
func (b *grapher) numbers(e driver.GraphExec) []int32 {
	b.t.Helper()
	require.Equal(b.t, driver.Success, b.GraphLaunch(e, b.s))
	got := make([]int32, 4)
	require.Equal(b.t, driver.Success, b.MemcpyDtoHAsync(unsafe.Pointer(&got[0]), b.p, 16, b.s))
	require.Equal(b.t, driver.Success, b.StreamSynchronize(b.s))
	return got
}

// TestGraph runs each kind of node, and what an exec is told later.
func TestGraph(t *testing.T) {
	b := newGrapher(t)
	host := make([]int32, 4)
	calls := 0
	number := b.KeepHostFunc(func() { calls++ })
	event, r := b.EventCreate(driver.EventDisableTiming)
	require.Equal(t, driver.Success, r)

	kernel := b.add(b.adding(10))            // 11 12 13 14
	set := b.add(b.setting(1, 5), kernel)    // 11 5 13 14
	copied := b.add(b.copying(3, 0), kernel) // 11 5 13 11
	joined := b.add(driver.NodeParams{Type: driver.EmptyNodeType}, set, copied)
	out := b.add(b.Driver.(*device).lineNode(side(unsafe.Pointer(&host[0]), 0), side(nil, b.p), 16), joined)
	function := b.add(driver.NodeParams{Type: driver.HostNodeType, Host: number}, out)
	record := b.add(driver.NodeParams{Type: driver.EventRecordNodeType, Event: event}, function)
	b.add(driver.NodeParams{Type: driver.EventWaitNodeType, Event: event}, record)
	e := b.instantiate(b.g)
	assert.Equal(t, []int32{11, 5, 13, 11}, b.numbers(e))
	assert.Equal(t, []int32{11, 5, 13, 11}, host)
	assert.Equal(t, 1, calls)
	assert.Equal(t, driver.Success, b.EventQuery(event))

	require.Equal(t, driver.Success, b.GraphExecNodeSetParams(e, kernel, b.adding(100)))
	require.Equal(t, driver.Success, b.GraphNodeSetEnabled(e, copied, 0))
	assert.Equal(t, []int32{111, 5, 113, 111}, b.numbers(e))
	assert.Equal(t, driver.ErrorInvalidValue, b.GraphNodeSetEnabled(e, joined, 0), "empty nodes are always on")
	assert.Equal(t, driver.ErrorInvalidValue, b.GraphExecNodeSetParams(e, set, b.adding(1)), "another kind")
	wide := b.adding(1)
	wide.Kernel.Config.Block.X = 2048
	assert.Equal(t, driver.ErrorInvalidValue, b.GraphExecNodeSetParams(e, kernel, wide))
	assert.Equal(t, []int32{211, 5, 213, 211}, b.numbers(e), "it is as it was")

	child, r := b.GraphCreate(0)
	require.Equal(t, driver.Success, r)
	b.add(driver.NodeParams{Type: driver.ChildGraphNodeType, Child: b.g})
	n := b.addTo(child, driver.NodeParams{Type: driver.ChildGraphNodeType, Child: b.g})
	assert.Equal(t, driver.Success, b.GraphExecDestroy(e))
	outer := b.instantiate(child)
	assert.NotZero(t, n.Node)
	b.numbers(outer)
	assert.Equal(t, 5, calls, "three launches, and two in a child of a child")
	assert.True(t, b.DropHostFunc(number))
	assert.Equal(t, driver.Success, b.GraphDestroy(b.g))
	assert.Equal(t, driver.ErrorInvalidValue, b.GraphDestroy(b.g))
	assert.Equal(t, driver.ErrorInvalidValue, b.GraphExecNodeSetParams(outer, kernel, b.adding(1)), "its graph is gone")
	b.numbers(outer)
	assert.Equal(t, 5, calls, "a function that was dropped is not called")
}

// TestGraphOrders: with enough dependencies every order gives one result, and with one less
// some orders give another: the control.
func TestGraphOrders(t *testing.T) {
	defer OrderGraphs(0)
	for _, missing := range []bool{false, true} {
		b := newGrapher(t)
		first := b.add(b.setting(0, 7))
		if missing {
			b.add(b.copying(1, 0))
		} else {
			b.add(b.copying(1, 0), first)
		}
		e := b.instantiate(b.g)
		results := map[int32]bool{}
		for seed := range uint64(20) {
			OrderGraphs(seed)
			require.Equal(t, driver.Success, b.MemsetD32Async(b.p, 1, 4, b.s))
			results[b.numbers(e)[1]] = true
		}
		if missing {
			assert.Equal(t, map[int32]bool{1: true, 7: true}, results)
		} else {
			assert.Equal(t, map[int32]bool{7: true}, results)
		}
	}
}

// TestGraphUpdate compares graphs as the driver does.
func TestGraphUpdate(t *testing.T) {
	b := newGrapher(t)
	first := b.add(b.adding(1))
	b.add(b.setting(1, 5), first)
	e := b.instantiate(b.g)
	other := func(nodes ...func(after ...driver.GraphNode) driver.GraphNode) driver.Graph {
		g, r := b.GraphCreate(0)
		require.Equal(t, driver.Success, r)
		b.g = g
		var last []driver.GraphNode
		for _, add := range nodes {
			last = []driver.GraphNode{add(last...)}
		}
		return g
	}
	adding := func(after ...driver.GraphNode) driver.GraphNode { return b.add(b.adding(20), after...) }
	setting := func(after ...driver.GraphNode) driver.GraphNode { return b.add(b.setting(2, 6), after...) }
	apart := func(...driver.GraphNode) driver.GraphNode { return b.add(b.setting(2, 6)) }
	_, _, outcome, r := b.GraphExecUpdate(e, other(adding, setting))
	require.Equal(t, driver.Success, r)
	assert.Zero(t, outcome)
	assert.Equal(t, []int32{21, 22, 6, 24}, b.numbers(e))
	for _, tt := range []struct {
		g       driver.Graph
		outcome driver.GraphExecUpdateResult
	}{{other(adding), 2}, {other(adding, adding), 3}, {other(adding, setting, setting), 2}, {other(adding, apart), 2}} {
		_, _, outcome, r := b.GraphExecUpdate(e, tt.g)
		assert.Equal(t, driver.ErrorGraphExecUpdateFailure, r)
		assert.Equal(t, tt.outcome, outcome)
	}
	assert.Equal(t, []int32{41, 42, 6, 44}, b.numbers(e), "it is as it was")
}

// TestGraphMemory: memory that a graph has not freed forbids another launch.
func TestGraphMemory(t *testing.T) {
	b := newGrapher(t)
	added := b.addTo(b.g, driver.NodeParams{Type: driver.MemAllocNodeType, Alloc: driver.MemAllocNodeParams{Dev: b.Driver.(*device).dev, Bytes: 16}})
	in := b.add(b.Driver.(*device).lineNode(side(nil, added.Address), side(nil, b.p), 16), added.Node)
	e := b.instantiate(b.g)
	require.Equal(t, driver.Success, b.GraphLaunch(e, b.s))
	require.Equal(t, driver.Success, b.StreamSynchronize(b.s))
	assert.Equal(t, driver.ErrorInvalidValue, b.GraphLaunch(e, b.s))
	auto, _, _, r := b.GraphInstantiateWithParams(b.g, driver.AutoFreeOnLaunch)
	require.Equal(t, driver.Success, r)
	require.Equal(t, driver.Success, b.GraphLaunch(auto, b.s))
	b.add(driver.NodeParams{Type: driver.MemFreeNodeType, Free: added.Address}, in)
	e, _, _, r = b.GraphInstantiateWithParams(b.g, driver.AutoFreeOnLaunch)
	require.Equal(t, driver.Success, r)
	for range 3 {
		require.Equal(t, driver.Success, b.GraphLaunch(e, b.s))
		require.Equal(t, driver.Success, b.StreamSynchronize(b.s))
	}
	_, r = b.GraphAddNode(b.g, nil, driver.NodeParams{Type: driver.MemcpyNodeType, Ctx: b.ctx, Copy: driver.Copy3D{}})
	assert.Equal(t, driver.ErrorInvalidValue, r)
}

// TestGraphConditionals looks at initial values; kernels that set them are in TestSetConditional.
func TestGraphConditionals(t *testing.T) {
	for _, tt := range []struct {
		kind    driver.ConditionalKind
		bodies  int
		initial uint32
		want    []int32 // 100 + the body that has run
	}{
		{driver.ConditionalIf, 1, 1, []int32{100}}, {driver.ConditionalIf, 1, 0, []int32{1}},
		{driver.ConditionalIf, 2, 0, []int32{101}}, {driver.ConditionalSwitch, 3, 2, []int32{102}}, {driver.ConditionalSwitch, 3, 3, []int32{1}},
		{driver.ConditionalWhile, 1, 0, []int32{1}},
	} {
		b := newGrapher(t)
		h, r := b.GraphConditionalHandleCreate(b.g, b.ctx, tt.initial, driver.AssignDefault)
		require.Equal(t, driver.Success, r)
		b.GraphAddNode(b.g, nil, driver.NodeParams{Type: driver.EmptyNodeType})
		_, _, outcome, r := b.GraphInstantiateWithParams(b.g, 0)
		assert.Equal(t, driver.ErrorInvalidValue, r)
		assert.Equal(t, driver.GraphInstantiateResult(5), outcome, "no node uses the handle")
		p := driver.NodeParams{Type: driver.ConditionalNodeType, Ctx: b.ctx, Conditional: driver.ConditionalNodeParams{Handle: h, Kind: tt.kind, Bodies: tt.bodies}}
		added := b.addTo(b.g, p)
		require.Len(t, added.Bodies, tt.bodies)
		for i, body := range added.Bodies {
			b.addTo(body, b.setting(0, uint32(100+i)))
		}
		assert.Equal(t, tt.want[0], b.numbers(b.instantiate(b.g))[0])
		_, r = b.GraphAddNode(b.g, nil, p)
		assert.Equal(t, driver.ErrorInvalidValue, r, "a handle is of one node")

		number := b.KeepHostFunc(func() {})
		wrong := b.addTo(added.Bodies[0], driver.NodeParams{Type: driver.HostNodeType, Host: number})
		_, at, outcome, r := b.GraphInstantiateWithParams(b.g, 0)
		assert.Equal(t, driver.ErrorInvalidValue, r)
		assert.Equal(t, wrong.Node, at)
		assert.Equal(t, driver.GraphInstantiateResult(3), outcome)
	}
}

// TestCapture: what is queued becomes a graph, over streams that events join.
func TestCapture(t *testing.T) {
	b := newGrapher(t)
	side, r := b.StreamCreate(1)
	require.Equal(t, driver.Success, r)
	var events [2]driver.Event
	for i := range events {
		events[i], r = b.EventCreate(driver.EventDisableTiming)
		require.Equal(t, driver.Success, r)
	}
	calls := 0
	require.Equal(t, driver.Success, b.StreamBeginCapture(b.s, driver.CaptureRelaxed))
	assert.Equal(t, driver.ErrorIllegalState, b.StreamBeginCapture(b.s, driver.CaptureRelaxed))
	require.Equal(t, driver.Success, b.LaunchKernel(b.k, config(1, 128, 0), b.s, addDelta(4, b.p, 10), addDeltaOffsets))
	require.Equal(t, driver.Success, b.EventRecord(events[0], b.s))
	require.Equal(t, driver.Success, b.StreamWaitEvent(side, events[0], 0))
	require.Equal(t, driver.Success, b.MemsetD32Async(b.p, 1, 1, side))
	require.Equal(t, driver.Success, b.MemcpyDtoDAsync(b.p+12, b.p+4, 4, b.s))
	require.Equal(t, driver.Success, b.EventRecord(events[1], side))
	require.Equal(t, driver.Success, b.StreamWaitEvent(b.s, events[1], 0))
	require.Equal(t, driver.Success, b.LaunchHostFunc(b.s, func() { calls++ }))
	p, r := b.MemAllocAsync(64, b.s)
	require.Equal(t, driver.Success, r)
	assert.Equal(t, driver.ErrorInvalidValue, b.MemFreeAsync(b.p, b.s), "it was allocated outside, and the capture goes on")
	require.Equal(t, driver.Success, b.MemFreeAsync(p, b.s))
	g, r := b.StreamEndCapture(b.s)
	require.Equal(t, driver.Success, r)
	nodes, r := b.GraphGetNodes(g)
	require.Equal(t, driver.Success, r)
	assert.Len(t, nodes, 6)
	assert.Equal(t, driver.ErrorCapturedEvent, b.EventQuery(events[0]))
	e := b.instantiate(g)
	assert.Zero(t, calls, "nothing has run")
	for range 2 {
		b.numbers(e)
	}
	assert.Equal(t, []int32{1, 32, 33, 32}, b.numbers(e))
	assert.Equal(t, 3, calls)
	require.Equal(t, driver.Success, b.EventRecord(events[0], b.s), "recorded again, it can be asked")
	require.Equal(t, driver.Success, b.EventSynchronize(events[0]))

	require.Equal(t, driver.Success, b.StreamBeginCapture(b.s, driver.CaptureRelaxed))
	require.Equal(t, driver.Success, b.GraphLaunch(e, b.s))
	g, r = b.StreamEndCapture(b.s)
	require.Equal(t, driver.Success, r)
	b.numbers(b.instantiate(g))
	assert.Equal(t, 4, calls, "a graph that is launched in a capture is a child")
}

// TestBrokenCaptures has the driver's own codes.
func TestBrokenCaptures(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(b *grapher, other driver.Stream, e driver.Event) driver.Result
		r    driver.Result
		end  driver.Result
	}{
		{"query", func(b *grapher, _ driver.Stream, _ driver.Event) driver.Result { return b.StreamQuery(b.s) }, 900, 901},
		{"synchronize", func(b *grapher, _ driver.Stream, _ driver.Event) driver.Result { return b.StreamSynchronize(b.s) }, 900, 901},
		{"a launch that fails", func(b *grapher, _ driver.Stream, _ driver.Event) driver.Result {
			return b.LaunchKernel(b.k, config(1, 2048, 0), b.s, addDelta(4, b.p, 1), addDeltaOffsets)
		}, 1, 901},
		{"an event is asked", func(b *grapher, _ driver.Stream, e driver.Event) driver.Result {
			b.EventRecord(e, b.s)
			return b.EventQuery(e)
		}, 907, 901},
		{"an event from outside", func(b *grapher, other driver.Stream, e driver.Event) driver.Result {
			b.EventRecord(e, other)
			return b.StreamWaitEvent(b.s, e, 0)
		}, 905, 901},
		{"two captures meet", func(b *grapher, other driver.Stream, e driver.Event) driver.Result {
			b.StreamBeginCapture(other, driver.CaptureRelaxed)
			b.EventRecord(e, other)
			return b.StreamWaitEvent(b.s, e, 0)
		}, 902, 901},
		{"a stream does not come back", func(b *grapher, other driver.Stream, e driver.Event) driver.Result {
			b.EventRecord(e, b.s)
			b.StreamWaitEvent(other, e, 0)
			return b.MemsetD8Async(b.p, 0, 1, other)
		}, 0, 904},
		{"a node that was put behind a stream does not come back", func(b *grapher, other driver.Stream, e driver.Event) driver.Result {
			b.EventRecord(e, b.s)
			b.StreamWaitEvent(other, e, 0)
			_, _, g, _, _ := b.StreamGetCaptureInfo(other)
			added, r := b.GraphAddNode(g, nil, driver.NodeParams{Type: driver.EmptyNodeType})
			require.Equal(b.t, driver.Success, r)
			return b.StreamUpdateCaptureDependencies(other, []driver.GraphNode{added.Node}, driver.SetCaptureDependencies)
		}, 0, 0},
		{"a destroyed stream", func(b *grapher, other driver.Stream, e driver.Event) driver.Result {
			b.EventRecord(e, b.s)
			b.StreamWaitEvent(other, e, 0)
			return b.StreamDestroy(other)
		}, 0, 901},
		{"ended by another stream", func(b *grapher, other driver.Stream, e driver.Event) driver.Result {
			b.EventRecord(e, b.s)
			b.StreamWaitEvent(other, e, 0)
			_, r := b.StreamEndCapture(other)
			return r
		}, 903, 0},
		{"control", func(b *grapher, _ driver.Stream, _ driver.Event) driver.Result {
			return b.MemsetD8Async(b.p, 0, 1, b.s)
		}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := newGrapher(t)
			other, r := b.StreamCreate(1)
			require.Equal(t, driver.Success, r)
			e, r := b.EventCreate(driver.EventDisableTiming)
			require.Equal(t, driver.Success, r)
			_, r = b.StreamEndCapture(b.s)
			assert.Equal(t, driver.ErrorIllegalState, r)
			require.Equal(t, driver.Success, b.StreamBeginCapture(b.s, driver.CaptureRelaxed))
			assert.Equal(t, tt.r, tt.do(b, other, e))
			g, r := b.StreamEndCapture(b.s)
			assert.Equal(t, tt.end, r)
			assert.Equal(t, tt.end == driver.Success, g != 0)
			assert.Equal(t, driver.Success, b.StreamSynchronize(b.s), "the stream works again")
			assert.Equal(t, driver.Success, b.MemsetD8Async(b.p, 0, 1, b.s))
		})
	}
}

// countdown takes 1 off a number, and sets a conditional while it is greater than stop.
const countdown = ptxHeader + `.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.visible .entry countdown(.param .u64 countdown_param_0, .param .u64 countdown_param_1, .param .u32 countdown_param_2)
{
	.reg .pred %p<2>; .reg .b32 %r<4>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [countdown_param_0]; ld.param.u64 %rd2, [countdown_param_1]; ld.param.u32 %r1, [countdown_param_2];
	ld.global.u32 %r2, [%rd2]; sub.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2;
	setp.gt.s32 %p1, %r2, %r1; selp.u32 %r3, 1, 0, %p1;
	{
	.param .b64 param0; st.param.b64 [param0+0], %rd1;
	.param .b32 param1; st.param.b32 [param1+0], %r3;
	call.uni cudaGraphSetConditional, (param0, param1);
	}
	ret;
}
`

// TestSetConditional has kernels decide how often others run.
func TestSetConditional(t *testing.T) {
	b := newGrapher(t)
	_, k := kernelOf(t, b, countdown, "countdown")
	h, r := b.GraphConditionalHandleCreate(b.g, b.ctx, 1, driver.AssignDefault)
	require.Equal(t, driver.Success, r)
	loop := b.addTo(b.g, driver.NodeParams{Type: driver.ConditionalNodeType, Ctx: b.ctx, Conditional: driver.ConditionalNodeParams{Handle: h, Kind: driver.ConditionalWhile, Bodies: 1}})
	params := make([]byte, 24)
	*(*driver.GraphConditionalHandle)(unsafe.Pointer(&params[0])), *(*driver.DevicePtr)(unsafe.Pointer(&params[8])), *(*int32)(unsafe.Pointer(&params[16])) = h, b.p, -5
	b.addTo(loop.Bodies[0], driver.NodeParams{Type: driver.KernelNodeType, Ctx: b.ctx, Kernel: driver.KernelNodeParams{Kernel: k, Config: config(1, 1, 0), Params: params, Offsets: addDeltaOffsets}})
	e := b.instantiate(b.g)
	assert.Equal(t, []int32{-5, 2, 3, 4}, b.numbers(e))
	assert.Equal(t, []int32{-6, 2, 3, 4}, b.numbers(e), "the value begins anew")
}

// A conditional begins anew with each launch of its graph, and not behind its node: what a later node sets is gone.
func TestConditionalsBeginAnew(t *testing.T) {
	b := newGrapher(t)
	_, k := kernelOf(t, b, countdown, "countdown")
	h, r := b.GraphConditionalHandleCreate(b.g, b.ctx, 0, driver.AssignDefault)
	require.Equal(t, driver.Success, r)
	branch := b.addTo(b.g, driver.NodeParams{Type: driver.ConditionalNodeType, Ctx: b.ctx, Conditional: driver.ConditionalNodeParams{Handle: h, Kind: driver.ConditionalIf, Bodies: 1}})
	b.addTo(branch.Bodies[0], b.setting(1, 100))
	params := make([]byte, 24)
	*(*driver.GraphConditionalHandle)(unsafe.Pointer(&params[0])), *(*driver.DevicePtr)(unsafe.Pointer(&params[8])), *(*int32)(unsafe.Pointer(&params[16])) = h, b.p, -5
	sets := driver.NodeParams{Type: driver.KernelNodeType, Ctx: b.ctx, Kernel: driver.KernelNodeParams{Kernel: k, Config: config(1, 1, 0), Params: params, Offsets: addDeltaOffsets}}
	b.add(sets, branch.Node)
	e := b.instantiate(b.g)
	assert.Equal(t, []int32{0, 2, 3, 4}, b.numbers(e))
	assert.Equal(t, []int32{-1, 2, 3, 4}, b.numbers(e), "the body has not run")
}

// A While node that does not end is stopped as a kernel is, with an error that names it.
func TestEndlessWhile(t *testing.T) {
	b := newGrapher(t)
	h, r := b.GraphConditionalHandleCreate(b.g, b.ctx, 1, driver.AssignDefault)
	require.Equal(t, driver.Success, r)
	loop := b.addTo(b.g, driver.NodeParams{Type: driver.ConditionalNodeType, Ctx: b.ctx, Conditional: driver.ConditionalNodeParams{Handle: h, Kind: driver.ConditionalWhile, Bodies: 1}})
	b.addTo(loop.Bodies[0], b.setting(1, 100))
	require.Equal(t, driver.Success, b.GraphLaunch(b.instantiate(b.g), b.s))
	d := b.Driver.(*device)
	d.stopAfter(10 * time.Millisecond)
	assert.Equal(t, driver.ErrorLaunchTimeout, b.StreamSynchronize(b.s))
	assert.Contains(t, d.Fault().Reason, "a While node of a graph did not end")
}
