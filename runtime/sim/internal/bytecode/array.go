package bytecode

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// ArrayBounds finds accesses to shared and local memory that leave the array whose address they were computed from, and stay in the
// memory of the block or thread, where another array is. Which arrays an address may be computed from, newPointsTo says.
type ArrayBounds struct {
	K         *Program
	Registers []ArraySet // by register: the arrays that an address in it may be in; 0 if it may be anywhere
	Owners    []*Function
}

// Within reports whether an array that begins at from has n bytes at an offset.
func (a *Array) Within(offset, from, n uint64) bool {
	if a.dynamic {
		return offset >= from
	}
	return offset-from <= a.Bytes-n && n <= a.Bytes
}

// AdmitsAll reports whether all lanes access shared memory within their arrays. Their offsets are by and offsets.
func (a *ArrayBounds) AdmitsAll(in *Instr, by uint64, offsets *simd.Lanes, p simd.Pattern) bool {
	set := a.Registers[in.A]
	if set == 0 {
		return true
	}
	from, to, ok := a.extent(set)
	if !ok {
		return false
	}
	width := in.Width()
	switch p {
	case simd.Equal:
		o := offsets[0] + by
		return o >= from && o+width <= to
	case simd.Consecutive:
		o := offsets[0] + by
		return o >= from && o+WarpSize*width <= to
	}
	if p == simd.HalfEqual || p == simd.HalfConsecutive {
		step := width
		if p == simd.HalfEqual {
			step = 0
		}
		for _, o := range [2]uint64{offsets[0] + by, offsets[WarpSize/2] + by} {
			if o < from || o+(WarpSize/2-1)*step+width > to {
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
func (a *ArrayBounds) extent(set ArraySet) (from, to uint64, ok bool) {
	if set&(set-1) != 0 {
		return 0, 0, false
	}
	array := &a.K.Arrays[bits.TrailingZeros64(uint64(set))]
	if to = array.From + array.Bytes; array.dynamic {
		to = 1 << memory.PeerShift
	}
	return array.From, to, array.Space == Shared
}

// String names an array.
func (a *Array) String() string {
	switch {
	case a.dynamic:
		return "dynamic shared memory"
	case a.Name == "":
		return fmt.Sprintf("a local array of %d bytes", a.Bytes)
	}
	return fmt.Sprintf("the %s array %s", a.Space, SourceName(a.Name))
}

// SourceName returns the name that a variable has in C++: what follows the function's in the mangled name of one in a function, and
// the last part of that of one in a namespace. All other names it returns as they are.
//
// Itanium C++ ABI, Mangling, Local Entity Names.
func SourceName(mangled string) string {
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

// An Array is a variable of a kernel in shared or local memory, as its PTX declares it, or a variable that its compiler has laid into
// one. Dynamic shared memory is one array, however many names it has.
type Array struct {
	Name        string // "" if it has none of its own
	Space       Space
	From, Bytes uint64    // bytes is what the PTX has; dynamic shared memory goes on to the end
	Frame       *Function // in whose frame from counts, or nil
	dynamic     bool
	opaque      bool // its bounds are not known
}

// ArraySet is a set of arrays of a kernel, by their numbers. AnyArray stands for all memory that is not known.
type ArraySet uint64

const (
	maxArrays = 63
	AnyArray  = ArraySet(1) << maxArrays
)

// AddArray adds an array to k and returns its set.
func (k *Program) AddArray(a Array) ArraySet {
	if a.opaque || len(k.Arrays) == maxArrays {
		return AnyArray
	}
	k.Arrays = append(k.Arrays, a)
	return 1 << (len(k.Arrays) - 1)
}

// FramePrefix is what LLVM calls the memory of all local variables of a function, which it lays out itself.
const FramePrefix = "__local_depot"
