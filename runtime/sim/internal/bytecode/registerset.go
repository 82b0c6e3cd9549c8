package bytecode

// A RegisterSet is a set of registers.
type RegisterSet []uint64

func NewRegisterSet(registers int) RegisterSet { return make(RegisterSet, (registers+63)/64) }

func (s RegisterSet) Has(r int32) bool { return s[uint32(r)/64]>>(uint32(r)%64)&1 != 0 }

func (s RegisterSet) Set(r int32, in bool) {
	word, mask := &s[uint32(r)/64], uint64(1)<<(uint32(r)%64)
	if *word &^= mask; in {
		*word |= mask
	}
}

// A CheckedLine is instructions of a plan that stand in a line, and the registers that they mention. As long as none of those has
// undefined bits, and nothing undefined is loaded, there is nothing to follow.
type CheckedLine struct {
	End       int32 // behind the last
	Mentioned []RegisterWord
}

// A RegisterWord is a word of a RegisterSet.
type RegisterWord struct {
	Index int32
	Mask  uint64
}

// Join adds other and reports whether it had more.
func (s RegisterSet) Join(other RegisterSet) (more bool) {
	for n, word := range other {
		more = more || word&^s[n] != 0
		s[n] |= word
	}
	return more
}

func (s RegisterSet) Intersect(other RegisterSet) {
	for n, word := range other {
		s[n] &= word
	}
}
