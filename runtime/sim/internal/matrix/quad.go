package matrix

// Quads is how many products mma.m8n8k4 of halves makes: each by a quad of the lower half of the warp
// and the same one of the upper half. Their matrices stand one after another.
//
// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: Matrix Fragments for mma.m8n8k4 with
// .f16 floating point type.
const Quads = 4

// QuadShape is the shape of each.
var QuadShape = Shape{8, 8, 4}

// quadPlace returns the product that a lane takes part in and where its rows begin.
func quadPlace(lane int) (quad, half int) { return lane % 16 / 4, lane / 16 * 4 }

// QuadA is the fragment of a, with rows in a lane each if rows, else with columns.
func QuadA(rows bool) *Fragment { return quadFragment(QuadShape.M, QuadShape.K, rows) }

// QuadB is the fragment of b, with columns in a lane each if columns, else with rows.
func QuadB(columns bool) *Fragment {
	return transposedQuads(quadFragment(QuadShape.N, QuadShape.K, columns), QuadShape.N, QuadShape.K)
}

// quadFragment is the fragment of a matrix of rows that lanes hold along, or else across.
func quadFragment(rows, cols int, along bool) *Fragment {
	f := &Fragment{Rows: rows, Cols: cols, Bits: 16}
	for lane := range lanesOfWarp {
		quad, half := quadPlace(lane)
		for i := range 4 {
			row, col := half+lane%4, i
			if !along {
				row, col = half+i, lane%4
			}
			f.At[lane] = append(f.At[lane], int32(quad*rows*cols+row*cols+col))
		}
	}
	return f
}

// transposedQuads is f with rows and columns exchanged.
func transposedQuads(f *Fragment, rows, cols int) *Fragment {
	for lane := range f.At {
		for i, index := range f.At[lane] {
			quad, in := int(index)/(rows*cols), int(index)%(rows*cols)
			f.At[lane][i] = int32(quad*rows*cols + in%cols*rows + in/cols)
		}
	}
	f.Rows, f.Cols = cols, rows
	return f
}

// QuadC is the fragment of c and d, of a type.
func QuadC(t string) *Fragment {
	f := &Fragment{Rows: 8, Cols: 8, Bits: Numerics[t].Bits}
	for lane := range lanesOfWarp {
		quad, half := quadPlace(lane)
		for i := range 8 {
			row, col := half+lane%4, i
			if t == "f32" {
				row, col = half+lane&1+i&2, i&4+lane&2+i&1
			}
			f.At[lane] = append(f.At[lane], int32(quad*64+row*8+col))
		}
	}
	return f
}
