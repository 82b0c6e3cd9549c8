package interp

import (
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// heapMalloc takes memory of the device. It returns null if there is not enough.
//
// CUDA C++ Programming Guide, Dynamic Global Memory Allocation and Operations.
func heapMalloc(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure {
	b.result(w, in, lane, b.mem.HeapAlloc(b.argument(w, in, lane, 0), b.tracedPlace(pc)))
	return nil
}

// tracedPlace is where the instruction at pc is, if such places are noted.
func (b *block) tracedPlace(pc int32) string {
	if !b.mem.Traced.Load() {
		return ""
	}
	return b.k.Where(pc)
}

// heapFree gives memory back that malloc returned.
func heapFree(b *block, w *warp, in *bytecode.Instr, pc int32, lane int) *Failure {
	addr := b.argument(w, in, lane, 0)
	if addr == 0 || b.mem.HeapFree(addr, b.tracedPlace(pc)) {
		return nil
	}
	what := "which malloc did not return in a kernel"
	if a := memory.AllocationOf(addr >> memory.OffsetBits); a != nil && a.Heap && a.Data == nil && addr&memory.OffsetMask == 0 {
		what = "which was freed"
	}
	return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "free of address %#x, %s", addr, what).tellProvenance()
}
