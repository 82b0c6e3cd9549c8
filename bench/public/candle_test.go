package public_test

import (
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// A view says where candle's elements lie: sizes and strides of its dimensions, and the offset
// of each element, the last dimension fastest.
type view struct {
	info    []uint64
	offsets []int
}

// views are whole, transposed and spread ones of n = 6 × 35 elements.
func views() []view {
	strides := func(dims, strides []uint64) view {
		v := view{info: append(slices.Clone(dims), strides...)}
		limits := make([]int, len(dims))
		for i := range dims {
			limits[i] = int(dims[i])
		}
		shape(func(at []int) {
			offset := 0
			for i := range at {
				offset += at[i] * int(strides[i])
			}
			v.offsets = append(v.offsets, offset)
		}, limits...)
		return v
	}
	return []view{
		strides([]uint64{210}, []uint64{1}),
		strides([]uint64{2, 3, 35}, []uint64{105, 35, 1}),
		strides([]uint64{35, 6}, []uint64{1, 35}),
		strides([]uint64{3, 7, 10}, []uint64{0, 30, 3}),
	}
}

func (v view) elements() int { return len(v.offsets) }
func (v view) storage() int  { return slices.Max(v.offsets) + 1 }
func (v view) dims() uint64  { return uint64(len(v.info) / 2) }

func init() {
	const unit = "candle/"
	unary := func(name string, low, high float32, rounds int, scale float64, f func(x float64) float64) {
		add(unit+"unary", name, func(r *run) {
			for _, v := range views() {
				x := r.floats(v.storage(), low, high)
				dst := fresh[float32](r, v.elements())
				launch(r, dim(2), dim(64), 0, with5(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst))
				near(r, "out", from(r, dst), each(v.elements(), func(i int) float64 { return f(float64(x[v.offsets[i]])) }), rounds, scale)
			}
		})
	}
	unary("uexp_f32", -10, 10, 4, 0, math.Exp)
	unary("ulog_f32", 0.01, 10, 4, 1, math.Log)
	unary("usin_f32", -100, 100, 5, 1, math.Sin)
	unary("utanh_f32", -5, 5, 5, 0, math.Tanh)
	unary("uerf_f32", -4, 4, 5, 0, math.Erf)
	unary("usqrt_f32", 0, 100, 1, 0, math.Sqrt)
	unary("ugelu_f32", -5, 5, 30, 1.0/16, gelu)
	unary("usigmoid_f32", -10, 10, 8, 0, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) })

	add(unit+"unary", "ufloor_f32", func(r *run) {
		for _, v := range views() {
			x := r.floats(v.storage(), -100, 100)
			x[0] = float32(math.Copysign(0, -1))
			dst := fresh[float32](r, v.elements())
			launch(r, dim(2), dim(64), 0, with5(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst))
			equal(r, "out", from(r, dst), each(v.elements(), func(i int) float32 { return float32(math.Floor(float64(x[v.offsets[i]]))) }))
		}
	})
	add(unit+"unary", "urelu_f16", func(r *run) {
		for _, v := range views() {
			x := each(v.storage(), func(int) vec.Float16 { return vec.NewFloat16(r.rand.Float32()*8 - 4) })
			dst := fresh[vec.Float16](r, v.elements())
			launch(r, dim(2), dim(64), 0, with5(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst))
			equal(r, "out", from(r, dst), each(v.elements(), func(i int) vec.Float16 {
				return vec.NewFloat16(max(0, x[v.offsets[i]].Float32()))
			}))
		}
	})
	add(unit+"affine", "affine_f32", func(r *run) {
		for _, v := range views() {
			x := r.floats(v.storage(), -1, 1)
			dst := fresh[float32](r, v.elements())
			launch(r, dim(2), dim(64), 0, with7(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst, float32(0.3), float32(-1.7)))
			equal(r, "out", from(r, dst), each(v.elements(), func(i int) float32 { return fma(x[v.offsets[i]], 0.3, -1.7) }))
		}
	})
	add(unit+"affine", "affine_f64", func(r *run) {
		for _, v := range views() {
			x := wide(r.floats(v.storage(), -1, 1))
			dst := fresh[float64](r, v.elements())
			launch(r, dim(2), dim(64), 0, with7(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst, 0.3, -1.7))
			equal(r, "out", from(r, dst), each(v.elements(), func(i int) float64 { return math.FMA(x[v.offsets[i]], 0.3, -1.7) }))
		}
	})
	add(unit+"affine", "affine_i16", func(r *run) {
		for _, v := range views() {
			x := each(v.storage(), func(int) int16 { return int16(r.rand.Uint32()) })
			dst := fresh[int16](r, v.elements())
			launch(r, dim(2), dim(64), 0, with7(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst, int16(-300), int16(7)))
			equal(r, "out", from(r, dst), each(v.elements(), func(i int) int16 { return x[v.offsets[i]]*-300 + 7 }))
		}
	})
	add(unit+"affine", "affine_bf16", func(r *run) {
		for _, v := range views() {
			x := toBF(r.wholes(v.storage(), 10))
			dst := fresh[vec.BFloat16](r, v.elements())
			launch(r, dim(2), dim(64), 0, with7(uint64(v.elements()), v.dims(), on(r, v.info), on(r, x), dst, vec.NewBFloat16(3), vec.NewBFloat16(-1)))
			equal(r, "out", from(r, dst), each(v.elements(), func(i int) vec.BFloat16 { return vec.NewBFloat16(3*x[v.offsets[i]].Float32() - 1) }))
		}
	})
	add(unit+"ternary", "where_u8_f32", func(r *run) {
		for _, v := range views() {
			n := v.elements()
			ids, x, y := r.bytes(v.storage(), 2), r.floats(v.storage(), -1, 1), r.floats(v.storage(), -1, 1)
			info := slices.Concat(v.info, v.info[len(v.info)/2:], v.info[len(v.info)/2:])
			dst := fresh[float32](r, n)
			launch(r, dim(2), dim(64), 0, with7(uint64(n), v.dims(), on(r, info), on(r, ids), on(r, x), on(r, y), dst))
			equal(r, "out", from(r, dst), each(n, func(i int) float32 {
				if at := v.offsets[i]; ids[at] != 0 {
					return x[at]
				}
				return y[v.offsets[i]]
			}))
		}
	})
	add(unit+"fill", "copy2d_f32", func(r *run) {
		const lines, columns, from1, to1 = 11, 17, 23, 19
		x := r.floats(lines*from1, -1, 1)
		before := r.floats(lines*to1, -1, 1)
		dst := on(r, before)
		launch(r, dim(over(lines*columns, 64)), dim(64), 0, with6(on(r, x), dst, uint32(lines), uint32(columns), uint32(from1), uint32(to1)))
		equal(r, "dst", from(r, dst), each(lines*to1, func(i int) float32 {
			if i%to1 < columns {
				return x[i/to1*from1+i%to1]
			}
			return before[i]
		}))
	})
	for _, name := range []string{"asort_asc_f32", "asort_desc_u8"} {
		add(unit+"sort", name, func(r *run) {
			const rows = 5
			for _, columns := range []int{1, 33, 100} {
				padded := 1
				for padded < columns {
					padded *= 2
				}
				// Different numbers: the sort is not stable.
				x := make([]int, 0, rows*columns)
				for range rows {
					x = append(x, r.rand.Perm(256)[:columns]...)
				}
				dst := fresh[uint32](r, len(x))
				block, shared := dim(min(padded, 64)), padded*4
				if name == "asort_asc_f32" {
					launch(r, dim(rows), block, shared, with4(on(r, each(len(x), func(i int) float32 { return float32(x[i]) - 128 })), dst, int32(columns), int32(padded)))
				} else {
					launch(r, dim(rows), block, shared, with4(on(r, each(len(x), func(i int) byte { return byte(x[i]) })), dst, int32(columns), int32(padded)))
				}
				var want []uint32
				for row := range slices.Chunk(x, columns) {
					order := each(columns, func(i int) uint32 { return uint32(i) })
					slices.SortFunc(order, func(a, b uint32) int {
						if name == "asort_asc_f32" {
							return row[a] - row[b]
						}
						return row[b] - row[a]
					})
					want = append(want, order...)
				}
				equal(r, "dst", from(r, dst), want)
			}
		})
	}
	add(unit+"reduce", "fast_sum_f32", func(r *run) {
		for _, v := range views() {
			const per = 35
			x := r.wholes(v.storage(), 100)
			blocks := v.elements() / per
			dst := fresh[float32](r, blocks)
			launch(r, dim(blocks), dim(32), 0, with6(uint64(v.elements()), uint64(per), v.dims(), on(r, v.info), on(r, x), dst))
			want := make([]float32, blocks)
			for i, at := range v.offsets {
				want[i/per] += x[at]
			}
			equal(r, "dst", from(r, dst), want)
		}
	})
	add(unit+"reduce", "softmax_f32", func(r *run) {
		for _, columns := range []int{1, 33, 300} {
			const rows = 5
			x := r.floats(rows*columns, -5, 5)
			dst := fresh[float32](r, len(x))
			launch(r, dim(rows), dim(1, 32), 0, with3(on(r, x), dst, int32(columns)))
			var want []float64
			for row := range slices.Chunk(wide(x), columns) {
				want = append(want, softmax(row)...)
			}
			near(r, "dst", from(r, dst), want, columns+30, 1.0/16)
		}
	})
	add(unit+"indexing", "is_u32_f32", func(r *run) {
		const left, source, count, right = 3, 7, 10, 5
		ids := each(count, func(int) uint32 { return r.rand.Uint32N(source) })
		ids[2] = math.MaxUint32 // stands for 0
		x := r.floats(left*source*right, -1, 1)
		info := []uint64{left * source * right, 1}
		dst := fresh[float32](r, left*count*right)
		launch(r, dim(2), dim(64), 0, with10(uint64(left*count*right), uint64(1), on(r, info), on(r, ids), on(r, x), dst, uint64(left), uint64(source), uint64(count), uint64(right)))
		equal(r, "out", from(r, dst), each(left*count*right, func(i int) float32 {
			id := ids[i/right%count]
			if id == math.MaxUint32 {
				return 0
			}
			return x[(i/(count*right)*source+int(id))*right+i%right]
		}))
	})
	add(unit+"indexing", "gather_i64_f32", func(r *run) {
		const left, source, count, right = 3, 7, 10, 5
		ids := each(left*count*right, func(int) int64 { return r.rand.Int64N(source) })
		x := r.floats(left*source*right, -1, 1)
		dst := fresh[float32](r, len(ids))
		launch(r, dim(2), dim(64), 0, with8(uint64(len(ids)), on(r, ids), on(r, x), dst, uint64(left), uint64(source), uint64(count), uint64(right)))
		equal(r, "out", from(r, dst), each(len(ids), func(i int) float32 {
			return x[(i/(count*right)*source+int(ids[i]))*right+i%right]
		}))
	})
	add(unit+"indexing", "sa_u8_f32", func(r *run) {
		const left, source, target, right = 3, 12, 7, 5
		ids := r.bytes(left*source*right, target)
		x, before := r.wholes(len(ids), 9), r.wholes(left*target*right, 9)
		dst := on(r, before)
		launch(r, dim(2), dim(16), 0, with7(on(r, ids), on(r, x), dst, uint64(left), uint64(source), uint64(target), uint64(right)))
		want := slices.Clone(before)
		for i, id := range ids {
			want[(i/(source*right)*target+int(id))*right+i%right] += x[i]
		}
		equal(r, "out", from(r, dst), want)
	})
}
