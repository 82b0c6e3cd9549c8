package interp

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/runtime/sim/internal/matrix"
	"github.com/cudagen/cudagen/runtime/sim/internal/softfloat"
)

// WarpRun runs body on one warp. Lane l loads in registers of 64 bits, from in, into %l0, %l1, …
// and as 32 bits into %r0, %r1, …; body leaves results in %o0, %o1, … of 32 bits or %q0 … of 64.
func warpRun(t *testing.T, body string, in [32][]uint64, results int) (out [32][]uint64) {
	t.Helper()
	count := len(in[0])
	var b strings.Builder
	b.WriteString(ptxHeader + ".entry k(.param .u64 in, .param .u64 out) {\n.reg .b64 %a<9>; .reg .b32 %t<9>; .reg .b64 %l<40>; .reg .b32 %r<40>; .reg .b32 %o<40>; .reg .b64 %q<40>; .reg .pred %p<9>; .shared .align 16 .b8 mem[4096];\n")
	fmt.Fprintf(&b, "ld.param.u64 %%a1, [in]; ld.param.u64 %%a2, [out]; mov.u32 %%t1, %%laneid; mul.wide.u32 %%a3, %%t1, %d; add.s64 %%a1, %%a1, %%a3; mul.wide.u32 %%a3, %%t1, %d; add.s64 %%a2, %%a2, %%a3;\n", 8*count, 8*results)
	for n := range count {
		fmt.Fprintf(&b, "ld.global.u64 %%l%d, [%%a1+%d]; cvt.u32.u64 %%r%d, %%l%d;\n", n, 8*n, n, n)
	}
	b.WriteString(body + "\n")
	for n := range results {
		if strings.Contains(body, "%q0") {
			fmt.Fprintf(&b, "st.global.u64 [%%a2+%d], %%q%d;\n", 8*n, n)
		} else {
			fmt.Fprintf(&b, "cvt.u64.u32 %%q%d, %%o%d; st.global.u64 [%%a2+%d], %%q%d;\n", n, n, 8*n, n)
		}
	}
	b.WriteString("ret; }\n")
	m := newMachine(t, b.String())
	require.Empty(t, m.lib.Kernels["k"].Unsupported)
	var flat []uint64
	for l := range in {
		flat = append(flat, in[l]...)
	}
	got := make([]uint64, 32*results)
	addr := m.upload(got)
	_, fault := m.launch("k", config(1, 32, 0), m.upload(flat), addr)
	require.Nil(t, fault)
	m.download(addr, got)
	for l := range out {
		out[l] = got[l*results : (l+1)*results]
	}
	return out
}

func list(prefix string, from, count int) string {
	var names []string
	for n := range count {
		names = append(names, fmt.Sprintf("%%%s%d", prefix, from+n))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// A layout says, by the formulas of the ISA, which element of a matrix is the ith of a lane.
type layout func(group, thread, i int) (row, col int)

// TestMatrixProducts compares mma with products of small whole numbers, which every format holds.
func TestMatrixProducts(t *testing.T) {
	f16A := func(g, t, i int) (int, int) { // m16n8k16: 0 <= i < 2 || 4 <= i < 6: groupID
		row := g
		if i/2%2 == 1 {
			row += 8
		}
		col := t*2 + i&1
		if i >= 4 {
			col += 8
		}
		return row, col
	}
	f16B := func(g, t, i int) (int, int) {
		if i < 2 {
			return t*2 + i&1, g
		}
		return t*2 + i&1 + 8, g
	}
	c16 := func(g, t, i int) (int, int) {
		if i < 2 {
			return g, t*2 + i&1
		}
		return g + 8, t*2 + i&1
	}
	tf32A := func(g, t, i int) (int, int) {
		row, col := g, t
		if i == 1 || i == 3 {
			row += 8
		}
		if i >= 2 {
			col += 4
		}
		return row, col
	}
	tf32B := func(g, t, i int) (int, int) { return t + 4*i, g }
	s8A := func(g, t, i int) (int, int) {
		row, col := g, t*4+i&3
		if 4 <= i && i < 8 || 12 <= i {
			row += 8
		}
		if i >= 8 {
			col += 16
		}
		return row, col
	}
	s8B := func(g, t, i int) (int, int) {
		if i < 4 {
			return t*4 + i&3, g
		}
		return t*4 + i&3 + 16, g
	}
	small := func(g, t, i int) (int, int) { return g, t*2 + i }
	f64A := func(g, t, i int) (int, int) { return g, t }
	f64B := func(g, t, i int) (int, int) { return t, g }
	s4A := func(g, t, i int) (int, int) {
		row, col := g, t*8+i&7
		if i/8%2 == 1 {
			row += 8
		}
		if i >= 16 {
			col += 32
		}
		return row, col
	}
	s4B := func(g, t, i int) (int, int) { return t*8 + i&7 + i/8*32, g }
	tests := []struct {
		name             string
		m, n, k          int
		typeA, typeC     string
		a, b, c          layout
		signedA, signedB bool
	}{
		{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 8, 16, "f16", "f32", f16A, f16B, c16, true, true},
		{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 16, 8, 16, "f16", "f16", f16A, f16B, c16, true, true},
		{"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 8, 16, "bf16", "f32", f16A, f16B, c16, true, true},
		{"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 8, "f16", "f32", f16A, f16B, c16, true, true},
		{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 16, 8, 8, "tf32", "f32", tf32A, tf32B, c16, true, true},
		{"mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 16, 8, 4, "tf32", "f32", tf32A, tf32B, c16, true, true},
		{"mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32", 16, 8, 32, "s8", "s32", s8A, s8B, c16, true, false},
		{"mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", 16, 8, 16, "s8", "s32", s8A, s8B, c16, true, true},
		{"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32", 8, 8, 16, "s8", "s32", func(g, t, i int) (int, int) { return g, t*4 + i }, s8B, small, false, true},
		{"mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", 16, 8, 64, "s4", "s32", s4A, s4B, c16, true, false},
		{"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", 16, 8, 32, "e4m3", "f32", s8A, s8B, c16, true, true},
		{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", 8, 8, 4, "f64", "f64", f64A, f64B, small, true, true},
		{"mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64", 16, 8, 8, "f64", "f64", tf32A, tf32B, c16, true, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bits, bitsC := matrix.Numerics[test.typeA].Bits, matrix.Numerics[test.typeC].Bits
			typeB := test.typeA
			if test.typeA == "e4m3" {
				typeB = "e5m2"
			}
			value := func(n int, signed bool) int {
				n = n * n % 5
				if signed && n&1 == 1 {
					n = -n
				}
				return n
			}
			var a, b, c [64][64]int
			for i := range 64 {
				for j := range 64 {
					a[i][j], b[i][j], c[i][j] = value(3*i+5*j+1, test.signedA), value(7*i+2*j+3, test.signedB), value(i+j, true)
				}
			}
			var in [32][]uint64
			pack := func(lane, count, bits int, ty string, at layout, m *[64][64]int) (regs int) {
				r := matrix.PerRegister(bits)
				for reg := range count / r {
					word := uint64(0)
					for j := range r {
						row, col := at(lane/4, lane%4, reg*r+j)
						word |= encode(ty, m[row][col]) & (^uint64(0) >> (64 - bits)) << (j * bits)
					}
					in[lane] = append(in[lane], word)
				}
				return count / r
			}
			var na, nb, nc int
			for lane := range 32 {
				na = pack(lane, test.m*test.k/32, bits, test.typeA, test.a, &a)
				nb = pack(lane, test.k*test.n/32, bits, typeB, test.b, &b)
				nc = pack(lane, test.m*test.n/32, bitsC, test.typeC, test.c, &c)
			}
			from, to := "r", "o"
			if test.typeA == "f64" {
				from, to = "l", "q"
			}
			body := fmt.Sprintf("%s %s, %s, %s, %s;", test.name, list(to, 0, nc), list(from, 0, na), list(from, na, nb), list(from, na+nb, nc))
			if test.typeA == "f64" {
				body = strings.NewReplacer("%l", "%fl", "%q", "%fq").Replace(body)
				head := ".reg .f64 %fl<40>; .reg .f64 %fq<40>;\n"
				for n := range na + nb + nc {
					head += fmt.Sprintf("mov.b64 %%fl%d, %%l%d;\n", n, n)
				}
				for n := range nc {
					body += fmt.Sprintf("\nmov.b64 %%q%d, %%fq%d;", n, n)
				}
				body = head + body
			}
			if test.typeC == "f32" {
				body = floatAccumulators(body, na+nb, nc)
			}
			out := warpRun(t, body, in, nc)
			for lane := range 32 {
				r := matrix.PerRegister(bitsC)
				for i := range test.m * test.n / 32 {
					row, col := test.c(lane/4, lane%4, i)
					want := c[row][col]
					for k := range test.k {
						want += a[row][k] * b[k][col]
					}
					got := out[lane][i/r] >> (i % r * bitsC) & (^uint64(0) >> (64 - bitsC))
					require.Equal(t, encode(test.typeC, want)&(^uint64(0)>>(64-bitsC)), got, "lane %d, element %d", lane, i)
				}
			}
		})
	}
}

// floatAccumulators gives an mma accumulators of type f32.
func floatAccumulators(body string, first, count int) string {
	head := ".reg .f32 %fc<40>; .reg .f32 %fd<40>;\n"
	tail := ""
	for n := range count {
		head += fmt.Sprintf("mov.b32 %%fc%d, %%r%d;\n", n, first+n)
		tail += fmt.Sprintf("\nmov.b32 %%o%d, %%fd%d;", n, n)
	}
	body = strings.Replace(body, list("o", 0, count), list("fd", 0, count), 1)
	body = strings.Replace(body, list("r", first, count), list("fc", 0, count), 1)
	return head + body + tail
}

// Encode returns the bits of a small whole number.
func encode(ty string, n int) uint64 {
	switch ty {
	case "f64":
		return math.Float64bits(float64(n))
	case "f32", "tf32":
		return uint64(math.Float32bits(float32(n)))
	case "f16", "bf16", "e4m3", "e5m2":
		return map[string]*softfloat.Format{"f16": softfloat.F16, "bf16": softfloat.BF16, "e4m3": softfloat.E4M3, "e5m2": softfloat.E5M2}[ty].Round(float64(n), softfloat.Nearest)
	}
	return uint64(int64(n))
}

// TestWmma loads, multiplies and stores matrices, by rows and by columns.
func TestWmma(t *testing.T) {
	tests := []struct {
		m, n, k      int
		typeA, typeC string
		regA, regB   int
		regC         int
	}{
		{16, 16, 16, "f16", "f32", 8, 8, 8}, {32, 8, 16, "f16", "f16", 8, 8, 4}, {8, 32, 16, "f16", "f32", 8, 8, 8},
		{16, 16, 16, "bf16", "f32", 4, 4, 8}, {16, 16, 8, "tf32", "f32", 4, 4, 8}, {8, 32, 16, "s8", "s32", 1, 4, 8}, {8, 8, 4, "f64", "f64", 1, 1, 2},
	}
	for _, test := range tests {
		for _, layouts := range []string{"row.row", "row.col", "col.row", "col.col"} {
			shape := fmt.Sprintf("m%dn%dk%d", test.m, test.n, test.k)
			t.Run(shape+"."+test.typeA+"."+layouts, func(t *testing.T) {
				bytesOf := func(ty string) int { return matrix.Numerics[ty].Bits / 8 }
				la, lb, _ := strings.Cut(layouts, ".")
				reg := func(ty string) string {
					switch ty {
					case "f32", "f64":
						return ty
					}
					return "b32"
				}
				mma := "wmma.mma.sync.aligned." + layouts + "." + shape + "."
				switch test.typeA {
				case "f16":
					mma += test.typeC + "." + test.typeC
				default:
					mma += test.typeC + "." + test.typeA + "." + test.typeA + "." + test.typeC
				}
				source := ptxHeader + fmt.Sprintf(`.entry k(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d) {
.reg .b64 %%p<9>; .reg .%s %%a<9>; .reg .%s %%b<9>; .reg .%s %%c<9>; .reg .%s %%d<9>; .reg .b32 %%s<9>;
ld.param.u64 %%p1, [a]; ld.param.u64 %%p2, [b]; ld.param.u64 %%p3, [c]; ld.param.u64 %%p4, [d]; mov.u32 %%s1, 40;
wmma.load.a.sync.aligned.%s.%s.global.%s %s, [%%p1], %%s1;
wmma.load.b.sync.aligned.%s.%s.%s %s, [%%p2], 40;
wmma.load.c.sync.aligned.row.%s.global.%s %s, [%%p3], 40;
%s %s, %s, %s, %s;
wmma.store.d.sync.aligned.col.%s.global.%s [%%p4], %s, 40;
ret; }`, reg(test.typeA), reg(test.typeA), reg(test.typeC), reg(test.typeC), la, shape, test.typeA, list("a", 0, test.regA), lb, shape, test.typeA, list("b", 0, test.regB), shape, test.typeC, list("c", 0, test.regC),
					mma, list("d", 0, test.regC), list("a", 0, test.regA), list("b", 0, test.regB), list("c", 0, test.regC), shape, test.typeC, list("d", 0, test.regC))
				m := newMachine(t, source)
				require.Empty(t, m.lib.Kernels["k"].Unsupported)
				stored := func(rows, cols int, ty string, byColumns bool, value func(i, j int) int) uint64 {
					mem := make([]byte, 40*40*bytesOf(ty))
					for i := range rows {
						for j := range cols {
							at := i*40 + j
							if byColumns {
								at = j*40 + i
							}
							word := encode(ty, value(i, j))
							for n := range bytesOf(ty) {
								mem[at*bytesOf(ty)+n] = byte(word >> (8 * n))
							}
						}
					}
					return m.upload(mem)
				}
				va := func(i, j int) int { return (i*3+j)%5 - 2 }
				vb := func(i, j int) int { return (i+j*2)%7 - 3 }
				vc := func(i, j int) int { return i - j }
				a, b := stored(test.m, test.k, test.typeA, la == "col", va), stored(test.k, test.n, test.typeA, lb == "col", vb)
				c, d := stored(test.m, test.n, test.typeC, false, vc), stored(test.m, test.n, test.typeC, false, vc)
				_, fault := m.launch("k", config(1, 32, 0), a, b, c, d)
				require.Nil(t, fault)
				got := make([]byte, 40*40*bytesOf(test.typeC))
				m.download(d, got)
				for i := range test.m {
					for j := range test.n {
						want := vc(i, j)
						for k := range test.k {
							want += va(i, k) * vb(k, j)
						}
						word := uint64(0)
						for n := range bytesOf(test.typeC) {
							word |= uint64(got[(j*40+i)*bytesOf(test.typeC)+n]) << (8 * n)
						}
						require.Equal(t, encode(test.typeC, want)&(^uint64(0)>>(64-matrix.Numerics[test.typeC].Bits)), word, "%d %d", i, j)
					}
				}
			})
		}
	}
}

// TestMatrixMoves: ldmatrix gives lane l the elements 2(l mod 4) and the next of row l/4, or with
// .trans of column l/4; stmatrix puts them back; movmatrix transposes.
func TestMatrixMoves(t *testing.T) {
	var in [32][]uint64
	for l := range in {
		in[l] = []uint64{uint64(l*2) | uint64(l*2+1)<<16, uint64(100+l*2) | uint64(101+l*2)<<16}
	}
	at := func(matrix, row, col int) uint64 { return uint64(100*matrix + row*8 + col) }
	pair := func(x, y uint64) uint64 { return x | y<<16 }
	out := warpRun(t, `mov.u32 %t2, mem; and.b32 %t3, %t1, 15; shl.b32 %t3, %t3, 4; add.u32 %t2, %t2, %t3;
cvt.u64.u32 %a5, %t2; cvta.shared.u64 %a5, %a5;
stmatrix.sync.aligned.m8n8.x2.shared.b16 [%t2], {%r0, %r1};
bar.warp.sync -1;
ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%o0, %o1}, [%t2];
ldmatrix.sync.aligned.m8n8.x1.b16 {%o2}, [%a5];
movmatrix.sync.aligned.m8n8.trans.b16 %o3, %r1;`, in, 4)
	for l := range 32 {
		row, col := l/4, l%4*2
		assert.Equal(t, pair(at(0, col, row), at(0, col+1, row)), out[l][0])
		assert.Equal(t, pair(at(1, col, row), at(1, col+1, row)), out[l][1])
		assert.Equal(t, pair(at(0, row, col), at(0, row, col+1)), out[l][2])
		assert.Equal(t, pair(at(1, col, row), at(1, col+1, row)), out[l][3])
	}
}
