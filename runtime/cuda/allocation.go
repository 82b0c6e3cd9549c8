package cuda

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/internal/leak"
)

// An allocation is device memory with its owner's obligations. Buffers and slices
// of it share one.
type allocation struct {
	// home is where the memory was allocated and is freed, while it is open and no
	// other stream has used it: a launch on home has to look at nothing else.
	home   atomic.Pointer[Stream]
	addr   uint64
	bytes  uint64
	stream *Stream
	watch  watch
	memory *memory // nil when there are no bytes

	// uses counts the copies that are under way, and has closedBit once the buffer is
	// closed. Whoever makes it closedBit alone frees the memory.
	uses atomic.Int64

	mu      sync.Mutex
	others  map[*Stream]bool       // that have used it
	visitor atomic.Pointer[Stream] // the last of them, while it is open
}

// newAllocation accounts for bytes at addr, which were allocated on s. addr is 0 for
// none.
func newAllocation(s *Stream, addr driver.DevicePtr, bytes uint64) *allocation {
	a := &allocation{addr: uint64(addr), bytes: bytes, stream: s}
	a.home.Store(s)
	if addr == 0 {
		return a
	}
	m := &memory{addr: addr}
	a.memory = m
	d := s.dev
	a.watch = watching(a, d, "a buffer", func() {
		if d.memory.take(m) {
			d.given(d.drv.MemFreeAsync(m.addr, d.spare))
		}
	})
	m.record = a.watch.record
	d.memory.add(m)
	return a
}

// usedOn notes that work on s uses a. It reports false when the buffer is closed.
func (a *allocation) usedOn(s *Stream) bool {
	if s == a.stream {
		return !a.isClosed()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.isClosed() {
		return false
	}
	a.home.Store(nil)
	a.visitor.Store(s)
	if a.others == nil {
		a.others = make(map[*Stream]bool)
	}
	a.others[s] = true
	return true
}

// awayFromHome is Check for a buffer that is closed, or used on another stream than the
// one that allocated it.
//
//go:noinline
func (a *allocation) awayFromHome(k *Kernel, s *Stream, param string) error {
	switch {
	case k == nil || s == nil: // LaunchKernel says so
		return nil
	case a.visitor.Load() == s:
		return nil
	case a.stream.dev != s.dev:
		return launchArgument(k, "the buffer of "+param+" is on "+a.stream.dev.String(), ErrInvalidValue)
	}
	if !a.usedOn(s) {
		return launchArgument(k, "the buffer of "+param, ErrClosed)
	}
	return nil
}

const closedBit = 1 << 62

func (a *allocation) isClosed() bool { return a.uses.Load()&closedBit != 0 }

// begin keeps the memory until end. It reports false when the buffer is closed. The
// zero Slice has no allocation, which is always open.
func (a *allocation) begin() bool {
	if a == nil || a.uses.Add(1)&closedBit == 0 {
		return true
	}
	a.end()
	return false
}

// end ends what begin began. The caller holds an epoch.
func (a *allocation) end() {
	if a == nil || a.uses.Add(-1) != closedBit {
		return
	}
	a.stream.dev.given(a.free())
}

// close frees the memory, or leaves that to the last of the copies under way.
func (a *allocation) close() error {
	if a == nil || a.uses.Or(closedBit)&closedBit != 0 {
		return nil
	}
	a.mu.Lock()
	a.home.Store(nil)
	a.visitor.Store(nil)
	a.mu.Unlock()
	a.watch.end()
	if a.uses.Load() != closedBit {
		return nil
	}
	if r := a.free(); r != driver.Success {
		return a.stream.dev.failWork("free a buffer", r)
	}
	return nil
}

// free frees the memory. Calling it again has no effect.
func (a *allocation) free() driver.Result {
	if a.memory == nil {
		return driver.Success
	}
	d := a.stream.dev
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
	home := driver.Stream(a.stream.handle.Load())
	if home == 0 {
		r = cmp.Or(r, a.stream.drain())
		home = d.spare
	}
	if freed := d.drv.MemFreeAsync(a.memory.addr, home); freed != driver.Success {
		d.memory.add(a.memory) // for Device.Close
		r = cmp.Or(r, freed)
	}
	return r
}

// A memory is an allocation of the driver. It is apart from the allocation that refers
// to it, so that a device has all of its memory without keeping buffers reachable.
type memory struct {
	addr       driver.DevicePtr
	record     *leak.Record
	prev, next *memory // nil outside of a list
}

// A memoryList is the memory of a device. Its zero value is empty. Any goroutine may
// call its methods.
type memoryList struct {
	mu     sync.Mutex
	ring   memory
	sealed bool // all of it is the device's to free
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

// take makes the caller the one who frees m. It reports false when somebody else is.
// The caller has taken an epoch before.
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

// seal makes Device.Close the one who frees what nobody has taken. Later frees could
// take an epoch that it does not wait for.
func (l *memoryList) seal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = true
}

// rest returns what is left of a sealed list.
func (l *memoryList) rest() (addrs []driver.DevicePtr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for m := l.ring.next; m != nil && m != &l.ring; m = m.next {
		m.record.Closed()
		addrs = append(addrs, m.addr)
	}
	return addrs
}
