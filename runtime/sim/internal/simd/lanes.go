// Package simd computes lanes: registers of a warp with a value for each of its 32 threads come in, and
// one goes out. It knows the vector instructions of the processor, and which pairs of operations it
// computes at once. It knows no instructions of PTX, and no memory but what it is given a pointer to.
package simd

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
)

//go:generate go run lanes_gen.go

const warpSize = limits.WarpSize

// Lanes is a register of a warp: one value for each lane. A value narrower than 64
// bits lies in the low bits; what is above them is unspecified, so that every
// reader truncates.
type Lanes [warpSize]uint64

// eight is lanes l to l+7 of a register, or the first for the lane behind the last. Loops over lanes
// go by eights where that makes them faster; those over signed values take their registers along,
// because a load that extends a sign has no index.
func eight(a *Lanes, l int) *[8]uint64 { return (*[8]uint64)(unsafe.Pointer(&a[l&(warpSize-8)])) }

// four is lanes l to l+3, for loops that need the registers of the processor for more than lanes.
func four(a *Lanes, l int) *[4]uint64 { return (*[4]uint64)(unsafe.Pointer(&a[l&(warpSize-4)])) }

// RegisterOf is a register of those at base. The decoder has seen to it that there is one.
func RegisterOf(base unsafe.Pointer, n int32) *Lanes {
	return (*Lanes)(unsafe.Add(base, uintptr(n)*unsafe.Sizeof(Lanes{})))
}

// A Func computes a register from up to three others, in all lanes. d may be
// one of the sources. Lanes that are not active are computed too and dropped, so a
// Func must not fail for any value.
type Func func(d, a, b, c *Lanes)

// Undefined is what 16 bits hold that a program has not written: in floats of every size a NaN, in
// integers a number far from zero that no program means. On a GPU they hold anything, mostly zeros,
// so a missing Clear or an accumulator that was not set is not seen there.
const Undefined = 0xfffd

// UndefinedWord is 64 bits of it.
const UndefinedWord = Undefined * 0x0001_0001_0001_0001

// Spoil makes words those of fresh memory.
func Spoil(words []uint64) {
	if len(words) == 0 {
		return
	}
	words[0] = UndefinedWord
	for done := 1; done < len(words); done *= 2 {
		copy(words[done:], words[:done])
	}
}

// SpoilLanes makes registers those of a thread that begins.
func SpoilLanes(registers []Lanes) {
	if len(registers) == 0 {
		return
	}
	Spoil(registers[0][:])
	for done := 1; done < len(registers); done *= 2 {
		copy(registers[done:], registers[:done])
	}
}

func Fill(d *Lanes, value uint64) {
	for l := 0; l < warpSize; l += 8 {
		to := eight(d, l)
		to[0], to[1], to[2], to[3] = value, value, value, value
		to[4], to[5], to[6], to[7] = value, value, value, value
	}
}

func Mov(d, a, _, _ *Lanes) { *d = *a }

func (u *Lanes) Any() bool {
	or := uint64(0)
	for _, v := range u {
		or |= v
	}
	return or != 0
}

// LanesOf returns the lanes in which u has undefined bits.
func (u *Lanes) LanesOf() (set uint32) {
	for l, v := range u {
		set |= Bit(v != 0) << l
	}
	return set
}

// Integer is the Go types of the integer types of PTX.
type Integer interface {
	uint8 | int8 | uint16 | int16 | uint32 | int32 | uint64 | int64
}
