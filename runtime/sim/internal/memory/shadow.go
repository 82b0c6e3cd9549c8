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
