package interp

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
)

// admits reports whether an address in register r, in the given space, may be used for n bytes at an offset in shared or local memory.
func admits(a *bytecode.ArrayBounds, w *warp, r int32, lane int, s bytecode.Space, offset, n uint64) bool {
	for set := a.Registers[r]; set != 0; set &= set - 1 {
		array := &a.K.Arrays[bits.TrailingZeros64(uint64(set))]
		if array.Space == s && array.Within(offset, begin(array, w, lane), n) {
			return true
		}
	}
	return false
}

// begin is where an array begins for a lane.
func begin(a *bytecode.Array, w *warp, lane int) uint64 {
	if a.Frame == nil {
		return a.From
	}
	return w.regs[a.Frame.Frame][lane] + a.From
}

// checkArrays reports what in accesses beyond arrays in the lanes of set.
func checkArrays(a *bytecode.ArrayBounds, b *block, w *warp, in *bytecode.Instr, pc int32, set uint32) {
	if a.Registers[in.A] == 0 {
		return
	}
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		look(a, b, w, in, pc, l, w.regs[in.A][l]&in.Mask+in.Offset, in.Width())
	}
}

// look reports an access of n bytes at addr, in a lane, if it is beyond arrays. What is not in shared or local memory is
// not looked at.
func look(a *bytecode.ArrayBounds, b *block, w *warp, in *bytecode.Instr, pc int32, lane int, addr, n uint64) {
	s, offset := in.Space, addr
	if s == bytecode.Generic {
		switch addr >> memory.OffsetBits {
		case memory.SharedWindow:
			s = bytecode.Shared
		case memory.LocalWindow:
			s = bytecode.Local
		}
		offset &= memory.OffsetMask
	}
	switch s {
	case bytecode.Shared:
		offset &= 1<<memory.PeerShift - 1
	case bytecode.Local:
	default:
		return
	}
	if a.Registers[in.A] == 0 || admits(a, w, in.A, lane, s, offset, n) {
		return
	}
	b.report(placeOf{check: memcheck, pc: pc}, func() *Failure {
		return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "%s address %#x %s: check the index", s, addr, describe(a, w, in.A, lane, s, offset, n))
	})
}

// describe says which arrays an access leaves, and which it is in.
func describe(a *bytecode.ArrayBounds, w *warp, r int32, lane int, s bytecode.Space, offset, n uint64) string {
	var own, sizes []string
	for set := a.Registers[r]; set != 0; set &= set - 1 {
		array := &a.K.Arrays[bits.TrailingZeros64(uint64(set))]
		own = append(own, array.String())
		sizes = append(sizes, fmt.Sprintf("%d bytes at offset %d of %d", n, int64(offset-begin(array, w, lane)), array.Bytes))
	}
	text := fmt.Sprintf("is beyond %s, from whose address it was computed: %s", own[0], sizes[0])
	if len(own) > 1 {
		text = fmt.Sprintf("is in none of %s, from whose addresses it was computed", strings.Join(own, ", "))
	}
	for i := range a.K.Arrays {
		other := &a.K.Arrays[i]
		if other.Space == s && (other.Frame == nil || other.Frame == a.Owners[r]) && !strings.HasPrefix(other.Name, bytecode.FramePrefix) && other.Within(offset, begin(other, w, lane), 1) {
			return text + ", in " + other.String()
		}
	}
	return text
}
