// Package matrix knows the matrices of tensor instructions: which lane of a warp holds which elements,
// how they lie in shared memory, what the metadata of a sparse matrix says, and what a product is. It
// knows no registers and no instructions.
package matrix

import "sync"

// A Shape is the sizes of the matrices in d = a*b + c: a has m rows and k columns, b has k rows
// and n columns.
type Shape struct{ M, N, K int }

// lanesOfWarp is how many lanes hold a matrix together.
const lanesOfWarp = 32

// A Fragment says which elements of a matrix each lane of a warp holds, and where.
//
// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: Matrix Fragments. That of wmma
// is open there; here it is that of mma, of the tiles that it consists of.
type Fragment struct {
	Rows, Cols int
	Bits       int                  // of an element
	At         [lanesOfWarp][]int32 // the index of each element, row by row
}

// PerRegister is how many elements a 32-bit register holds, or an f64's.
func PerRegister(bits int) int { return max(1, 32/bits) }

func (f *Fragment) place(lane, row, col int) {
	f.At[lane] = append(f.At[lane], int32(row*f.Cols+col))
}

// fragmentA is the fragment of a. Tiles of 16 rows, or of 8 if there are no more, follow one
// another.
func fragmentA(s Shape, bits int) *Fragment {
	f := &Fragment{Rows: s.M, Cols: s.K, Bits: bits}
	r, tile := PerRegister(bits), min(s.M, 16)
	for lane := range lanesOfWarp {
		group, thread := lane/4, lane%4
		for top := 0; top < s.M; top += tile {
			for k := 0; k < s.K; k += 4 * r {
				for half := 0; half < tile; half += 8 {
					for j := range r {
						f.place(lane, top+half+group, k+thread*r+j)
					}
				}
			}
		}
	}
	return f
}

// fragmentB is the fragment of b, by tiles of 8 columns.
func fragmentB(s Shape, bits int) *Fragment {
	f := &Fragment{Rows: s.K, Cols: s.N, Bits: bits}
	r := PerRegister(bits)
	for lane := range lanesOfWarp {
		group, thread := lane/4, lane%4
		for left := 0; left < s.N; left += 8 {
			for k := 0; k < s.K; k += 4 * r {
				for j := range r {
					f.place(lane, k+thread*r+j, left+group)
				}
			}
		}
	}
	return f
}

// fragmentC is the fragment of c and d, by tiles of 16 rows and 8 columns.
func fragmentC(s Shape, bits int) *Fragment {
	f := &Fragment{Rows: s.M, Cols: s.N, Bits: bits}
	tile := min(s.M, 16)
	for lane := range lanesOfWarp {
		group, thread := lane/4, lane%4
		for top := 0; top < s.M; top += tile {
			for left := 0; left < s.N; left += 8 {
				for half := 0; half < tile; half += 8 {
					f.place(lane, top+half+group, left+thread*2)
					f.place(lane, top+half+group, left+thread*2+1)
				}
			}
		}
	}
	return f
}

// Registers is how many registers of a lane hold the fragment.
func (f *Fragment) Registers() int {
	return len(f.At[0]) / PerRegister(f.Bits)
}

// fragments keeps those that were made.
var fragments sync.Map // fragmentKey → *Fragment

type fragmentKey struct {
	role  byte // a, b or c
	shape Shape
	bits  int
}

// FragmentOf returns the fragment of matrix a, b or c, which d has the one of, with elements of so many bits.
func FragmentOf(role byte, s Shape, bits int) *Fragment {
	key := fragmentKey{role, s, bits}
	if f, ok := fragments.Load(key); ok {
		return f.(*Fragment)
	}
	made := map[byte]func(Shape, int) *Fragment{'a': fragmentA, 'b': fragmentB, 'c': fragmentC}[role](s, bits)
	f, _ := fragments.LoadOrStore(key, made)
	return f.(*Fragment)
}
