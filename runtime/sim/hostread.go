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

// ReadHost implements driver.Simulation.
func (d *primaryContext) ReadHost(dst []byte, p driver.DevicePtr) driver.Result {
	mem, r := d.hostAccess(p, uint64(len(dst)))
	if r != driver.Success {
		return r
	}
	copy(dst, mem)
	d.hostReads(p, uint64(len(dst)))
	return driver.Result(d.sticky.Load())
}

// WriteHost implements driver.Simulation.
func (d *primaryContext) WriteHost(p driver.DevicePtr, src []byte) driver.Result {
	mem, r := d.hostAccess(p, uint64(len(src)))
	if r != driver.Success {
		return r
	}
	copy(mem, src)
	memory.Define(uint64(p), uint64(len(src)))
	return driver.Success
}

// hostAccess returns n bytes at p for a host function. It fails the device if they are not there.
func (d *primaryContext) hostAccess(p driver.DevicePtr, n uint64) ([]byte, driver.Result) {
	if r := driver.Result(d.sticky.Load()); r != driver.Success || n == 0 {
		return nil, r
	}
	mem, ok := memory.BytesAt(uint64(p), n)
	if !ok {
		d.fail(notThere(uint64(p), n))
		return nil, driver.Result(d.sticky.Load())
	}
	return mem, driver.Success
}

// notThere is the fault of a host function that accesses n bytes at addr, which are not all in one allocation.
func notThere(addr, n uint64) *driver.Fault {
	from := memory.ProvenanceOf(addr)
	return &driver.Fault{
		Result: driver.ErrorIllegalAddress, Address: addr, Allocated: from.Allocated, Freed: from.Freed,
		Reason: fmt.Sprintf("a host function accesses %d bytes of device memory at %#x that are not in one allocation%s", n, addr, from.String()),
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
	f.Place = fmt.Sprintf("%s: host: %s: %s %s:%d %d %s", f.Check, from.String(), f.Symbol, f.Source, f.Line, f.PTXLine, f.Instruction)
	return f
}
