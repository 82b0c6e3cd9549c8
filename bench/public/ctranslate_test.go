package public_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// mirrored is the index in a line of n elements that continues as in a mirror at its ends.
func mirrored(i, n int) int {
	if i < 0 {
		return -i
	}
	if i >= n {
		return 2*n - i - 2
	}
	return i
}

func init() {
	const unit = "ctranslate2/"
	const ops = "ctranslate2::ops::"

	// alibi adds a bias of each head to the scores of its queries.
	alibi := func(r *run, convert func(x float32) float32, start func(in, bias []float32, offset, heads, queries, keys, cached int) []float32) {
		for _, keys := range []int{1, 37, 200} {
			const batch, heads, queries, offset = 2, 3, 5, 4
			cached := keys + 7
			in := each(batch*heads*queries*keys, func(int) float32 { return convert(r.rand.Float32()*8 - 4) })
			bias := each(heads*cached, func(int) float32 { return convert(r.rand.Float32()*8 - 4) })
			got := start(in, bias, offset, heads, queries, keys, cached)
			equal(r, "output", got, each(len(in), func(i int) float32 {
				head := i / keys / queries % heads
				return convert(in[i] + bias[head*cached+offset+i%keys])
			}))
		}
	}
	add(unit+"alibi_add", ops+"alibi_add_kernel<float>", func(r *run) {
		alibi(r, func(x float32) float32 { return x }, func(in, bias []float32, offset, heads, queries, keys, cached int) []float32 {
			dst := fresh[float32](r, len(in))
			launch(r, dim(len(in)/keys), dim(min(keys, 64)), 0, with8(on(r, in), on(r, bias), dst, uint32(offset), uint32(heads), uint32(queries), uint32(keys), uint32(cached)))
			return from(r, dst)
		})
	})
	add(unit+"alibi_add", ops+"alibi_add_kernel<__half>", func(r *run) {
		alibi(r, func(x float32) float32 { return vec.NewFloat16(x).Float32() }, func(in, bias []float32, offset, heads, queries, keys, cached int) []float32 {
			dst := fresh[vec.Float16](r, len(in))
			launch(r, dim(len(in)/keys), dim(min(keys, 64)), 0, with8(on(r, vec.AppendFloat16(nil, in)), on(r, vec.AppendFloat16(nil, bias)), dst,
				uint32(offset), uint32(heads), uint32(queries), uint32(keys), uint32(cached)))
			return vec.AppendFloat32(nil, from(r, dst))
		})
	})
	add(unit+"alibi_add", ops+"alibi_add_kernel<__nv_bfloat16>", func(r *run) {
		alibi(r, func(x float32) float32 { return vec.NewBFloat16(x).Float32() }, func(in, bias []float32, offset, heads, queries, keys, cached int) []float32 {
			dst := fresh[vec.BFloat16](r, len(in))
			launch(r, dim(len(in)/keys), dim(min(keys, 64)), 0, with8(on(r, vec.AppendBFloat16(nil, in)), on(r, vec.AppendBFloat16(nil, bias)), dst,
				uint32(offset), uint32(heads), uint32(queries), uint32(keys), uint32(cached)))
			return vec.AppendFloat32(nil, from(r, dst))
		})
	})

	add(unit+"mean", ops+"mean_kernel<float, float>", func(r *run) {
		for _, axis := range []int{1, 100, 700} {
			const outer, inner = 3, 5
			x := r.wholes(outer*axis*inner, 100)
			for _, sumOnly := range []byte{0, 1} {
				dst := fresh[float32](r, outer*inner)
				launch(r, dim(outer*inner), dim(256), 0, with6(on(r, x), uint32(outer), uint32(axis), uint32(inner), sumOnly, dst))
				equal(r, "mean", from(r, dst), each(outer*inner, func(i int) float32 {
					sum := float32(0)
					for k := range axis {
						sum += x[(i/inner*axis+k)*inner+i%inner]
					}
					if sumOnly == 0 {
						sum /= float32(axis)
					}
					return sum
				}))
			}
		}
	})
	add(unit+"rms_norm", ops+"rms_norm_kernel<float>", func(r *run) {
		for _, depth := range []int{1, 100, 1300} {
			const rows = 3
			x, gamma := r.floats(rows*depth, -2, 2), r.floats(depth, -1, 1)
			for _, residual := range []byte{0, 1} {
				dst := fresh[float32](r, len(x))
				launch(r, dim(rows), dim(512), 0, with6(on(r, x), on(r, gamma), dst, uint32(depth), float32(1e-5), residual))
				near(r, "output", from(r, dst), each(len(x), func(i int) float64 {
					sum := 0.0
					for _, v := range x[i/depth*depth : i/depth*depth+depth] {
						sum += float64(v) * float64(v)
					}
					return float64(x[i]) / math.Sqrt(sum/float64(depth)+float64(float32(1e-5))) * (float64(residual) + float64(gamma[i%depth]))
				}), 20, 2)
			}
		}
	})
	add(unit+"median_filter", ops+"sliding_median_lastdim_kernel<float, 129>", func(r *run) {
		for _, width := range []int{3, 7, 129} {
			const rows, depth = 2, 131
			x := r.floats(rows*depth, -1, 1)
			dst := fresh[float32](r, len(x))
			launch(r, dim(over(len(x), 256)), dim(256), 0, with5(on(r, x), dst, int32(rows), int32(depth), int32(width)))
			equal(r, "output", from(r, dst), each(len(x), func(i int) float32 {
				window := each(width, func(k int) float32 { return x[i/depth*depth+mirrored(i%depth+k-width/2, depth)] })
				slices.Sort(window)
				return window[width/2]
			}))
		}
	})
	for _, interleaved := range []bool{false, true} {
		add(unit+"rotary", fmt.Sprintf("%srotary_kernel<float, %v>", ops, interleaved), func(r *run) {
			for _, transposed := range []byte{0, 1} {
				const heads, times, depth, turned = 3, 5, 70, 64
				batch := 1 // without transposition the rows of others are beyond the tables
				if transposed == 1 {
					batch = 2
				}
				x, sine, cosine := r.floats(batch*heads*times*depth, -1, 1), r.floats(times*turned, -1, 1), r.floats(times*turned, -1, 1)
				dst := fresh[float32](r, len(x))
				launch(r, dim(len(x)/depth), dim(64), 0, with9(on(r, x), on(r, sine), on(r, cosine), dst, uint32(times), uint32(heads), uint32(turned), uint32(depth), transposed))
				near(r, "output", from(r, dst), each(len(x), func(i int) float64 {
					row, k := i/depth, i%depth
					time := row / heads
					if transposed == 1 {
						time = row % times
					}
					if k >= turned {
						return float64(x[i])
					}
					other := 0.0
					switch {
					case interleaved && k%2 == 0:
						other = -float64(x[i+1])
					case interleaved:
						other = float64(x[i-1])
					case k < turned/2:
						other = -float64(x[i+turned/2])
					default:
						other = float64(x[i-turned/2])
					}
					return float64(x[i])*float64(cosine[time*turned+k]) + other*float64(sine[time*turned+k])
				}), 3, 1)
			}
		})
	}
	add(unit+"quantize", ops+"quantize_kernel<float>", func(r *run) {
		for _, depth := range []int{1, 77, 1000} {
			for _, rounded := range []byte{0, 1} {
				const rows = 3
				x := r.floats(rows*depth, -3, 3)
				clear(x[:depth]) // a row of zeros
				block := 32
				for block < min(depth/2, 1024) {
					block *= 2
				}
				scales, dst := fresh[float32](r, rows), fresh[int8](r, len(x))
				launch(r, dim(rows), dim(block), 4*block, with5(on(r, x), uint32(depth), scales, dst, rounded))
				want := each(rows, func(row int) float32 {
					most := float32(0)
					for _, v := range x[row*depth : row*depth+depth] {
						most = max(most, float32(math.Abs(float64(v))))
					}
					if most == 0 {
						return 1
					}
					return 127 / most
				})
				equal(r, "scales", from(r, scales), want)
				equal(r, "output", from(r, dst), each(len(x), func(i int) int8 {
					v := x[i] * want[i/depth]
					if rounded == 1 {
						return int8(math.RoundToEven(float64(v)))
					}
					return int8(v)
				}))
			}
		}
	})
	add(unit+"conv1d", ops+"im2col_transposed_kernel<float>", func(r *run) {
		const batch, channels, groups, length, size, stride, padding, dilation = 2, 6, 2, 23, 3, 2, 3, 2
		const outputs = (length+2*padding-dilation*(size-1)-1)/stride + 1
		const k = channels / groups * size
		x := r.floats(batch*channels*length, -1, 1)
		dst := fresh[float32](r, batch*groups*outputs*k)
		type parameters struct {
			Input, Output                                                                                          cuda.Slice[float32]
			Batch, Channels, Length, Size, Stride, Padding, Dilation, Groups, Outputs, K, BatchStride, GroupStride int32
		}
		launch(r, dim(over(k, 32), outputs, batch*groups), dim(32), 0, parameters{on(r, x), dst, batch, channels, length, size, stride, padding, dilation, groups, outputs, k, channels * length, channels / groups * length})
		equal(r, "columns", from(r, dst), each(batch*groups*outputs*k, func(i int) float32 {
			group, t, channel, offset := i/k/outputs, i/k%outputs, i%k/size, i%size
			at := t*stride - padding + dilation*offset
			if at < 0 || at >= length {
				return 0
			}
			return x[(group*channels/groups+channel)*length+at]
		}))
	})

	// norms are what layer norm gives for elements of a group, with their gamma and beta.
	norm := func(x []float32, at func(k int) int, n, i int, gamma, beta float64) float64 {
		sum, squares := 0.0, 0.0
		for k := range n {
			v := float64(x[at(k)])
			sum += v
			squares += v * v
		}
		mean := sum / float64(n)
		return (float64(x[i])-mean)/math.Sqrt(squares/float64(n)-mean*mean+float64(float32(1e-5)))*gamma + beta
	}
	add(unit+"layer_norm", "at::native::LayerNormForwardCUDAKernel<float, unsigned int>", func(r *run) {
		for _, n := range []int{2, 100, 1300} {
			const rows = 3
			x, gamma, beta := r.floats(rows*n, -2, 2), r.floats(n, -1, 1), r.floats(n, -1, 1)
			dst := fresh[float32](r, len(x))
			launch(r, dim(rows), dim(512), 0, with6(uint32(n), float32(1e-5), on(r, x), on(r, gamma), on(r, beta), dst))
			near(r, "Y", from(r, dst), each(len(x), func(i int) float64 {
				return norm(x, func(k int) int { return i/n*n + k }, n, i, float64(gamma[i%n]), float64(beta[i%n]))
			}), 400, 2)
			launch(r, dim(rows), dim(512), 0, with6(uint32(n), float32(1e-5), on(r, x), none[float32](), none[float32](), dst))
			near(r, "Y", from(r, dst), each(len(x), func(i int) float64 {
				return norm(x, func(k int) int { return i/n*n + k }, n, i, 1, 0)
			}), 400, 2)
		}
	})
	add(unit+"layer_norm", "at::native::LayerNormAxisForwardCUDAKernel<float, unsigned int>", func(r *run) {
		for _, n := range []int{2, 100} {
			const outer, inner = 2, 3
			x, gamma, beta := r.floats(outer*n*inner, -2, 2), r.floats(inner, -1, 1), r.floats(inner, -1, 1)
			dst := fresh[float32](r, len(x))
			launch(r, dim(outer*inner), dim(512), 0, with7(uint32(n), uint32(inner), float32(1e-5), on(r, x), on(r, gamma), on(r, beta), dst))
			near(r, "Y", from(r, dst), each(len(x), func(i int) float64 {
				return norm(x, func(k int) int { return (i/(n*inner)*n+k)*inner + i%inner }, n, i, float64(gamma[i%inner]), float64(beta[i%inner]))
			}), 400, 2)
		}
	})
	for _, log := range []bool{false, true} {
		epilogue := "SoftMaxForwardEpilogue"
		if log {
			epilogue = "Log" + epilogue
		}
		add(unit+"softmax", "at::native::cunn_SoftMaxForward<float, float, float, unsigned int, int, at::native::"+epilogue+">", func(r *run) {
			for _, n := range []int{1, 77, 1000} {
				const rows = 3
				x := r.floats(rows*n, -5, 5)
				lengths := []int32{int32(n), int32((n + 1) / 2), 1}
				block := 32
				for block < min(n/2, 1024) {
					block *= 2
				}
				dst := fresh[float32](r, len(x))
				launch(r, dim(rows), dim(block), 4*block, with4(dst, on(r, x), uint32(n), on(r, lengths)))
				near(r, "output", from(r, dst), each(len(x), func(i int) float64 {
					row, size := x[i/n*n:i/n*n+n], int(lengths[i/n])
					if i%n >= size {
						return 0
					}
					most, sum := float64(slices.Max(row[:size])), 0.0
					for _, v := range row[:size] {
						sum += math.Exp(float64(v) - most)
					}
					if log {
						return float64(x[i]) - most - math.Log(sum)
					}
					return math.Exp(float64(x[i])-most) / sum
				}), 60, map[bool]float64{false: 0.1, true: 10}[log])
			}
		})
	}

	for _, items := range []int{1, 4} {
		add(unit+"topp_mask", fmt.Sprintf("%stopp_mask_kernel<float, %d>", ops, items), func(r *run) {
			const rows = 2
			for _, n := range []int{3, 255 * items} {
				x := r.floats(rows*n, -1, 1)
				probabilities := each(rows*n, func(int) float32 { return float32(r.rand.IntN(64)) / 8192 }) // exact sums, many ties
				dst := fresh[float32](r, len(x))
				launch(r, dim(rows), dim(256), 0, with6(on(r, x), on(r, probabilities), dst, float32(0.25), float32(-7), uint32(n)))
				want := make([]float32, len(x))
				for row := range rows {
					order := each(n, func(i int) int { return row*n + i })
					slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(probabilities[j], probabilities[i]) })
					sum := float32(0)
					for _, i := range order {
						want[i] = -7
						if sum < 0.25 {
							want[i] = x[i]
						}
						sum += probabilities[i]
					}
				}
				equal(r, "output", from(r, dst), want)
			}
		})
	}
	add(unit+"multinomial", ops+"multinomial_kernel<float, int>", func(r *run) {
		// The state of CURAND's generator: the counter, its next four numbers, and how many are used.
		type state struct {
			Counter, Output [4]uint32
			Key             [2]uint32
			Used            uint32
			_               [5]uint32
		}
		const rows = 5
		for _, n := range []int{1, 100, 700} {
			states := each(rows, func(i int) state { return state{Output: [4]uint32(r.words(4)), Used: uint32(i % 3)} })
			x := make([]float32, rows*n)
			for row := range rows { // whole parts of 2^16, so that sums are exact
				left := 1 << 16
				for i := range n {
					part := min(left, r.rand.IntN(1<<17/n))
					if i == n-1 {
						part = left
					}
					left -= part
					x[row*n+i] = float32(part) / (1 << 16)
				}
			}
			dst, generators := fresh[int32](r, rows), on(r, states)
			launch(r, dim(rows), dim(256), 0, with4(on(r, x), uint32(n), dst, generators))
			equal(r, "samples", from(r, dst), each(rows, func(row int) int32 {
				sample := fma(float32(states[row].Output[states[row].Used]), 0x1p-32, 0x1p-33)
				sum := float32(0)
				for i, v := range x[row*n : row*n+n-1] {
					if sum += v; sum >= sample {
						return int32(i)
					}
				}
				return int32(n - 1)
			}))
			for i, s := range from(r, generators) {
				if s.Used != states[i].Used+1 {
					r.t.Fatalf("state %d: %d numbers are used, want %d", i, s.Used, states[i].Used+1)
				}
			}
		}
	})
	add(unit+"awq_dequantize", ops+"dequantize_weights", func(r *run) {
		const rows, words, group = 64, 16, 32 // words of 8 weights
		weights, zeroes := r.words(rows*words), r.words(rows/group*words)
		scales := each(rows/group*words*8, func(int) vec.Float16 { return vec.NewFloat16(r.rand.Float32()) })
		dst := fresh[vec.Float16](r, rows*words*8)
		launch(r, dim(words/8, rows/8), dim(8, 8), 0, with7(on(r, weights), on(r, scales), on(r, zeroes), dst, int32(group), int32(rows), int32(words*8)))
		equal(r, "C", from(r, dst), each(rows*words*8, func(i int) vec.Float16 {
			row, word, k := i/8/words, i/8%words, i%8
			shift := 4 * [8]int{0, 4, 1, 5, 2, 6, 3, 7}[k] // the order of the packed weights
			part := func(x uint32) float32 { return float32(x >> shift & 15) }
			at := row/group*words + word
			return vec.NewFloat16((part(weights[row*words+word]) - part(zeroes[at])) * scales[at*8+k].Float32())
		}))
	})
}
