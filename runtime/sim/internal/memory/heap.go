package memory

import (
	"slices"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// maxHeapBytes is how much memory kernels may take with malloc: what cudaLimitMallocHeapSize is
// unless a program sets it.
const maxHeapBytes = 8 << 20

// HeapAlloc returns the address of size bytes of the heap, or 0. at is the place of the malloc, if it is noted.
func (m *Memory) HeapAlloc(size uint64, at string) uint64 {
	if size == 0 || size > maxHeapBytes {
		return 0
	}
	if m.heap.Add(int64(size)) > maxHeapBytes {
		m.heap.Add(-int64(size))
		return 0
	}
	addr, ok := m.Alloc(size, Allocation{Module: true, Heap: true, From: Provenance{Allocated: at}})
	if !ok {
		m.heap.Add(-int64(size))
		return 0
	}
	return addr
}

// HeapFree frees what HeapAlloc returned and reports whether addr is that. at is as in HeapAlloc.
func (m *Memory) HeapFree(addr uint64, at string) bool {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	a := m.Own(addr)
	if a == nil || !a.Heap {
		return false
	}
	m.heap.Add(-int64(a.Size))
	a.From.Freed = at
	m.bury(addr>>OffsetBits, a, false)
	return true
}

// HeapUse returns what kernels took with malloc and did not free, by the places where they did.
func (m *Memory) HeapUse() (uses []driver.HeapUse) {
	m.Mu.Lock()
	defer m.Mu.Unlock()
	for id := range m.Living {
		a := AllocationOf(id)
		if !a.Heap {
			continue
		}
		n := slices.IndexFunc(uses, func(u driver.HeapUse) bool { return u.Allocated == a.From.Allocated })
		if n < 0 {
			n = len(uses)
			uses = append(uses, driver.HeapUse{Allocated: a.From.Allocated})
		}
		uses[n].Count++
		uses[n].Bytes += a.Size
	}
	slices.SortFunc(uses, func(a, b driver.HeapUse) int { return strings.Compare(a.Allocated, b.Allocated) })
	return uses
}
