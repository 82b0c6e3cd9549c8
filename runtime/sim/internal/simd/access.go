package simd

import "unsafe"

// extremes returns the least and the greatest offset; none is 1<<63 or more.
func extremes(offsets *Lanes) (lowest, highest uint64) {
	lowest = offsets[0]
	for _, o := range offsets {
		lowest, highest = min(lowest, o), max(highest, o)
	}
	return lowest, highest
}

// Reach says what an access may reach: a lane's offset is its address&mask + add. It is at
// most last, and a multiple of width, the bytes that a lane accesses.
type Reach struct {
	Mask, Add, Last, Width uint64
	FirstOnly              bool // of neighbours and of equal offsets only the first is needed
}

// A Pattern is how the offsets of all lanes lie.
type Pattern uint8

const (
	Faulty      Pattern = iota // one is too large or misaligned
	Anywhere                   // none of those that follow
	Consecutive                // each behind the one before
	Equal

	// What a survey finds out besides: 16 lanes are a row of a tile.

	HalfConsecutive // in either half of the warp
	HalfEqual
)

// offsets computes the offsets of all lanes.
func offsets(offsets, addrs *Lanes, r *Reach) Pattern {
	first := addrs[0]&r.Mask + r.Add
	if p, step := Equal, addrs[1]&r.Mask+r.Add-first; step == 0 || step == r.Width {
		if step != 0 {
			p = Consecutive
		}
		last := first + (warpSize-1)*step
		if first > r.Last || last > r.Last || first&(r.Width-1) != 0 {
			return Faulty
		}
		switch {
		case addrs[warpSize-1]&r.Mask+r.Add != last:
		case r.FirstOnly:
			if areInSteps(addrs, step, r.Mask) {
				offsets[0] = first
				return p
			}
		case inSteps(offsets, addrs, first, step, r):
			return p
		}
	}
	over, low := uint64(0), uint64(0)
	mask, add, last := r.Mask, r.Add, r.Last
	for l := range offsets {
		o := addrs[l]&mask + add
		offsets[l] = o
		over |= o | (last - o) // negative where o is more than last, which is not negative
		low |= o
	}
	if over>>63 != 0 || low&(r.Width-1) != 0 {
		return Faulty
	}
	return Anywhere
}

// inSteps computes offsets that begin at first and go on by step, or reports that the addresses'
// do not.
func inSteps(offsets, addrs *Lanes, first, step uint64, r *Reach) bool {
	differ := uint64(0)
	add, o, p, q := r.Add, first, first+step, 2*step
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
	return differ&r.Mask == 0
}

// areInSteps reports whether addresses go on by step.
func areInSteps(addrs *Lanes, step, mask uint64) bool {
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

// HalfLanes is the lanes of half a warp.
type HalfLanes = [warpSize / 2]uint64

// HalvesOf returns both halves of a register.
func HalvesOf(d *Lanes) (lower, upper *HalfLanes) {
	return (*HalfLanes)(d[:warpSize/2]), (*HalfLanes)(d[warpSize/2:])
}

func near[T Integer](d *Lanes, p unsafe.Pointer) {
	from := (*[warpSize]T)(p)
	for l := 0; l < warpSize; l += 8 {
		from, to := (*[8]T)(unsafe.Pointer(&from[l&(warpSize-8)])), eight(d, l)
		to[0], to[1], to[2], to[3] = uint64(from[0]), uint64(from[1]), uint64(from[2]), uint64(from[3])
		to[4], to[5], to[6], to[7] = uint64(from[4]), uint64(from[5]), uint64(from[6]), uint64(from[7])
	}
}

func half32(d *HalfLanes, p unsafe.Pointer) {
	for l := 0; l < len(d); l += 4 {
		from, to := (*[4]uint32)(unsafe.Add(p, 4*l)), (*[4]uint64)(d[l:l+4])
		to[0], to[1], to[2], to[3] = uint64(from[0]), uint64(from[1]), uint64(from[2]), uint64(from[3])
	}
}

func fillHalf(d *HalfLanes, value uint64) {
	d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7] = value, value, value, value, value, value, value, value
	d[8], d[9], d[10], d[11], d[12], d[13], d[14], d[15] = value, value, value, value, value, value, value, value
}

func scattered[T Integer](d *Lanes, base unsafe.Pointer, by uint64, offsets *Lanes) {
	for l := 0; l < warpSize; l += 8 {
		from, to := eight(offsets, l), eight(d, l)
		to[0], to[1] = one[T](unsafe.Add(base, from[0]+by)), one[T](unsafe.Add(base, from[1]+by))
		to[2], to[3] = one[T](unsafe.Add(base, from[2]+by)), one[T](unsafe.Add(base, from[3]+by))
		to[4], to[5] = one[T](unsafe.Add(base, from[4]+by)), one[T](unsafe.Add(base, from[5]+by))
		to[6], to[7] = one[T](unsafe.Add(base, from[6]+by)), one[T](unsafe.Add(base, from[7]+by))
	}
}

func one[T Integer](p unsafe.Pointer) uint64 { return uint64(*(*T)(p)) }

func storeNear[T Integer](p unsafe.Pointer, s *Lanes) {
	to := (*[warpSize]T)(p)
	for l := 0; l < warpSize; l += 8 {
		from, to := eight(s, l), (*[8]T)(unsafe.Pointer(&to[l&(warpSize-8)]))
		to[0], to[1], to[2], to[3] = T(from[0]), T(from[1]), T(from[2]), T(from[3])
		to[4], to[5], to[6], to[7] = T(from[4]), T(from[5]), T(from[6]), T(from[7])
	}
}

func storeScattered[T Integer](base unsafe.Pointer, by uint64, offsets, s *Lanes) {
	for l := range s {
		*(*T)(unsafe.Add(base, offsets[l]+by)) = T(s[l])
	}
}
