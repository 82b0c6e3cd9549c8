package public_test

import (
	"math"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// number is an element of a matrix.
type number interface {
	~int32 | ~uint8 | ~float32 | ~float64
}

// scaled is alpha × a × bᵀ + beta × c, for whole numbers: a is n × k, b m × k, c n × m.
func scaled[T, Sum number](a, b []T, c []Sum, n, m, k int, alpha, beta Sum) []Sum {
	return each(n*m, func(i int) Sum {
		var sum Sum
		for j := range k {
			sum += Sum(a[i/m*k+j]) * Sum(b[i%m*k+j])
		}
		return alpha*sum + beta*c[i]
	})
}

func init() {
	const unit = "cuda-samples/"
	const n, m, k = 64, 32, 48
	grid, block := dim(1, m/16), dim(128) // a warp for each tile of 16 × 16
	add(unit+"immaTensorCoreGemm", "simple_wmma_gemm_imma", func(r *run) {
		const n = 64 // it takes squares
		a, b, c := r.bytes(n*n, 256), r.bytes(n*n, 256), r.ints(n*n, 1000)
		d := fresh[int32](r, n*n)
		launch(r, dim(1, n/16), block, 0, with9(on(r, a), on(r, b), on(r, c), d, int32(n), int32(n), int32(n), int32(3), int32(-2)))
		equal(r, "d", from(r, d), scaled(a, b, c, n, n, n, 3, -2))
	})
	add(unit+"tf32TensorCoreGemm", "simple_wmma_tf32gemm", func(r *run) {
		a, b, c := r.wholes(n*k, 100), r.wholes(m*k, 100), r.wholes(n*m, 100)
		d := fresh[float32](r, n*m)
		launch(r, grid, block, 0, with9(on(r, a), on(r, b), on(r, c), d, int32(n), int32(m), int32(k), float32(2), float32(-1)))
		equal(r, "d", from(r, d), scaled(a, b, c, n, m, k, 2, -1))
	})
	add(unit+"bf16TensorCoreGemm", "simple_wmma_bf16gemm", func(r *run) {
		const n = 64 // it takes squares, and of b the tiles that lie across the diagonal
		a, b, c := r.wholes(n*n, 50), r.wholes(n*n, 50), r.wholes(n*n, 100)
		across := each(n*n, func(i int) float32 {
			line, column := i/n, i%n
			return b[(column/16*16+line%16)*n+line/16*16+column%16]
		})
		d := fresh[float32](r, n*n)
		launch(r, dim(1, n/16), block, 0, with9(on(r, toBF(a)), on(r, toBF(b)), on(r, c), d, int32(n), int32(n), int32(n), float32(2), float32(-1)))
		equal(r, "d", from(r, d), scaled(a, across, c, n, n, n, 2, -1))
	})
	add(unit+"dmmaTensorCoreGemm", "simple_wmma_gemm", func(r *run) {
		a, b, c := wide(r.wholes(n*k, 1000)), wide(r.wholes(m*k, 1000)), wide(r.wholes(n*m, 1000))
		d := fresh[float64](r, n*m)
		launch(r, dim(n/8/4, m/8), block, 0, with9(on(r, a), on(r, b), on(r, c), d, int32(n), int32(m), int32(k), 0.5, -1.0))
		equal(r, "d", from(r, d), scaled(a, b, c, n, m, k, 0.5, -1))
	})

	for _, name := range []string{"scalarProductKernel_intrinsics", "scalarProductKernel_native"} {
		add(unit+"fp16ScalarProduct", name, func(r *run) {
			const size, blocks, threads = 3000, 4, 128
			half := func(x []float32) cuda.Slice[[2]vec.Float16] {
				return on(r, each(size, func(i int) [2]vec.Float16 {
					return [2]vec.Float16{vec.NewFloat16(x[2*i]), vec.NewFloat16(x[2*i+1])}
				}))
			}
			a, b := r.wholes(2*size, 1), r.wholes(2*size, 1) // sums up to 2048 are exact
			dst := fresh[float32](r, blocks)
			launch(r, dim(blocks), dim(threads), 0, with4(half(a), half(b), dst, uint64(size)))
			want := make([]float32, blocks)
			for block := range blocks {
				for thread := range threads {
					for i := thread + threads + block; i < size; i += blocks * threads { // as it is there
						want[block] += a[2*i]*b[2*i] + a[2*i+1]*b[2*i+1]
					}
				}
			}
			equal(r, "results", from(r, dst), want)
		})
	}
	add(unit+"inlinePTX", "sequence_gpu", func(r *run) {
		for _, n := range lengths {
			dst := fresh[int32](r, n)
			launch(r, dim(over(n, 80)), dim(80), 0, with2(dst, int32(n)))
			equal(r, "ptr", from(r, dst), each(n, func(i int) int32 { return int32(i % 80 % 32) }))
		}
	})
	add(unit+"simpleAWBarrier", "normVecByDotProductAWBarrier", func(r *run) {
		const n, blocks = 1000, 3
		a, b := r.wholes(n, 20), r.wholes(n, 20)
		x, y, partial := on(r, a), on(r, b), fresh[float64](r, blocks)
		cooperative(r, dim(blocks), dim(128), 5*8, with4(x, y, partial, int32(n)))
		sum := 0.0
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		norm := math.Sqrt(sum)
		equal(r, "result", from(r, partial)[:1], []float64{norm})
		equal(r, "A", from(r, x), each(n, func(i int) float32 { return float32(float64(a[i]) / norm) }))
		equal(r, "B", from(r, y), each(n, func(i int) float32 { return float32(float64(b[i]) / norm) }))
	})

	const tile = 16
	products := []struct {
		name  string
		block cuda.Dim3
		large bool // reads b's tiles where a's lie
		races races
	}{
		{"MatrixMulNaive<16>", dim(tile, tile), false, 0},
		{"MatrixMulAsyncCopySingleStage<16>", dim(tile, tile), false, 0},
		{"MatrixMulAsyncCopyMultiStage<16>", dim(tile, tile), false, 0},
		{"MatrixMulAsyncCopyMultiStageSharedState<16>", dim(tile, tile+2), false, sharedRaces}, // of the library: one lane of a warp takes the barriers down after a vote
		{"MatrixMulNaiveLargeChunk<16>", dim(tile, tile), true, 0},
		{"MatrixMulAsyncCopyLargeChunk<16>", dim(tile, tile), true, 0},
		{"MatrixMulAsyncCopyLargeChunkAWBarrier<16>", dim(tile, tile), true, sharedRaces}, // each line's first thread makes the barrier
		{"MatrixMulAsyncCopyMultiStageLargeChunk<16>", dim(tile, tile), true, 0},
	}
	for _, v := range products {
		addWith(v.races, unit+"globalToShmemAsyncCopy", v.name, func(r *run) {
			// The stages of a pipeline are four, and it loads five at first: of more than four tiles
			// the first is overwritten.
			const n, m, k = 3 * tile, 2 * tile, 4 * tile
			a, b := r.floats(n*k, -1, 1), r.floats(max(k*m, n*k), -1, 1)
			c := fresh[float32](r, n*m)
			launch(r, dim(m/tile, n/tile), v.block, 0, with5(c, on(r, a), on(r, b), int32(k), int32(m)))
			equal(r, "C", from(r, c), each(n*m, func(i int) float32 {
				line, column, sum := i/m, i%m, float32(0)
				for j := range k {
					at := j*m + column
					if v.large {
						at = (line/tile*tile+j%tile)*k + j/tile*tile + column%tile
					}
					sum = fma(a[line*k+j], b[at], sum)
				}
				return sum
			}))
		})
	}
}
