package cuda

import (
	"cmp"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda/internal/inuse"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// A memoryKind says where memory came from, which decides how it is freed and copied.
type memoryKind uint8

const (
	pooled memoryKind = iota // the device's, from a stream-ordered pool
	pageLocked
	managed
	adopted
	registered // page-locked by RegisterHost
	arrayed    // of arrays
	textured   // no memory, but a texture
	surfaced   // no memory, but a surface
	exportable // for other processes: AllocExportable
	imported   // another process's: Import
	memoryKinds
)

// String returns what errors and reports call memory of the kind.
func (k memoryKind) String() string {
	return [memoryKinds]string{"device memory", "page-locked memory", "managed memory", "adopted memory", "registered memory", "array memory", "texture", "surface", "exportable memory", "imported memory"}[k]
}

// isBuffer reports whether a Buffer has memory of the kind.
func (k memoryKind) isBuffer() bool { return k != arrayed && k != textured && k != surfaced }

// object returns what errors call an object of the kind.
func (k memoryKind) object() string {
	switch k {
	case arrayed:
		return "array"
	case textured, surfaced:
		return k.String()
	}
	return "buffer"
}

// described returns what reports call an object of bytes bytes of the kind.
func (k memoryKind) described(bytes uint64) string {
	switch k {
	case arrayed:
		return fmt.Sprintf("an array of %d bytes", bytes)
	case textured, surfaced:
		return "a " + k.String()
	}
	return fmt.Sprintf("a buffer of %d bytes of %s", bytes, k)
}

// An allocation is memory that a device uses, with its owner's obligations. Buffers and
// slices of it share one.
type allocation struct {
	lifetime
	bytes  uint64
	kind   memoryKind
	watch  watch
	memory *memory // nil when there are no bytes
}

// account makes a, whose other fields are set, answer for its memory.
func account(a *allocation) *allocation {
	a.handle = a.kind == textured || a.kind == surfaced
	a.what, a.object, a.portable = a.kind.object(), a, a.kind == pageLocked || a.kind == registered
	if a.bytes == 0 && (a.memory == nil || a.memory.done == nil) {
		return a
	}
	if a.memory == nil {
		a.memory = new(memory)
	}
	*a.memory = memory{addr: driver.DevicePtr(a.addr), kind: a.kind, bytes: a.bytes, host: a.host, done: a.memory.done, destroy: a.memory.destroy}
	if a.dev.leaks.Enabled() {
		a.watchOver(a.memory)
	} else {
		a.memory.users = &a.users
	}
	a.counted = true
	if a.stream != nil {
		a.users.Store(a.stream.word &^ inuse.NoBit)
	}
	a.dev.memory.add(a.memory)
	return a
}

// watchOver has m given back when a is lost.
func (a *allocation) watchOver(m *memory) {
	d := a.dev
	a.watch = watching(a, d, a.kind.described(a.bytes), func() {
		if d.memory.take(m) {
			waited, freed := m.free(d, d.spare)
			d.given(waited)
			d.given(freed)
		}
	})
	m.record = a.watch.record
}

// close is the Close of the object that has a.
func (a *allocation) close(op string) error {
	if a == nil || a.uses.IsClosed() {
		return nil
	}
	if err := a.dev.mayWait(op); err != nil {
		return err
	}
	return a.shut(op)
}

// shut frees the memory, or leaves that to the last of the copies under way.
func (a *allocation) shut(op string) error {
	first, last := a.uses.Close()
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
	r := driver.Success
	for _, u := range a.others.Load().all() {
		r = cmp.Or(r, u.drain())
	}
	home := d.spare
	if a.stream != nil {
		if handle := driver.Stream(a.stream.handle.Load()); handle != 0 {
			home = handle
		} else {
			r = cmp.Or(r, a.stream.drain())
		}
	}
	if a.kind == pooled {
		r = cmp.Or(r, d.orderAfterForeign(home))
	} else {
		r = cmp.Or(r, d.awaitForeign())
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
	bytes      uint64
	kind       memoryKind
	host       unsafe.Pointer
	done       func()               // of adopted memory, or nil: frees it
	destroy    func() driver.Result // of arrays, textures and surfaces, in the context
	record     *leak.Record
	users      *atomic.Uint64 // of its lifetime; nil with leak detection
	prev, next *memory        // nil outside of a list
}

// free frees m: in the order of s, or, when no stream orders it, after all work on d,
// whose error is waited.
func (m *memory) free(d *Device, s driver.Stream) (waited, freed driver.Result) {
	switch m.kind {
	case pooled:
		return driver.Success, d.drv.MemFreeAsync(m.addr, s)
	case adopted: // all streams that use it have been waited for
		if m.done != nil {
			m.done()
		}
		return driver.Success, driver.Success
	case arrayed, textured, surfaced: // as adopted memory
		return driver.Success, d.inContext(m.destroy)
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
		switch m.kind {
		case pageLocked:
			released = d.drv.MemFreeHost(m.host)
		case registered:
			released = d.drv.MemHostUnregister(m.host)
		case imported:
			released = d.drv.IpcCloseMemHandle(m.addr)
		default:
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
	use    memoryUse
	spare  []bufferRecord
}

// A bufferRecord is all that the program has of a buffer: whole cache lines of 64 bytes.
type bufferRecord struct {
	buffer     buffer // beside the home and the address, which launches read with it
	allocation allocation
	memory     memory
}

func _() {
	var same [1]struct{}
	_ = same[unsafe.Sizeof(bufferRecord{})%64]
}

// A buffer is a Buffer, whatever its elements.
type buffer struct {
	mem *allocation
	n   int
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
	l.use.add(m)
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
	l.use.remove(m)
	return true
}

// forget clears bits in the lifetimes of all memory.
func (l *memoryList) forget(bits uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for m := l.ring.next; m != nil && m != &l.ring; m = m.next {
		m.users.And(^bits)
	}
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

// A memoryUse says how much memory is in a memoryList, whose mu guards it.
type memoryUse struct {
	bytes  [memoryKinds]uint64 // by kind
	peak   uint64              // of bytes[pooled]
	number uint64
}

func (u *memoryUse) add(m *memory) {
	if m.kind.isBuffer() {
		u.number++
	}
	u.bytes[m.kind] += m.bytes
	u.peak = max(u.peak, u.bytes[pooled])
}

func (u *memoryUse) remove(m *memory) {
	if m.kind.isBuffer() {
		u.number--
	}
	u.bytes[m.kind] -= m.bytes
}

// inUse returns how much memory is in l.
func (l *memoryList) inUse() memoryUse {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.use
}
