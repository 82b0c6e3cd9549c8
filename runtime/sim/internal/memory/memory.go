// Package memory is the memory of simulated devices: sizes come in, and addresses, bytes and what
// reports say of them go out. It knows allocations, pools, the heap of kernels, which bytes are undefined, and where memory
// was allocated and freed. It knows no kernels, streams or calls of the driver.
package memory

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
	OffsetBits = 40
	OffsetMask = 1<<OffsetBits - 1
	MaxID      = 1 << (64 - OffsetBits)
)

// The first numbers are windows of the generic address space. Number 0 has no
// memory, so that null is never valid.
const (
	SharedWindow = iota + 1
	LocalWindow
	ParamWindow
	CodeWindow // of functions
	FirstID
)

// PeerShift is where in an address of the shared window the number of another block of the
// cluster begins, plus 1.
const PeerShift = 24

// An Allocation is device memory. Its data is nil once it is freed.
type Allocation struct {
	Owner    *Memory
	Size     uint64
	Data     []uint64   // words, so that atomics are aligned
	Constant bool       // a .const variable: kernels may not write
	doomed   bool       // MemFreeAsync was called; under memory.mu
	Module   bool       // a variable of a module, or page-locked or managed: MemFreeAsync does not free it
	Host     bool       // page-locked: every device may access it
	Variable bool       // of a module; its number stays its own until the module is unloaded
	Pool     *Pool      // that it is from, or nil
	Heap     bool       // a kernel took it with malloc
	planned  bool       // a graph's, which allocates and frees it whenever it runs
	Shadow   *Shadow    // or nil if its bytes count as defined
	Lent     uint64     // bytes that other allocations have, since it was freed; under memory.mu
	From     Provenance // freed is under memory.mu while there is data
}

// inUse reports whether a's number is its own: it has memory, or Renew will give it some.
func (a *Allocation) inUse() bool { return a.Data != nil || a.Variable || a.planned }

func (a *Allocation) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(a.Data))), a.Size)
}

// words returns memory for n bytes of a, as it is before anybody has written it.
func (a *Allocation) words(n uint64) []uint64 {
	w := Words(n)
	if !a.Variable {
		simd.Spoil(w)
	}
	return w
}

const chunkBits = 6

// scatter is the distance between the numbers of allocations that follow each other, which an index that
// is far too large does not bridge: that of the golden ratio, so that numbers lie as far apart as they can
// however many there are. It has no factor in common with maxID.
const scatter = 0x9e3779

// NumberOf returns the number that the nth allocation tries to have.
func NumberOf(n uint64) uint64 { return (FirstID + n*scatter) % MaxID }

// Graves is how many numbers back a freed allocation is remembered: longer, an access to it
// is one to no allocation.
const Graves = 1 << 16

// allocations is every allocation of the process by its number. Kernels look allocations
// up while others allocate and free, so it is read without a lock.
var allocations struct {
	chunks [MaxID >> chunkBits]atomic.Pointer[[1 << chunkBits]atomic.Pointer[Allocation]]

	mu   sync.Mutex
	next uint64
}

// entryOf returns where the allocation number id is kept, or nil.
func entryOf(id uint64) *atomic.Pointer[Allocation] {
	if id >= MaxID {
		return nil
	}
	chunk := allocations.chunks[id>>chunkBits].Load()
	if chunk == nil {
		return nil
	}
	return &chunk[id&(1<<chunkBits-1)]
}

// AllocationOf returns the allocation number id, freed or not, of any device, or nil when
// there never was one.
func AllocationOf(id uint64) *Allocation {
	if e := entryOf(id); e != nil {
		return e.Load()
	}
	return nil
}

// admit puts a into the table and returns its number, or false when all are in use.
func admit(a *Allocation) (id uint64, ok bool) {
	allocations.mu.Lock()
	defer allocations.mu.Unlock()
	for range MaxID {
		n := allocations.next
		id := NumberOf(n)
		allocations.next++
		if id < FirstID {
			continue
		}
		chunk := &allocations.chunks[id>>chunkBits]
		if chunk.Load() == nil {
			chunk.Store(new([1 << chunkBits]atomic.Pointer[Allocation]))
		}
		e := entryOf(id)
		if old := e.Load(); old != nil && old.inUse() {
			continue
		}
		e.Store(a)
		if a.Owner.began == 0 {
			a.Owner.began = max(1, n)
		}
		forget(NumberOf(n - Graves))
		return id, true
	}
	return 0, false
}

// forget drops what is left of the allocation number id, if that is freed for good: a program
// that allocates for hours would fill the memory with them. allocations.mu is held.
func forget(id uint64) {
	e := entryOf(id % MaxID)
	if e == nil {
		return
	}
	if a := e.Load(); a == nil || a.inUse() {
		return
	}
	e.Store(nil)
	chunk := &allocations.chunks[id%MaxID>>chunkBits]
	for n := range chunk.Load() {
		if chunk.Load()[n].Load() != nil {
			return
		}
	}
	chunk.Store(nil) // only admit, which waits for allocations.mu, puts something into one that is empty
}

// forgetFreed drops what is left of freed allocations of m, whose addresses nobody has any more.
func (m *Memory) forgetFreed() {
	allocations.mu.Lock()
	defer allocations.mu.Unlock()
	for n := max(m.began, allocations.next-min(allocations.next, Graves)); n < allocations.next; n++ {
		if a := AllocationOf(NumberOf(n)); a != nil && a.Owner == m {
			forget(NumberOf(n))
		}
	}
}

// BytesAt returns n bytes of device memory at addr, of any device, or false when they
// are not all in one living allocation.
func BytesAt(addr, n uint64) ([]byte, bool) {
	a := AllocationOf(addr >> OffsetBits)
	offset := addr & OffsetMask
	if a == nil || a.Data == nil || n > a.Size || offset > a.Size-n {
		return nil, false
	}
	return a.Bytes()[offset : offset+n], true
}

// ProvenanceOf returns what is known about the memory at addr, freed or not.
func ProvenanceOf(addr uint64) Provenance {
	a := AllocationOf(addr >> OffsetBits)
	switch {
	case a == nil:
		return Provenance{}
	case a.Data != nil: // freed is written when its free is queued
		return Provenance{Name: a.From.Name, Allocated: a.From.Allocated}
	}
	return a.From
}

// Memory is a device's memory.
type Memory struct {
	Mu     sync.Mutex
	Used   uint64          // bytes
	Living map[uint64]bool // numbers of the allocations that are not freed
	began  uint64          // when the first of its allocations was made; under allocations.mu
	heap   atomic.Int64    // bytes that kernels took with malloc

	Shadowed atomic.Bool // which bytes are undefined is followed
	Traced   atomic.Bool // where memory is allocated and freed is noted

	Peers atomic.Pointer[map[*Memory]bool] // whose memory kernels may access, besides that in pools

	Conditionals sync.Map // graphs' conditional handles, as kernels set them → *atomic.Uint32

	Textures, Surfaces sync.Map // objects by their handles → *texture, *surface
}

// Plan returns an address for size bytes that Renew allocates, or false when there is no room.
func (m *Memory) Plan(size uint64) (uint64, bool) {
	addr, ok := m.Alloc(size, Allocation{planned: true})
	return addr, ok && m.Free(addr)
}

// IsPlanned reports whether n bytes at addr are a graph's, be they allocated or not.
func IsPlanned(addr, n uint64) bool {
	a := AllocationOf(addr >> OffsetBits)
	offset := addr & OffsetMask
	return a != nil && a.planned && n <= a.Size && offset <= a.Size-n
}

// Exists reports whether there is memory at addr that was not freed.
func Exists(addr uint64) bool {
	_, ok := BytesAt(addr, 0)
	return ok
}

// MayAccess reports whether kernels that run in m may access a.
//
// CUDA Driver API, Peer Context Memory Access; Stream Ordered Memory Allocator,
// cuMemPoolSetAccess.
func (m *Memory) MayAccess(a *Allocation) bool {
	if a.Owner == m || a.Host {
		return true
	}
	if a.Pool != nil {
		return a.Pool.allows(m)
	}
	peers := m.Peers.Load()
	return peers != nil && (*peers)[a.Owner]
}

// Alloc returns the address of size bytes with the properties of kind, or false when there is no
// room. Variables are zeroed, all other memory is undefined.
func (m *Memory) Alloc(size uint64, kind Allocation) (uint64, bool) {
	kind.Data = nil
	return m.Adopt(size, kind)
}

// Adopt is Alloc with the memory that kind has as its data, if it has one.
func (m *Memory) Adopt(size uint64, kind Allocation) (uint64, bool) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	if size > limits.TotalMemory || m.Used+size > limits.TotalMemory {
		return 0, false
	}
	if kind.Data == nil {
		kind.Data = kind.words(size)
	}
	kind.Owner, kind.Size = m, size
	m.follow(&kind)
	m.noteAllocated(&kind)
	id, ok := admit(&kind)
	if !ok {
		return 0, false
	}
	m.Used += size
	m.keep(id)
	return id << OffsetBits, true
}

// follow gives a a shadow, if m has them: what the host or a module may write is defined.
func (m *Memory) follow(a *Allocation) {
	a.Shadow = nil
	if !m.Shadowed.Load() {
		return
	}
	a.Shadow = new(Shadow)
	if a.Variable || a.Host || a.Module && !a.Heap {
		return
	}
	undefined := Words(a.Size)
	Ones(undefined)
	a.Shadow.words.Store(&undefined)
}

// noteAllocated notes where a is being allocated, unless that is known.
func (m *Memory) noteAllocated(a *Allocation) {
	if m.Traced.Load() && a.From.Allocated == "" && !a.Variable {
		a.From.Allocated = calledFrom()
	}
}

// noteFreed notes where a is being freed, unless that is known. m.mu is held.
func (m *Memory) noteFreed(a *Allocation) {
	if m.Traced.Load() && a.From.Freed == "" && !a.Variable {
		a.From.Freed = calledFrom()
	}
}

// keep notes that the allocation number id lives. m.mu is held.
func (m *Memory) keep(id uint64) {
	if m.Living == nil {
		m.Living = make(map[uint64]bool)
	}
	m.Living[id] = true
}

// Own returns the living allocation of m that begins at addr, or nil. m.mu is held.
func (m *Memory) Own(addr uint64) *Allocation {
	if addr&OffsetMask != 0 || !m.Living[addr>>OffsetBits] {
		return nil
	}
	return AllocationOf(addr >> OffsetBits)
}

// Doom marks the allocation that begins at addr as being freed and reports whether
// there is one that was not.
func (m *Memory) Doom(addr uint64) bool {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	a := m.Own(addr)
	if a == nil || a.doomed || a.Module {
		return false
	}
	a.doomed = true
	m.noteFreed(a)
	return true
}

// Free frees the allocation that begins at addr and reports whether there is one.
func (m *Memory) Free(addr uint64) bool {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	a := m.Own(addr)
	if a == nil {
		return false
	}
	m.bury(addr>>OffsetBits, a, false)
	return true
}

// bury leaves of the allocation a, number id, what messages say of it. m.mu is held.
func (m *Memory) bury(id uint64, a *Allocation, variable bool) {
	m.Used -= a.Size - a.Lent
	delete(m.Living, id)
	m.noteFreed(a)
	entryOf(id).Store(&Allocation{Owner: m, Size: a.Size, Constant: a.Constant, Module: a.Module, Variable: variable, Heap: a.Heap, planned: a.planned, From: a.From})
}

// InUse returns the bytes that are allocated.
func (m *Memory) InUse() uint64 {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	return m.Used
}

// Live returns the number of allocations that MemFreeAsync has yet to be called for.
func (m *Memory) Live() (n int) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	for id := range m.Living {
		if a := AllocationOf(id); !a.Module && !a.doomed {
			n++
		}
	}
	return n
}

// Reset frees everything and forgets the peers.
func (m *Memory) Reset() {
	defer m.forgetFreed()
	m.Mu.Lock()
	defer m.Mu.Unlock()
	for id := range m.Living {
		a := AllocationOf(id)
		m.bury(id, a, a.Variable)
	}
	m.heap.Store(0)
	m.Living = nil // what was freed refers to m for good
	m.Peers.Store(nil)
}

// Renew gives the variable at addr memory again after a reset, or what is planned there.
func (m *Memory) Renew(addr uint64) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	a := *AllocationOf(addr >> OffsetBits)
	a.Data = a.words(a.Size)
	m.follow(&a)
	a.From.Freed = ""
	m.Used += a.Size
	m.keep(addr >> OffsetBits)
	entryOf(addr >> OffsetBits).Store(&a)
}

// Release frees the variable at addr, whether or not it has memory.
func (m *Memory) Release(addr uint64) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	id := addr >> OffsetBits
	if a := AllocationOf(id); m.Living[id] {
		m.bury(id, a, false)
	} else {
		entryOf(id).Store(&Allocation{Owner: m, Size: a.Size, Constant: a.Constant, Module: true, From: a.From})
	}
}

// SetPeer lets kernels that run in m access the memory of peer outside of pools, or no
// longer. It reports whether that changed anything.
func (m *Memory) SetPeer(peer *Memory, access bool) bool {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	peers := make(map[*Memory]bool)
	if old := m.Peers.Load(); old != nil {
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
	m.Peers.Store(&peers)
	return true
}

// Reaches reports whether kernels that run in m may access memory of peer.
func (m *Memory) Reaches(peer *Memory) bool {
	peers := m.Peers.Load()
	return peers != nil && (*peers)[peer]
}
