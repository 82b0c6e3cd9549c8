package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

// maxHeapBytes is how much memory kernels may take with malloc: what cudaLimitMallocHeapSize is
// unless a program sets it.
const maxHeapBytes = 8 << 20

// heapMalloc takes memory of the device. It returns null if there is not enough.
//
// CUDA C++ Programming Guide, Dynamic Global Memory Allocation and Operations.
func heapMalloc(b *block, w *warp, in *instr, pc int32, lane int) *failure {
	b.result(w, in, lane, b.mem.heapAlloc(b.argument(w, in, lane, 0), b.tracedPlace(pc)))
	return nil
}

// tracedPlace is where the instruction at pc is, if such places are noted.
func (b *block) tracedPlace(pc int32) string {
	if !b.mem.traced.Load() {
		return ""
	}
	return b.k.where(pc)
}

// heapFree gives memory back that malloc returned.
func heapFree(b *block, w *warp, in *instr, pc int32, lane int) *failure {
	addr := b.argument(w, in, lane, 0)
	if addr == 0 || b.mem.heapFree(addr, b.tracedPlace(pc)) {
		return nil
	}
	what := "which malloc did not return in a kernel"
	if a := allocationOf(addr >> offsetBits); a != nil && a.heap && a.data == nil && addr&offsetMask == 0 {
		what = "which was freed"
	}
	return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "free of address %#x, %s", addr, what).tellProvenance()
}

// heapAlloc returns the address of size bytes of the heap, or 0. at is the place of the malloc, if it is noted.
func (m *memory) heapAlloc(size uint64, at string) uint64 {
	if size == 0 || size > maxHeapBytes {
		return 0
	}
	if m.heap.Add(int64(size)) > maxHeapBytes {
		m.heap.Add(-int64(size))
		return 0
	}
	addr, ok := m.alloc(size, allocation{module: true, heap: true, from: provenance{allocated: at}})
	if !ok {
		m.heap.Add(-int64(size))
		return 0
	}
	return addr
}

// heapFree frees what heapAlloc returned and reports whether addr is that. at is as in heapAlloc.
func (m *memory) heapFree(addr uint64, at string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.own(addr)
	if a == nil || !a.heap {
		return false
	}
	m.heap.Add(-int64(a.size))
	a.from.freed = at
	m.bury(addr>>offsetBits, a, false)
	return true
}
