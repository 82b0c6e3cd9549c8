package cuda

import (
	"testing"
	"time"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/hostcopy"
	"github.com/cudagen/cudagen/runtime/cuda/internal/image"
	"github.com/cudagen/cudagen/runtime/cuda/internal/measure"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/libcuda"
)

// AwaitCalls returns when all that was closed on d is gone.
func AwaitCalls(d *Device) { d.awaitCalls() }

// Shifted returns s as if it began some bytes later, as nothing makes a slice.
func Shifted[T any](s Slice[T], bytes uint64) Slice[T] {
	s.addr += bytes
	return s
}

// Stretched returns s as if it had n elements, for lengths that no test machine has
// the memory for.
func Stretched[T any](s Slice[T], n int) Slice[T] {
	s.n = n
	return s
}

// Waiting returns how many goroutines wait for work on d.
func Waiting(d *Device) int { return d.waits.waiting() }

// HasAccess reports whether kernels on d can use the memory of peer.
func HasAccess(d, peer *Device) bool { return d.hasAccess(peer) }

// Peers returns how many devices d can access or can access d.
func Peers(d *Device) (n int) {
	more := func(any, any) bool { n++; return true }
	d.peers.Range(more)
	d.accessors.Range(more)
	return n
}

// TracedKernels returns how many kernels t knows.
func TracedKernels(t *Trace) (n int) {
	t.kernels.Range(func(any, any) bool { n++; return true })
	return n
}

// WatchedEntries returns the driver's functions that traces show beside launches.
func WatchedEntries() (names []string) {
	for e := range measure.Calls {
		names = append(names, e.Name())
	}
	return names
}

// DestroyUnder destroys the driver's stream of s, which nobody has closed.
func DestroyUnder(s *Stream) { s.dev.drv.StreamDestroy(driver.Stream(s.handle.Load())) }

// LaunchUnheld is Generated.Launch by one who holds no epoch.
func LaunchUnheld(k *Kernel, s *Stream, cfg *LaunchConfig, params unsafe.Pointer) driver.Result {
	return libcuda.Launch(&libcuda.LaunchRecord{
		Target: &k.target,
		Stream: driver.Stream(s.handle.Load()),
		Params: params,
		Config: (*libcuda.LaunchConfig)(unsafe.Pointer(cfg)),
	})
}

// Noted reports whether s has its bit in the lifetime of o, and is among the others there.
func Noted(o Owner, s *Stream) (bit, other bool) {
	return s.word&^o.users.Load() == 0, o.others.Load().has(s)
}

// Others returns how many streams are among the others of o.
func Others(o Owner) int { return len(o.others.Load().all()) }

// OnlyInGraph returns a slice of memory that only a graph has.
func OnlyInGraph[T any](n int) Slice[T] {
	return Slice[T]{n: n, owner: &lifetime{graphOnly: true, what: "memory"}}
}

// GraphOffsets returns where in the parameter block of c the values are that only a graph has.
func GraphOffsets(c *Call) (offsets []uint32) {
	for _, a := range c.args {
		if a.owner != nil && a.owner.graphOnly {
			offsets = append(offsets, a.offset)
		}
	}
	return offsets
}

// EmptyGrid reports whether a grid has no blocks.
func EmptyGrid(grid Dim3) bool { return (&LaunchConfig{Grid: grid}).emptyGrid() != 0 }

// IsGraph reports whether b is a graph now.
func IsGraph(b *Batch) bool { return b.graph != nil }

// HostFunctions returns how many functions e keeps.
func HostFunctions(e *GraphExec) int { return len(e.state.kept()) }

// EventsInUse returns how many events e keeps.
func EventsInUse(e *GraphExec) int { return len(e.state.events) }

// FillForeign is what another library does with the stream's handle: it fills s, as a node of the
// capture, or queues that on the stream.
func FillForeign(stream *Stream, s Slice[int32], value byte, queue bool) driver.Result {
	d, handle := stream.dev, driver.Stream(stream.capturing().inner.handle.Load())
	if queue {
		return d.drv.MemsetD8Async(driver.DevicePtr(s.addr), value, 4*uint64(s.n), handle)
	}
	return addForeign(d, handle, driver.NodeParams{Type: driver.MemsetNodeType, Ctx: d.ctx, Memset: driver.MemsetNodeParams{
		Dst: driver.DevicePtr(s.addr), Value: uint32(value), ElementBytes: 1, Width: 4 * uint64(s.n), Height: 1,
	}})
}

// AllocForeign has another library capture an allocation.
func AllocForeign(stream *Stream) driver.Result {
	d := stream.dev
	return addForeign(d, driver.Stream(stream.capturing().inner.handle.Load()), driver.NodeParams{Type: driver.MemAllocNodeType, Alloc: driver.MemAllocNodeParams{Dev: d.dev, Bytes: 64}})
}

func addForeign(d *Device, handle driver.Stream, p driver.NodeParams) driver.Result {
	_, _, graph, last, r := d.drv.StreamGetCaptureInfo(handle)
	if r != driver.Success {
		return r
	}
	var after []driver.GraphEdge
	for _, l := range last {
		after = append(after, driver.GraphEdge{From: l})
	}
	added, r := d.drv.GraphAddNode(graph, after, p)
	if r != driver.Success {
		return r
	}
	return d.drv.StreamUpdateCaptureDependencies(handle, []driver.GraphNode{added.Node}, driver.SetCaptureDependencies)
}

// Places returns offsets and sizes of a kernel's parameters, as the driver and as the text of the
// image have them.
func Places(t testing.TB, l *Library, symbol string) (driver, text [][2]uint64) {
	defer l.dev.hold().release()
	handle, _ := l.dev.drv.LibraryGetKernel(libraryHandle(l), symbol)
	asked, r := l.askParams(handle)
	if _, err := l.params(asked, r, "ask for", symbol, symbol); err != nil {
		t.Fatal(err)
	}
	read, _ := image.Params(l.image.Name, l.image.Data, symbol)
	return pairs(asked), pairs(read)
}

func pairs(places []image.Param) (list [][2]uint64) {
	for _, p := range places {
		list = append(list, [2]uint64{p.Offset, p.Size})
	}
	return list
}

func libraryHandle(l *Library) driver.Library { return driver.Library(l.handle.Load()) }

// HandedOut returns how many streams other libraries may use.
func HandedOut(d *Device) int { return len(d.foreignStreams()) }

// CurrentContext returns the context of the thread.
func CurrentContext(d *Device) driver.Context {
	ctx, _ := d.drv.CtxGetCurrent()
	return ctx
}

// OwnContext returns the context of d.
func OwnContext(d *Device) driver.Context { return d.ctx }

// Contexts does to those of the thread what code of another library may do.
func Contexts(d *Device) (push func(*Device), pop func(), set func(*Device)) {
	return func(d *Device) { d.drv.CtxPushCurrent(d.ctx) }, func() { d.drv.CtxPopCurrent() }, func(d *Device) { d.drv.CtxSetCurrent(d.ctx) }
}

// FillHasty leaves no copy that blocks its thread as it comes, until restore is called.
func FillHasty() (restore func()) {
	for range cap(hasty) {
		hasty <- struct{}{}
	}
	return func() {
		for range cap(hasty) {
			hasty.Give()
		}
	}
}

// UnboundHasty lets n copies block their threads as they come, until restore is called.
func UnboundHasty(n int) (restore func()) {
	before := hasty
	hasty = make(hostcopy.Semaphore, n)
	return func() { hasty = before }
}

// Blocking returns how many copies block a thread.
func Blocking() int { return len(hasty) + len(patient) }

// HandleOf returns the driver's stream of s, which may be closed.
func HandleOf(s *Stream) driver.Stream { return s.queue.handle }

// SetHostFuncLimit makes Device.Close give up earlier.
func SetHostFuncLimit(limit time.Duration) (restore func()) {
	before := hostFuncLimit
	hostFuncLimit = limit
	return func() { hostFuncLimit = before }
}

// BlockingCalls counts the calls on d that hold no epoch.
func BlockingCalls(d *Device) int64 { return d.blocking.Load() }

// BeginUse and EndUse are the beginning and the end of a copy that uses what has o.
func BeginUse(o Owner) bool { return o.begin() }
func EndUse(o Owner)        { o.end() }
