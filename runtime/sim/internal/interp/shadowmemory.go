package interp

import (
	"math/bits"
	"strings"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/memory"
	"github.com/cudagen/cudagen/runtime/sim/internal/planner"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// memoryOf returns where the shadow of the memory lies whose base is in w.at, or nil if it is defined.
// addr is an address in it.
func (s *shadow) memoryOf(w *warp, base unsafe.Pointer, addr uint64, make bool) unsafe.Pointer {
	b, ws := s.b, s.of(w)
	switch base {
	case unsafe.Pointer(unsafe.SliceData(b.shared)):
		return unsafe.Pointer(unsafe.SliceData(s.shared))
	case unsafe.Pointer(unsafe.SliceData(w.local)):
		s.fit(w, ws)
		return unsafe.Pointer(unsafe.SliceData(ws.local))
	case unsafe.Pointer(unsafe.SliceData(b.params)):
		return nil
	}
	if b.cluster != nil {
		for _, other := range b.cluster.blocks {
			if base == unsafe.Pointer(unsafe.SliceData(other.shared)) {
				return unsafe.Pointer(unsafe.SliceData(other.shadow.shared))
			}
		}
	}
	a := memory.AllocationOf(addr >> memory.OffsetBits)
	if a == nil {
		return nil
	}
	return a.Shadow.Base(make, a.Size)
}

// fit makes the shadow of local memory as large as that has grown.
func (s *shadow) fit(w *warp, ws *warpShadow) {
	if len(ws.local) == len(w.local) {
		return
	}
	grown := make([]uint64, len(w.local))
	memory.Ones(grown)
	was, is := len(ws.local)/bytecode.WarpSize, len(w.local)/bytecode.WarpSize
	for lane := range bytecode.WarpSize {
		copy(grown[lane*is:], ws.local[lane*was:(lane+1)*was])
	}
	ws.local = grown
}

// access follows a load, a store or an atomic.
func (s *shadow) access(w *warp, in *bytecode.Instr, pc int32, set uint32, kind accessKind) {
	ws := s.of(w)
	lowest := bits.TrailingZeros32(set) & (bytecode.WarpSize - 1)
	addr := w.regs[in.A][lowest]&in.Mask + in.Offset
	dirty := false
	if kind != reads {
		for n := range max(1, in.Elems) {
			dirty = dirty || kind == writes && ws.undefinedIn(in.Vec[n], ^uint64(0), set) != 0
		}
		dirty = dirty || kind == updates && (ws.dirty.Has(in.B) || ws.dirty.Has(in.C))
	}
	held := w.at.Base
	base := s.memoryOf(w, held, addr, dirty)
	if base == nil {
		if kind == reads {
			for n := range in.Elems {
				ws.define(in.Vec[n], set)
			}
		} else if kind == updates {
			ws.define(in.Dst, set)
		}
		return
	}
	w.at.Base = base
	defer func() { w.at.Base = held }()
	switch kind {
	case reads:
		for n := range in.Elems {
			r := in.Vec[n]
			if set == bytecode.Full && in.LoadWhole != nil {
				in.LoadWhole.Any(&ws.result, base, uint64(n*in.Size), &w.at.Offset)
				if !ws.result.Any() {
					ws.define(r, bytecode.Full)
					continue
				}
			} else {
				in.Load(&ws.result, &w.at, set, n)
				or := uint64(0)
				for m := set; m != 0; m &= m - 1 {
					or |= ws.result[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)]
				}
				if or == 0 {
					ws.define(r, set)
					continue
				}
			}
			s.set(ws, r, &ws.result, set)
			for m := set; m != 0; m &= m - 1 {
				if l := bits.TrailingZeros32(m); ws.result[l] != 0 {
					ws.found = origin{pc: pc, space: in.Space.String(), address: w.regs[in.A][l]&in.Mask + in.Offset, known: true}
					break
				}
			}
		}
	case writes:
		for n := range in.Elems {
			in.Store(&ws.regs[in.Vec[n]], &w.at, set, n)
		}
		if dirty && addr>>memory.OffsetBits >= memory.FirstID {
			s.stored(w, in, pc, set, addr)
		}
	case updates:
		if !dirty && set == bytecode.Full && definedAll(base, in, 0, &w.at.Offset, simd.Anywhere) {
			ws.define(in.Dst, bytecode.Full)
			return
		}
		s.update(w, ws, in, set, strings.Contains(s.b.k.Places[pc].Text, ".exch"))
	}
}

// update follows atomics: what they return was there, and what they leave depends on it.
func (s *shadow) update(w *warp, ws *warpShadow, in *bytecode.Instr, set uint32, replaces bool) {
	mask := typeMaskOf(in.Size)
	for m := set; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (bytecode.WarpSize - 1)
		p := unsafe.Slice((*byte)(unsafe.Add(w.at.Base, w.at.Offset[l])), in.Size)
		old := readWord(p)
		given := (ws.regs[in.B][l] | ws.regs[in.C][l]) & mask
		ws.result[l] = old
		next := given
		if !replaces {
			next |= old
			next = -uint64(simd.Bit(next != 0)) & mask
		}
		WriteWord(p, next)
	}
	if in.Dst != bytecode.RegSink {
		s.set(ws, in.Dst, &ws.result, set)
	}
}

func typeMaskOf(size int) uint64 { return ^uint64(0) >> (64 - 8*size) }

// stored notes that undefined values were stored to global memory, for those who read them later.
func (s *shadow) stored(w *warp, in *bytecode.Instr, pc int32, set uint32, addr uint64) {
	a := memory.AllocationOf(addr >> memory.OffsetBits)
	if a == nil || a.Shadow == nil {
		return
	}
	from, to := ^uint64(0), uint64(0)
	for m := set; m != 0; m &= m - 1 {
		o := w.at.Offset[bits.TrailingZeros32(m)&(bytecode.WarpSize-1)]
		from, to = min(from, o), max(to, o+uint64(in.Size*in.Elems))
	}
	a.Shadow.NoteStore(instrOf{s.b.k, pc}, from, to, func() *driver.Fault {
		f := s.shuffled(w, s.of(w), "it is stored at "+s.b.k.Where(pc))
		if f == nil {
			f = s.b.fault(w, pc, bits.TrailingZeros32(set), 0, "this instruction has stored undefined values there: %s", s.advice(s.of(w)))
		}
		return &f.Fault
	})
}

// An instrOf is an instruction of a kernel.
type instrOf struct {
	k  *bytecode.Kernel
	pc int32
}

// touch is told of accesses of operations to memory: what they write is defined, unless operated says
// otherwise.
func (s *shadow) touch(w *warp, at *bytecode.Address, pc int32, lane int, addr uint64, r region, p unsafe.Pointer, width uint64, write bool) {
	if ws := s.of(w); ws.undefinedIn(at.In.A, at.In.Mask, 1<<lane) != 0 {
		s.report(w, ws, &at.In, pc, 1<<lane, "an undefined value is used as an address")
		ws.define(at.In.A, 1<<lane)
	}
	if write {
		clear(s.bytes(w, r, addr, p, width, false))
	}
}

// bytes returns the undefined bits of width bytes at p, which lie in r at addr, or nil.
func (s *shadow) bytes(w *warp, r region, addr uint64, p unsafe.Pointer, width uint64, make bool) []byte {
	base := s.memoryOf(w, r.base, addr, make)
	if base == nil {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(base, uintptr(p)-uintptr(r.base))), width)
}

// at returns the undefined bits of bytes that an operation accesses, or nil.
func (s *shadow) at(w *warp, a *bytecode.Address, lane int, behind, width uint64, make bool) []byte {
	return s.spanOf(w, a, lane, w.addressOf(a, lane)+behind, width, make)
}

// spanOf is at for any address in the space of a.
func (s *shadow) spanOf(w *warp, a *bytecode.Address, lane int, addr, width uint64, make bool) []byte {
	r, what := s.b.locate(w, a.In.Space, addr, false)
	if what != "" || addr < r.from || width > r.size || addr-r.from > r.size-width {
		return nil
	}
	return s.bytes(w, r, addr, unsafe.Add(r.base, addr-r.from+uint64(lane)*r.stride), width, make)
}

// reached returns where the undefined bits of the memory lie that all lanes of w access, shared memory or one allocation, or nil if
// it is defined.
func (s *shadow) reached(w *warp, in *bytecode.Instr) unsafe.Pointer {
	if in.Space == bytecode.Shared {
		return unsafe.Pointer(unsafe.SliceData(s.shared))
	}
	a := memory.AllocationOf((w.regs[in.A][0]&in.Mask + in.Offset) >> memory.OffsetBits)
	if a == nil {
		return nil
	}
	return a.Shadow.Base(false, a.Size)
}

// definedAll reports whether all lanes load defined bytes; where they load is by and their offsets behind what is accessed.
func definedAll(from unsafe.Pointer, in *bytecode.Instr, by uint64, offsets *simd.Lanes, p simd.Pattern) bool {
	width := in.Width()
	switch p {
	case simd.Equal:
		return definedBytes(from, offsets[0]+by, width)
	case simd.HalfEqual:
		return definedBytes(from, offsets[0]+by, width) && definedBytes(from, offsets[bytecode.WarpSize/2]+by, width)
	case simd.Consecutive:
		return definedBytes(from, offsets[0]+by, bytecode.WarpSize*width)
	case simd.HalfConsecutive:
		return definedBytes(from, offsets[0]+by, bytecode.WarpSize/2*width) && definedBytes(from, offsets[bytecode.WarpSize/2]+by, bytecode.WarpSize/2*width)
	}
	or := uint64(0)
	switch width {
	case 4:
		for _, o := range offsets {
			or |= uint64(*(*uint32)(unsafe.Add(from, o+by)))
		}
	case 8:
		for _, o := range offsets {
			or |= *(*uint64)(unsafe.Add(from, o+by))
		}
	default:
		for _, o := range offsets {
			if !definedBytes(from, o+by, width) {
				return false
			}
		}
	}
	return or == 0
}

// definedBytes reports whether n bytes are defined, whose undefined bits lie at an offset from words.
func definedBytes(from unsafe.Pointer, offset, n uint64) bool {
	first, last := offset/8, (offset+n-1)/8
	words := unsafe.Slice((*uint64)(unsafe.Add(from, 8*first)), last-first+1)
	low, high := ^uint64(0)<<(offset%8*8), ^uint64(0)>>(63-(offset+n-1)%8*8-7)
	if len(words) == 1 {
		return words[0]&low&high == 0
	}
	or := words[0]&low | words[len(words)-1]&high
	for _, word := range words[1 : len(words)-1] {
		or |= word
	}
	return or == 0
}

// defineAll notes that all lanes store defined bytes.
func defineAll(to unsafe.Pointer, in *bytecode.Instr, by uint64, offsets *simd.Lanes, p simd.Pattern) {
	width := in.Width()
	if p == simd.Consecutive {
		clear(unsafe.Slice((*byte)(unsafe.Add(to, offsets[0]+by)), bytecode.WarpSize*width))
		return
	}
	for n := range in.Elems {
		in.StoreWhole.Any(to, by+uint64(n*in.Size), offsets, &planner.Zeros)
	}
}
