package hostcopy

import (
	"math/bits"
	"sync"
	"unsafe"
)

// Memory is given out in blocks of powers of two, cut from slabs, which stay until the
// device is closed.
const (
	minBlock = 1 << 8
	maxBlock = 1 << 16
	slab     = 1 << 20
	maxSlabs = 16
)

// A Staging is page-locked memory through which copies between a device and Go memory go
// while their streams are busy. Any goroutine may call its methods.
type Staging struct {
	alloc func(bytes uint64) unsafe.Pointer // of page-locked memory, or nil
	free  func(unsafe.Pointer)

	mu    sync.Mutex
	back  sync.Cond // all blocks are
	slabs []unsafe.Pointer
	used  uint64 // bytes of the last slab
	idle  [9]([]Block)
	out   int // blocks that are taken
}

func _() {
	var same [1]struct{}
	_ = same[minBlock<<(len(Staging{}.idle)-1)-maxBlock]
}

// NewStaging returns a Staging that allocates page-locked memory by alloc, which returns nil if there is none, and gives it
// back by free.
func NewStaging(alloc func(bytes uint64) unsafe.Pointer, free func(unsafe.Pointer)) *Staging {
	s := &Staging{alloc: alloc, free: free, used: slab}
	s.back.L = &s.mu
	return s
}

// A Block is page-locked memory of minBlock<<class bytes.
type Block struct {
	Host  unsafe.Pointer
	class int
}

// Of returns the first bytes of b.
func (b Block) Of(bytes uint64) []byte { return unsafe.Slice((*byte)(b.Host), bytes) }

// Take returns a block of at least so many bytes. ok is false if there is
// none.
func (s *Staging) Take(bytes uint64) (b Block, ok bool) {
	if bytes == 0 || bytes > maxBlock {
		return b, false
	}
	b.class = bits.Len64((bytes - 1) / minBlock)
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &s.idle[b.class]
	if n := len(*list); n > 0 {
		b, *list = (*list)[n-1], (*list)[:n-1]
		s.out++
		return b, true
	}
	size := uint64(minBlock) << b.class
	if s.used+size > slab && !s.grow() {
		return b, false
	}
	b.Host = unsafe.Add(s.slabs[len(s.slabs)-1], s.used)
	s.used += size
	s.out++
	return b, true
}

// grow allocates another slab. What is left of the last one is lost.
func (s *Staging) grow() bool {
	if len(s.slabs) == maxSlabs {
		return false
	}
	host := s.alloc(slab)
	if host == nil {
		return false
	}
	s.slabs, s.used = append(s.slabs, host), 0
	return true
}

// Put gives b back.
func (s *Staging) Put(b Block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle[b.class] = append(s.idle[b.class], b)
	if s.out--; s.out == 0 {
		s.back.Broadcast()
	}
}

// Close waits until all blocks are back, and frees them.
func (s *Staging) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.out > 0 {
		s.back.Wait()
	}
	for _, host := range s.slabs {
		s.free(host)
	}
	s.slabs, s.used, s.idle = nil, slab, [9]([]Block){}
}
