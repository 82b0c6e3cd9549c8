package sim

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A device address is id<<offsetBits | offset: the number of an allocation and an
// offset in it. All devices of the process share the numbers, and they are used again
// only after all others have been, so an address outside of its allocation, of one that
// was freed, or of another device's, belongs to no other.
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
	codeWindow // of functions
	firstID
)

// peerShift is where in an address of the shared window the number of another block of the
// cluster begins, plus 1.
const peerShift = 24

// An allocation is device memory. Its data is nil once it is freed.
type allocation struct {
	owner    *memory
	size     uint64
	data     []uint64      // words, so that atomics are aligned
	constant bool          // a .const variable: kernels may not write
	doomed   bool          // MemFreeAsync was called; under memory.mu
	module   bool          // a variable of a module, or page-locked or managed: MemFreeAsync does not free it
	host     bool          // page-locked: every device may access it
	variable bool          // of a module; its number stays its own until the module is unloaded
	pool     *pool         // that it is from, or nil
	heap     bool          // a kernel took it with malloc
	planned  bool          // a graph's, which allocates and frees it whenever it runs
	shadow   *memoryShadow // or nil if its bytes count as defined
	lent     uint64        // bytes that other allocations have, since it was freed; under memory.mu
	from     provenance    // freed is under memory.mu while there is data
}

// inUse reports whether a's number is its own: it has memory, or renew will give it some.
func (a *allocation) inUse() bool { return a.data != nil || a.variable || a.planned }

func (a *allocation) bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a.data))), a.size)
}

// words returns zeroed memory for n bytes, aligned to 8.
func words(n uint64) []uint64 { return make([]uint64, (n+7)/8) }

// words returns memory for n bytes of a, as it is before anybody has written it.
func (a *allocation) words(n uint64) []uint64 {
	w := words(n)
	if !a.variable {
		simd.Spoil(w)
	}
	return w
}

const chunkBits = 6

// scatter is the distance between the numbers of allocations that follow each other, which an index that
// is far too large does not bridge: that of the golden ratio, so that numbers lie as far apart as they can
// however many there are. It has no factor in common with maxID.
const scatter = 0x9e3779

// numberOf returns the number that the nth allocation tries to have.
func numberOf(n uint64) uint64 { return (firstID + n*scatter) % maxID }

// graves is how many numbers back a freed allocation is remembered: longer, an access to it
// is one to no allocation.
const graves = 1 << 16

// allocations is every allocation of the process by its number. Kernels look allocations
// up while others allocate and free, so it is read without a lock.
var allocations struct {
	chunks [maxID >> chunkBits]atomic.Pointer[[1 << chunkBits]atomic.Pointer[allocation]]

	mu   sync.Mutex
	next uint64
}

// entryOf returns where the allocation number id is kept, or nil.
func entryOf(id uint64) *atomic.Pointer[allocation] {
	if id >= maxID {
		return nil
	}
	chunk := allocations.chunks[id>>chunkBits].Load()
	if chunk == nil {
		return nil
	}
	return &chunk[id&(1<<chunkBits-1)]
}

// allocationOf returns the allocation number id, freed or not, of any device, or nil when
// there never was one.
func allocationOf(id uint64) *allocation {
	if e := entryOf(id); e != nil {
		return e.Load()
	}
	return nil
}

// admit puts a into the table and returns its number, or false when all are in use.
func admit(a *allocation) (id uint64, ok bool) {
	allocations.mu.Lock()
	defer allocations.mu.Unlock()
	for range maxID {
		n := allocations.next
		id := numberOf(n)
		allocations.next++
		if id < firstID {
			continue
		}
		chunk := &allocations.chunks[id>>chunkBits]
		if chunk.Load() == nil {
			chunk.Store(new([1 << chunkBits]atomic.Pointer[allocation]))
		}
		e := entryOf(id)
		if old := e.Load(); old != nil && old.inUse() {
			continue
		}
		e.Store(a)
		if a.owner.began == 0 {
			a.owner.began = max(1, n)
		}
		forget(numberOf(n - graves))
		return id, true
	}
	return 0, false
}

// forget drops what is left of the allocation number id, if that is freed for good: a program
// that allocates for hours would fill the memory with them. allocations.mu is held.
func forget(id uint64) {
	e := entryOf(id % maxID)
	if e == nil {
		return
	}
	if a := e.Load(); a == nil || a.inUse() {
		return
	}
	e.Store(nil)
	chunk := &allocations.chunks[id%maxID>>chunkBits]
	for n := range chunk.Load() {
		if chunk.Load()[n].Load() != nil {
			return
		}
	}
	chunk.Store(nil) // only admit, which waits for allocations.mu, puts something into one that is empty
}

// forgetFreed drops what is left of freed allocations of m, whose addresses nobody has any more.
func (m *memory) forgetFreed() {
	allocations.mu.Lock()
	defer allocations.mu.Unlock()
	for n := max(m.began, allocations.next-min(allocations.next, graves)); n < allocations.next; n++ {
		if a := allocationOf(numberOf(n)); a != nil && a.owner == m {
			forget(numberOf(n))
		}
	}
}

// memoryOf returns n bytes of device memory at addr, of any device, or false when they
// are not all in one living allocation.
func memoryOf(addr, n uint64) ([]byte, bool) {
	a := allocationOf(addr >> offsetBits)
	offset := addr & offsetMask
	if a == nil || a.data == nil || n > a.size || offset > a.size-n {
		return nil, false
	}
	return a.bytes()[offset : offset+n], true
}

// memory is a device's memory.
type memory struct {
	mu     sync.Mutex
	used   uint64          // bytes
	living map[uint64]bool // numbers of the allocations that are not freed
	began  uint64          // when the first of its allocations was made; under allocations.mu
	heap   atomic.Int64    // bytes that kernels took with malloc

	shadowed atomic.Bool // which bytes are undefined is followed
	traced   atomic.Bool // where memory is allocated and freed is noted

	peers atomic.Pointer[map[*memory]bool] // whose memory kernels may access, besides that in pools

	conditionals sync.Map // graphs' conditional handles, as kernels set them → *atomic.Uint32

	textures, surfaces sync.Map // objects by their handles → *texture, *surface
}

// plan returns an address for size bytes that renew allocates, or false when there is no room.
func (m *memory) plan(size uint64) (uint64, bool) {
	addr, ok := m.alloc(size, allocation{planned: true})
	return addr, ok && m.free(addr)
}

// isPlanned reports whether n bytes at addr are a graph's, be they allocated or not.
func isPlanned(addr, n uint64) bool {
	a := allocationOf(addr >> offsetBits)
	offset := addr & offsetMask
	return a != nil && a.planned && n <= a.size && offset <= a.size-n
}

// exists reports whether there is memory at addr that was not freed.
func exists(addr uint64) bool {
	_, ok := memoryOf(addr, 0)
	return ok
}

// mayAccess reports whether kernels that run in m may access a.
//
// CUDA Driver API, Peer Context Memory Access; Stream Ordered Memory Allocator,
// cuMemPoolSetAccess.
func (m *memory) mayAccess(a *allocation) bool {
	if a.owner == m || a.host {
		return true
	}
	if a.pool != nil {
		return a.pool.allows(m)
	}
	peers := m.peers.Load()
	return peers != nil && (*peers)[a.owner]
}

// alloc returns the address of size bytes with the properties of kind, or false when there is no
// room. Variables are zeroed, all other memory is undefined.
func (m *memory) alloc(size uint64, kind allocation) (uint64, bool) {
	kind.data = nil
	return m.adopt(size, kind)
}

// adopt is alloc with the memory that kind has as its data, if it has one.
func (m *memory) adopt(size uint64, kind allocation) (uint64, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size > limits.TotalMemory || m.used+size > limits.TotalMemory {
		return 0, false
	}
	if kind.data == nil {
		kind.data = kind.words(size)
	}
	kind.owner, kind.size = m, size
	m.follow(&kind)
	m.noteAllocated(&kind)
	id, ok := admit(&kind)
	if !ok {
		return 0, false
	}
	m.used += size
	m.keep(id)
	return id << offsetBits, true
}

// keep notes that the allocation number id lives. m.mu is held.
func (m *memory) keep(id uint64) {
	if m.living == nil {
		m.living = make(map[uint64]bool)
	}
	m.living[id] = true
}

// own returns the living allocation of m that begins at addr, or nil. m.mu is held.
func (m *memory) own(addr uint64) *allocation {
	if addr&offsetMask != 0 || !m.living[addr>>offsetBits] {
		return nil
	}
	return allocationOf(addr >> offsetBits)
}

// doom marks the allocation that begins at addr as being freed and reports whether
// there is one that was not.
func (m *memory) doom(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.own(addr)
	if a == nil || a.doomed || a.module {
		return false
	}
	a.doomed = true
	m.noteFreed(a)
	return true
}

// free frees the allocation that begins at addr and reports whether there is one.
func (m *memory) free(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.own(addr)
	if a == nil {
		return false
	}
	m.bury(addr>>offsetBits, a, false)
	return true
}

// bury leaves of the allocation a, number id, what messages say of it. m.mu is held.
func (m *memory) bury(id uint64, a *allocation, variable bool) {
	m.used -= a.size - a.lent
	delete(m.living, id)
	m.noteFreed(a)
	entryOf(id).Store(&allocation{owner: m, size: a.size, constant: a.constant, module: a.module, variable: variable, heap: a.heap, planned: a.planned, from: a.from})
}

// inUse returns the bytes that are allocated.
func (m *memory) inUse() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used
}

// live returns the number of allocations that MemFreeAsync has yet to be called for.
func (m *memory) live() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.living {
		if a := allocationOf(id); !a.module && !a.doomed {
			n++
		}
	}
	return n
}

// reset frees everything and forgets the peers.
func (m *memory) reset() {
	defer m.forgetFreed()
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.living {
		a := allocationOf(id)
		m.bury(id, a, a.variable)
	}
	m.heap.Store(0)
	m.living = nil // what was freed refers to m for good
	m.peers.Store(nil)
}

// renew gives the variable at addr memory again after a reset, or what is planned there.
func (m *memory) renew(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := *allocationOf(addr >> offsetBits)
	a.data = a.words(a.size)
	m.follow(&a)
	a.from.freed = ""
	m.used += a.size
	m.keep(addr >> offsetBits)
	entryOf(addr >> offsetBits).Store(&a)
}

// release frees the variable at addr, whether or not it has memory.
func (m *memory) release(addr uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := addr >> offsetBits
	if a := allocationOf(id); m.living[id] {
		m.bury(id, a, false)
	} else {
		entryOf(id).Store(&allocation{owner: m, size: a.size, constant: a.constant, module: true, from: a.from})
	}
}

// setPeer lets kernels that run in m access the memory of peer outside of pools, or no
// longer. It reports whether that changed anything.
func (m *memory) setPeer(peer *memory, access bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	peers := make(map[*memory]bool)
	if old := m.peers.Load(); old != nil {
		for p := range *old {
			peers[p] = true
		}
	}
	if peers[peer] == access {
		return false
	}
	if access {
		peers[peer] = true
	} else {
		delete(peers, peer)
	}
	m.peers.Store(&peers)
	return true
}
