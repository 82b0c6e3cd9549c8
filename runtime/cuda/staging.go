package cuda

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// Staging is given out in blocks of powers of two, cut from slabs, which stay until the
// device is closed.
const (
	minBlock = 1 << 8
	maxBlock = 1 << 16
	slab     = 1 << 20
	maxSlabs = 16
)

// A staging is page-locked memory through which copies between a device and Go memory go
// while their streams are busy. Any goroutine may call its methods.
type staging struct {
	dev *Device

	mu    sync.Mutex
	back  sync.Cond // all blocks are
	slabs []unsafe.Pointer
	used  uint64 // bytes of the last slab
	free  [9]([]stagingBlock)
	out   int // blocks that are taken
}

func _() {
	var same [1]struct{}
	_ = same[minBlock<<(len(staging{}.free)-1)-maxBlock]
}

func newStaging(d *Device) *staging {
	s := &staging{dev: d, used: slab}
	s.back.L = &s.mu
	return s
}

// A stagingBlock is page-locked memory of minBlock<<class bytes.
type stagingBlock struct {
	host  unsafe.Pointer
	class int
}

// of returns the first bytes of b.
func (b stagingBlock) of(bytes uint64) []byte { return unsafe.Slice((*byte)(b.host), bytes) }

// take returns a block of at least so many bytes. ok is false if there is
// none. The caller must hold an epoch.
func (s *staging) take(bytes uint64) (b stagingBlock, ok bool) {
	if bytes == 0 || bytes > maxBlock {
		return b, false
	}
	b.class = bits.Len64((bytes - 1) / minBlock)
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &s.free[b.class]
	if n := len(*list); n > 0 {
		b, *list = (*list)[n-1], (*list)[:n-1]
		s.out++
		return b, true
	}
	size := uint64(minBlock) << b.class
	if s.used+size > slab && !s.grow() {
		return b, false
	}
	b.host = unsafe.Add(s.slabs[len(s.slabs)-1], s.used)
	s.used += size
	s.out++
	return b, true
}

// grow allocates another slab. What is left of the last one is lost.
func (s *staging) grow() bool {
	if len(s.slabs) == maxSlabs {
		return false
	}
	d := s.dev
	var host unsafe.Pointer
	d.given(d.inContext(func() (r driver.Result) {
		host, r = d.drv.MemHostAlloc(slab, driver.HostAllocPortable)
		return r
	}))
	if host == nil {
		return false
	}
	s.slabs, s.used = append(s.slabs, host), 0
	return true
}

// put gives b back.
func (s *staging) put(b stagingBlock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free[b.class] = append(s.free[b.class], b)
	if s.out--; s.out == 0 {
		s.back.Broadcast()
	}
}

// close waits until all blocks are back, and frees them.
func (s *staging) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.out > 0 {
		s.back.Wait()
	}
	for _, host := range s.slabs {
		s.dev.given(s.dev.inContext(func() driver.Result { return s.dev.drv.MemFreeHost(host) }))
	}
	s.slabs, s.used, s.free = nil, slab, [9]([]stagingBlock){}
}
