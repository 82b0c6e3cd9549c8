package sim

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// A shape is the sizes of the matrices in d = a*b + c: a has m rows and k columns, b has k rows
// and n columns.
type shape struct{ m, n, k int }

// shapeOf reads a shape: m16n8k16.
func shapeOf(in *ptx.Instr) (s shape) {
	for _, mod := range in.Mods {
		rest, ok := strings.CutPrefix(mod, "m")
		m, rest, okM := strings.Cut(rest, "n")
		n, k, okK := strings.Cut(rest, "k")
		if ok && okM && okK {
			s.m, _ = strconv.Atoi(m)
			s.n, _ = strconv.Atoi(n)
			s.k, _ = strconv.Atoi(k)
			return s
		}
	}
	return s
}

// A fragment says which elements of a matrix each lane of a warp holds, and where.
//
// PTX ISA, Warp Level Matrix Multiply-Accumulate Instructions: Matrix Fragments. That of wmma
// is open there; here it is that of mma, of the tiles that it consists of.
type fragment struct {
	rows, cols int
	bits       int               // of an element
	at         [warpSize][]int32 // the index of each element, row by row
}

// perRegister is how many elements a 32-bit register holds, or an f64's.
func perRegister(bits int) int { return max(1, 32/bits) }

func (f *fragment) place(lane, row, col int) {
	f.at[lane] = append(f.at[lane], int32(row*f.cols+col))
}

// fragmentA is the fragment of a. Tiles of 16 rows, or of 8 if there are no more, follow one
// another.
func fragmentA(s shape, bits int) *fragment {
	f := &fragment{rows: s.m, cols: s.k, bits: bits}
	r, tile := perRegister(bits), min(s.m, 16)
	for lane := range warpSize {
		group, thread := lane/4, lane%4
		for top := 0; top < s.m; top += tile {
			for k := 0; k < s.k; k += 4 * r {
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
func fragmentB(s shape, bits int) *fragment {
	f := &fragment{rows: s.k, cols: s.n, bits: bits}
	r := perRegister(bits)
	for lane := range warpSize {
		group, thread := lane/4, lane%4
		for left := 0; left < s.n; left += 8 {
			for k := 0; k < s.k; k += 4 * r {
				for j := range r {
					f.place(lane, k+thread*r+j, left+group)
				}
			}
		}
	}
	return f
}

// fragmentC is the fragment of c and d, by tiles of 16 rows and 8 columns.
func fragmentC(s shape, bits int) *fragment {
	f := &fragment{rows: s.m, cols: s.n, bits: bits}
	tile := min(s.m, 16)
	for lane := range warpSize {
		group, thread := lane/4, lane%4
		for top := 0; top < s.m; top += tile {
			for left := 0; left < s.n; left += 8 {
				for half := 0; half < tile; half += 8 {
					f.place(lane, top+half+group, left+thread*2)
					f.place(lane, top+half+group, left+thread*2+1)
				}
			}
		}
	}
	return f
}

// registers is how many registers of a lane hold the fragment.
func (f *fragment) registers() int {
	return len(f.at[0]) / perRegister(f.bits)
}

// gather reads the matrix, element by element, from registers. If there are more than the
// fragment needs, the others have the same again.
func (f *fragment) gather(w *warp, regs []int32, into []uint64) {
	r, low := perRegister(f.bits), ^uint64(0)>>(64-f.bits)
	for lane := range warpSize {
		for n, index := range f.at[lane] {
			into[index] = w.regs[regs[n/r]][lane] >> (n % r * f.bits) & low
		}
	}
}

// scatter writes the matrix to registers of the lanes in e.
func (f *fragment) scatter(w *warp, regs []int32, from []uint64, e uint32) {
	r, count := perRegister(f.bits), len(f.at[0])
	for ; e != 0; e &= e - 1 {
		lane := bits.TrailingZeros32(e)
		for n, reg := range regs {
			value := uint64(0)
			for j := range r {
				value |= from[f.at[lane][(n*r+j)%count]] << (j * f.bits)
			}
			w.regs[reg][lane] = value
		}
	}
}

// A numeric is how elements of matrices are read and written.
type numeric struct {
	bits int
	read func(uint64) float64 // or nil for integers
	int  func(uint64) int64
}

// numerics has the types of elements of a and b.
var numerics = map[string]numeric{
	"f16":  {16, softfloat.F16.Value, nil},
	"bf16": {16, softfloat.BF16.Value, nil},
	"tf32": {32, func(v uint64) float64 { return float64(f32(v &^ (1<<13 - 1))) }, nil},
	"e4m3": {8, softfloat.E4M3.Value, nil},
	"e5m2": {8, softfloat.E5M2.Value, nil},
	"f32":  {32, func(v uint64) float64 { return float64(f32(v)) }, nil},
	"f64":  {64, f64, nil},
	"u8":   {8, nil, func(v uint64) int64 { return int64(v) }},
	"s8":   {8, nil, func(v uint64) int64 { return int64(int8(v)) }},
	"u4":   {4, nil, func(v uint64) int64 { return int64(v) }},
	"s4":   {4, nil, func(v uint64) int64 { return int64(v<<60) >> 60 }},
	"b1":   {1, nil, func(v uint64) int64 { return int64(v) }},
	"s32":  {32, nil, func(v uint64) int64 { return int64(int32(v)) }},
}

// A product computes d = a*b + c of matrices.
type matrixProduct struct {
	shape
	a, b, c, d   *fragment
	typeA, typeB numeric
	typeC        numeric
	result       string // type
	mode         softfloat.Rounding
	saturate     bool                   // .satfinite of integers
	bitwise      func(a, b int64) int64 // of b1
	regA, regB   []int32
	regC, regD   []int32
}

func (p *matrixProduct) registers() []*int32 { return pointersTo(p.regA, p.regB, p.regC, p.regD) }

func (p *matrixProduct) run(_ *block, w *warp, _ *instr, _ int32, e uint32) *failure {
	if !w.together(e) {
		return wait
	}
	var held [4][512]uint64
	a, b, c, d := held[0][:], held[1][:], held[2][:], held[3][:p.m*p.n]
	if size := max(p.m, p.n) * p.k; size > len(a) {
		a, b = make([]uint64, size), make([]uint64, size)
	}
	p.a.gather(w, p.regA, a)
	p.b.gather(w, p.regB, b)
	p.c.gather(w, p.regC, c)
	p.compute(a, b, c, d)
	p.d.scatter(w, p.regD, d, e)
	return nil
}

func (p *matrixProduct) compute(a, b, c, d []uint64) {
	if p.typeA.read == nil {
		p.integers(a, b, c, d)
	} else {
		p.floats(a, b, c, d)
	}
}

// floats computes with the products and the sum of a row exact or in double precision, and
// rounds once; f64 by fused multiply-adds, from the first column to the last. The ISA leaves the order and the
// precision of the sum open.
func (p *matrixProduct) floats(a, b, c, d []uint64) {
	left, right := make([]float64, p.m*p.k), make([]float64, p.k*p.n)
	for n := range left {
		left[n] = p.typeA.read(a[n])
	}
	for n := range right {
		right[n] = p.typeB.read(b[n])
	}
	for i := range p.m {
		for j := range p.n {
			start := p.typeC.read(c[i*p.n+j])
			if p.result == "f64" {
				d[i*p.n+j] = p.chain(left[i*p.k:(i+1)*p.k], right[j:], start)
				continue
			}
			sum := 0.0
			for k := range p.k {
				sum += left[i*p.k+k] * right[k*p.n+j]
			}
			if sum += start; p.result == "f16" {
				d[i*p.n+j] = softfloat.F16.Round(sum, softfloat.Nearest)
			} else {
				d[i*p.n+j] = bits32(float32(sum))
			}
		}
	}
}

// chain is start and the products of a row and a column, rounded at each step.
func (p *matrixProduct) chain(row, column []float64, start float64) uint64 {
	sum := math.Float64bits(start)
	for k, x := range row {
		y, z := column[k*p.n], f64(sum)
		if r := math.FMA(x, y, z); r != r {
			sum = payload(y, z, x)
		} else if sum = math.Float64bits(r); p.mode != softfloat.Nearest {
			sum = softfloat.Fused64.Rounded(sum, [3]float64{x, y, z}, p.mode)
		}
	}
	return sum
}

func (p *matrixProduct) integers(a, b, c, d []uint64) {
	for i := range p.m {
		for j := range p.n {
			sum := p.typeC.int(c[i*p.n+j])
			for k := range p.k {
				x, y := p.typeA.int(a[i*p.k+k]), p.typeB.int(b[k*p.n+j])
				if p.bitwise != nil {
					sum += p.bitwise(x, y)
				} else {
					sum += x * y
				}
			}
			if p.saturate {
				d[i*p.n+j] = clamp32(sum)
			} else {
				d[i*p.n+j] = uint64(uint32(sum))
			}
		}
	}
}
