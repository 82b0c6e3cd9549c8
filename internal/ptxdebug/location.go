package ptxdebug

import (
	"encoding/binary"
	"fmt"
)

// Operations of locations.
//
// DWARF, DWARF Expressions.
const (
	opAddr       = 0x03
	opPlusUconst = 0x23
	opRegx       = 0x90
	opBregx      = 0x92
	addressBytes = 8
)

// list returns the places of a variable from .debug_loc.
//
// DWARF 2, Location Lists.
func (r *reader) list(at int64) (list []listed) {
	if at < 0 || at > int64(len(r.loc)) {
		return nil
	}
	rest := r.loc[at:]
	for len(rest) >= 2*addressBytes+2 {
		low, high := binary.LittleEndian.Uint64(rest), binary.LittleEndian.Uint64(rest[addressBytes:])
		if low == 0 && high == 0 {
			break
		}
		rest = rest[2*addressBytes:]
		n := int(binary.LittleEndian.Uint16(rest))
		if rest = rest[2:]; n > len(rest) {
			break
		}
		list = append(list, listed{low, high, rest[:n]})
		rest = rest[n:]
	}
	return list
}

// Location returns where the value of v lies for the instruction at a line of the PTX, or why that is not known.
func (i *Info) Location(v *Variable, line int) (Location, error) {
	expr := v.expr
	for _, l := range v.lists {
		if uint64(line) >= l.low && uint64(line) < l.high {
			expr = l.expr
		}
	}
	if len(expr) == 0 {
		return Location{}, fmt.Errorf("%s has no value here: the compiler keeps none", v.Name)
	}
	unknown := fmt.Errorf("the place of %s is of a form that is not understood: %x", v.Name, expr)
	switch rest := expr[1:]; expr[0] {
	case opRegx:
		number, rest, ok := uleb(rest)
		if !ok || len(rest) > 0 {
			return Location{}, unknown
		}
		return Location{Register: registerNamed(number)}, nil
	case opBregx:
		number, rest, ok := uleb(rest)
		if !ok || len(rest) != 1 || rest[0] >= 0x40 { // offsets that nvcc does not write
			return Location{}, unknown
		}
		return Location{Register: registerNamed(number), Pointed: true, Offset: int64(rest[0])}, nil
	case opAddr:
		if len(rest) < addressBytes {
			return Location{}, unknown
		}
		address := binary.LittleEndian.Uint64(rest)
		if rest = rest[addressBytes:]; len(rest) > 0 {
			if rest[0] != opPlusUconst {
				return Location{}, unknown
			}
			offset, after, ok := uleb(rest[1:])
			if !ok || len(after) > 0 || offset > 1<<40 {
				return Location{}, unknown
			}
			address += offset
		}
		n := (address - firstSymbol) >> symbolBits
		if address < firstSymbol || n >= uint64(len(i.symbols)) || v.space == "" {
			return Location{}, unknown
		}
		return Location{Symbol: i.symbols[n], Offset: int64(address & (1<<symbolBits - 1)), Space: v.space}, nil
	}
	return Location{}, unknown
}

// uleb reads an unsigned number of variable length.
func uleb(from []byte) (value uint64, rest []byte, ok bool) {
	for n, b := range from {
		if n > 9 {
			break
		}
		value |= uint64(b&0x7f) << (7 * n)
		if b < 0x80 {
			return value, from[n+1:], true
		}
	}
	return 0, nil, false
}

// registerNamed returns the name that is the number of a register: its characters, the last one lowest.
func registerNamed(number uint64) string {
	var name []byte
	for shift := 56; shift >= 0; shift -= 8 {
		if c := byte(number >> shift); c != 0 {
			name = append(name, c)
		}
	}
	return string(name)
}
