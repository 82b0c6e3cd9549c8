package public_test

import (
	"math"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// softmax is the softmax of x.
func softmax(x []float64) []float64 {
	most, sum := math.Inf(-1), 0.0
	for _, v := range x {
		most = max(most, v)
	}
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Exp(v - most)
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

// layerNorm returns the normalised x, its mean and the reciprocal of its standard deviation.
func layerNorm(x []float64) (y []float64, mean, rstd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	variance := 0.0
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	rstd = 1 / math.Sqrt(variance+1e-5)
	return each(len(x), func(i int) float64 { return (x[i] - mean) * rstd }), mean, rstd
}

// spread returns n numbers whose variance is not small: some kernels compute it as a difference.
func (r *run) spread(n int) []float32 {
	x := r.floats(n, 0.5, 1)
	for i := 1; i < n; i += 2 {
		x[i] = -x[i]
	}
	return x
}

func gelu(x float64) float64 {
	return 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
}

// toBF rounds x.
func toBF(x []float32) []vec.BFloat16 {
	return each(len(x), func(i int) vec.BFloat16 { return vec.NewBFloat16(x[i]) })
}

func fromBF(x []vec.BFloat16) []float32 {
	return each(len(x), func(i int) float32 { return x[i].Float32() })
}

// bf is one rounding to bfloat16, in roundings of float32.
const bf = 1 << 16

// qkv is attention's input: queries, keys and values of each head, B × T × 3 × heads × size.
type qkv struct {
	b, t, heads, size int
	x                 []float32
}

func (a qkv) at(b, t, which, head, i int) float64 {
	return float64(a.x[(((b*a.t+t)*3+which)*a.heads+head)*a.size+i])
}

var attentions = []qkv{{b: 1, t: 1, heads: 1, size: 3}, {b: 2, t: 9, heads: 3, size: 5}, {b: 1, t: 33, heads: 2, size: 16}}

// scores returns the scores of query t: its products with the keys up to it, scaled.
func (a qkv) scores(b, t, head int) []float64 {
	return each(t+1, func(key int) float64 {
		sum := 0.0
		for i := range a.size {
			sum += a.at(b, t, 0, head, i) * a.at(b, key, 1, head, i)
		}
		return sum / math.Sqrt(float64(a.size))
	})
}

// shape calls f for all numbers below the limits, the last one fastest.
func shape(f func(at []int), limits ...int) {
	at := make([]int, len(limits))
	for {
		f(at)
		d := len(limits) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < limits[d] {
				break
			}
			at[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

func init() {
	softmaxes := func(name string, lengths []int, cfg func(n, c int) (grid, block, shared int), has ...races) {
		addWith(append(has, 0)[0], "llm.c/softmax_forward", name, func(r *run) {
			for _, c := range lengths {
				for _, n := range []int{1, 7, 66} {
					x := r.floats(n*c, -8, 8)
					out := fresh[float32](r, n*c)
					grid, block, shared := cfg(n, c)
					launch(r, dim(grid), dim(block), shared, with4(out, on(r, x), int32(n), int32(c)))
					var want []float64
					for i := range n {
						want = append(want, softmax(wide(x[i*c:(i+1)*c]))...)
					}
					near(r, "out", from(r, out), want, c+20, 1.0/16)
				}
			}
		})
	}
	odd := []int{1, 33, 257}
	long := []int{128, 129, 300}
	// A barrier is missing between reading the greatest value and writing the sums, so that only
	// a block of one warp is right.
	const barrier = sharedRaces
	// Threads that have nothing left to do read the last column, which another one writes.
	const unused = globalRaces
	softmaxes("softmax_forward_kernel1", odd, func(n, c int) (int, int, int) { return over(n, 64), 64, 0 })
	softmaxes("softmax_forward_kernel2", odd, func(n, c int) (int, int, int) { return n, 128, 128 * 4 })
	softmaxes("softmax_forward_kernel3", odd, func(n, c int) (int, int, int) { return n, 32, 32 * 4 })
	softmaxes("softmax_forward_kernel4", odd, func(n, c int) (int, int, int) { return n, 32, 4 }, barrier)
	softmaxes("softmax_forward_online_kernel1", odd, func(n, c int) (int, int, int) { return over(n, 64), 64, 0 })
	softmaxes("softmax_forward_online_kernel2", long, func(n, c int) (int, int, int) { return over(n*32, 128), 128, 0 })
	softmaxes("softmax_forward_kernel7", long, func(n, c int) (int, int, int) { return n, 128, 2 * 4 * 4 }, unused)
	softmaxes("softmax_forward_online_kernel8", long, func(n, c int) (int, int, int) { return over(n*32, 128), 128, 0 })

	norms := func(name string, widths []int, cfg func(n, c int) (grid int, block cuda.Dim3, shared int)) {
		add("llm.c/layernorm_forward", name, func(r *run) {
			for _, c := range widths {
				for _, n := range []int{1, 7, 66} {
					x, weight, bias := r.spread(n*c), r.floats(c, -1, 1), r.floats(c, -1, 1)
					out, mean, rstd := fresh[float32](r, n*c), fresh[float32](r, n), fresh[float32](r, n)
					grid, block, shared := cfg(n, c)
					launch(r, dim(grid), block, shared, with8(out, mean, rstd, on(r, x), on(r, weight), on(r, bias), int32(n), int32(c)))
					wants := make([][]float64, 3)
					for i := range n {
						y, m, s := layerNorm(wide(x[i*c : (i+1)*c]))
						for j := range y {
							wants[0] = append(wants[0], y[j]*float64(weight[j])+float64(bias[j]))
						}
						wants[1], wants[2] = append(wants[1], m), append(wants[2], s)
					}
					near(r, "mean", from(r, mean), wants[1], c+4, 1)
					near(r, "rstd", from(r, rstd), wants[2], 2*c+10, 2)
					near(r, "out", from(r, out), wants[0], 4*c+20, 4)
				}
			}
		})
	}
	norms("layernorm_forward_kernel1", []int{3, 65, 300}, func(n, c int) (int, cuda.Dim3, int) { return over(n, 64), dim(64), 0 })
	norms("layernorm_forward_kernel3", []int{3, 65, 300}, func(n, c int) (int, cuda.Dim3, int) { return over(n*32, 128), dim(128), 0 })
	norms("layernorm_forward_kernel4", []int{3, 65, 300}, func(n, c int) (int, cuda.Dim3, int) { return over(n*32, 128), dim(128), 0 })
	norms("layernorm_forward_kernel5", []int{3, 65, 300}, func(n, c int) (int, cuda.Dim3, int) { return n, dim(128), 0 })
	norms("layernorm_forward_kernel6", []int{4, 68, 300}, func(n, c int) (int, cuda.Dim3, int) { return over(n, 4), dim(32, 4), (2 + 4) * c * 4 })

	elementwise := func(unit, name string, packed int, bound int, scale float64, f func(x, y float64) float64, both bool) {
		add("llm.c/"+unit, name, func(r *run) {
			for _, n := range []int{8, 248, 1000, 4104} {
				x, y := toBF(r.floats(n, -4, 4)), toBF(r.floats(n, -1, 1))
				out := fresh[vec.BFloat16](r, n)
				grid, block := dim(over(n, 128*packed)), dim(128)
				if both {
					launch(r, grid, block, 0, with4(out, on(r, x), on(r, y), int32(n)))
				} else {
					launch(r, grid, block, 0, with3(out, on(r, x), int32(n)))
				}
				near(r, "out", fromBF(from(r, out)), each(n, func(i int) float64 {
					return f(float64(x[i].Float32()), float64(y[i].Float32()))
				}), bound, scale)
			}
		})
	}
	for i, name := range []string{"gelu_forward_kernel1", "gelu_forward_kernel2"} {
		elementwise("gelu_forward", name, []int{1, 8}[i], bf+40, 1.0/64, func(x, _ float64) float64 { return gelu(x) }, false)
	}
	for i, name := range []string{"gelu_backward1", "gelu_backward2"} {
		elementwise("gelu_backward", name, []int{1, 8}[i], bf+100, 1.0/16, func(x, y float64) float64 {
			const h = 1e-5
			return y * (gelu(x+h) - gelu(x-h)) / (2 * h)
		}, true)
	}
	for i, name := range []string{"residual_forward_kernel1", "residual_forward_kernel2"} {
		elementwise("residual_forward", name, []int{1, 8}[i], bf+2, 1.0/64, func(x, y float64) float64 { return x + y }, true)
	}

	type tokens struct{ b, t, c int }
	embeddings := []tokens{{1, 1, 8}, {2, 5, 24}, {3, 17, 40}}
	for i, name := range []string{"encoder_forward_kernel1", "encoder_forward_kernel2", "encoder_forward_kernel3"} {
		add("llm.c/encoder_forward", name, func(r *run) {
			for _, s := range embeddings {
				n := s.b * s.t * s.c
				ids, wte, wpe := r.ints(s.b*s.t, 11), toBF(r.floats(11*s.c, -1, 1)), toBF(r.floats(s.t*s.c, -1, 1))
				out := fresh[vec.BFloat16](r, n)
				threads := []int{s.b * s.t, n, n / 8}[i]
				launch(r, dim(over(threads, 64)), dim(64), 0, with7(out, on(r, ids), on(r, wte), on(r, wpe), int32(s.b), int32(s.t), int32(s.c)))
				equal(r, "out", from(r, out), each(n, func(i int) vec.BFloat16 {
					bt, c := i/s.c, i%s.c
					return vec.NewBFloat16(wte[int(ids[bt])*s.c+c].Float32() + wpe[bt%s.t*s.c+c].Float32())
				}))
			}
		})
	}
	for i, name := range []string{"encoder_backward_kernel1", "encoder_backward_kernel2"} {
		add("llm.c/encoder_backward", name, func(r *run) {
			for _, s := range embeddings {
				n := s.b * s.t * s.c
				ids, dout := r.ints(s.b*s.t, 11), r.wholes(n, 50)
				dwte, dwpe := zeros[float32](r, 11*s.c), zeros[float32](r, s.t*s.c)
				launch(r, dim(over([]int{n, s.c}[i], 64)), dim(64), 0, with7(dwte, dwpe, on(r, dout), on(r, ids), int32(s.b), int32(s.t), int32(s.c)))
				wte, wpe := make([]float32, 11*s.c), make([]float32, s.t*s.c)
				for i, d := range dout {
					bt, c := i/s.c, i%s.c
					wte[int(ids[bt])*s.c+c] += d
					wpe[bt%s.t*s.c+c] += d
				}
				equal(r, "dwte", from(r, dwte), wte)
				equal(r, "dwpe", from(r, dwpe), wpe)
			}
		})
	}

	for _, name := range []string{"adamw_kernel1", "adamw_kernel2"} {
		add("llm.c/adamw", name, func(r *run) {
			for _, n := range []int{1, 255, 1000} {
				params, grads, ms, vs := r.floats(n, -1, 1), r.floats(n, -1, 1), r.floats(n, -1, 1), r.floats(n, 0.01, 1)
				p, m, v := on(r, params), on(r, ms), on(r, vs)
				const rate, beta1, beta2, c1, c2, eps, decay = 0.5, 0.75, 0.875, 0.5, 0.25, 0.0625, 0.125
				launch(r, dim(over(n, 128)), dim(128), 0, with12(p, on(r, grads), m, v, int64(n),
					float32(rate), float32(beta1), float32(beta2), float32(c1), float32(c2), float32(eps), float32(decay)))
				m1 := func(i int) float64 { return beta1*float64(ms[i]) + (1-beta1)*float64(grads[i]) }
				v1 := func(i int) float64 { return beta2*float64(vs[i]) + (1-beta2)*float64(grads[i])*float64(grads[i]) }
				near(r, "m", from(r, m), each(n, m1), 4, 1)
				near(r, "v", from(r, v), each(n, v1), 5, 1)
				near(r, "params", from(r, p), each(n, func(i int) float64 {
					return float64(params[i]) - rate*(m1(i)/c1/(math.Sqrt(v1(i)/c2)+eps)+decay*float64(params[i]))
				}), 200, 8) // small square roots magnify the error of v
			}
		})
	}

	add("llm.c/crossentropy_forward", "crossentropy_forward_kernel1", func(r *run) {
		for _, s := range embeddings {
			n := s.b * s.t
			probs, targets := r.floats(n*s.c, 0.001, 1), r.ints(n, s.c)
			losses := fresh[float32](r, n)
			launch(r, dim(over(n, 32)), dim(32), 0, with6(losses, on(r, probs), on(r, targets), int32(s.b), int32(s.t), int32(s.c)))
			near(r, "losses", from(r, losses), each(n, func(i int) float64 { return -math.Log(float64(probs[i*s.c+int(targets[i])])) }), 4, 1)
		}
	})
	add("llm.c/crossentropy_softmax_backward", "crossentropy_softmax_backward_kernel1", func(r *run) {
		for _, s := range embeddings {
			n := s.b * s.t
			d, probs, dloss, targets := r.floats(n*s.c, -1, 1), r.floats(n*s.c, 0, 1), r.floats(n, -1, 1), r.ints(n, s.c)
			dlogits := on(r, d)
			launch(r, dim(over(n*s.c, 64)), dim(64), 0, with7(dlogits, on(r, dloss), on(r, probs), on(r, targets), int32(s.b), int32(s.t), int32(s.c)))
			near(r, "dlogits", from(r, dlogits), each(n*s.c, func(i int) float64 {
				p := float64(probs[i])
				if i%s.c == int(targets[i/s.c]) {
					p--
				}
				return float64(d[i]) + p*float64(dloss[i/s.c])
			}), 4, 1)
		}
	})

	const attention = "llm.c/attention_forward"
	add(attention, "attention_query_key_kernel1", func(r *run) {
		for _, a := range attentions {
			a.x = r.floats(a.b*a.t*3*a.heads*a.size, -1, 1)
			n := a.b * a.heads * a.t * a.t
			out := fresh[float32](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with6(out, on(r, a.x), int32(a.b), int32(a.t), int32(a.heads*a.size), int32(a.heads)))
			got := from(r, out)
			want := make([]float64, 0, n)
			shape(func(at []int) {
				b, head, t := at[0], at[1], at[2]
				want = append(want, a.scores(b, t, head)...)
				for key := t + 1; key < a.t; key++ {
					if i := len(want); got[i] == float32(math.Inf(-1)) {
						got[i] = 0
					}
					want = append(want, 0)
				}
			}, a.b, a.heads, a.t)
			near(r, "preatt", got, want, a.size+6, float64(a.size))
		}
	})
	add(attention, "attention_softmax_kernel1", func(r *run) {
		for _, a := range attentions {
			n := a.b * a.heads * a.t * a.t
			x := r.floats(n, -5, 5)
			out := fresh[float32](r, n)
			launch(r, dim(over(a.b*a.heads*a.t, 64)), dim(64), 0, with5(out, on(r, x), int32(a.b), int32(a.t), int32(a.heads)))
			var want []float64
			for row := range n / a.t {
				t := row % a.t
				want = append(want, softmax(wide(x[row*a.t:row*a.t+t+1]))...)
				want = append(want, make([]float64, a.t-t-1)...)
			}
			near(r, "att", from(r, out), want, a.t+16, 1.0/16)
		}
	})
	add(attention, "attention_value_kernel1", func(r *run) {
		for _, a := range attentions {
			a.x = r.floats(a.b*a.t*3*a.heads*a.size, -1, 1)
			att := r.floats(a.b*a.heads*a.t*a.t, 0, 1)
			n := a.b * a.t * a.heads * a.size
			out := fresh[float32](r, n)
			launch(r, dim(over(a.b*a.heads*a.t, 64)), dim(64), 0, with7(out, on(r, att), on(r, a.x), int32(a.b), int32(a.t), int32(a.heads*a.size), int32(a.heads)))
			var want []float64
			shape(func(at []int) {
				b, t, head, i := at[0], at[1], at[2], at[3]
				sum := 0.0
				for key := range t + 1 {
					sum += float64(att[((b*a.heads+head)*a.t+t)*a.t+key]) * a.at(b, key, 2, head, i)
				}
				want = append(want, sum)
			}, a.b, a.t, a.heads, a.size)
			near(r, "out", from(r, out), want, a.t+1, float64(a.t))
		}
	})
	add(attention, "permute_kernel", func(r *run) {
		for _, a := range attentions {
			a.x = r.floats(a.b*a.t*3*a.heads*a.size, -1, 1)
			n := a.b * a.heads * a.t * a.size
			var out [3]slice
			for i := range out {
				out[i] = fresh[float32](r, n)
			}
			launch(r, dim(over(n, 64)), dim(64), 0, with8(out[0], out[1], out[2], on(r, a.x), int32(a.b), int32(a.t), int32(a.heads), int32(a.size)))
			for which := range out {
				var want []float32
				shape(func(at []int) { want = append(want, float32(a.at(at[0], at[2], which, at[1], at[3]))) }, a.b, a.heads, a.t, a.size)
				equal(r, "qkv"[which:which+1], from(r, out[which]), want)
			}
		}
	})
	add(attention, "unpermute_kernel", func(r *run) {
		for _, a := range attentions {
			n := a.b * a.heads * a.t * a.size
			x, out := r.floats(n, -1, 1), fresh[float32](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with6(on(r, x), out, int32(a.b), int32(a.t), int32(a.heads), int32(a.size)))
			var want []float32
			shape(func(at []int) {
				want = append(want, x[((at[0]*a.heads+at[2])*a.t+at[1])*a.size+at[3]])
			}, a.b, a.t, a.heads, a.size)
			equal(r, "out", from(r, out), want)
		}
	})
	add(attention, "softmax_forward_kernel5", func(r *run) {
		for _, t := range []int{4, 36, 132} {
			const n, inverse = 3, 0.5
			x := r.floats(n*t*t, -5, 5)
			before := make([]float32, n*t*t)
			out := on(r, before)
			launch(r, dim(over(n*t*32, 128)), dim(128), 0, with5(out, float32(inverse), on(r, x), int32(n), int32(t)))
			want := make([]float64, n*t*t)
			for row := range n * t {
				part := x[row*t : row*t+row%t+1]
				copy(want[row*t:], softmax(each(len(part), func(i int) float64 { return inverse * float64(part[i]) })))
			}
			near(r, "out", from(r, out), want, t+30, 1.0/16)
		}
	})
	add(attention, "scale_kernel", func(r *run) {
		for _, a := range attentions {
			n := a.b * a.heads * a.t * a.t
			x := r.floats(n, -1, 1)
			out := on(r, x)
			launch(r, dim(over(n, 64)), dim(64), 0, with5(out, float32(0.3), int32(a.b), int32(a.heads), int32(a.t)))
			equal(r, "inp", from(r, out), each(n, func(i int) float32 {
				if i%a.t > i/a.t%a.t {
					return float32(math.Inf(-1))
				}
				return x[i] * 0.3
			}))
		}
	})

	add("llm.c/permute", "permute_kernel", func(r *run) {
		for _, s := range [][4]int{{1, 1, 1, 1}, {2, 3, 5, 7}, {4, 9, 2, 11}} {
			n := s[0] * s[1] * s[2] * s[3]
			x, out := r.floats(n, -1, 1), fresh[float32](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with6(on(r, x), out, int32(s[0]), int32(s[1]), int32(s[2]), int32(s[3])))
			var want []float32
			shape(func(at []int) {
				want = append(want, x[((at[2]*s[1]+at[3])*s[2]+at[1])*s[3]+at[0]])
			}, s[3], s[2], s[0], s[1])
			equal(r, "out", from(r, out), want)
		}
	})

	add("llm.c/matmul_forward", "matmul_forward_kernel1", func(r *run) {
		for _, s := range [][3]int{{1, 1, 1}, {17, 33, 9}, {40, 70, 50}} {
			n, c, m := s[0], s[1], s[2]
			x, w, bias := r.floats(n*c, -1, 1), r.floats(m*c, -1, 1), r.floats(m, -1, 1)
			out := fresh[float32](r, n*m)
			launch(r, dim(over(n, 16), over(m, 16)), dim(16, 16), 0, with7(out, on(r, x), on(r, w), on(r, bias), int32(n), int32(c), int32(m)))
			// The sums are made in order, each step rounded once.
			equal(r, "out", from(r, out), each(n*m, func(i int) float32 {
				sum := bias[i%m]
				for k := range c {
					sum = fma(x[i/m*c+k], w[i%m*c+k], sum)
				}
				return sum
			}))
		}
	})
	add("llm.c/matmul_forward", "matmul_forward_kernel4", func(r *run) {
		const n, c, m = 128, 64, 256
		x, w, bias := r.wholes(n*c, 20), r.wholes(m*c, 20), r.wholes(m, 20)
		out := fresh[float32](r, n*m)
		launch(r, dim(n/128, m/128), dim(16, 16), 0, with6(out, on(r, x), on(r, w), on(r, bias), int32(c), int32(m)))
		equal(r, "out", from(r, out), each(n*m, func(i int) float32 {
			sum := bias[i%m]
			for k := range c {
				sum += x[i/m*c+k] * w[i%m*c+k]
			}
			return sum
		}))
	})

	for i, name := range []string{"norm_kernel1<float>", "norm_kernel2<float>", "norm_kernel3<float>"} {
		add("llm.c/global_norm", name, func(r *run) {
			for _, n := range []int{1, 300, 5000} {
				x, out := r.wholes(n, 30), zeros[float32](r, 1)
				block := []int{128, 96, 128}[i]
				launch(r, dim(3), dim(block), 0, with3(out, on(r, x), uint64(n)))
				sum := float32(0)
				for _, v := range x {
					sum += v * v
				}
				equal(r, "out", from(r, out), []float32{sum})
			}
		})
	}

	for i, name := range []string{"matmul_backward_bias_kernel1", "matmul_backward_bias_kernel2", "matmul_backward_bias_kernel3"} {
		add("llm.c/matmul_backward_bias", name, func(r *run) {
			for _, s := range embeddings {
				n := s.b * s.t
				dout, bias := toBF(r.wholes(n*s.c, 3)), toBF(r.wholes(s.c, 3))
				dbias := on(r, bias)
				grid, shared := []int{s.c, over(s.c, 4), s.c}[i], []int{128 * 4, 0, 0}[i]
				launch(r, dim(grid), dim(128), shared, with5(dbias, on(r, dout), int32(s.b), int32(s.t), int32(s.c)))
				equal(r, "dbias", from(r, dbias), each(s.c, func(c int) vec.BFloat16 {
					sum := bias[c].Float32()
					for i := range n {
						sum += dout[i*s.c+c].Float32()
					}
					return vec.NewBFloat16(sum)
				}))
			}
		})
	}

	add("llm.c/classifier_fused", "fused_classifier_kernel2", func(r *run) {
		for _, v := range []int{65, 300} {
			const n = 5
			padded := over(v, 64) * 64
			logits, targets, dloss := r.floats(n*padded, -4, 4), r.ints(n, v), r.floats(n, 0, 1)
			dlogits, losses, probs := zeros[float32](r, n*padded), fresh[float32](r, n), zeros[float32](r, n*padded)
			launch(r, dim(n), dim(64), 0, with10(dlogits, losses, probs, on(r, logits), on(r, dloss), on(r, targets), int32(1), int32(n), int32(v), int32(padded)))
			want, gradients := make([]float64, n*padded), make([]float64, n*padded)
			var loss []float64
			for i := range n {
				p := softmax(wide(logits[i*padded : i*padded+v]))
				copy(want[i*padded:], p)
				loss = append(loss, -math.Log(p[targets[i]]))
				for j := range p {
					gradients[i*padded+j] = p[j] * float64(dloss[i])
				}
				gradients[i*padded+int(targets[i])] -= float64(dloss[i])
			}
			near(r, "probs", from(r, probs), want, v+20, 1.0/16)
			near(r, "losses", from(r, losses), loss, v+30, 4)
			near(r, "dlogits", from(r, dlogits), gradients, v+22, 1)
		}
	})
}
