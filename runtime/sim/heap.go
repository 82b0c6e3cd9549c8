package sim

import "github.com/cudagen/cudagen/runtime/internal/driver"

// maxHeapBytes is how much memory kernels may take with malloc: what cudaLimitMallocHeapSize is
// unless a program sets it.
const maxHeapBytes = 8 << 20

// heapMalloc takes memory of the device. It returns null if there is not enough.
//
// CUDA C++ Programming Guide, Dynamic Global Memory Allocation and Operations.
func heapMalloc(b *block, w *warp, in *instr, _ int32, lane int) *failure {
	b.result(w, in, lane, b.mem.heapAlloc(b.argument(w, in, lane, 0)))
	return nil
}

// HeapBytes implements driver.Simulation.
func (d *device) HeapBytes() int64 { return d.mem.heap.Load() }

// heapFree gives memory back that malloc returned.
func heapFree(b *block, w *warp, in *instr, pc int32, lane int) *failure {
	addr := b.argument(w, in, lane, 0)
	if addr != 0 && !b.mem.heapFree(addr) {
		return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "free of address %#x, which malloc did not return in a kernel or which was freed", addr)
	}
	return nil
}

// heapAlloc returns the address of size bytes of the heap, or 0.
func (m *memory) heapAlloc(size uint64) uint64 {
	if size == 0 || size > maxHeapBytes {
		return 0
	}
	if m.heap.Add(int64(size)) > maxHeapBytes {
		m.heap.Add(-int64(size))
		return 0
	}
	addr, ok := m.alloc(size, allocation{module: true, heap: true})
	if !ok {
		m.heap.Add(-int64(size))
		return 0
	}
	return addr
}

// heapFree frees what heapAlloc returned and reports whether addr is that.
func (m *memory) heapFree(addr uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	a := m.own(addr)
	if a == nil || !a.heap {
		return false
	}
	m.heap.Add(-int64(a.size))
	m.bury(addr>>offsetBits, a, false)
	return true
}
