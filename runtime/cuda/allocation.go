package cuda

import (
	"cmp"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// A memoryKind says where memory came from, which decides how it is freed and copied.
type memoryKind uint8

const (
	pooled memoryKind = iota // the device's, from a stream-ordered pool
	pageLocked
	managed
	graphMemory // of an AllocNode: there only while its graph runs
)

// An allocation is memory that a device uses, with its owner's obligations. Buffers and
// slices of it share one.
type allocation struct {
	// home is where the memory was allocated and is freed, while it is open and no
	// other stream has used it: a launch on home has to look at nothing else.
	home   atomic.Pointer[Stream]
	addr   uint64
	bytes  uint64
	dev    *Device
	stream *Stream // where it was allocated; nil unless it is pooled
	kind   memoryKind
	host   unsafe.Pointer // where the CPU sees it; nil when it is pooled
	watch  watch
	memory *memory // nil when there are no bytes

	uses useCount // the copies that are under way

	mu      sync.Mutex
	others  map[*Stream]bool       // that have used it
	visitor atomic.Pointer[Stream] // the last of them, while it is open
}

// account makes a, whose other fields are set, answer for its memory.
func account(a *allocation) *allocation {
	a.home.Store(a.stream)
	if a.bytes == 0 {
		return a
	}
	if a.memory == nil {
		a.memory = new(memory)
	}
	*a.memory = memory{addr: driver.DevicePtr(a.addr), kind: a.kind, host: a.host}
	if a.dev.leaks.Enabled() {
		a.watchOver(a.memory)
	}
	a.dev.memory.add(a.memory)
	return a
}

// watchOver has m given back when a is lost.
func (a *allocation) watchOver(m *memory) {
	d := a.dev
	a.watch = watching(a, d, "a buffer", func() {
		if d.memory.take(m) {
			waited, freed := m.free(d, d.spare)
			d.given(waited)
			d.given(freed)
		}
	})
	m.record = a.watch.record
}

// usedOn notes that work on s uses a. It reports false when the buffer is closed. The
// zero Slice has no allocation, which is always open.
func (a *allocation) usedOn(s *Stream) bool {
	if a == nil {
		return true
	}
	if s == a.stream || s == a.visitor.Load() {
		return !a.uses.isClosed()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.isOpenTo(s.dev) {
		return false
	}
	a.home.Store(nil)
	if a.dev == s.dev { // else the device has to be asked again
		a.visitor.Store(s)
	}
	if a.others == nil {
		a.others = make(map[*Stream]bool)
	}
	a.others[s] = true
	return true
}

// awayFromHome returns why a launch of k on s cannot use a, which belongs to its argument
// for param: it is closed, or on another device. Otherwise it notes that s uses a.
func (a *allocation) awayFromHome(k *Kernel, s *Stream, param string) error {
	switch {
	case k == nil || s == nil: // LaunchKernel says so
		return nil
	case a == nil || a.home.Load() == s:
		return nil
	case a.visitor.Load() == s:
		return nil
	case a.kind == graphMemory:
		return k.launchArgument(param+" is memory of a graph, and there only while the graph runs: use a CallNode", ErrInvalidValue)
	case !a.reachableFrom(s.dev):
		return k.launchArgument("the buffer of "+param+" is on "+a.dev.String(), ErrInvalidValue)
	}
	if !a.usedOn(s) {
		return k.launchArgument("the buffer of "+param, ErrClosed)
	}
	return nil
}

// isOpenTo reports whether the buffer is open; a stream of d shows whether d is.
func (a *allocation) isOpenTo(d *Device) bool {
	return !a.uses.isClosed() && (a.dev == d || !a.dev.isClosed())
}

// reachableFrom reports whether kernels on d can use the memory: it is d's, or the
// host's, or d has access to the other device.
func (a *allocation) reachableFrom(d *Device) bool {
	return a.dev == d || a.kind == pageLocked && a.dev.simulated == d.simulated || d.hasAccess(a.dev)
}

// begin keeps the memory until end. It reports false when the buffer is closed. The
// caller holds an epoch.
func (a *allocation) begin() bool {
	if a == nil {
		return true
	}
	if a.kind == graphMemory {
		return false // it is there only while its graph runs
	}
	closed, last := a.uses.begin()
	if last {
		a.dev.given(a.free())
	}
	return !closed
}

// beginOn is begin for work on s, and notes that s uses a.
func (a *allocation) beginOn(s *Stream) bool {
	if !a.begin() {
		return false
	}
	if !a.usedOn(s) {
		a.end()
		return false
	}
	return true
}

// end ends what begin began.
func (a *allocation) end() {
	if a != nil && a.uses.end() {
		a.dev.given(a.free())
	}
}

// close frees the memory, or leaves that to the last of the copies under way.
func (a *allocation) close(op string) error {
	if a == nil {
		return nil
	}
	first, last := a.uses.close()
	if !first {
		return nil
	}
	a.recheck()
	a.watch.end()
	if !last {
		return nil
	}
	if r := a.free(); r != driver.Success {
		return a.dev.fail(op, r)
	}
	return nil
}

// recheck makes the next launch of each stream that has used a closed allocation look at
// it again.
func (a *allocation) recheck() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.home.Store(nil)
	a.visitor.Store(nil)
	if a.stream != nil {
		a.stream.nextTurn()
	}
	for s := range a.others {
		s.nextTurn()
	}
}

// free frees the memory. Calling it again has no effect.
func (a *allocation) free() driver.Result {
	if a.memory == nil {
		return driver.Success
	}
	d := a.dev
	defer d.hold().release()
	if !d.memory.take(a.memory) {
		return driver.Success // or Device.Close was first
	}
	a.mu.Lock()
	others := a.others
	a.mu.Unlock()
	r := driver.Success
	for s := range others {
		r = cmp.Or(r, s.drain())
	}
	home := d.spare
	if a.stream != nil {
		if handle := driver.Stream(a.stream.handle.Load()); handle != 0 {
			home = handle
		} else {
			r = cmp.Or(r, a.stream.drain())
		}
	}
	waited, freed := a.memory.free(d, home)
	if freed != driver.Success {
		d.memory.add(a.memory) // for Device.Close
	}
	return cmp.Or(r, waited, freed)
}

// A memory is an allocation of the driver. It is apart from the allocation that refers
// to it, so that a device has all of its memory without keeping buffers reachable, when
// leaks are looked for.
type memory struct {
	addr       driver.DevicePtr
	kind       memoryKind
	host       unsafe.Pointer
	record     *leak.Record
	prev, next *memory // nil outside of a list
}

// free frees m: in the order of s, or, when no stream orders it, after all work on d,
// whose error is waited.
func (m *memory) free(d *Device, s driver.Stream) (waited, freed driver.Result) {
	if m.kind == pooled {
		return driver.Success, d.drv.MemFreeAsync(m.addr, s)
	}
	waited = d.inContext(d.drv.CtxSynchronize)
	r, freed := m.release(d)
	return cmp.Or(waited, r), freed
}

// release gives memory that is not pooled back to the driver, at once. r is released, or
// what is wrong with the context.
func (m *memory) release(d *Device) (r, released driver.Result) {
	called := false
	r = d.inContext(func() driver.Result {
		called = true
		if m.kind == pageLocked {
			released = d.drv.MemFreeHost(m.host)
		} else {
			released = d.drv.MemFree(m.addr)
		}
		return released
	})
	if !called {
		return r, r
	}
	return r, released
}

// A memoryList is the memory of a device. Its zero value is empty. Any goroutine may
// call its methods.
type memoryList struct {
	mu     sync.Mutex
	ring   memory
	sealed bool // all of it is the device's to free
	spare  []bufferRecord
}

// A bufferRecord is all that the program has of a buffer.
type bufferRecord struct {
	buffer     buffer // beside the home and the address, which launches read with it
	allocation allocation
	memory     memory
	_          [8]byte // whole cache lines of 64 bytes
}

func _() {
	var same [1]struct{}
	_ = same[unsafe.Sizeof(bufferRecord{})%64]
}

// recordsMade is the number of records that are allocated at once, so that Go's
// allocation costs little compared with the driver's.
const recordsMade = 32

// newRecord returns an unused record. Records that are allocated together become
// unreachable together, so with leak detection each is allocated by itself.
func (l *memoryList) newRecord() *bufferRecord {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.spare) == 0 {
		l.spare = make([]bufferRecord, recordsMade)
	}
	r := &l.spare[0]
	l.spare = l.spare[1:]
	r.allocation.memory = &r.memory
	return r
}

// add begins to account for m.
func (l *memoryList) add(m *memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ring.next == nil {
		l.ring.prev, l.ring.next = &l.ring, &l.ring
	}
	m.prev, m.next = l.ring.prev, &l.ring
	m.prev.next, m.next.prev = m, m
}

// take gives the caller the duty to free m. It returns false if another caller has it.
// The caller must hold an epoch.
func (l *memoryList) take(m *memory) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed || m.next == nil {
		return false
	}
	m.prev.next, m.next.prev = m.next, m.prev
	m.prev, m.next = nil, nil
	return true
}

// seal gives Device.Close the duty to free all memory that was not taken. Later frees
// could hold an epoch that it does not wait for.
func (l *memoryList) seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
}

// rest returns what is left of a sealed list.
func (l *memoryList) rest() (all []*memory) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for m := l.ring.next; m != nil && m != &l.ring; m = m.next {
		m.record.Closed()
		all = append(all, m)
	}
	return all
}
