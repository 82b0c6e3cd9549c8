package memory

import (
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A Shadow has the undefined bits of an allocation.
type Shadow struct {
	words atomic.Pointer[[]uint64] // nil if all are defined

	Padding atomic.Pointer[[]bool] // of an element, or nil

	mu     sync.Mutex
	stores []UndefinedStore
}

// An UndefinedStore is an instruction that has stored undefined values, and where.
type UndefinedStore struct {
	by       any // the instruction
	from, to uint64
	Fault    *driver.Fault
}

// maxStores is how many such instructions an allocation remembers.
const maxStores = 100

// NoteStore notes that the instruction by, which describe describes, has stored undefined values at offsets from…to.
func (s *Shadow) NoteStore(by any, from, to uint64, describe func() *driver.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := range s.stores {
		if have := &s.stores[n]; have.by == by {
			have.from, have.to = min(have.from, from), max(have.to, to)
			return
		}
	}
	if len(s.stores) < maxStores {
		s.stores = append(s.stores, UndefinedStore{by, from, to, describe()})
	}
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

// Base returns where the shadow lies, or nil if all bytes are defined. make makes one.
func (s *Shadow) Base(make bool, size uint64) unsafe.Pointer {
	if s == nil {
		return nil
	}
	w := s.words.Load()
	if w == nil && make {
		fresh := Words(size)
		s.words.CompareAndSwap(nil, &fresh)
		w = s.words.Load()
	}
	if w == nil || len(*w) == 0 {
		return nil
	}
	return unsafe.Pointer(unsafe.SliceData(*w))
}

// ShadowBytes returns the undefined bits of n bytes of device memory at addr, or nil if all are
// defined.
func ShadowBytes(addr, n uint64, make bool) []byte {
	a := AllocationOf(addr >> OffsetBits)
	if a == nil || a.Data == nil {
		return nil
	}
	base := a.Shadow.Base(make, a.Size)
	if base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(base), a.Size)[addr&OffsetMask:][:n]
}

// Define notes that the host has written n bytes at addr.
func Define(addr, n uint64) {
	a := AllocationOf(addr >> OffsetBits)
	if a == nil || a.Shadow == nil {
		return
	}
	if n == a.Size {
		a.Shadow.words.Store(nil)
		return
	}
	clear(ShadowBytes(addr, n, false))
}

// CopyShadow notes that n bytes at src were copied to dst, both on devices.
func CopyShadow(dst, src, n uint64) {
	from := ShadowBytes(src, n, false)
	if from == nil {
		Define(dst, n)
		return
	}
	copy(ShadowBytes(dst, n, true), from)
}

// UndefinedStoreAt returns the store that has left undefined bytes at offset, if one is known.
func (s *Shadow) UndefinedStoreAt(offset uint64) *UndefinedStore {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, store := range slices.Backward(s.stores) {
		if offset >= store.from && offset < store.to {
			return &store
		}
	}
	return nil
}

// Ones makes words undefined.
func Ones(words []uint64) {
	for n := range words {
		words[n] = ^uint64(0)
	}
}
