package sizes

import "fmt"

// Bits returns count bits of b, from the bit first on, as an unsigned number. Bit 0 is the lowest
// of the first byte; count is 1 to 64.
//
// AMD64 ABI supplement, Bit-Fields.
func (Arithmetic) Bits(b []byte, first, count uint) uint64 {
	var v uint64
	for done := uint(0); done < count; {
		at := first + done
		v |= uint64(b[at/8]>>(at%8)) << done
		done += 8 - at%8
	}
	return v << (64 - count) >> (64 - count)
}

// SignedBits returns Bits as a number in two's complement.
func (a Arithmetic) SignedBits(b []byte, first, count uint) int64 {
	return int64(a.Bits(b, first, count)<<(64-count)) >> (64 - count)
}

// SetBits sets the bits that Bits returns to v. It panics if they cannot hold v.
func (Arithmetic) SetBits(b []byte, first, count uint, v uint64) {
	if v<<(64-count)>>(64-count) != v {
		panicBits(count, v, 0, ^uint64(0)>>(64-count))
	}
	setBits(b, first, count, v)
}

// SetSignedBits sets the bits that SignedBits returns to v. It panics if they cannot hold v.
func (Arithmetic) SetSignedBits(b []byte, first, count uint, v int64) {
	if v<<(64-count)>>(64-count) != v {
		panicBits(count, v, -1<<(count-1), 1<<(count-1)-1)
	}
	setBits(b, first, count, uint64(v))
}

// SetBool sets the bits that Bits returns to 1 if v is true, and otherwise to 0.
func (Arithmetic) SetBool(b []byte, first, count uint, v bool) {
	bit := uint64(0)
	if v {
		bit = 1
	}
	setBits(b, first, count, bit)
}

// setBits sets the bits to the lowest ones of v, and no other.
func setBits(b []byte, first, count uint, v uint64) {
	for done := uint(0); done < count; {
		at := first + done
		shift := at % 8
		mask := byte(0xff) << shift
		if left := count - done; left < 8-shift {
			mask &= 1<<(shift+left) - 1
		}
		b[at/8] = b[at/8]&^mask | byte(v>>done)<<shift&mask
		done += 8 - shift
	}
}

// panicBits stops the program, as an index out of range does.
//
//go:noinline
func panicBits[T int64 | uint64](count uint, v, low, high T) {
	panic(fmt.Sprintf("cuda: %d is not a value of a bit-field with %d bits (%d to %d)", v, count, low, high))
}
