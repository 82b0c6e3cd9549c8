package sim

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// A device address is id<<offsetBits | offset: the number of an allocation and an
// offset in it. Numbers are used again only after all others have been, so an
// address outside of its allocation, or of one that was freed, belongs to no other.
const (
	offsetBits = 40
	offsetMask = 1<<offsetBits - 1
	maxID      = 1 << (64 - offsetBits)
)

// The first numbers are windows of the generic address space. Number 0 has no
// memory, so that null is never valid.
const (
	sharedWindow = iota + 1
	localWindow
	paramWindow
	firstID
)

// An allocation is device memory. Its data is nil once it is freed.
type allocation struct {
	size     uint64
	data     []uint64 // words, so that atomics are aligned
	constant bool     // a .const variable: kernels may not write
	doomed   bool     // MemFreeAsync was called; under memory.mu
	module   bool     // a variable of a module, or page-locked or managed: MemFreeAsync does not free it
	planned  bool     // a graph's, which allocates and frees it whenever it runs
}

func (a *allocation) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a.data))), a.size)
}

// words returns zeroed memory for n bytes, aligned to 8.
func words(n uint64) []uint64 { return make([]uint64, (n+7)/8) }

const chunkBits = 12

// memory is the device's memory. Kernels look allocations up while others
// allocate and free, so the table is read without a lock.
type memory struct {
	chunks [maxID >> chunkBits]atomic.Pointer[[1 << chunkBits]atomic.Pointer[allocation]]

	conditionals sync.Map // graphs' conditional handles, as kernels set them → *conditional

	mu   sync.Mutex
	next uint64
	used uint64 // bytes
}

// plan returns an address for size bytes that renew allocates, or false when there is no room.
func (m *memory) plan(size uint64) (uint64, bool) {
	addr, ok := m.alloc(size, allocation{planned: true})
	return addr, ok && m.free(addr)
}

// isPlanned reports whether n bytes at addr are a graph's, be they allocated or not.
func (m *memory) isPlanned(addr, n uint64) bool {
	a := m.find(addr >> offsetBits)
	offset := addr & offsetMask
	return a != nil && a.planned && n <= a.size && offset <= a.size-n
}

// exists reports whether there is memory at addr that was not freed.
func (m *memory) exists(addr uint64) bool {
	_, ok := m.slice(addr, 0)
	return ok
}

// entry returns where the allocation number id is kept, or nil.
func (m *memory) entry(id uint64) *atomic.Pointer[allocation] {
	if id >= maxID {
		return nil
	}
	chunk := m.chunks[id>>chunkBits].Load()
	if chunk == nil {
		return nil
	}
	return &chunk[id&(1<<chunkBits-1)]
}

// find returns the allocation number id, freed or not, or nil when there never was one.
func (m *memory) find(id uint64) *allocation {
	if e := m.entry(id); e != nil {
		return e.Load()
	}
	return nil
}

// alloc returns the address of size bytes, zeroed, with the properties of kind, or
// false when there is no room.
func (m *memory) alloc(size uint64, kind allocation) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > totalMemory || m.used+size > totalMemory {
		return 0, false
	}
	for range maxID {
		id := m.next
		if m.next++; m.next == maxID {
			m.next = firstID
		}
		if id < firstID {
			continue
		}
		chunk := &m.chunks[id>>chunkBits]
		if chunk.Load() == nil {
			chunk.Store(new([1 << chunkBits]atomic.Pointer[allocation]))
		}
		e := m.entry(id)
		if old := e.Load(); old != nil && (old.data != nil || old.planned) {
			continue
		}
		m.used += size
		e.Store(&allocation{size: size, data: words(size), constant: kind.constant, module: kind.module, planned: kind.planned})
		return id << offsetBits, true
	}
	return 0, false
}

// doom marks the allocation that begins at addr as being freed and reports whether
// there is one that was not.
func (m *memory) doom(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.find(addr >> offsetBits)
	if a == nil || a.data == nil || addr&offsetMask != 0 || a.doomed || a.module {
		return false
	}
	a.doomed = true
	return true
}

// free frees the allocation that begins at addr and reports whether there is one.
func (m *memory) free(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(addr >> offsetBits)
	if e == nil || addr&offsetMask != 0 {
		return false
	}
	a := e.Load()
	if a == nil || a.data == nil {
		return false
	}
	m.used -= a.size
	e.Store(&allocation{size: a.size, constant: a.constant, module: a.module, planned: a.planned})
	return true
}

// slice returns n bytes of device memory at addr, or false when they are not all in
// one living allocation.
func (m *memory) slice(addr, n uint64) ([]byte, bool) {
	a := m.find(addr >> offsetBits)
	offset := addr & offsetMask
	if a == nil || a.data == nil || n > a.size || offset > a.size-n {
		return nil, false
	}
	return a.bytes()[offset : offset+n], true
}

// live returns the number of allocations that MemFreeAsync has yet to be called for.
func (m *memory) live() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.chunks {
		if chunk := m.chunks[c].Load(); chunk != nil {
			for i := range chunk {
				if a := chunk[i].Load(); a != nil && a.data != nil && !a.module && !a.doomed {
					n++
				}
			}
		}
	}
	return n
}

// reset frees everything.
func (m *memory) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for c := range m.chunks {
		chunk := m.chunks[c].Load()
		if chunk == nil {
			continue
		}
		for n := range chunk {
			if a := chunk[n].Load(); a != nil && a.data != nil {
				chunk[n].Store(&allocation{size: a.size, constant: a.constant, module: a.module})
			}
		}
	}
	m.used = 0
}

// renew gives the freed allocation at addr memory again, zeroed.
func (m *memory) renew(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entry(addr >> offsetBits)
	a := e.Load()
	m.used += a.size
	e.Store(&allocation{size: a.size, data: words(a.size), constant: a.constant, module: a.module, planned: a.planned})
}
