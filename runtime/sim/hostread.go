package sim

import (
	"fmt"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/interp"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// setPadding says which bytes of an element of the allocation at addr are padding.
func setPadding(addr uint64, padding []bool) {
	if a := memory.AllocationOf(addr >> memory.OffsetBits); a != nil && a.Shadow != nil {
		a.Shadow.Padding.Store(&padding)
	}
}

// readByHost returns what is wrong if the host reads n bytes at addr, or nil: some of them are undefined and not
// padding of elements.
func readByHost(addr, n uint64) *driver.Fault {
	undefined := memory.ShadowBytes(addr, n, false)
	if undefined == nil {
		return nil
	}
	a := memory.AllocationOf(addr >> memory.OffsetBits)
	padding := a.Shadow.Padding.Load()
	first, count := uint64(0), 0
	for i := uint64(0); i < n; {
		if i%8 == 0 && n-i >= 8 && addr%8 == 0 && *(*uint64)(unsafe.Pointer(&undefined[i])) == 0 {
			i += 8
			continue
		}
		if undefined[i] != 0 && (padding == nil || !(*padding)[(addr&memory.OffsetMask+i)%uint64(len(*padding))]) {
			if count == 0 {
				first = i
			}
			count++
		}
		i++
	}
	if count == 0 {
		return nil
	}
	at := addr&memory.OffsetMask + first
	what := fmt.Sprintf("the host reads %d undefined bytes of %d, the first at offset %d of an allocation of %d bytes", count, n, at, a.Size)
	if padding != nil && len(*padding) > 0 {
		what += fmt.Sprintf(" (element %d)", at/uint64(len(*padding)))
	}
	from := memory.ProvenanceOf(addr)
	what += from.String()
	f := &driver.Fault{Result: driver.ErrorLaunchFailed, Reason: what + ": nothing has written them: write or Clear all that is read, or read less"}
	if store := a.Shadow.UndefinedStoreAt(at); store != nil {
		stored := *store.Fault
		f = &stored
		f.Result, f.Reason = driver.ErrorLaunchFailed, what+"; "+store.Fault.Reason
	}
	f.Address, f.Check, f.Count = addr+first, interp.Initcheck, 1
	f.Allocated = from.Allocated
	return f
}
