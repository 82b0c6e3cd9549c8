package public_test

import (
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

func init() {
	const unit = "rodinia/"
	add(unit+"gaussian", "Fan1", func(r *run) {
		const n, step = 40, 3
		a := r.floats(n*n, 1, 2)
		before := r.floats(n*n, 1, 2)
		m := on(r, before)
		launch(r, dim(2), dim(32), 0, with4(m, on(r, a), int32(n), int32(step)))
		equal(r, "m", from(r, m), each(n*n, func(i int) float32 {
			if i%n == step && i/n > step {
				return a[i] / a[step*n+step]
			}
			return before[i]
		}))
	})
	add(unit+"gaussian", "Fan2", func(r *run) {
		const n, step = 40, 3
		a, b, m := r.floats(n*n, -1, 1), r.floats(n, -1, 1), r.floats(n*n, -1, 1)
		x, y := on(r, a), on(r, b)
		launch(r, dim(10, 10), dim(4, 4), 0, with6(on(r, m), x, y, int32(n), int32(n-step), int32(step)))
		near(r, "a", from(r, x), each(n*n, func(i int) float64 {
			if i/n > step && i%n >= step {
				return float64(a[i]) - float64(m[i/n*n+step])*float64(a[step*n+i%n])
			}
			return float64(a[i])
		}), 2, 1)
		near(r, "b", from(r, y), each(n, func(i int) float64 {
			if i > step {
				return float64(b[i]) - float64(m[i*n+step])*float64(b[step])
			}
			return float64(b[i])
		}), 2, 1)
	})
	add(unit+"lud", "lud_diagonal", func(r *run) {
		const n, size, offset = 48, 16, 16
		a := r.floats(n*n, -1, 1)
		for i := range n {
			a[i*n+i] += 8
		}
		m := on(r, a)
		launch(r, dim(1), dim(size), 0, with3(m, int32(n), int32(offset)))
		lu := from(r, m)
		at := func(i, j int) float64 { return float64(lu[(offset+i)*n+offset+j]) }
		got, want := make([]float32, 0, n*n), make([]float64, 0, n*n)
		for i := range n * n {
			line, column := i/n-offset, i%n-offset
			sum := float64(lu[i])
			if line >= 0 && line < size && column >= 0 && column < size {
				sum = 0
				for k := 0; k <= min(line, column); k++ {
					l := at(line, k)
					if k == line {
						l = 1
					}
					sum += l * at(k, column)
				}
			}
			got, want = append(got, float32(sum)), append(want, float64(a[i]))
		}
		near(r, "L × U", got, want, 2*size, 10)
	})
	add(unit+"pathfinder", "dynproc_kernel", func(r *run) {
		const block, steps, columns = 256, 5, 480
		walls, start := r.ints((steps+1)*columns, 10), r.ints(columns, 10)
		dst := zeros[int32](r, columns)
		launch(r, dim(over(columns, block-2*steps)), dim(block), 0, with8(int32(steps), on(r, walls), on(r, start), dst, int32(columns), int32(steps+1), int32(0), int32(steps)))
		want := slices.Clone(start)
		for step := range steps {
			want = each(columns, func(i int) int32 {
				return min(want[max(0, i-1)], want[i], want[min(columns-1, i+1)]) + walls[step*columns+i]
			})
		}
		equal(r, "result", from(r, dst), want)
	})
	add(unit+"hotspot", "calculate_temp", func(r *run) {
		const size, steps, width, height = 16, 2, 37, 21
		temperature, power := r.floats(width*height, 70, 90), r.floats(width*height, 0, 1)
		dst := zeros[float32](r, len(power))
		inner := size - 2*steps
		const capacity, rx, ry, rz, step = 0.5, 4, 2, 8, 0.0625
		launch(r, dim(over(width, inner), over(height, inner)), dim(size, size), 0, struct {
			Steps                               int32
			Power, Src, Dst                     slice
			Width, Height, BorderX, BorderY     int32
			Capacity, Rx, Ry, Rz, Step, Elapsed float32
		}{steps, on(r, power), on(r, temperature), dst, width, height, steps, steps, capacity, rx, ry, rz, step, 0})
		want := wide(temperature)
		for range steps {
			want = each(len(want), func(i int) float64 {
				at := func(dx, dy int) float64 { return want[clamp(i/width+dy, height)*width+clamp(i%width+dx, width)] }
				t := want[i]
				return t + step/capacity*(float64(power[i])+(at(0, 1)+at(0, -1)-2*t)/ry+(at(1, 0)+at(-1, 0)-2*t)/rx+(80-t)/rz)
			})
		}
		near(r, "temperature", from(r, dst), want, 8*steps, 100)
	})
	add(unit+"backprop", "bpnn_adjust_weights_cuda", func(r *run) {
		const hidden, in = 16, 32
		delta, layer := r.floats(hidden+1, -1, 1), r.floats(in+1, -1, 1)
		weights, old := r.floats((hidden+1)*(in+1), -1, 1), r.floats((hidden+1)*(in+1), -1, 1)
		w, o := on(r, weights), on(r, old)
		launch(r, dim(1, in/16), dim(16, 16), 0, with6(on(r, delta), int32(hidden), on(r, layer), int32(in), w, o))
		step := func(i int) float64 {
			line, column := i/(hidden+1), i%(hidden+1)
			if column == 0 {
				return 0
			}
			ly := 1.0 // of the bias
			if line > 0 {
				ly = float64(layer[line])
			}
			return 0.3*float64(delta[column])*ly + 0.3*float64(old[i])
		}
		near(r, "w", from(r, w), each(len(weights), func(i int) float64 { return float64(weights[i]) + step(i) }), 5, 1)
		near(r, "oldw", from(r, o), each(len(old), func(i int) float64 {
			if i%(hidden+1) == 0 {
				return float64(old[i])
			}
			return step(i)
		}), 4, 1)
	})
	type node struct{ Start, Edges int32 }
	add(unit+"bfs", "Kernel", func(r *run) {
		const n = 300
		nodes := make([]node, n)
		var edges []int32
		for i := range nodes {
			nodes[i] = node{int32(len(edges)), r.rand.Int32N(6)}
			for range nodes[i].Edges {
				edges = append(edges, r.rand.Int32N(n))
			}
		}
		frontier, visited := make([]bool, n), make([]bool, n)
		cost := slices.Repeat([]int32{-1}, n)
		for i := range 20 {
			frontier[i*7], visited[i*7], cost[i*7] = true, true, 4
		}
		mask, next, costs := on(r, frontier), on(r, make([]bool, n)), on(r, cost)
		launch(r, dim(1), dim(512), 0, with7(on(r, nodes), on(r, edges), mask, next, on(r, visited), costs, int32(n)))
		updated := make([]bool, n)
		for i, at := range nodes {
			if frontier[i] {
				for _, to := range edges[at.Start : at.Start+at.Edges] {
					if !visited[to] {
						cost[to], updated[to] = 5, true
					}
				}
			}
		}
		equal(r, "cost", from(r, costs), cost)
		equal(r, "updating", from(r, next), updated)
		equal(r, "mask", from(r, mask), make([]bool, n))
	})
	add(unit+"bfs", "Kernel2", func(r *run) {
		const n = 300
		frontier := each(n, func(int) bool { return r.rand.IntN(3) == 0 })
		mask, next, visited, over := on(r, make([]bool, n)), on(r, frontier), on(r, make([]bool, n)), on(r, []bool{false})
		launch(r, dim(1), dim(512), 0, with5(mask, next, visited, over, int32(n)))
		equal(r, "mask", from(r, mask), frontier)
		equal(r, "visited", from(r, visited), frontier)
		equal(r, "updating", from(r, next), make([]bool, n))
		equal(r, "over", from(r, over), []bool{true})
	})
	add(unit+"nn", "euclid", func(r *run) {
		for _, n := range lengths {
			at := each(n, func(int) vec.Float2 { return vec.Float2{X: r.rand.Float32()*180 - 90, Y: r.rand.Float32()*360 - 180} })
			type place struct{ Latitude, Longitude float32 }
			places := each(n, func(i int) place { return place{at[i].X, at[i].Y} })
			dst := fresh[float32](r, n)
			launch(r, dim(over(n, 128), 2), dim(64), 0, with5(on(r, places), dst, int32(n), float32(30), float32(90)))
			near(r, "distance", from(r, dst), each(n, func(i int) float64 { return math.Hypot(30-float64(at[i].X), 90-float64(at[i].Y)) }), 4, 0.01)
		}
	})

	const shoc = "shoc/"
	add(shoc+"triad", "triad", func(r *run) {
		const n = 512
		a, b := r.floats(n, -1, 1), r.floats(n, -1, 1)
		c := fresh[float32](r, n)
		launch(r, dim(n/128), dim(128), 0, with4(on(r, a), on(r, b), c, float32(1.75)))
		equal(r, "C", from(r, c), each(n, func(i int) float32 { return fma(1.75, b[i], a[i]) }))
	})
	// The last steps are those of one warp, without a barrier.
	addWith(sharedRaces, shoc+"reduction", "reduce<float, 256>", func(r *run) {
		const n, blocks = 8192, 3
		x := r.wholes(n, 50)
		for range 2 * 256 * blocks { // the kernel reads whole rounds
			x = append(x, 0)
		}
		dst := fresh[float32](r, blocks)
		launch(r, dim(blocks), dim(256), 256*4, with3(on(r, x), dst, uint32(n)))
		want := make([]float32, blocks)
		for i, v := range x {
			want[i/512%blocks] += v
		}
		equal(r, "partial", from(r, dst), want)
	})
	add(shoc+"scan", "scan_single_block<float, 256>", func(r *run) {
		for _, n := range []int{1, 100, 256} {
			x := r.wholes(n, 50)
			data := on(r, x)
			launch(r, dim(1), dim(256), 2*256*4, with2(data, int32(n)))
			want := make([]float32, n)
			for i := 1; i < n; i++ {
				want[i] = want[i-1] + x[i-1]
			}
			equal(r, "sums", from(r, data), want)
		}
	})
	add(shoc+"scan", "bottom_scan<float, float4, 256>", func(r *run) {
		const blocks, n = 3, 4 * 256 * 3 * 2
		x := r.wholes(n, 50)
		sums, want, sum := make([]float32, blocks), make([]float32, n), float32(0)
		for i, v := range x {
			if i%(n/blocks) == 0 {
				sums[i/(n/blocks)] = sum
			}
			sum += v
			want[i] = sum
		}
		dst := fresh[float32](r, n)
		launch(r, dim(blocks), dim(256), 2*256*4, with4(on(r, x), dst, on(r, sums), int32(n)))
		equal(r, "output", from(r, dst), want)
	})
}
