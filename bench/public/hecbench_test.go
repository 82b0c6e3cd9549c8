package public_test

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// murmur3 is MurmurHash3_x64_128, by its description: blocks of 16 bytes, the rest, the end.
func murmur3(key []byte, seed uint32) (uint64, uint64) {
	const c1, c2 = 0x87c37b91114253d5, 0x4cf5ad432745937f
	h1, h2 := uint64(seed), uint64(seed)
	rest := key
	mix1 := func(k uint64) uint64 { return bits.RotateLeft64(k*c1, 31) * c2 }
	mix2 := func(k uint64) uint64 { return bits.RotateLeft64(k*c2, 33) * c1 }
	for ; len(rest) >= 16; rest = rest[16:] {
		h1 = bits.RotateLeft64(h1^mix1(binary.LittleEndian.Uint64(rest)), 27) + h2
		h1 = h1*5 + 0x52dce729
		h2 = bits.RotateLeft64(h2^mix2(binary.LittleEndian.Uint64(rest[8:])), 31) + h1
		h2 = h2*5 + 0x38495ab5
	}
	var tail [16]byte
	copy(tail[:], rest)
	h2 ^= mix2(binary.LittleEndian.Uint64(tail[8:]))
	h1 ^= mix1(binary.LittleEndian.Uint64(tail[:]))
	h1, h2 = h1^uint64(len(key)), h2^uint64(len(key))
	h1 += h2
	h2 += h1
	final := func(k uint64) uint64 {
		k = (k ^ k>>33) * 0xff51afd7ed558ccd
		k = (k ^ k>>33) * 0xc4ceb9fe1a85ec53
		return k ^ k>>33
	}
	h1, h2 = final(h1), final(h2)
	h1 += h2
	return h1, h2 + h1
}

func init() {
	const unit = "HeCBench/"
	add(unit+"murmurhash3", "MurmurHash3_x64_128_kernel", func(r *run) {
		for _, n := range []int{1, 300} {
			var keys []byte
			var starts, sizes []uint32
			var want []uint64
			for i := range n {
				key := r.bytes(i%50, 256)
				starts, sizes = append(starts, uint32(len(keys))), append(sizes, uint32(len(key)))
				keys = append(keys, key...)
				h1, h2 := murmur3(key, uint32(i))
				want = append(want, h1, h2)
			}
			dst := fresh[uint64](r, 2*n)
			launch(r, dim(over(n, 64)), dim(64), 0, with5(on(r, append(keys, 0)), on(r, starts), on(r, sizes), dst, uint32(n)))
			equal(r, "out", from(r, dst), want)
		}
	})
	for _, name := range []string{"pc1", "pc2", "pc3", "pc4", "pc6"} {
		add(unit+"popcount", name, func(r *run) {
			for _, n := range lengths {
				x := each(n, func(i int) uint64 { return r.rand.Uint64() >> (i % 64) })
				dst := fresh[int32](r, n)
				launch(r, dim(over(n, 64)), dim(64), 0, with3(on(r, x), dst, int32(n)))
				equal(r, "r", from(r, dst), each(n, func(i int) int32 { return int32(bits.OnesCount64(x[i])) }))
			}
		})
	}
	add(unit+"bitonic-sort", "bitonic_sort", func(r *run) {
		const log = 9
		x := r.ints(1<<log, 1000)
		data := on(r, x)
		for step := range log {
			for stage := step; stage >= 0; stage-- {
				launch(r, dim(2), dim(256), 0, with3(int32(2<<stage), int32(1<<(step-stage)), data))
			}
		}
		want := slices.Clone(x)
		slices.Sort(want)
		equal(r, "a", from(r, data), want)
	})
	for _, name := range []string{"kernel_BS<float>", "kernel_BS2<float>", "kernel_BS3<float>", "kernel_BS4<float>"} {
		add(unit+"bsearch", name, func(r *run) {
			for _, n := range []int{2, 100, 1025} {
				a := each(n+1, func(i int) float32 { return float32(i) * 1.25 })
				z := r.floats(256, 0, float32(n-1)*1.25)
				dst := fresh[uint64](r, len(z))
				launch(r, dim(2), dim(128), 0, with5(on(r, a), on(r, z), dst, uint64(len(z)), uint64(n)))
				equal(r, "r", from(r, dst), each(len(z), func(i int) uint64 {
					return uint64(sort.Search(n, func(j int) bool { return a[j] > z[i] }) - 1)
				}))
			}
		})
	}
	add(unit+"floydwarshall", "floydWarshallPass", func(r *run) {
		const n = 32
		d := each(n*n, func(i int) uint32 {
			if i/n == i%n {
				return 0
			}
			return r.rand.Uint32N(200)
		})
		way := each(n*n, func(i int) uint32 { return uint32(i / n) })
		distance, path := on(r, d), on(r, way)
		for k := range n {
			launch(r, dim(n/16, n/16), dim(16, 16), 0, with4(distance, path, uint32(n), uint32(k)))
			for i := range d {
				if through := d[i/n*n+k] + d[k*n+i%n]; through < d[i] {
					d[i], way[i] = through, uint32(k)
				}
			}
		}
		equal(r, "distance", from(r, distance), d)
		equal(r, "path", from(r, path), way)
	})
	add(unit+"atomicAggregate", "k", func(r *run) {
		for _, s := range []int{1, 3, 40} {
			counts := zeros[int32](r, s)
			launch(r, dim(3), dim(128), 0, with2(counts, int32(s)))
			want := make([]int32, s)
			for i := range 128 {
				want[i%s] += 3
			}
			equal(r, "d", from(r, counts), want)
		}
	})
	add(unit+"haversine", "compute_haversine_distance", func(r *run) {
		for _, n := range []int{1, 500} {
			p := each(n, func(int) vec.Double4 {
				return vec.Double4{X: r.rand.Float64()*180 - 90, Y: r.rand.Float64()*360 - 180, Z: r.rand.Float64()*180 - 90, W: r.rand.Float64()*360 - 180}
			})
			dst := fresh[float64](r, n)
			launch(r, dim(over(n, 64)), dim(64), 0, with3(on(r, p), dst, int32(n)))
			for i, got := range from(r, dst) {
				const radians = math.Pi / 180
				square := func(x float64) float64 { return x * x }
				h := square(math.Sin((p[i].Z-p[i].X)*radians/2)) + math.Cos(p[i].X*radians)*math.Cos(p[i].Z*radians)*square(math.Sin((p[i].W-p[i].Y)*radians/2))
				// Near the antipode the arcsine magnifies what was rounded before it.
				want, bound := 2*6371*math.Asin(math.Sqrt(h)), 2*6371*1e-14/math.Sqrt(1-min(h, 1-1e-12))
				if math.Abs(got-want) > bound {
					r.t.Fatalf("distance[%d]: %v, want %v ± %.3g", i, got, want, bound)
				}
			}
		}
	})
	add(unit+"keogh", "lb_keogh", func(r *run) {
		const m, n = 33, 700
		x, avg, std := r.floats(n, -1, 1), r.floats(n-m+1, -0.5, 0.5), r.floats(n-m+1, 0.5, 1)
		low, high := r.floats(m, -1, 0), r.floats(m, 0, 1)
		dst := fresh[float32](r, n-m+1)
		launch(r, dim(over(n-m+1, 64)), dim(64), (64+m)*4, with8(on(r, x), on(r, avg), on(r, std), dst, on(r, low), on(r, high), int32(m), int32(n)))
		near(r, "lb", from(r, dst), each(n-m+1, func(i int) float64 {
			sum := 0.0
			for j := range m {
				v := (float64(x[i+j]) - float64(avg[i])) / float64(std[i])
				sum += math.Pow(max(0, v-float64(high[j])), 2) + math.Pow(min(0, v-float64(low[j])), 2)
			}
			return sum
		}), m+12, 9*m)
	})
	add(unit+"entropy", "entropy_opt<16, 16>", func(r *run) {
		for _, s := range [][2]int{{16, 16}, {37, 21}} {
			width, height := s[0], s[1]
			x := r.bytes(width*height, 16)
			table := each(26, func(i int) float32 {
				if i < 2 {
					return 0
				}
				return float32(float64(i) * math.Log2(float64(i)))
			})
			dst := fresh[float32](r, len(x))
			launch(r, dim(over(width, 16), over(height, 16)), dim(16, 16), 0, with5(dst, on(r, x), on(r, table), int32(height), int32(width)))
			near(r, "entropy", from(r, dst), each(len(x), func(i int) float64 {
				var count [16]float64
				total := 0.0
				for dy := -2; dy <= 2; dy++ {
					for dx := -2; dx <= 2; dx++ {
						if px, py := i%width+dx, i/width+dy; px >= 0 && px < width && py >= 0 && py < height {
							count[x[py*width+px]]++
							total++
						}
					}
				}
				entropy := 0.0
				for _, c := range count {
					if c > 0 {
						entropy -= c / total * math.Log2(c/total)
					}
				}
				return entropy
			}), 30, 5)
		}
	})
	add(unit+"heat2d", "dev_lapl_iter", func(r *run) {
		const width, height = 48, 8
		x := r.floats(width*height, -1, 1)
		dst := fresh[float32](r, len(x))
		launch(r, dim(len(x)/64), dim(64), 0, with6(dst, on(r, x), float32(0.125), float32(0.5), int32(width), int32(height)))
		near(r, "out", from(r, dst), each(len(x), func(i int) float64 {
			at := func(column, line int) float64 { return float64(x[(line+height)%height*width+(column+width)%width]) }
			c, l := i%width, i/width
			return 0.5*at(c, l) + 0.125*(at(c+1, l)+at(c-1, l)+at(c, l+1)+at(c, l-1))
		}), 6, 1)
	})
	add(unit+"thomas", "cuThomasBatch", func(r *run) {
		const m, batch = 33, 70
		lower, diagonal, upper, right := make([]float64, m*batch), make([]float64, m*batch), make([]float64, m*batch), make([]float64, m*batch)
		for i := range lower {
			lower[i], upper[i], right[i] = r.rand.Float64()-0.5, r.rand.Float64()-0.5, r.rand.Float64()-0.5
			diagonal[i] = 2 + r.rand.Float64()
		}
		u, x := on(r, upper), on(r, right)
		launch(r, dim(over(batch, 32)), dim(32), 0, with6(on(r, lower), on(r, diagonal), u, x, int32(m), int32(batch)))
		// The solution solves the system: diagonally dominant, so that small residues are small errors.
		solution := from(r, x)
		for i := range solution {
			sum := diagonal[i] * solution[i]
			if i >= batch {
				sum += lower[i] * solution[i-batch]
			}
			if i < (m-1)*batch {
				sum += upper[i] * solution[i+batch]
			}
			if math.Abs(sum-right[i]) > 1e-14 {
				r.t.Fatalf("equation %d: %v, want %v", i, sum, right[i])
			}
		}
	})
	add(unit+"matrix-rotate", "rotate_matrix_parallel", func(r *run) {
		for _, n := range []int{1, 2, 31, 64} {
			x := r.floats(n*n, -1, 1)
			data := on(r, x)
			launch(r, dim(over(n, 64)), dim(32), 0, with2(data, int32(n)))
			equal(r, "matrix", from(r, data), each(n*n, func(i int) float32 { return x[(n-1-i%n)*n+i/n] }))
		}
	})
	add(unit+"channelShuffle", "ChannelShuffleNCHWKernel<float, false>", func(r *run) {
		const n, groups, each4, size = 2, 3, 4, 300
		x := r.floats(n*groups*each4*size, -1, 1)
		dst := fresh[float32](r, len(x))
		launch(r, dim(2, n, groups*each4), dim(256), 0, with5(int32(groups), int32(each4), int32(size), on(r, x), dst))
		equal(r, "Y", from(r, dst), each(len(x), func(i int) float32 {
			image, channel := i/(groups*each4*size), i/size%(groups*each4)
			return x[(image*groups*each4+channel%groups*each4+channel/groups)*size+i%size]
		}))
	})
	add(unit+"channelShuffle", "ChannelShuffleNHWCKernel<float, 128>", func(r *run) {
		const n, groups, each8 = 20, 11, 8
		x := r.floats(n*groups*each8, -1, 1)
		dst := fresh[float32](r, len(x))
		launch(r, dim(n), dim(64), 0, with4(int32(groups), int32(each8), on(r, x), dst))
		equal(r, "Y", from(r, dst), each(len(x), func(i int) float32 {
			c := i % (groups * each8)
			return x[i-c+c%groups*each8+c/groups]
		}))
	})
	add(unit+"dense-embedding", "dense_esuhm<float>", func(r *run) {
		const dimension = 50
		offsets := []int32{0, 100, 100, 377, 400}
		x, dense := r.floats(400, -1, 1), r.floats(4*dimension, -1, 1)
		dst := fresh[float32](r, 400)
		launch(r, dim(4), dim(32), 0, with5(on(r, x), on(r, dense), dst, int32(dimension), on(r, offsets)))
		equal(r, "output", from(r, dst), each(400, func(i int) float32 {
			b := sort.Search(3, func(b int) bool { return int(offsets[b+1]) > i })
			return x[i] + dense[b*dimension+(i-int(offsets[b]))%dimension]
		}))
	})
	add(unit+"pathfinder", "pathfinder", func(r *run) {
		// One block of 250 columns makes as many steps as its borders allow.
		const block, steps, columns = 250, 5, 480
		walls, start := r.ints((steps+1)*columns, 10), r.ints(columns, 10)
		dst, buffer := zeros[int32](r, columns), zeros[int32](r, 16384)
		inner := block - 2*steps
		launch(r, dim(over(columns, inner)), dim(block), 0, with9(on(r, walls), on(r, start), dst, buffer, int32(steps), int32(1), int32(steps), int32(columns), int32(1)))
		want := slices.Clone(start)
		for step := range steps {
			want = each(columns, func(i int) int32 {
				return min(want[max(0, i-1)], want[i], want[min(columns-1, i+1)]) + walls[(step+1)*columns+i]
			})
		}
		equal(r, "result", from(r, dst), want)
	})
}
