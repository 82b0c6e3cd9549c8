package fakecuda

import (
	"bytes"
	"testing"
	"time"
	"unsafe"
)

// A Library controls a fake libcuda that is loaded into the process. Any goroutine may
// call its methods.
type Library struct {
	handle uintptr

	reset       func()
	fail        func(name string, nth, result int32)
	failLate    func(nth, result int32)
	slow        func(microseconds uint32)
	hold        func(hold int32)
	stall       func(stall int32)
	setDevices  func(count int32)
	setMemory   func(bytes uint64)
	live        func(kind int32) int32
	callCount   func() uint64
	call        func(i uint64, name []byte, size uint64)
	launchCount func() uint64
	launch      func(i uint64, facts *launchFacts, bytes []byte, size uint64)
	timed       func(n uint64, count int32) uint64
	node        func(node uint64, facts *nodeFacts) int32
}

// Load loads the library at path, which Build returned. It is the same library that
// runtime/internal/libcuda loads from that path, whichever opens it first.
func Load(t testing.TB, path string) *Library {
	t.Helper()
	l, err := LoadFile(path)
	if err != nil {
		t.Fatalf("fakecuda: %v", err)
	}
	return l
}

// LoadFile is like Load, but returns an error instead of failing a test.
func LoadFile(path string) (*Library, error) {
	handle, err := load(path)
	if err != nil {
		return nil, err
	}
	l := &Library{handle: handle}
	for name, fn := range map[string]any{
		"fake_reset":         &l.reset,
		"fake_fail":          &l.fail,
		"fake_fail_late":     &l.failLate,
		"fake_slow":          &l.slow,
		"fake_hold":          &l.hold,
		"fake_stall":         &l.stall,
		"fake_set_devices":   &l.setDevices,
		"fake_set_memory":    &l.setMemory,
		"fake_live":          &l.live,
		"fake_call_count":    &l.callCount,
		"fake_call":          &l.call,
		"fake_launch_count":  &l.launchCount,
		"fake_launch":        &l.launch,
		"fake_time_launches": &l.timed,
		"fake_node":          &l.node,
	} {
		address, err := find(handle, name)
		if err != nil {
			return nil, err
		}
		register(fn, address)
	}
	return l, nil
}

// Symbol returns the address of a C function in the library.
func (l *Library) Symbol(t testing.TB, name string) uintptr {
	t.Helper()
	address, err := find(l.handle, name)
	if err != nil {
		t.Fatalf("fakecuda: %v", err)
	}
	return address
}

// Hold makes queued work appear unfinished until Release: queries return not ready, and
// synchronization blocks. The fake driver does the work when it is queued, even so.
func (l *Library) Hold() { l.hold(1) }

// Release undoes Hold.
func (l *Library) Release() { l.hold(0) }

// Stall makes calls that read the caller's memory, as launches do, wait in the driver until
// Resume.
func (l *Library) Stall() { l.stall(1) }

// Resume undoes Stall.
func (l *Library) Resume() { l.stall(0) }

// Reset forgets the calls and launches, and undoes Fail, FailNth, Slow, Hold, Stall and
// SetMemory. Existing objects stay.
func (l *Library) Reset() { l.reset() }

// Fail makes the next call of entryPoint, as "cuMemAllocAsync", fail with result, a
// CUresult, once.
func (l *Library) Fail(entryPoint string, result int) { l.fail(entryPoint, 1, int32(result)) }

// FailNth makes the nth call from now on, of whatever entry point, fail with result.
// nth counts from 1.
func (l *Library) FailNth(nth, result int) { l.fail("", int32(nth), int32(result)) }

// FailLate makes all calls after the nth that need the context fail with result, until
// the context is destroyed, as after a kernel fault.
func (l *Library) FailLate(nth, result int) { l.failLate(int32(nth), int32(result)) }

// Slow makes calls that read the caller's memory, and cuStreamQuery, wait for d first.
func (l *Library) Slow(d time.Duration) { l.slow(uint32(d.Microseconds())) }

// SetDevices sets the number of devices, at most 8. Call it before cuInit.
func (l *Library) SetDevices(count int) { l.setDevices(int32(count)) }

// SetMemory sets the bytes that the pools of all devices can take together, until Reset. A pool
// takes 32 MiB at a time.
func (l *Library) SetMemory(bytes uint64) { l.setMemory(bytes) }

// An Object is a kind of object of the driver.
type Object int32

// Values of Object.
const (
	Context Object = iota
	LoadedLibrary
	Kernel
	Stream
	Memory // of every kind, variables of libraries included
	Event
	Pool
	_ // variables
	Graph
	_ // nodes
	GraphExec
	Array // levels of mipmapped arrays included
	MipmappedArray
	Texture
	Surface
)

// Live returns how many objects of the kind exist and were not released.
func (l *Library) Live(kind Object) int { return int(l.live(int32(kind))) }

// Calls returns the names of the calls since Reset, in order, as the CUDA Driver API
// manual has them: "cuMemAllocAsync".
func (l *Library) Calls() []string {
	var names []string
	name := make([]byte, 64)
	for i := range l.callCount() {
		l.call(i, name, uint64(len(name)))
		text, _, _ := bytes.Cut(name, []byte{0})
		names = append(names, string(text))
	}
	return names
}

// launchFacts is the first part of the C struct launch.
type launchFacts struct {
	kernel, stream                       uint64
	grid, block                          [3]uint32
	sharedBytes, parameterSize, misalign uint32
	attributes                           uint32
	cluster                              [3]uint32
	cooperative, programmatic, prior     uint32
	priority                             int32
}

// A Launch holds the arguments of a cuLaunchKernel or cuLaunchKernelEx call.
type Launch struct {
	Kernel, Stream uint64    // CUkernel, CUstream
	Grid, Block    [3]uint32 // x, y, z
	SharedBytes    uint32
	// Arguments holds the bytes of the parameters, one after the other, without what
	// lies between them in the parameter block.
	Arguments []byte
	// Misaligned says that the C stack was not aligned to 16 bytes.
	Misaligned bool

	// Of cuLaunchKernelEx: how many attributes there were, and what they said.
	Attributes                             int
	Cluster                                [3]uint32
	Cooperative, Programmatic, HasPriority bool
	Priority                               int32
}

// Launches returns the launches since Reset, in order.
func (l *Library) Launches() []Launch {
	var launches []Launch
	for i := range l.launchCount() {
		var f launchFacts
		l.launch(i, &f, make([]byte, 1), 0)
		arguments := make([]byte, f.parameterSize+1)
		l.launch(i, &f, arguments, uint64(f.parameterSize))
		launches = append(launches, Launch{
			Kernel:      f.kernel,
			Stream:      f.stream,
			Grid:        f.grid,
			Block:       f.block,
			SharedBytes: f.sharedBytes,
			Arguments:   arguments[:f.parameterSize],
			Misaligned:  f.misalign != 0,

			Attributes:   int(f.attributes),
			Cluster:      f.cluster,
			Cooperative:  f.cooperative != 0,
			Programmatic: f.programmatic != 0,
			HasPriority:  f.prior != 0,
			Priority:     f.priority,
		})
	}
	return launches
}

// nodeFacts is the C struct node_facts.
type nodeFacts struct {
	kind, dependencies int64
	numbers            [24]uint64
}

// A Node is a node of a graph as the driver sees it.
type Node struct {
	Kind         int // CUgraphNodeType
	Dependencies int // how many nodes it comes after
	// Numbers are the members of its parameters in the order of cuda.h, without those that
	// must be zero. Of a kernel's they end with the context, of memory copies they are type,
	// host, device, pitch and height of both sides, then width, height, depth, context.
	Numbers []uint64
}

// Node returns what the driver knows of a CUgraphNode, or false if there is none.
func (l *Library) Node(handle uint64) (Node, bool) {
	var f nodeFacts
	if l.node(handle, &f) == 0 {
		return Node{}, false
	}
	return Node{int(f.kind), int(f.dependencies), f.numbers[:]}, true
}

// EmptyFunction returns the address of a C function of one pointer that does nothing.
func (l *Library) EmptyFunction(t testing.TB) uintptr { return l.Symbol(t, "fake_empty") }

// EmptyLaunch returns the address of a cuLaunchKernel that does nothing.
func (l *Library) EmptyLaunch(t testing.TB) uintptr { return l.Symbol(t, "fake_empty_launch") }

// TimeLaunches launches n times in C, with count parameters of 8 bytes, 64 at most, by
// a cuLaunchKernel that does nothing, and returns how long it took.
func (l *Library) TimeLaunches(n, count int) time.Duration {
	return time.Duration(l.timed(uint64(n), int32(count)))
}

// Clobbered calls the C function at fn, of one pointer, and returns a set of bits: the
// registers that a callee preserves and that fn did not.
func (l *Library) Clobbered(t testing.TB, fn uintptr, argument unsafe.Pointer) uint32 {
	t.Helper()
	var clobbered func(fn uintptr, argument unsafe.Pointer) uint32
	register(&clobbered, l.Symbol(t, "fake_clobbered"))
	return clobbered(fn, argument)
}
