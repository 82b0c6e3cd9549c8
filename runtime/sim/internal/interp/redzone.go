package interp

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// RedZones finds accesses of a launch to an allocation beyond what its slices cover of it. An allocation is
// guarded only if all that the launch has of it is slices: no plain pointer among its arguments, no owner that it
// names, and no address in memory that it might read.
type redZones struct {
	mem     *memory.Memory
	guarded map[uint64]*guarded // by the number of the allocation

	mu     sync.Mutex
	looked map[int32]bool // by pc: what is in memory was looked at since the instruction was first beyond a slice
}

// A guarded allocation is one of which the slices of a launch cover parts.
type guarded struct {
	covered []extentOf  // sorted, apart from each other
	size    uint64      // of all of it
	open    atomic.Bool // there is an address in it in memory, so all of it may be used
}

// An extentOf is bytes of an allocation: from an offset up to another.
type extentOf struct{ from, to uint64 }

// newRedZones returns what a launch with these parameters may not access, or nil if there is nothing.
func newRedZones(m *memory.Memory, k *bytecode.Kernel, covers *driver.Covers, params []byte) *redZones {
	if covers == nil {
		return nil
	}
	z := &redZones{mem: m, guarded: make(map[uint64]*guarded), looked: make(map[int32]bool)}
	owned := make(map[int]bool)
	for _, c := range covers.Slices {
		z.cover(c)
		owned[c.Param] = true
	}
	for id, g := range z.guarded {
		a := memory.AllocationOf(id)
		if a == nil || a.Data == nil || a.Variable || g.covers(0, a.Size) {
			delete(z.guarded, id)
			continue
		}
		g.size = a.Size
	}
	for _, addr := range covers.Whole {
		delete(z.guarded, uint64(addr)>>memory.OffsetBits)
	}
	for n, p := range k.Params {
		if owned[n] && p.Size == addressBytes {
			continue
		}
		for at := int64(0); at+addressBytes <= int64(p.Size); at += 4 {
			delete(z.guarded, readWord(params[int64(p.Offset)+at:][:addressBytes])>>memory.OffsetBits)
		}
	}
	if len(z.guarded) == 0 {
		return nil
	}
	z.openReferred()
	return z
}

// addressBytes is the size of an address.
const addressBytes = 8

// cover adds what a slice covers.
func (z *redZones) cover(c driver.Cover) {
	id, from := uint64(c.Addr)>>memory.OffsetBits, uint64(c.Addr)&memory.OffsetMask
	g := z.guarded[id]
	if g == nil {
		g = new(guarded)
		z.guarded[id] = g
	}
	all := append(g.covered, extentOf{from, from + c.Bytes})
	slices.SortFunc(all, func(a, b extentOf) int { return int(int64(a.from) - int64(b.from)) })
	g.covered = all[:1]
	for _, e := range all[1:] {
		if last := &g.covered[len(g.covered)-1]; e.from <= last.to {
			last.to = max(last.to, e.to)
		} else {
			g.covered = append(g.covered, e)
		}
	}
}

// covers reports whether n bytes from an offset on are covered.
func (g *guarded) covers(from, n uint64) bool {
	for _, e := range g.covered {
		if from >= e.from && from < e.to {
			return n <= e.to-from
		}
	}
	return false
}

// openReferred opens the guarded allocations of which the memory of the device, or of one that it reaches, has an
// address: a kernel may find it there.
func (z *redZones) openReferred() {
	memories := []*memory.Memory{z.mem}
	if peers := z.mem.Peers.Load(); peers != nil {
		for peer := range *peers {
			memories = append(memories, peer)
		}
	}
	for _, m := range memories {
		m.Mu.Lock()
		for id := range m.Living {
			if a := memory.AllocationOf(id); a != nil {
				z.openIn(a.Data)
			}
		}
		m.Mu.Unlock()
	}
}

// openIn opens the guarded allocations of which words have an address, also across two words. Others may write
// them meanwhile: what they write is looked at again before a report.
//
//go:norace
func (z *redZones) openIn(words []uint64) {
	if len(words) == 0 {
		return
	}
	halves := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(words))), 2*len(words))
	for n, upper := range halves[1:] {
		if upper == 0 || upper&(1<<(memory.OffsetBits-32)-1) != 0 { // no allocation is so large
			continue
		}
		if g := z.guarded[uint64(upper)>>(memory.OffsetBits-32)]; g != nil && uint64(halves[n]) <= g.size {
			g.open.Store(true)
		}
	}
}

// access reports what in does beyond slices in the lanes of set, which access one memory.
func (z *redZones) access(b *block, w *warp, in *bytecode.Instr, pc int32, set uint32) {
	if in.Space != bytecode.Global && in.Space != bytecode.Generic {
		return
	}
	addrs, width := &w.regs[in.A], uint64(in.Size*max(1, in.Elems))
	lowest := bits.TrailingZeros32(set) & (bytecode.WarpSize - 1)
	g := z.guarded[(addrs[lowest]&in.Mask+in.Offset)>>memory.OffsetBits]
	if g == nil {
		return
	}
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		if addr := addrs[l]&in.Mask + in.Offset; !g.covers(addr&memory.OffsetMask, width) {
			z.report(b, w, g, pc, l, addr, width)
		}
	}
}

// touch reports an access of an operation beyond slices.
func (z *redZones) touch(b *block, w *warp, pc int32, lane int, addr, width uint64) {
	if g := z.guarded[addr>>memory.OffsetBits]; g != nil && !g.covers(addr&memory.OffsetMask, width) {
		z.report(b, w, g, pc, lane, addr, width)
	}
}

// report reports an access of width bytes at addr, unless the kernel may have found an address of the allocation.
func (z *redZones) report(b *block, w *warp, g *guarded, pc int32, lane int, addr, width uint64) {
	if z.look(pc); g.open.Load() {
		return
	}
	b.report(placeOf{check: memcheck, pc: pc}, func() *Failure {
		return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "global address %#x is beyond the slices of the launch: %d bytes at offset %d of a buffer of %d bytes, of which they cover %s: launch with a slice that covers it, or check the index",
			addr, width, addr&memory.OffsetMask, g.size, g).tellProvenance()
	})
}

// look looks at what is in memory, once for an instruction that is beyond a slice.
func (z *redZones) look(pc int32) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if !z.looked[pc] {
		z.looked[pc] = true
		z.openReferred()
	}
}

// String says what is covered.
func (g *guarded) String() string {
	var parts []string
	for _, e := range g.covered {
		if e.from < e.to {
			parts = append(parts, fmt.Sprintf("%d to %d", e.from, e.to))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return "offsets " + strings.Join(parts, ", ")
}
