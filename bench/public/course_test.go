package public_test

import "math"

func init() {
	const unit = "cuda-training-series/"
	add(unit+"hw1_matrix_mul", "mmul", func(r *run) {
		for _, n := range []int{1, 17, 50} {
			a, b := r.floats(n*n, -1, 1), r.floats(n*n, -1, 1)
			c := fresh[float32](r, n*n)
			launch(r, dim(over(n, 16), over(n, 16)), dim(16, 16), 0, with4(on(r, a), on(r, b), c, int32(n)))
			equal(r, "C", from(r, c), matrixProduct(a, b, n, n, n))
		}
	})
	add(unit+"hw2_matrix_mul_shared", "mmul", func(r *run) {
		for _, n := range []int{32, 96} { // whole tiles
			a, b := r.floats(n*n, -1, 1), r.floats(n*n, -1, 1)
			c := fresh[float32](r, n*n)
			launch(r, dim(n/32, n/32), dim(32, 32), 0, with4(on(r, a), on(r, b), c, int32(n)))
			equal(r, "C", from(r, c), matrixProduct(a, b, n, n, n))
		}
	})
	add(unit+"hw2_stencil_1d", "stencil_1d", func(r *run) {
		for _, n := range []int{16, 160} {
			x := r.ints(n+6, 1000)
			dst := fresh[int32](r, n)
			launch(r, dim(n/16), dim(16), 0, with2(on(r, x).Slice(3, n+3), dst))
			equal(r, "out", from(r, dst), each(n, func(i int) int32 {
				sum := int32(0)
				for _, v := range x[i : i+7] {
					sum += v
				}
				return sum
			}))
		}
	})
	add(unit+"hw5_matrix_sums", "row_sums", func(r *run) {
		for _, n := range []int{1, 100, 300} {
			a := r.wholes(n*n, 100)
			sums := fresh[float32](r, n)
			launch(r, dim(n), dim(256), 0, with3(on(r, a), sums, uint64(n)))
			want := make([]float32, n)
			for i, v := range a {
				want[i/n] += v
			}
			equal(r, "sums", from(r, sums), want)
		}
	})
	add(unit+"hw5_matrix_sums", "column_sums", func(r *run) {
		for _, n := range []int{1, 100, 300} {
			a := r.floats(n*n, -1, 1)
			sums := fresh[float32](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with3(on(r, a), sums, uint64(n)))
			want := make([]float32, n)
			for i, v := range a {
				want[i%n] += v
			}
			equal(r, "sums", from(r, sums), want)
		}
	})
	add(unit+"hw5_max_reduction", "reduce", func(r *run) {
		for _, n := range lengths {
			x := r.floats(n, 0, 5)
			dst := fresh[float32](r, 3)
			launch(r, dim(3), dim(256), 0, with3(on(r, x), dst, uint64(n)))
			want := make([]float32, 3)
			for i, v := range x {
				want[i/256%3] = max(want[i/256%3], v)
			}
			equal(r, "out", from(r, dst), want)
		}
	})
	add(unit+"hw9_remove_if", "my_remove_if<int>", func(r *run) {
		const n, blocks = 1024, 4
		x := r.ints(n, 3)
		dst, indices := zeros[int32](r, n), zeros[uint32](r, n)
		cooperative(r, dim(blocks), dim(256), 0, with5(on(r, x), int32(1), dst, indices, uint32(n)))
		var want []int32
		for _, v := range x {
			if v != 1 {
				want = append(want, v)
			}
		}
		equal(r, "odata", from(r, dst)[:len(want)], want)
	})
	add(unit+"hw8_transpose", "smem_cuda_transpose", func(r *run) {
		for _, n := range []int{32, 96} {
			x := wide(r.floats(n*n, -1, 1))
			dst := fresh[float64](r, n*n)
			launch(r, dim(n/32, n/32), dim(32, 32), 0, with3(int32(n), on(r, x), dst))
			equal(r, "c", from(r, dst), transposed(x, n))
		}
	})
	add(unit+"hw7_multi", "gaussian_pdf", func(r *run) {
		for _, n := range lengths {
			x := r.floats(n, -3, 3)
			dst := fresh[float32](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with5(on(r, x), dst, float32(0.5), float32(1.25), int32(n)))
			near(r, "y", from(r, dst), each(n, func(i int) float64 {
				sum := 0.0
				for j := range 22 {
					v := (float64(x[i]) + 0.01*float64(j-11) - 0.5) / 1.25
					sum += math.Exp(-0.5*v*v) / (1.25 * math.Sqrt(2*math.Pi))
				}
				return sum / 22
			}), 22*2+30, 1)
		}
	})
}
