package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A whole access is one of all lanes of a warp to one allocation, or to shared memory, which is
// checked and executed at once. All other accesses go the way of resolve.

// reach says what an access may reach: a lane's offset is its address&mask + add. It is at
// most last, and a multiple of width, the bytes that a lane accesses.
type reach struct{ mask, add, last, width uint64 }

// A pattern is how the offsets of all lanes lie.
type pattern uint8

const (
	faulty     pattern = iota // one is too large or misaligned
	anywhere                  // none of those that follow
	neighbours                // each behind the one before
	equal
)

// offsets computes the offsets of all lanes.
func offsets(offsets, addrs *lanes, r *reach) pattern {
	wrong, near, differ := uint64(0), uint64(0), uint64(0)
	first := addrs[0]&r.mask + r.add
	expected, low := first, r.width-1
	for l := range offsets {
		o := addrs[l]&r.mask + r.add
		offsets[l] = o
		wrong |= uint64(bit(o > r.last)) | o&low
		near |= o ^ expected
		differ |= o ^ first
		expected += r.width
	}
	switch {
	case wrong != 0:
		return faulty
	case differ == 0:
		return equal
	case near == 0:
		return neighbours
	}
	return anywhere
}

// A wholeLoad loads an element in all lanes: from neighbouring places, from any, or from one.
type wholeLoad struct {
	near func(d *lanes, p unsafe.Pointer)
	any  func(d *lanes, base unsafe.Pointer, offsets *lanes)
	one  func(p unsafe.Pointer) uint64
}

var wholeLoads = map[ptx.Type]*wholeLoad{
	"b8": {fast.near8, scattered[uint8], one[uint8]}, "u8": {fast.near8, scattered[uint8], one[uint8]}, "s8": {near[int8], scattered[int8], one[int8]},
	"b16": {fast.near16, scattered[uint16], one[uint16]}, "u16": {fast.near16, scattered[uint16], one[uint16]}, "s16": {near[int16], scattered[int16], one[int16]},
	"b32": {fast.near32, fast.scattered32, one[uint32]}, "u32": {fast.near32, fast.scattered32, one[uint32]},
	"s32": {fast.nearS32, scattered[int32], one[int32]}, "f32": {fast.near32, fast.scattered32, one[uint32]},
	"b64": {fast.near64, scattered[uint64], one[uint64]}, "u64": {fast.near64, scattered[uint64], one[uint64]},
	"s64": {fast.near64, scattered[uint64], one[uint64]}, "f64": {fast.near64, scattered[uint64], one[uint64]},
}

// wholeStores is indexed by the size in bytes.
var wholeStores = map[int]func(p unsafe.Pointer, s *lanes){
	1: storeNear[uint8], 2: storeNear[uint16], 4: fast.storeNear32, 8: fast.storeNear64,
}

func near[T integer](d *lanes, p unsafe.Pointer) {
	for l, v := range (*[warpSize]T)(p) {
		d[l] = uint64(v)
	}
}

func scattered[T integer](d *lanes, base unsafe.Pointer, offsets *lanes) {
	for l := range d {
		d[l] = uint64(*(*T)(unsafe.Add(base, offsets[l])))
	}
}

func one[T integer](p unsafe.Pointer) uint64 { return uint64(*(*T)(p)) }

func storeNear[T integer](p unsafe.Pointer, s *lanes) {
	to := (*[warpSize]T)(p)
	for l := range to {
		to[l] = T(s[l])
	}
}

// whole finds the memory of an access of all lanes of w and leaves their offsets in w.at. It is
// faulty where the access needs resolve: to be refused, or because it is not to shared memory
// or one allocation of this device.
func (b *block) whole(w *warp, in *instr) pattern {
	addrs := &w.regs[in.a]
	addr := addrs[0]&in.mask + in.offset
	from, size := uint64(0), b.sharedBytes
	switch {
	case in.space == shared && addr&peerMask == 0:
		w.at.base = unsafe.Pointer(unsafe.SliceData(b.shared))
	case in.space <= global:
		a := allocationOf(addr >> offsetBits)
		if a == nil || a.data == nil || a.owner != b.mem || a.constant {
			return faulty
		}
		w.at.base = unsafe.Pointer(unsafe.SliceData(a.data))
		from, size = addr&^offsetMask, a.size
	default:
		return faulty
	}
	width := uint64(in.size * in.elems)
	if size < width {
		return faulty
	}
	w.reach = reach{in.mask, in.offset - from, size - width, width}
	return fast.offsets(&w.at.offset, addrs, &w.reach)
}

// loadWhole executes ld in all lanes, or reports false.
func (b *block) loadWhole(w *warp, in *instr) bool {
	pattern := b.whole(w, in)
	base := w.at.base
	switch {
	case pattern == faulty:
		return false
	case pattern == equal:
		for n := range in.elems {
			fast.fill(&w.regs[in.vec[n]], in.loadWhole.one(unsafe.Add(base, w.at.offset[0]+uint64(n*in.size))))
		}
	case pattern == neighbours && in.elems == 1:
		in.loadWhole.near(&w.regs[in.vec[0]], unsafe.Add(base, w.at.offset[0]))
	default:
		for n := range in.elems {
			in.loadWhole.any(&w.regs[in.vec[n]], unsafe.Add(base, n*in.size), &w.at.offset)
		}
	}
	return true
}

// storeWhole executes st in all lanes, or reports false.
func (b *block) storeWhole(w *warp, in *instr) bool {
	switch pattern := b.whole(w, in); {
	case pattern == faulty:
		return false
	case pattern == neighbours && in.elems == 1:
		in.storeWhole(unsafe.Add(w.at.base, w.at.offset[0]), &w.regs[in.vec[0]])
	default:
		for n := range in.elems {
			in.store(&w.regs[in.vec[n]], &w.at, full, n)
		}
	}
	return true
}
