package cuda

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/cudagen/cudagen/runtime/internal/driver"
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
	closed atomic.Bool
	watch  watch
	memory *memory

	mu     sync.Mutex
	others map[*Stream]bool // that have used it
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
	d.memory.add(m)
	a.watch = watching(a, d, "a buffer", func() {
		if d.memory.take(m) {
			d.given(d.drv.MemFreeAsync(m.addr, d.spare))
		}
	})
	return a
}

// usedOn notes that work on s uses a, which is open.
func (a *allocation) usedOn(s *Stream) {
	if s == a.stream {
		return
	}
	a.home.Store(nil)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.others == nil {
		a.others = make(map[*Stream]bool)
	}
	a.others[s] = true
}

// awayFromHome is Check for a buffer that is closed, or used on another stream than the
// one that allocated it.
//
//go:noinline
func (a *allocation) awayFromHome(k *Kernel, s *Stream, param string) error {
	switch {
	case k == nil || s == nil: // LaunchKernel says so
		return nil
	case a.closed.Load():
		return launchArgument(k, "the buffer of "+param, ErrClosed)
	case a.stream.dev != s.dev:
		return launchArgument(k, "the buffer of "+param+" is on "+a.stream.dev.String(), ErrInvalidValue)
	}
	a.usedOn(s)
	return nil
}

func (a *allocation) free() error {
	if a == nil || a.closed.Swap(true) || a.memory == nil {
		return nil
	}
	a.home.Store(nil)
	a.watch.end()
	d := a.stream.dev
	defer d.hold().release()
	if !d.memory.take(a.memory) {
		return nil // Device.Close was first
	}
	a.mu.Lock()
	others := a.others
	a.mu.Unlock()
	r := driver.Success
	for s := range others {
		if handle := driver.Stream(s.handle.Load()); handle != 0 { // else closing it has waited for its work
			r = cmp.Or(r, d.drv.StreamSynchronize(handle))
		}
	}
	home := driver.Stream(a.stream.handle.Load())
	if home == 0 { // so has closing this one
		home = d.spare
	}
	if freed := d.drv.MemFreeAsync(a.memory.addr, home); freed != driver.Success {
		d.memory.add(a.memory) // for Device.Close
		r = cmp.Or(r, freed)
	}
	if r != driver.Success {
		return d.failWork("free a buffer", r)
	}
	return nil
}

// A memory is an allocation of the driver. It is apart from the allocation that refers
// to it, so that a device has all of its memory without keeping buffers reachable.
type memory struct {
	addr       driver.DevicePtr
	prev, next *memory // nil outside of a list
}

// A memoryList is the memory of a device. Its zero value is empty. Any goroutine may
// call its methods.
type memoryList struct {
	mu   sync.Mutex
	ring memory
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
func (l *memoryList) take(m *memory) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if m.next == nil {
		return false
	}
	m.prev.next, m.next.prev = m.next, m.prev
	m.prev, m.next = nil, nil
	return true
}

// takeAll makes the caller the one who frees all that is left.
func (l *memoryList) takeAll() (addrs []driver.DevicePtr) {
	for {
		l.mu.Lock()
		m := l.ring.next
		l.mu.Unlock()
		if m == nil || m == &l.ring {
			return addrs
		}
		if l.take(m) {
			addrs = append(addrs, m.addr)
		}
	}
}
