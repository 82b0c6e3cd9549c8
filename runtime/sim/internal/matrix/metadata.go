package matrix

import "fmt"

// A Metadata says where the elements of a compressed matrix a of 16 rows belong. Of each group of
// neighbours in a row it has a half: one of two elements of 32 bits, two of four of 16 or 8 bits, two
// pairs of eight of 4 bits. The metadata has four bits for each group, the places of the two that are there.
//
// PTX ISA, Sparse matrix storage; Matrix fragments for sparse mma: metadata. The threads of a quad that
// the selector chooses contribute a word each.
type Metadata struct {
	Bits     int // of an element
	Columns  int // of the whole matrix
	Selector int
	Ordered  bool // places must ascend
}

// SparseRows is how many rows of a a warp has.
const SparseRows = 16

// The bits of a group, and how many groups a word of metadata is about.
const (
	GroupBits     = 4
	groupsPerWord = 32 / GroupBits
)

// Group is how many neighbours share a half of their elements.
func (s *Metadata) Group() int {
	switch s.Bits {
	case 4:
		return 8
	case 32:
		return 2
	}
	return 4
}

// PerQuad is how many threads of a quad contribute metadata.
func (s *Metadata) PerQuad() int {
	return SparseRows * s.Columns / s.Group() / groupsPerWord / (lanesOfWarp / quadThreads)
}

// quadThreads is how many threads have elements of one row of a fragment.
const quadThreads = 4

// At returns which lane has the four bits about a group of a row, and how far they are shifted. A word is about 8
// groups of a row or, of elements of 16 and 32 bits, 4 groups of a row and as many of the row 8 further on.
func (s *Metadata) At(row, group int) (lane, shift int) {
	first := row%8*quadThreads + s.Selector*s.PerQuad()
	if s.Bits >= 16 {
		return first + group/4, (group%4 + row/8*4) * GroupBits
	}
	return first + group/groupsPerWord*2 + row/8, group % groupsPerWord * GroupBits
}

// Place appends the columns of the elements that a group has to columns. wrong is empty, or what is
// wrong with the four bits.
func (s *Metadata) Place(columns []int, group int, nibble uint64) (_ []int, wrong string) {
	from, first, second := group*s.Group(), int(nibble&3), int(nibble>>2)
	switch {
	case s.Bits == 32 && nibble == 0b0100:
		return append(columns, from), ""
	case s.Bits == 32 && nibble == 0b1110:
		return append(columns, from+1), ""
	case s.Bits == 32:
		return append(columns, from), fmt.Sprintf("%#04b stands for no element: it is 0b0100 or 0b1110", nibble)
	case first == second:
		wrong = fmt.Sprintf("%#04b names one place twice", nibble)
	case s.Ordered && first > second:
		wrong = fmt.Sprintf("the places of %#04b do not ascend, as the instruction wants them", nibble)
	}
	if s.Bits == 4 {
		return append(columns, from+2*first, from+2*first+1, from+2*second, from+2*second+1), wrong
	}
	return append(columns, from+first, from+second), wrong
}

// Choices is how many selectors there are.
func (s *Metadata) Choices() int { return quadThreads / s.PerQuad() }
