package public_test

import (
	"math"
	"math/bits"
)

// cosines are the discrete cosine transform of 8 numbers: frequency by place.
var cosines = func() (c [8][8]float64) {
	for k := range c {
		for x := range c[k] {
			c[k][x] = math.Cos(float64(2*x+1)*float64(k)*math.Pi/16) / 2
			if k == 0 {
				c[k][x] = math.Sqrt(1.0 / 8)
			}
		}
	}
	return c
}()

// transformed is a block of 8 × 8, transformed along both directions, or back.
func transformed(block [64]float64, back bool) (y [64]float64) {
	factor := func(i, j int) float64 {
		if back {
			i, j = j, i
		}
		return cosines[i][j]
	}
	for i := range y {
		for j, v := range block {
			y[i] += v * factor(i/8, j/8) * factor(i%8, j%8)
		}
	}
	return y
}

// rounded compares whole numbers with numbers that were rounded to them, or cut off at the ends. What
// was rounded may differ by slack.
func rounded[T int16 | uint8](r *run, what string, got []T, want []float64, low, high float64, slack func(i int) float64) {
	r.t.Helper()
	for i, v := range want {
		v = min(max(v, low), high)
		if d := math.Abs(float64(got[i]) - v); !(d <= 0.5+slack(i)) {
			r.t.Fatalf("%s[%d] of %d: %v, want %v", what, i, len(got), got[i], v)
		}
	}
}

func init() {
	const unit = "gpujpeg/"
	table := func(r *run) []uint16 {
		return each(64, func(int) uint16 { return uint16(r.rand.IntN(60) + 1) })
	}
	// Lanes of a warp exchange their rows in shared memory without waiting for each other.
	addWith(sharedRaces, unit+"dct", "gpujpeg_dct_gpu_kernel<4>", func(r *run) {
		for _, size := range [][2]int{{1, 1}, {7, 5}} {
			w, h := size[0], size[1]
			pixels, quantizers := r.bytes(64*w*h, 256), table(r)
			scale := func(k int) float64 { // of the kernel's transform
				if k == 0 {
					return 1
				}
				return math.Cos(float64(k)*math.Pi/16) * math.Sqrt2
			}
			factors := each(64, func(i int) float32 {
				return float32(1 / (8 * float64(quantizers[i%8*8+i/8]) * scale(i/8) * scale(i%8)))
			})
			dst := fresh[int16](r, len(pixels))
			launch(r, dim(over(w, 4), over(h, 4)), dim(32, 4), 0, with7(int32(w), int32(h), on(r, pixels), uint32(8*w), dst, int32(64*w), on(r, factors)))
			var want []float64
			for b := range w * h {
				var block [64]float64
				for i := range block {
					block[i] = float64(pixels[(b/w*8+i/8)*8*w+b%w*8+i%8]) - 128
				}
				for i, v := range transformed(block, false) {
					want = append(want, v/float64(quantizers[i]))
				}
			}
			rounded(r, "coefficients", from(r, dst), want, -32768, 32767, func(int) float64 { return 0.002 })
		}
	})
	add(unit+"dct", "gpujpeg_idct_gpu_kernel", func(r *run) {
		const w, h = 8, 4 // blocks
		quantizers := table(r)
		coefficients := make([]int16, 64*w*h)
		for i := range coefficients {
			if r.rand.IntN(4) == 0 || i%64 == 0 {
				coefficients[i] = int16(r.rand.IntN(21) - 10)
			}
		}
		dst := fresh[uint8](r, len(coefficients))
		launch(r, dim(w*h/16), dim(8, 8, 2), 0, with4(on(r, coefficients), dst, int32(8*w), on(r, quantizers)))
		// Its transform of the frequencies 3 and 7 is not exact: it is wrong by so much.
		wrong := [8]float64{3: 0.0018, 7: 0.0039}
		want, slack := make([]float64, len(coefficients)), make([]float64, w*h)
		for b := range w * h {
			var block [64]float64
			for i := range block {
				block[i] = float64(coefficients[64*b+i]) * float64(quantizers[i])
				slack[b] += math.Abs(block[i]) * (wrong[i/8] + wrong[i%8]) / 2
			}
			for i, v := range transformed(block, true) {
				want[(b/w*8+i/8)*8*w+b%w*8+i%8] = v + 128
			}
		}
		rounded(r, "pixels", from(r, dst), want, 0, 255, func(i int) float64 { return 0.002 + slack[i/64/w*w+i%(8*w)/8] })
	})
	add(unit+"huffman_encoder", "gpujpeg_huffman_gpu_encoder_value_decomposition_init_kernel", func(r *run) {
		launch(r, dim(32), dim(256), 0, struct{}{})
		got := get[[8192]uint32](r, "gpujpeg_huffman_value_decomposition")
		equal(r, "decomposition", got[:], each(8192, func(i int) uint32 {
			value := i - 4096
			size := bits.Len(uint(max(value, -value)))
			if value < 0 {
				value-- // ones' complement
			}
			return uint32(size) | uint32(uint64(uint32(value))<<(32-size))
		}))
	})
}
