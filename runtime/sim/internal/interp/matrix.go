package interp

import (
	"math/bits"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// ShapeOf reads a shape: m16n8k16.
func ShapeOf(in *ptx.Instr) (s matrix.Shape) {
	for _, mod := range in.Mods {
		rest, ok := strings.CutPrefix(mod, "m")
		m, rest, okM := strings.Cut(rest, "n")
		n, k, okK := strings.Cut(rest, "k")
		if ok && okM && okK {
			s.M, _ = strconv.Atoi(m)
			s.N, _ = strconv.Atoi(n)
			s.K, _ = strconv.Atoi(k)
			return s
		}
	}
	return s
}

// A matrixProduct is an instruction that computes d = a*b + c of matrices that the registers of a warp hold.
type matrixProduct struct {
	matrix.Product
	a, b, c, d *matrix.Fragment
	regA, regB []int32
	regC, regD []int32
}

func (p *matrixProduct) Registers() []*int32 {
	return bytecode.PointersTo(p.regA, p.regB, p.regC, p.regD)
}

func (p *matrixProduct) run(_ *block, w *warp, _ *bytecode.Instr, _ int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	var held [4][512]uint64
	a, b, c, d := held[0][:], held[1][:], held[2][:], held[3][:p.M*p.N]
	if size := max(p.M, p.N) * p.K; size > len(a) {
		a, b = make([]uint64, size), make([]uint64, size)
	}
	gatherMatrix(p.a, w, p.regA, a)
	gatherMatrix(p.b, w, p.regB, b)
	gatherMatrix(p.c, w, p.regC, c)
	p.Compute(a, b, c, d)
	scatterMatrix(p.d, w, p.regD, d, e)
	return nil
}

// gatherMatrix reads the matrix, element by element, from registers. If there are more than the
// fragment needs, the others have the same again.
func gatherMatrix(f *matrix.Fragment, w *warp, regs []int32, into []uint64) {
	r, low := matrix.PerRegister(f.Bits), ^uint64(0)>>(64-f.Bits)
	for lane := range bytecode.WarpSize {
		for n, index := range f.At[lane] {
			into[index] = w.regs[regs[n/r]][lane] >> (n % r * f.Bits) & low
		}
	}
}

// scatterMatrix writes the matrix to registers of the lanes in e.
func scatterMatrix(f *matrix.Fragment, w *warp, regs []int32, from []uint64, e uint32) {
	r, count := matrix.PerRegister(f.Bits), len(f.At[0])
	for ; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros32(e)
		for n, reg := range regs {
			value := uint64(0)
			for j := range r {
				value |= from[f.At[lane][(n*r+j)%count]] << (j * f.Bits)
			}
			w.regs[reg][lane] = value
		}
	}
}

// A quadProduct is mma.m8n8k4 of halves: four products of matrices, each by a quad of the lower half
// of the warp and the same one of the upper half. Their matrices stand one after another.
//
// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: Matrix Fragments for mma.m8n8k4 with
// .f16 floating point type.
type quadProduct struct{ matrixProduct }

func assembleQuadProduct(d *bytecode.Decoder, in *ptx.Instr) bytecode.Instr {
	types, s := ElementTypes(in), matrix.QuadShape
	p := &quadProduct{matrixProduct{
		Product: matrix.Product{Shape: s, Result: types[0], TypeA: matrix.Numerics["f16"], TypeB: matrix.Numerics["f16"], TypeC: matrix.Numerics[types[3]]},
		a:       matrix.QuadA(in.Mods[3] == "row"), b: matrix.QuadB(in.Mods[4] == "col"), c: matrix.QuadC(types[3]), d: matrix.QuadC(types[0]),
	}}
	if d.Operands(in, 4) {
		p.regD = d.VectorOf(in, in.Args[0], p.d.Registers(), d.Dst, matrixRegister(types[0]))
		p.regA = d.VectorOf(in, in.Args[1], p.a.Registers(), d.Src, "b32")
		p.regB = d.VectorOf(in, in.Args[2], p.b.Registers(), d.Src, "b32")
		p.regC = d.VectorOf(in, in.Args[3], p.c.Registers(), d.Src, matrixRegister(types[3]))
	}
	return bytecode.Performs(p)
}

func (p *quadProduct) run(_ *block, w *warp, _ *bytecode.Instr, _ int32, e uint32) *Failure {
	if !w.together(e) {
		return wait
	}
	p.each(w, e, p.Compute)
	return nil
}

// each has compute make each product from the registers of w.
func (p *quadProduct) each(w *warp, e uint32, compute func(a, b, c, d []uint64)) {
	var held [4][matrix.Quads * 64]uint64
	a, b, c, d := held[0][:], held[1][:], held[2][:], held[3][:]
	gatherMatrix(p.a, w, p.regA, a)
	gatherMatrix(p.b, w, p.regB, b)
	gatherMatrix(p.c, w, p.regC, c)
	for q := range matrix.Quads {
		compute(a[q*32:], b[q*32:], c[q*64:], d[q*64:(q+1)*64])
	}
	scatterMatrix(p.d, w, p.regD, d, e)
}

// quads follows quadProduct.
func (s *shadow) quads(ws *warpShadow, p *quadProduct, e uint32) {
	shadowed := &warp{regs: append([]simd.Lanes(nil), ws.regs...)}
	p.each(shadowed, e, p.spread)
	for _, r := range p.regD {
		s.set(ws, r, &shadowed.regs[r], e)
	}
}
