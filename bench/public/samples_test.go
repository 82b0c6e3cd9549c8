package public_test

import (
	"math"
	"math/bits"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// transposed is x, which has lines of width elements, with lines and columns exchanged.
func transposed[T any](x []T, width int) []T {
	height := len(x) / width
	return each(len(x), func(i int) T { return x[i%height*width+i/height] })
}

// scanned returns for each element the sum of those before it in its group of size elements.
func scanned(x []uint32, size int) []uint32 {
	y := make([]uint32, len(x))
	for i := range x {
		if i%size > 0 {
			y[i] = y[i-1] + x[i-1]
		}
	}
	return y
}

// pairs sorts keys in groups of size, each value with its key. Keys that occur twice have
// equal values here: what sorts need not be stable.
func (r *run) pairs(n int) (keys, values []uint32) {
	keys, values = make([]uint32, n), make([]uint32, n)
	for i := range keys {
		keys[i] = r.rand.Uint32N(uint32(n))
		values[i] = keys[i] * 2654435761
	}
	return keys, values
}

func sorted(keys []uint32, size int, descending bool) (k, v []uint32) {
	for group := range slices.Chunk(slices.Clone(keys), size) {
		slices.Sort(group)
		if descending {
			slices.Reverse(group)
		}
		k = append(k, group...)
	}
	return k, each(len(k), func(i int) uint32 { return k[i] * 2654435761 })
}

func quads(r *run, x []uint32) cuda.Slice[vec.UInt4] {
	return on(r, each(len(x)/4, func(i int) vec.UInt4 {
		return vec.UInt4{X: x[4*i], Y: x[4*i+1], Z: x[4*i+2], W: x[4*i+3]}
	}))
}

func words(x []vec.UInt4) (y []uint32) {
	for _, q := range x {
		y = append(y, q.X, q.Y, q.Z, q.W)
	}
	return y
}

func init() {
	const unit = "cuda-samples/"
	add(unit+"scan", "scanExclusiveShared", func(r *run) {
		for _, size := range []int{4, 64, 1024} {
			x := r.words(3 * 1024)
			dst := fresh[vec.UInt4](r, len(x)/4)
			launch(r, dim(3), dim(256), 0, with3(dst, quads(r, x), uint32(size)))
			equal(r, "dst", words(from(r, dst)), scanned(x, size))
		}
	})
	add(unit+"scan", "scanExclusiveShared2", func(r *run) {
		for _, n := range []int{1, 37, 256} {
			src, dst := r.words(n*1024), r.words(n*1024)
			buf := fresh[uint32](r, n)
			launch(r, dim(1), dim(256), 0, with5(buf, on(r, dst), on(r, src), uint32(n), uint32(256)))
			last := each(n, func(i int) uint32 { return dst[i*1024+1023] + src[i*1024+1023] })
			equal(r, "buf", from(r, buf), scanned(last, n))
		}
	})
	add(unit+"scan", "uniformUpdate", func(r *run) {
		for _, n := range []int{1, 5} {
			x, buf := r.words(n*1024), r.words(n)
			data := quads(r, x)
			launch(r, dim(n), dim(256), 0, with2(data, on(r, buf)))
			equal(r, "data", words(from(r, data)), each(len(x), func(i int) uint32 { return x[i] + buf[i/1024] }))
		}
	})
	add(unit+"sortingNetworks", "bitonicSortShared", func(r *run) {
		for _, size := range []int{64, 1024} {
			for _, up := range []uint32{0, 1} {
				keys, values := r.pairs(2 * 1024)
				k, v := fresh[uint32](r, len(keys)), fresh[uint32](r, len(keys))
				launch(r, dim(2), dim(512), 0, with6(k, v, on(r, keys), on(r, values), uint32(size), up))
				wantKeys, wantValues := sorted(keys, size, up == 0)
				equal(r, "keys", from(r, k), wantKeys)
				equal(r, "values", from(r, v), wantValues)
			}
		}
	})
	add(unit+"sortingNetworks", "bitonicSortShared1", func(r *run) {
		keys, values := r.pairs(3 * 1024)
		k, v := fresh[uint32](r, len(keys)), fresh[uint32](r, len(keys))
		launch(r, dim(3), dim(512), 0, with4(k, v, on(r, keys), on(r, values)))
		var want []uint32
		for i := range 3 {
			group, _ := sorted(keys[i*1024:(i+1)*1024], 1024, i%2 == 0)
			want = append(want, group...)
		}
		equal(r, "keys", from(r, k), want)
		equal(r, "values", from(r, v), each(len(want), func(i int) uint32 { return want[i] * 2654435761 }))
	})
	add(unit+"mergeSort", "mergeSortSharedKernel<1u>", func(r *run) {
		for _, size := range []int{16, 1024} {
			keys, values := r.pairs(2 * 1024)
			k, v := fresh[uint32](r, len(keys)), fresh[uint32](r, len(keys))
			launch(r, dim(2), dim(512), 0, with5(k, v, on(r, keys), on(r, values), uint32(size)))
			wantKeys, wantValues := sorted(keys, size, false)
			equal(r, "keys", from(r, k), wantKeys)
			equal(r, "values", from(r, v), wantValues)
		}
	})
	add(unit+"histogram256", "histogram256Kernel", func(r *run) {
		for _, n := range []int{1, 191, 3001} {
			const blocks = 3
			x := r.words(n)
			x[0] = 0xffffffff
			dst := fresh[uint32](r, blocks*256)
			launch(r, dim(blocks), dim(192), 0, with3(dst, on(r, x), uint32(n)))
			want := make([]uint32, blocks*256)
			for i, w := range x {
				for shift := 0; shift < 32; shift += 8 {
					want[i/192%blocks*256+int(w>>shift&0xff)]++
				}
			}
			equal(r, "partial", from(r, dst), want)
		}
	})
	add(unit+"histogram256", "mergeHistogram256Kernel", func(r *run) {
		for _, n := range []int{1, 240, 300} {
			x := r.words(n * 256)
			dst := fresh[uint32](r, 256)
			launch(r, dim(256), dim(256), 0, with3(dst, on(r, x), uint32(n)))
			want := make([]uint32, 256)
			for i, w := range x {
				want[i%256] += w
			}
			equal(r, "histogram", from(r, dst), want)
		}
	})
	add(unit+"shfl_scan", "shfl_scan_test", func(r *run) {
		for _, blocks := range []int{1, 4} {
			x := r.ints(blocks*256, 1000)
			data, sums := on(r, x), fresh[int32](r, blocks)
			launch(r, dim(blocks), dim(256), 8*4, with3(data, int32(32), sums))
			want, totals := slices.Clone(x), make([]int32, blocks)
			for i := range want {
				if i%256 > 0 {
					want[i] += want[i-1]
				}
				totals[i/256] = want[i]
			}
			equal(r, "data", from(r, data), want)
			equal(r, "sums", from(r, sums), totals)
		}
	})
	add(unit+"shfl_scan", "uniform_add", func(r *run) {
		x, sums := r.ints(5*128, 1000), r.ints(5, 1000)
		data := on(r, x)
		launch(r, dim(5), dim(128), 0, with3(data, on(r, sums), int32(len(x))))
		equal(r, "data", from(r, data), each(len(x), func(i int) int32 { return x[i] + sums[i/128] }))
	})

	walsh := func(x []float32) []float32 {
		y := slices.Clone(x)
		for h := 1; h < len(y); h *= 2 {
			for i := range y {
				if i&h == 0 {
					y[i], y[i+h] = y[i]+y[i+h], y[i]-y[i+h]
				}
			}
		}
		return y
	}
	add(unit+"fastWalshTransform", "fwtBatch1Kernel", func(r *run) {
		for _, log := range []int{4, 7, 10} {
			n := 1 << log
			x := r.wholes(3*n, 100)
			dst := fresh[float32](r, len(x))
			launch(r, dim(3), dim(n/4), n*4, with3(dst, on(r, x), int32(log)))
			var want []float32
			for part := range slices.Chunk(x, n) {
				want = append(want, walsh(part)...)
			}
			equal(r, "output", from(r, dst), want)
		}
	})
	add(unit+"fastWalshTransform", "fwtBatch2Kernel", func(r *run) {
		const n, batch = 1024, 2
		for _, stride := range []int{1, 16, 256} {
			x := r.wholes(n*batch, 100)
			dst := fresh[float32](r, len(x))
			launch(r, dim(n/4/64, batch), dim(64), 0, with3(dst, on(r, x), int32(stride)))
			want := slices.Clone(x)
			for _, h := range []int{2 * stride, stride} {
				for i := range want {
					if i&h == 0 {
						want[i], want[i+h] = want[i]+want[i+h], want[i]-want[i+h]
					}
				}
			}
			equal(r, "output", from(r, dst), want)
		}
	})
	add(unit+"fastWalshTransform", "modulateKernel", func(r *run) {
		for _, n := range lengths {
			a, b := r.floats(n, -1, 1), r.floats(n, -1, 1)
			x := on(r, a)
			launch(r, dim(3), dim(64), 0, with3(x, on(r, b), int32(n)))
			equal(r, "A", from(r, x), each(n, func(i int) float32 { return a[i] * (b[i] * (1 / float32(n))) }))
		}
	})
	add(unit+"scalarProd", "scalarProdGPU", func(r *run) {
		for _, n := range []int{1, 1000, 2500} {
			const count = 5
			a, b := r.wholes(n*count, 30), r.wholes(n*count, 30)
			c := fresh[float32](r, count)
			launch(r, dim(2), dim(128), 0, with5(c, on(r, a), on(r, b), int32(count), int32(n)))
			want := make([]float32, count)
			for i := range a {
				want[i/n] += a[i] * b[i]
			}
			equal(r, "C", from(r, c), want)
		}
	})

	// Which thread's element comes first is open: what they computed is sorted.
	positive := func(x []int32) (y []int32) {
		for _, v := range x {
			if v > 0 {
				y = append(y, v)
			}
		}
		slices.Sort(y)
		return y
	}
	add(unit+"warpAggregatedAtomicsCG", "filter_arr", func(r *run) {
		for _, n := range lengths {
			x := each(n, func(int) int32 { return r.rand.Int32N(200) - 100 })
			dst, count := on(r, make([]int32, n)), zeros[int32](r, 1)
			launch(r, dim(4), dim(128), 0, with4(dst, count, on(r, x), int32(n)))
			want := positive(x)
			equal(r, "count", from(r, count), []int32{int32(len(want))})
			equal(r, "dst", positive(unordered(r, dst)), want)
		}
	})
	add(unit+"warpAggregatedAtomicsCG", "mapToBuckets", func(r *run) {
		for _, n := range lengths {
			const buckets = 5
			x := r.ints(n, buckets+1)
			starts, ends := make([]int32, buckets), make([]int32, buckets)
			var want []int32
			for b := range buckets {
				starts[b] = int32(len(want))
				for i, v := range x {
					if int(v) == b {
						want = append(want, int32(i))
					}
				}
				ends[b] = int32(len(want))
			}
			indices, counters := zeros[int32](r, n), on(r, starts)
			launch(r, dim(4), dim(96), 0, with5(on(r, x), indices, counters, int32(n), int32(buckets)))
			equal(r, "counters", from(r, counters), ends)
			got := unordered(r, indices)[:len(want)]
			for b := range buckets {
				slices.Sort(got[starts[b]:ends[b]])
			}
			equal(r, "indices", got, want)
		}
	})
	add(unit+"warpAggregatedAtomicsCG", "calculateMaxInEachBuckets", func(r *run) {
		for _, n := range lengths {
			const buckets = 7
			x, values := r.ints(n, buckets+1), r.ints(n, 100000)
			most := zeros[int32](r, buckets)
			launch(r, dim(4), dim(96), 0, with5(on(r, x), on(r, values), most, int32(n), int32(buckets)))
			want := make([]int32, buckets)
			for i, b := range x {
				if b < buckets {
					want[b] = max(want[b], values[i])
				}
			}
			equal(r, "max", from(r, most), want)
		}
	})
	add(unit+"binaryPartitionCG", "oddEvenCountAndSumCG", func(r *run) {
		for _, n := range []int{32, 320, 4096} { // whole warps: a tile's barrier is in the loop
			x := r.ints(n, 1000)
			odds, sums := zeros[int32](r, 1), zeros[int32](r, 2)
			launch(r, dim(2), dim(64), 0, with4(on(r, x), odds, sums, uint32(n)))
			want := make([]int32, 3)
			for _, v := range x {
				want[0] += v & 1
				want[2-v&1] += v
			}
			equal(r, "odds", from(r, odds), want[:1])
			equal(r, "sums", from(r, sums), want[1:])
		}
	})

	cnd := func(d float64) float64 { return 0.5 * math.Erfc(-d/math.Sqrt2) }
	add(unit+"BlackScholes", "BlackScholesGPU", func(r *run) {
		for _, n := range []int{2, 254, 1002} {
			price, strike, years := r.floats(n, 5, 30), r.floats(n, 1, 100), r.floats(n, 0.25, 10)
			two := func(x []float32) cuda.Slice[vec.Float2] {
				return on(r, each(n/2, func(i int) vec.Float2 { return vec.Float2{X: x[2*i], Y: x[2*i+1]} }))
			}
			call, put := fresh[vec.Float2](r, n/2), fresh[vec.Float2](r, n/2)
			const rate, volatility = 0.02, 0.3
			launch(r, dim(over(n/2, 128)), dim(128), 0, with8(call, put, two(price), two(strike), two(years), float32(rate), float32(volatility), int32(n)))
			one := func(x []vec.Float2) (y []float32) {
				for _, v := range x {
					y = append(y, v.X, v.Y)
				}
				return y
			}
			value := func(i int) (call, put float64) {
				s, x, t := float64(price[i]), float64(strike[i]), float64(years[i])
				d1 := (math.Log(s/x) + (rate+0.5*volatility*volatility)*t) / (volatility * math.Sqrt(t))
				d2 := d1 - volatility*math.Sqrt(t)
				e := math.Exp(-rate * t)
				return s*cnd(d1) - x*e*cnd(d2), x*e*cnd(-d2) - s*cnd(-d1)
			}
			// The kernel's polynomial for the normal distribution is good to 7.5e-8, of 100 here.
			near(r, "call", one(from(r, call)), each(n, func(i int) float64 { c, _ := value(i); return c }), 60, 100)
			near(r, "put", one(from(r, put)), each(n, func(i int) float64 { _, p := value(i); return p }), 60, 100)
		}
	})
	add(unit+"quasirandomGenerator", "inverseCNDKernel", func(r *run) {
		for _, n := range lengths {
			x := r.words(n)
			dst := fresh[float32](r, n)
			launch(r, dim(3), dim(128), 0, with3(dst, on(r, x), uint32(n)))
			// Moro's approximation is good to 3e-9; x × 2^-32 is rounded to float32 before it.
			near(r, "output", from(r, dst), each(n, func(i int) float64 {
				p := (float64(x[i]) + 0.5) / (1 << 32)
				return -math.Sqrt2 * math.Erfcinv(2*p)
			}), 120, 1)
		}
	})
	add(unit+"SobolQRNG", "sobolGPU_kernel", func(r *run) {
		const n, dimensions = 500, 3
		directions := make([]uint32, 32*dimensions)
		for d := range dimensions {
			for bit := range 32 {
				directions[d*32+bit] = r.rand.Uint32()>>(bit) | 1<<(31-bit)
			}
		}
		dst := fresh[float32](r, n*dimensions)
		launch(r, dim(2, dimensions), dim(64), 0, with4(uint32(n), uint32(dimensions), on(r, directions), dst))
		equal(r, "output", from(r, dst), each(n*dimensions, func(i int) float32 {
			gray := uint32(i%n) ^ uint32(i%n)>>1
			var x uint32
			for ; gray != 0; gray &= gray - 1 {
				x ^= directions[i/n*32+bits.TrailingZeros32(gray)]
			}
			return float32(x) * 2.3283064e-10
		}))
	})
	add(unit+"dwtHaar1D", "dwtHaar1D", func(r *run) {
		const threads = 64
		x := r.floats(2*threads, -1, 1)
		details, approximation := fresh[float32](r, 2*threads), fresh[float32](r, 1)
		launch(r, dim(1), dim(threads), 2*threads*4*2, with6(on(r, x), details, approximation, uint32(7), uint32(threads), int32(threads)))
		want, low := make([]float64, 2*threads), wide(x)
		for n := threads; n > 0; n /= 2 {
			next := make([]float64, n)
			for i := range n {
				next[i] = (low[2*i] + low[2*i+1]) / math.Sqrt2
				want[n+i] = (low[2*i] - low[2*i+1]) / math.Sqrt2
			}
			low = next
		}
		near(r, "details", from(r, details.Slice(1, 2*threads)), want[1:], 3*7, 4)
		near(r, "approximation", from(r, approximation), low, 3*7, 12)
	})
	add(unit+"simpleAtomicIntrinsics", "testKernel", func(r *run) {
		const n = 4 * 64
		data := on(r, make([]int32, 11))
		launch(r, dim(4), dim(64), 0, with1(data))
		got := unordered(r, data)
		and, or, xor := int32(0), int32(0), int32(0)
		for i := range int32(n) {
			or |= 1 << (uint(i) & 31) * b2i(i < 32)
			xor ^= i
		}
		inc, dec := uint32(0), uint32(0)
		for range n {
			if inc++; inc > 17 {
				inc = 0
			}
			if dec == 0 || dec > 137 {
				dec = 137
			} else {
				dec--
			}
		}
		want := []int32{10 * n, -10 * n, got[2], n - 1, 0, int32(inc), int32(dec), got[7], and, or, xor}
		if got[2] < 0 || got[2] >= n || got[7] < 0 || got[7] >= n {
			r.t.Errorf("exchanged %d, compared %d: no thread's number", got[2], got[7])
		}
		got[2], got[7], want[2], want[7] = 0, 0, 0, 0
		r.keep(got)
		equal(r, "data", got, want)
	})
	for i, name := range []string{"VoteAnyKernel1", "VoteAllKernel2"} {
		add(unit+"simpleVoteIntrinsics", name, func(r *run) {
			const n = 128
			x := each(n, func(i int) uint32 {
				switch i / 32 {
				case 0:
					return 0
				case 1:
					return uint32(i)
				}
				return r.rand.Uint32N(2)
			})
			dst := fresh[uint32](r, n)
			launch(r, dim(1), dim(n), 0, with3(on(r, x), dst, int32(n)))
			equal(r, "result", from(r, dst), each(n, func(j int) uint32 {
				warp := x[j/32*32 : j/32*32+32]
				zero, one := slices.Contains(warp, 0), slices.ContainsFunc(warp, func(v uint32) bool { return v != 0 })
				return uint32(b2i([]bool{one, !zero}[i]))
			}))
		})
	}

	reductions := []struct {
		name  string
		twice int // elements that a thread starts with
	}{
		{"reduce0<int>", 1}, {"reduce1<int>", 1}, {"reduce2<int>", 1}, {"reduce3<int>", 2},
		{"reduce4<int, 128u>", 2}, {"reduce5<int, 128u>", 2}, {"reduce6<int, 128u, false>", 2},
	}
	for _, v := range reductions {
		add(unit+"reduction", v.name, func(r *run) {
			for _, n := range lengths {
				blocks := over(n, 128*v.twice)
				x := r.ints(n, 1000)
				dst := fresh[int32](r, blocks)
				launch(r, dim(blocks), dim(128), 128*4*2, with3(on(r, x), dst, uint32(n)))
				sum := int32(0)
				for _, y := range x {
					sum += y
				}
				for _, y := range from(r, dst) {
					sum -= y
				}
				equal(r, "rest", []int32{sum}, []int32{0})
			}
		})
	}
	add(unit+"threadFenceReduction", "reduceSinglePass<128u, false>", func(r *run) {
		for _, n := range lengths {
			x := r.wholes(n, 50)
			blocks := min(over(n, 256), 7)
			dst := fresh[float32](r, blocks)
			launch(r, dim(blocks), dim(128), 128*4, with3(on(r, x), dst, uint32(n)))
			sum := float32(0)
			for _, v := range x {
				sum += v
			}
			equal(r, "sum", from(r, dst)[:1], []float32{sum})
		}
	})
	add(unit+"reductionMultiBlockCG", "reduceSinglePassMultiBlockCG", func(r *run) {
		for _, n := range lengths {
			x := r.wholes(n, 50)
			dst := fresh[float32](r, 4)
			cooperative(r, dim(4), dim(128), 128*8, with3(on(r, x), dst, uint32(n)))
			sum := float32(0)
			for _, v := range x {
				sum += v
			}
			equal(r, "sum", from(r, dst)[:1], []float32{sum})
		}
	})
	add(unit+"matrixMul", "MatrixMulCUDA<32>", func(r *run) {
		for _, s := range [][3]int{{32, 32, 32}, {64, 96, 32}} {
			n, k, m := s[0], s[1], s[2]
			a, b := r.floats(n*k, -1, 1), r.floats(k*m, -1, 1)
			c := fresh[float32](r, n*m)
			launch(r, dim(m/32, n/32), dim(32, 32), 0, with5(c, on(r, a), on(r, b), int32(k), int32(m)))
			equal(r, "C", from(r, c), matrixProduct(a, b, n, k, m))
		}
	})
	for _, name := range []string{"transposeNaive", "transposeCoalesced", "transposeNoBankConflicts"} {
		add(unit+"transpose", name, func(r *run) {
			for _, s := range [][2]int{{32, 32}, {96, 64}} { // whole tiles
				x := r.floats(s[0]*s[1], -1, 1)
				dst := fresh[float32](r, len(x))
				launch(r, dim(s[0]/32, s[1]/32), dim(32, 16), 0, with4(dst, on(r, x), int32(s[0]), int32(s[1])))
				equal(r, "output", from(r, dst), transposed(x, s[0]))
			}
		})
	}
}

// matrixProduct is the product of a, n × k, and b, k × m. Each element is summed in order, each step
// rounded once.
func matrixProduct(a, b []float32, n, k, m int) []float32 {
	return each(n*m, func(i int) float32 {
		sum := float32(0)
		for j := range k {
			sum = fma(a[i/m*k+j], b[j*m+i%m], sum)
		}
		return sum
	})
}

func b2i(b bool) int32 {
	if b {
		return 1
	}
	return 0
}
