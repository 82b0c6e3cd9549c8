package sim

import (
	"unsafe"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A whole access is one of all lanes of a warp to one allocation, or to shared memory, which is
// checked and executed at once. All other accesses go the way of resolve.

// reach says what an access may reach: a lane's offset is its address&mask + add. It is at
// most last, and a multiple of width, the bytes that a lane accesses.
type reach struct {
	mask, add, last, width uint64
	firstOnly              bool // of neighbours and of equal offsets only the first is needed
}

// A pattern is how the offsets of all lanes lie.
type pattern uint8

const (
	faulty     pattern = iota // one is too large or misaligned
	anywhere                  // none of those that follow
	neighbours                // each behind the one before
	equal

	// What a survey finds out besides: 16 lanes are a row of a tile.

	halfNeighbours // in either half of the warp
	halfEqual
)

// offsets computes the offsets of all lanes.
func offsets(offsets, addrs *lanes, r *reach) pattern {
	first := addrs[0]&r.mask + r.add
	if p, step := equal, addrs[1]&r.mask+r.add-first; step == 0 || step == r.width {
		if step != 0 {
			p = neighbours
		}
		last := first + (warpSize-1)*step
		if first > r.last || last > r.last || first&(r.width-1) != 0 {
			return faulty
		}
		switch {
		case addrs[warpSize-1]&r.mask+r.add != last:
		case r.firstOnly:
			if areInSteps(addrs, step, r.mask) {
				offsets[0] = first
				return p
			}
		case inSteps(offsets, addrs, first, step, r):
			return p
		}
	}
	over, low := uint64(0), uint64(0)
	mask, add, last := r.mask, r.add, r.last
	for l := range offsets {
		o := addrs[l]&mask + add
		offsets[l] = o
		over |= o | (last - o) // negative where o is more than last, which is not negative
		low |= o
	}
	if over>>63 != 0 || low&(r.width-1) != 0 {
		return faulty
	}
	return anywhere
}

// inSteps computes offsets that begin at first and go on by step, or reports that the addresses'
// do not.
func inSteps(offsets, addrs *lanes, first, step uint64, r *reach) bool {
	differ := uint64(0)
	add, o, p, q := r.add, first, first+step, 2*step
	for l := 0; l < warpSize; l += 8 {
		from, to := eight(addrs, l), eight(offsets, l)
		to[0], to[1] = o, p
		differ |= (from[0] + add - o) | (from[1] + add - p)
		o, p = o+q, p+q
		to[2], to[3] = o, p
		differ |= (from[2] + add - o) | (from[3] + add - p)
		o, p = o+q, p+q
		to[4], to[5] = o, p
		differ |= (from[4] + add - o) | (from[5] + add - p)
		o, p = o+q, p+q
		to[6], to[7] = o, p
		differ |= (from[6] + add - o) | (from[7] + add - p)
		o, p = o+q, p+q
	}
	return differ&r.mask == 0
}

// areInSteps reports whether addresses go on by step.
func areInSteps(addrs *lanes, step, mask uint64) bool {
	differ := uint64(0)
	o, p, q := addrs[0], addrs[0]+step, 2*step
	for l := 0; l < warpSize; l += 8 {
		from := eight(addrs, l)
		differ |= (from[0] - o) | (from[1] - p)
		o, p = o+q, p+q
		differ |= (from[2] - o) | (from[3] - p)
		o, p = o+q, p+q
		differ |= (from[4] - o) | (from[5] - p)
		o, p = o+q, p+q
		differ |= (from[6] - o) | (from[7] - p)
		o, p = o+q, p+q
	}
	return differ&mask == 0
}

// A wholeLoad loads an element in all lanes: from neighbouring places, from any, which are by and
// an offset behind base, or from one.
type wholeLoad struct {
	near func(d *lanes, p unsafe.Pointer)
	any  func(d *lanes, base unsafe.Pointer, by uint64, offsets *lanes)
	one  func(p unsafe.Pointer) uint64
	half func(d *halfLanes, p unsafe.Pointer) // near, in half of the lanes; or nil
}

// halfLanes is the lanes of half a warp.
type halfLanes = [warpSize / 2]uint64

// halvesOf returns both halves of a register.
func halvesOf(d *lanes) (lower, upper *halfLanes) {
	return (*halfLanes)(d[:warpSize/2]), (*halfLanes)(d[warpSize/2:])
}

var wholeLoads = map[ptx.Type]*wholeLoad{
	"b8": {fast.near8, scattered[uint8], one[uint8], nil}, "u8": {fast.near8, scattered[uint8], one[uint8], nil}, "s8": {near[int8], scattered[int8], one[int8], nil},
	"b16": {fast.near16, scattered[uint16], one[uint16], nil}, "u16": {fast.near16, scattered[uint16], one[uint16], nil}, "s16": {near[int16], scattered[int16], one[int16], nil},
	"b32": {fast.near32, fast.scattered32, one[uint32], fast.half32}, "u32": {fast.near32, fast.scattered32, one[uint32], fast.half32},
	"s32": {fast.nearS32, scattered[int32], one[int32], nil}, "f32": {fast.near32, fast.scattered32, one[uint32], fast.half32},
	"b64": {fast.near64, scattered[uint64], one[uint64], nil}, "u64": {fast.near64, scattered[uint64], one[uint64], nil},
	"s64": {fast.near64, scattered[uint64], one[uint64], nil}, "f64": {fast.near64, scattered[uint64], one[uint64], nil},
}

// A wholeStore stores an element of all lanes: to neighbouring places, or to any, where the
// highest of the lanes that store to one address wins.
type wholeStore struct {
	near func(p unsafe.Pointer, s *lanes)
	any  func(base unsafe.Pointer, by uint64, offsets, s *lanes)
}

// wholeStores is indexed by the size in bytes.
var wholeStores = map[int]*wholeStore{
	1: {storeNear[uint8], storeScattered[uint8]}, 2: {storeNear[uint16], storeScattered[uint16]},
	4: {fast.storeNear32, storeScattered[uint32]}, 8: {fast.storeNear64, storeScattered[uint64]},
}

func near[T integer](d *lanes, p unsafe.Pointer) {
	from := (*[warpSize]T)(p)
	for l := 0; l < warpSize; l += 8 {
		from, to := (*[8]T)(unsafe.Pointer(&from[l&(warpSize-8)])), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(from[0]), uint64(from[1]), uint64(from[2]), uint64(from[3])
		to[4], to[5], to[6], to[7] = uint64(from[4]), uint64(from[5]), uint64(from[6]), uint64(from[7])
	}
}

func half32(d *halfLanes, p unsafe.Pointer) {
	for l := 0; l < len(d); l += 4 {
		from, to := (*[4]uint32)(unsafe.Add(p, 4*l)), (*[4]uint64)(d[l:l+4])
		to[0], to[1], to[2], to[3] = uint64(from[0]), uint64(from[1]), uint64(from[2]), uint64(from[3])
	}
}

func fillHalf(d *halfLanes, value uint64) {
	d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = value, value, value, value, value, value, value, value
	d[8], d[9], d[10], d[11], d[12], d[13], d[14], d[15] = value, value, value, value, value, value, value, value
}

func scattered[T integer](d *lanes, base unsafe.Pointer, by uint64, offsets *lanes) {
	for l := 0; l < warpSize; l += 8 {
		from, to := eight(offsets, l), eight(d, l)
		to[0], to[1] = one[T](unsafe.Add(base, from[0]+by)), one[T](unsafe.Add(base, from[1]+by))
		to[2], to[3] = one[T](unsafe.Add(base, from[2]+by)), one[T](unsafe.Add(base, from[3]+by))
		to[4], to[5] = one[T](unsafe.Add(base, from[4]+by)), one[T](unsafe.Add(base, from[5]+by))
		to[6], to[7] = one[T](unsafe.Add(base, from[6]+by)), one[T](unsafe.Add(base, from[7]+by))
	}
}

func one[T integer](p unsafe.Pointer) uint64 { return uint64(*(*T)(p)) }

func storeNear[T integer](p unsafe.Pointer, s *lanes) {
	to := (*[warpSize]T)(p)
	for l := 0; l < warpSize; l += 8 {
		from, to := eight(s, l), (*[8]T)(unsafe.Pointer(&to[l&(warpSize-8)]))
		to[0], to[1], to[2], to[3] = T(from[0]), T(from[1]), T(from[2]), T(from[3])
		to[4], to[5], to[6], to[7] = T(from[4]), T(from[5]), T(from[6]), T(from[7])
	}
}

func storeScattered[T integer](base unsafe.Pointer, by uint64, offsets, s *lanes) {
	for l := range s {
		*(*T)(unsafe.Add(base, offsets[l]+by)) = T(s[l])
	}
}

// whole finds the memory of an access of all lanes of w and leaves their offsets in at. It is
// faulty where the access needs resolve: to be refused, or because it is not to shared memory
// or one allocation of this device.
func (b *block) whole(w *warp, in *instr, at *accessed) pattern {
	addrs := &w.regs[in.a]
	addr := addrs[0]&in.mask + in.offset
	from, size := uint64(0), b.sharedBytes
	switch {
	case in.space == shared && addr&peerMask == 0:
		at.base = unsafe.Pointer(unsafe.SliceData(b.shared))
	case in.space <= global:
		a := allocationOf(addr >> offsetBits)
		if a == nil || a.data == nil || a.owner != b.mem || a.constant {
			return faulty
		}
		at.base = unsafe.Pointer(unsafe.SliceData(a.data))
		from, size = addr&^offsetMask, a.size
	default:
		return faulty
	}
	width := uint64(in.size * in.elems)
	if size < width {
		return faulty
	}
	r := &w.reach
	r.mask, r.add, r.last, r.width = in.mask, in.offset-from, size-width, width
	r.firstOnly = in.slot == 0 && in.elems == 1 && b.observer == nil && in.op != opAtomic
	return fast.offsets(&at.offset, addrs, r)
}

// wholly reports whether an access may be executed in all lanes at once.
func (b *block) wholly(w *warp, in *instr, e uint32) bool {
	if e == full && b.observer == nil {
		return true
	}
	if in.leads {
		w.surveys[in.slot-1].pattern = faulty
	}
	return false
}

// loadAll executes ld in all lanes, or reports false.
func (b *block) loadAll(w *warp, in *instr) bool {
	base, by, offsets, p := b.reached(w, in)
	if p == faulty {
		return false
	}
	w.loadAt(in, base, by, offsets, p)
	return true
}

// loadAt loads in all lanes what lies by and their offsets behind base.
func (w *warp) loadAt(in *instr, base unsafe.Pointer, by uint64, offsets *lanes, p pattern) {
	switch {
	case p == equal:
		for n := range in.elems {
			fast.fill(&w.regs[in.vec[n]], in.loadWhole.one(unsafe.Add(base, offsets[0]+by+uint64(n*in.size))))
		}
	case p == halfNeighbours && in.elems == 1 && in.loadWhole.half != nil:
		lower, upper := halvesOf(&w.regs[in.vec[0]])
		in.loadWhole.half(lower, unsafe.Add(base, offsets[0]+by))
		in.loadWhole.half(upper, unsafe.Add(base, offsets[warpSize/2]+by))
	case p == halfEqual && in.elems == 1:
		lower, upper := halvesOf(&w.regs[in.vec[0]])
		fast.fillHalf(lower, in.loadWhole.one(unsafe.Add(base, offsets[0]+by)))
		fast.fillHalf(upper, in.loadWhole.one(unsafe.Add(base, offsets[warpSize/2]+by)))
	case p == neighbours && in.elems == 1:
		in.loadWhole.near(&w.regs[in.vec[0]], unsafe.Add(base, offsets[0]+by))
	default:
		for n := range in.elems {
			in.loadWhole.any(&w.regs[in.vec[n]], base, by+uint64(n*in.size), offsets)
		}
	}
}

// storeAll executes st in all lanes, or reports false.
func (b *block) storeAll(w *warp, in *instr) bool {
	base, by, offsets, p := b.reached(w, in)
	if p == faulty {
		return false
	}
	w.storeAt(in, base, by, offsets, p)
	return true
}

// storeAt stores of all lanes what lies by and their offsets behind base.
func (w *warp) storeAt(in *instr, base unsafe.Pointer, by uint64, offsets *lanes, p pattern) {
	if p == neighbours && in.elems == 1 {
		in.storeWhole.near(unsafe.Add(base, offsets[0]+by), &w.regs[in.vec[0]])
		return
	}
	if p == equal {
		fast.fill(offsets, offsets[0])
	}
	for n := range in.elems {
		in.storeWhole.any(base, by+uint64(n*in.size), offsets, &w.regs[in.vec[n]])
	}
}
