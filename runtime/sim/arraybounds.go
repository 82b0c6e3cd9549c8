package sim

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// arrayBounds finds accesses to shared and local memory that leave the array whose address they were computed from, and stay in the
// memory of the block or thread, where another array is. Which arrays an address may be computed from, pointsTo says.
type arrayBounds struct {
	k         *kernel
	registers []arraySet // by register: the arrays that an address in it may be in; 0 if it may be anywhere
	owners    []*function
}

// bounded returns what finds accesses of k beyond arrays, or nil if it has none with bounds.
func (k *kernel) bounded() *arrayBounds {
	k.bounding.Do(func() {
		p := k.pointsTo()
		if p == nil {
			return
		}
		a := &arrayBounds{k: k, registers: p.sets, owners: make([]*function, len(p.sets))}
		some := false
		for r, set := range p.sets {
			if set&anyArray != 0 {
				a.registers[r] = 0
			}
			some = some || a.registers[r] != 0
		}
		for _, f := range k.functions {
			if f != nil {
				for r := f.firstReg; r < f.lastReg; r++ {
					a.owners[r] = f
				}
			}
		}
		if some {
			k.bounds = a
		}
	})
	return k.bounds
}

// within reports whether an array that begins at from has n bytes at an offset.
func (a *array) within(offset, from, n uint64) bool {
	if a.dynamic {
		return offset >= from
	}
	return offset-from <= a.bytes-n && n <= a.bytes
}

// admits reports whether an address in register r, in the given space, may be used for n bytes at an offset in shared or local memory.
func (a *arrayBounds) admits(w *warp, r int32, lane int, s space, offset, n uint64) bool {
	for set := a.registers[r]; set != 0; set &= set - 1 {
		array := &a.k.arrays[bits.TrailingZeros64(uint64(set))]
		if array.space == s && array.within(offset, array.begin(w, lane), n) {
			return true
		}
	}
	return false
}

// begin is where an array begins for a lane.
func (a *array) begin(w *warp, lane int) uint64 {
	if a.frame == nil {
		return a.from
	}
	return w.regs[a.frame.frame][lane] + a.from
}

// admitsAll reports whether all lanes access shared memory within their arrays. Their offsets are by and offsets.
func (a *arrayBounds) admitsAll(in *instr, by uint64, offsets *simd.Lanes, p simd.Pattern) bool {
	set := a.registers[in.a]
	if set == 0 {
		return true
	}
	from, to, ok := a.extent(set)
	if !ok {
		return false
	}
	width := in.width()
	switch p {
	case simd.Equal:
		o := offsets[0] + by
		return o >= from && o+width <= to
	case simd.Consecutive:
		o := offsets[0] + by
		return o >= from && o+warpSize*width <= to
	}
	if p == simd.HalfEqual || p == simd.HalfConsecutive {
		step := width
		if p == simd.HalfEqual {
			step = 0
		}
		for _, o := range [2]uint64{offsets[0] + by, offsets[warpSize/2] + by} {
			if o < from || o+(warpSize/2-1)*step+width > to {
				return false
			}
		}
		return true
	}
	beyond := uint64(0)
	last := to - width
	for _, o := range offsets {
		beyond |= (o + by - from) | (last - o - by)
	}
	return beyond>>63 == 0
}

// extent returns the one array of a set, which is in shared memory.
func (a *arrayBounds) extent(set arraySet) (from, to uint64, ok bool) {
	if set&(set-1) != 0 {
		return 0, 0, false
	}
	array := &a.k.arrays[bits.TrailingZeros64(uint64(set))]
	if to = array.from + array.bytes; array.dynamic {
		to = 1 << memory.PeerShift
	}
	return array.from, to, array.space == shared
}

// access reports what in accesses beyond arrays in the lanes of set.
func (a *arrayBounds) access(b *block, w *warp, in *instr, pc int32, set uint32) {
	if a.registers[in.a] == 0 {
		return
	}
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (warpSize - 1)
		a.look(b, w, in, pc, l, w.regs[in.a][l]&in.mask+in.offset, in.width())
	}
}

// look reports an access of n bytes at addr, in a lane, if it is beyond arrays. What is not in shared or local memory is
// not looked at.
func (a *arrayBounds) look(b *block, w *warp, in *instr, pc int32, lane int, addr, n uint64) {
	s, offset := in.space, addr
	if s == generic {
		switch addr >> memory.OffsetBits {
		case memory.SharedWindow:
			s = shared
		case memory.LocalWindow:
			s = local
		}
		offset &= memory.OffsetMask
	}
	switch s {
	case shared:
		offset &= 1<<memory.PeerShift - 1
	case local:
	default:
		return
	}
	if a.registers[in.a] == 0 || a.admits(w, in.a, lane, s, offset, n) {
		return
	}
	b.report(placeOf{memcheck, pc, 0}, func() *failure {
		return b.accessFault(w, pc, lane, addr, driver.ErrorIllegalAddress, "%s address %#x %s: check the index", s, addr, a.describe(w, in.a, lane, s, offset, n))
	})
}

// describe says which arrays an access leaves, and which it is in.
func (a *arrayBounds) describe(w *warp, r int32, lane int, s space, offset, n uint64) string {
	var own, sizes []string
	for set := a.registers[r]; set != 0; set &= set - 1 {
		array := &a.k.arrays[bits.TrailingZeros64(uint64(set))]
		own = append(own, array.String())
		sizes = append(sizes, fmt.Sprintf("%d bytes at offset %d of %d", n, int64(offset-array.begin(w, lane)), array.bytes))
	}
	text := fmt.Sprintf("is beyond %s, from whose address it was computed: %s", own[0], sizes[0])
	if len(own) > 1 {
		text = fmt.Sprintf("is in none of %s, from whose addresses it was computed", strings.Join(own, ", "))
	}
	for i := range a.k.arrays {
		other := &a.k.arrays[i]
		if other.space == s && (other.frame == nil || other.frame == a.owners[r]) && !strings.HasPrefix(other.name, framePrefix) && other.within(offset, other.begin(w, lane), 1) {
			return text + ", in " + other.String()
		}
	}
	return text
}

// String names an array.
func (a *array) String() string {
	switch {
	case a.dynamic:
		return "dynamic shared memory"
	case a.name == "":
		return fmt.Sprintf("a local array of %d bytes", a.bytes)
	}
	return fmt.Sprintf("the %s array %s", a.space, sourceName(a.name))
}

// sourceName returns the name that a variable has in C++: what follows the function's in the mangled name of one in a function, and
// the last part of that of one in a namespace. All other names it returns as they are.
//
// Itanium C++ ABI, Mangling, Local Entity Names.
func sourceName(mangled string) string {
	rest, ok := strings.CutPrefix(mangled, "_ZZ")
	if !ok {
		return mangled
	}
	for at := len(rest) - 1; at > 0; at-- {
		if rest[at-1] != 'E' || rest[at] < '1' || rest[at] > '9' {
			continue
		}
		digits := at
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if n, err := strconv.Atoi(rest[at:digits]); err == nil && n <= len(rest)-digits {
			if tail := rest[digits+n:]; tail == "" || tail[0] == '_' {
				return rest[digits : digits+n]
			}
		}
	}
	return mangled
}
