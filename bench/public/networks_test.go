package public_test

import (
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// nf4 are the values of bitsandbytes' four bits for normally distributed numbers.
var nf4 = []float64{-1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
	-0.18477343022823334, -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
	0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1}

// pixel is one of an image.
type pixel = vec.UChar3

func init() {
	const ggml = "ggml/"
	add(ggml+"argmax", "argmax_f32", func(r *run) {
		for _, columns := range []int{1, 31, 1000} {
			const rows = 5
			var x []float32
			var want []int32
			for range rows {
				row := each(columns, func(i int) float32 { return float32(i) })
				r.rand.Shuffle(columns, func(i, j int) { row[i], row[j] = row[j], row[i] })
				x, want = append(x, row...), append(want, int32(slices.Index(row, float32(columns-1))))
			}
			dst := fresh[int32](r, rows)
			launch(r, dim(rows), dim(128), 0, with3(on(r, x), dst, int64(columns)))
			equal(r, "dst", from(r, dst), want)
		}
	})
	add(ggml+"diagmask", "diag_mask_inf_f32", func(r *run) {
		const rows, columns, channel, past = 12, 70, 6, 3
		x := r.floats(rows*columns, -1, 1)
		dst := fresh[float32](r, len(x))
		launch(r, dim(rows, over(columns, 32)), dim(1, 32), 0, with5(on(r, x), dst, int32(columns), int32(channel), int32(past)))
		equal(r, "dst", from(r, dst), each(len(x), func(i int) float32 {
			if i%columns > past+i/columns%channel {
				return x[i] - math.MaxFloat32
			}
			return x[i]
		}))
	})
	add(ggml+"clamp", "op_clamp_kernel<float>", func(r *run) {
		for _, n := range lengths {
			x := r.floats(n, -5, 5)
			dst := fresh[float32](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with5(on(r, x), dst, float32(-2), float32(3), int32(n)))
			equal(r, "dst", from(r, dst), each(n, func(i int) float32 { return max(-2, min(x[i], 3)) }))
		}
	})
	add(ggml+"tsembd", "timestep_embedding_f32", func(r *run) {
		for _, size := range []int{2, 65, 256} {
			const steps, period = 4, 10000
			at := r.floats(steps, 0, 100)
			dst := fresh[float32](r, steps*size)
			launch(r, dim(over(size, 64), steps), dim(64), 0, with5(on(r, at), dst, int32(size*4), int32(size), int32(period)))
			half := size / 2
			near(r, "dst", from(r, dst), each(steps*size, func(i int) float64 {
				j := i % size
				if j >= 2*half {
					return 0
				}
				angle := float64(at[i/size]) * math.Exp(-math.Log(period)*float64(j%half)/float64(half))
				if j < half {
					return math.Cos(angle)
				}
				return math.Sin(angle)
			}), 40, 100) // the angles are up to 100, and their exponents up to 9.2
		}
	})
	add(ggml+"norm", "norm_f32<32>", func(r *run) {
		for _, columns := range []int{1, 33, 300} {
			const rows, channels = 5, 2
			x := r.spread(rows * channels * columns)
			dst := fresh[float32](r, len(x))
			launch(r, dim(rows, channels), dim(32), 0, with7(on(r, x), dst, int32(columns), int64(columns), int64(rows*columns), int64(0), float32(1e-5)))
			var want []float64
			for row := range slices.Chunk(wide(x), columns) {
				y, _, _ := layerNorm(row)
				want = append(want, y...)
			}
			// The variance is a difference here; of one element it is 0, and its rounding stands beside 1e-5.
			if columns > 1 {
				near(r, "dst", from(r, dst), want, 4*columns+40, 4)
			} else {
				near(r, "dst", from(r, dst), want, 1, 1)
			}
		}
	})
	add(ggml+"norm", "group_norm_f32<32>", func(r *run) {
		const groups, size = 4, 77
		x := r.spread(groups * size)
		dst := fresh[float32](r, len(x))
		launch(r, dim(groups), dim(32), 64*4, with5(on(r, x), dst, int32(size), int32(len(x)), float32(1e-5)))
		var want []float64
		for row := range slices.Chunk(wide(x), size) {
			y, _, _ := layerNorm(row)
			want = append(want, y...)
		}
		near(r, "dst", from(r, dst), want, 4*size+20, 4)
	})
	add(ggml+"norm", "rms_norm_f32<256, false, false>", func(r *run) {
		for _, columns := range []int{1, 257, 1000} {
			const rows = 5
			x := r.floats(rows*columns, -1, 1)
			dst := fresh[float32](r, len(x))
			type triple = vec.UInt3
			launch(r, dim(rows), dim(256), 32*4, struct {
				X, Dst                              slice
				Columns                             int32
				Row, Channel, Sample                int64
				Eps                                 float32
				Mul                                 slice
				MulRow, MulChannel, MulSample       int64
				MulCols, MulRows, MulChans, MulSams triple
				Add                                 slice
				AddRow, AddChannel, AddSample       int64
				AddCols, AddRows, AddChans, AddSams triple
			}{X: on(r, x), Dst: dst, Columns: int32(columns), Row: int64(columns), Eps: 1e-5})
			var want []float64
			for row := range slices.Chunk(wide(x), columns) {
				sum := 0.0
				for _, v := range row {
					sum += v * v
				}
				for _, v := range row {
					want = append(want, v/math.Sqrt(sum/float64(columns)+1e-5))
				}
			}
			near(r, "dst", from(r, dst), want, columns+12, 2)
		}
	})

	const bnb = "bitsandbytes/"
	add(bnb+"kernels", "kQuantizeBlockwise<float, 256, 2, 0, 2>", func(r *run) {
		for _, n := range []int{256, 1000} {
			x := r.floats(n, -3, 3)
			absolute, out := fresh[float32](r, over(n, 256)), fresh[byte](r, n/2)
			launch(r, dim(over(n, 256)), dim(128), 0, with7(none[float32](), on(r, x), absolute, out, none[float32](), int32(0), int32(n)))
			most := each(over(n, 256), func(b int) float32 {
				m := float32(0)
				for _, v := range x[b*256 : min(n, b*256+256)] {
					m = max(m, float32(math.Abs(float64(v))))
				}
				return m
			})
			equal(r, "absmax", from(r, absolute), most)
			// Each code is the nearest one, but for ties within rounding.
			for i, code := range from(r, out) {
				for j, c := range []byte{code >> 4, code & 15} {
					v := float64(x[2*i+j]) / float64(most[2*i/256])
					for _, other := range nf4 {
						if math.Abs(v-other) < math.Abs(v-nf4[c])-1e-6 {
							r.t.Fatalf("%v of %v is %d", v, n, c)
						}
					}
				}
			}
		}
	})
	add(bnb+"kernels", "kDequantizeBlockwise<float, 512, 64, 8, 2>", func(r *run) {
		for _, n := range []int{1024, 3000} {
			// The threads behind the last pair read a scale, too, which need not be there.
			codes, absolute := r.bytes(n/2, 256), r.floats(over(n, 1024)*16, 0.5, 2)
			out := fresh[float32](r, n)
			launch(r, dim(over(n, 1024)), dim(64), 0, with6(none[float32](), on(r, codes), on(r, absolute), out, int32(32), int32(n))) // pairs
			equal(r, "out", from(r, out), each(n, func(i int) float32 {
				return float32(nf4[codes[i/2]>>(4*(1-i%2))&15]) * absolute[i/64]
			}))
		}
	})

	const jetson = "jetson-utils/"
	image := func(r *run, n int) []pixel {
		return each(n, func(int) pixel {
			b := r.bytes(3, 256)
			return pixel{X: b[0], Y: b[1], Z: b[2]}
		})
	}
	sizes := [][2]int{{1, 1}, {37, 21}, {64, 16}}
	add(jetson+"cudaGrayscale", "RGBToGray<uchar3, float, false>", func(r *run) {
		for _, s := range sizes {
			x := image(r, s[0]*s[1])
			dst := fresh[float32](r, len(x))
			launch(r, dim(over(s[0], 32), over(s[1], 8)), dim(32, 8), 0, with4(on(r, x), dst, int32(s[0]), int32(s[1])))
			near(r, "gray", from(r, dst), each(len(x), func(i int) float64 {
				return 0.2989*float64(x[i].X) + 0.5870*float64(x[i].Y) + 0.1140*float64(x[i].Z)
			}), 5, 255)
		}
	})
	add(jetson+"cudaRGB", "RGBToBGR<uchar3>", func(r *run) {
		for _, s := range sizes {
			x := image(r, s[0]*s[1])
			dst := fresh[pixel](r, len(x))
			launch(r, dim(over(s[0], 32), over(s[1], 8)), dim(32, 8), 0, with4(on(r, x), dst, int32(s[0]), int32(s[1])))
			equal(r, "bgr", from(r, dst), each(len(x), func(i int) pixel { return pixel{X: x[i].Z, Y: x[i].Y, Z: x[i].X} }))
		}
	})
	add(jetson+"cudaCrop", "gpuCrop<float>", func(r *run) {
		const width, height, left, top = 50, 30, 7, 9
		for _, s := range [][2]int{{1, 1}, {37, 21}} {
			x := r.floats(width*height, 0, 255)
			dst := fresh[float32](r, s[0]*s[1])
			launch(r, dim(over(s[0], 8), over(s[1], 8)), dim(8, 8), 0, with7(on(r, x), dst, int32(left), int32(top), int32(width), int32(s[0]), int32(s[1])))
			equal(r, "output", from(r, dst), each(s[0]*s[1], func(i int) float32 { return x[(i/s[0]+top)*width+i%s[0]+left] }))
		}
	})

	const blog = "code-samples/"
	for _, name := range []string{"copySharedMem", "transposeNaive", "transposeCoalesced", "transposeNoBankConflicts"} {
		add(blog+"transpose", name, func(r *run) {
			const n = 64
			x := r.floats(n*n, -1, 1)
			dst := fresh[float32](r, len(x))
			launch(r, dim(n/32, n/32), dim(32, 8), 0, with2(dst, on(r, x)))
			want := x
			if name != "copySharedMem" {
				want = transposed(x, n)
			}
			equal(r, "output", from(r, dst), want)
		})
	}
	for _, name := range []string{"staticReverse", "dynamicReverse"} {
		add(blog+"shared-memory", name, func(r *run) {
			for _, n := range []int{1, 33, 64} {
				x := r.ints(n, 1000)
				data := on(r, x)
				launch(r, dim(1), dim(n), n*4, with2(data, int32(n)))
				want := slices.Clone(x)
				slices.Reverse(want)
				equal(r, "d", from(r, data), want)
			}
		})
	}
	add(blog+"tensor-cores", "wmma_example", func(r *run) {
		const m, n, k = 64, 32, 48
		half := func(x []float32) cuda.Slice[vec.Float16] {
			return on(r, each(len(x), func(i int) vec.Float16 { return vec.NewFloat16(x[i]) }))
		}
		a, b, c := r.wholes(m*k, 10), r.wholes(k*n, 10), r.wholes(m*n, 10)
		dst := on(r, c)
		launch(r, dim(1, 1), dim(128, 2), 0, with8(half(a), half(b), dst, int32(m), int32(n), int32(k), float32(2), float32(-1)))
		equal(r, "c", from(r, dst), each(m*n, func(i int) float32 { // columns first
			sum := float32(0)
			for j := range k {
				sum += a[j*m+i%m] * b[i/m*k+j]
			}
			return 2*sum - c[i]
		}))
	})
	add(blog+"tensor-cores", "convertFp32ToFp16", func(r *run) {
		for _, n := range lengths {
			x := r.floats(n, -1e5, 1e5)
			dst := fresh[vec.Float16](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with3(dst, on(r, x), int32(n)))
			equal(r, "out", from(r, dst), each(n, func(i int) vec.Float16 { return vec.NewFloat16(x[i]) }))
		}
	})
}
