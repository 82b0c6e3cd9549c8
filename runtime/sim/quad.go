package sim

import "github.com/cudagen/cudagen/internal/ptx"

// A quadProduct is mma.m8n8k4 of halves: four products of matrices, each by a quad of the lower half
// of the warp and the same one of the upper half. Their matrices stand one after another.
//
// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: Matrix Fragments for mma.m8n8k4 with
// .f16 floating point type.
type quadProduct struct{ matrixProduct }

const quads = 4

func assembleQuadProduct(d *decoder, in *ptx.Instr) instr {
	types, s := elementTypes(in), shape{8, 8, 4}
	p := &quadProduct{matrixProduct{
		shape: s, result: types[0], typeA: numerics["f16"], typeB: numerics["f16"], typeC: numerics[types[3]],
		a: quadFragment(s.m, s.k, in.Mods[3] == "row"),
		b: transposedQuads(quadFragment(s.n, s.k, in.Mods[4] == "col"), s.n, s.k), // its lanes stand along columns
		c: quadSums(types[3]), d: quadSums(types[0]),
	}}
	if d.operands(in, 4) {
		p.regD = d.vectorOf(in, in.Args[0], p.d.registers(), d.dst, matrixRegister(types[0]))
		p.regA = d.vectorOf(in, in.Args[1], p.a.registers(), d.src, "b32")
		p.regB = d.vectorOf(in, in.Args[2], p.b.registers(), d.src, "b32")
		p.regC = d.vectorOf(in, in.Args[3], p.c.registers(), d.src, matrixRegister(types[3]))
	}
	return performs(p)
}

// quadPlace returns the product that a lane takes part in and where its rows begin.
func quadPlace(lane int) (quad, half int) { return lane % 16 / 4, lane / 16 * 4 }

// quadFragment is the fragment of a, with rows in a lane each if along, else with columns.
func quadFragment(rows, cols int, along bool) *fragment {
	f := &fragment{rows: rows, cols: cols, bits: 16}
	for lane := range warpSize {
		quad, half := quadPlace(lane)
		for i := range 4 {
			row, col := half+lane%4, i
			if !along {
				row, col = half+i, lane%4
			}
			f.at[lane] = append(f.at[lane], int32(quad*rows*cols+row*cols+col))
		}
	}
	return f
}

// transposedQuads is f with rows and columns exchanged.
func transposedQuads(f *fragment, rows, cols int) *fragment {
	for lane := range f.at {
		for i, index := range f.at[lane] {
			quad, in := int(index)/(rows*cols), int(index)%(rows*cols)
			f.at[lane][i] = int32(quad*rows*cols + in%cols*rows + in/cols)
		}
	}
	f.rows, f.cols = cols, rows
	return f
}

// quadSums is the fragment of c and d.
func quadSums(t string) *fragment {
	f := &fragment{rows: 8, cols: 8, bits: numerics[t].bits}
	for lane := range warpSize {
		quad, half := quadPlace(lane)
		for i := range 8 {
			row, col := half+lane%4, i
			if t == "f32" {
				row, col = half+lane&1+i&2, i&4+lane&2+i&1
			}
			f.at[lane] = append(f.at[lane], int32(quad*64+row*8+col))
		}
	}
	return f
}

func (p *quadProduct) run(_ *block, w *warp, _ *instr, _ int32, e uint32) *failure {
	if !w.together(e) {
		return wait
	}
	p.each(w, e, p.floats)
	return nil
}

// each has compute make each product from the registers of w.
func (p *quadProduct) each(w *warp, e uint32, compute func(a, b, c, d []uint64)) {
	var held [4][quads * 64]uint64
	a, b, c, d := held[0][:], held[1][:], held[2][:], held[3][:]
	p.a.gather(w, p.regA, a)
	p.b.gather(w, p.regB, b)
	p.c.gather(w, p.regC, c)
	for q := range quads {
		compute(a[q*32:], b[q*32:], c[q*64:], d[q*64:(q+1)*64])
	}
	p.d.scatter(w, p.regD, d, e)
}

// quads follows quadProduct.
func (s *shadow) quads(ws *warpShadow, p *quadProduct, e uint32) {
	shadowed := &warp{regs: append([]lanes(nil), ws.regs...)}
	p.each(shadowed, e, p.spread)
	for _, r := range p.regD {
		s.set(ws, r, &shadowed.regs[r], e)
	}
}
