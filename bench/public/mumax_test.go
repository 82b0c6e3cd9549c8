package public_test

import (
	"math"

	"github.com/cudagen/cudagen/runtime/cuda"
)

type slice = cuda.Slice[float32]

// vectors are three arrays of components.
type vectors [3][]float32

func (r *run) vectors(n int, low, high float32) vectors {
	return vectors{r.floats(n, low, high), r.floats(n, low, high), r.floats(n, low, high)}
}

func (v vectors) at(i int) [3]float64 {
	return [3]float64{float64(v[0][i]), float64(v[1][i]), float64(v[2][i])}
}

func onVectors(r *run, v vectors) [3]slice { return [3]slice{on(r, v[0]), on(r, v[1]), on(r, v[2])} }

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func times(k float64, a [3]float64) [3]float64 { return [3]float64{k * a[0], k * a[1], k * a[2]} }

func plus(a, b [3]float64) [3]float64 { return [3]float64{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }

// nearVectors compares the components of what is on the device with a reference.
func nearVectors(r *run, got [3]slice, n, rounds int, scale float64, want func(i int) [3]float64) {
	r.t.Helper()
	for c := range got {
		near(r, string("xyz"[c]), from(r, got[c]), each(n, func(i int) float64 { return want(i)[c] }), rounds, scale)
	}
}

// A box has cells in three dimensions, the first one fastest.
type box struct{ x, y, z int }

func (b box) cells() int             { return b.x * b.y * b.z }
func (b box) at(x, y, z int) int     { return (z*b.y+y)*b.x + x }
func (b box) of(i int) (x, y, z int) { return i % b.x, i / b.x % b.y, i / (b.x * b.y) }

// plane is grid for kernels of two dimensions.
func (b box) plane() (grid, block cuda.Dim3) { return dim(over(b.x, 8), over(b.y, 4)), dim(8, 4) }

func (b box) grid() (grid, block cuda.Dim3) {
	return dim(over(b.x, 8), over(b.y, 4), over(b.z, 2)), dim(8, 4, 2)
}
func (b box) dims() (x, y, z int32) { return int32(b.x), int32(b.y), int32(b.z) }

var boxes = []box{{1, 1, 1}, {17, 9, 1}, {8, 4, 2}, {13, 5, 7}}

var lengths = []int{1, 31, 256, 1000, 4099}

// row is mumax's launch configuration for n elements: a grid of two dimensions.
func row(n int) (grid, block cuda.Dim3) { return dim(over(over(n, 128), 2), 2), dim(128) }

func clamp(i, n int) int { return max(0, min(i, n-1)) }

func init() {
	const unit = "mumax3/"
	add(unit+"madd2", "madd2", func(r *run) {
		for _, n := range lengths {
			a, b := r.floats(n, -1, 1), r.floats(n, -1, 1)
			dst := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with6(dst, on(r, a), float32(1.5), on(r, b), float32(-0.3), int32(n)))
			near(r, "dst", from(r, dst), each(n, func(i int) float64 { return 1.5*float64(a[i]) + float64(float32(-0.3))*float64(b[i]) }), 3, 1)
		}
	})
	add(unit+"madd3", "madd3", func(r *run) {
		for _, n := range lengths {
			a, b, c := r.floats(n, -1, 1), r.floats(n, -1, 1), r.floats(n, -1, 1)
			dst := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with8(dst, on(r, a), float32(2), on(r, b), float32(-0.25), on(r, c), float32(0.75), int32(n)))
			near(r, "dst", from(r, dst), each(n, func(i int) float64 {
				return 2*float64(a[i]) - 0.25*float64(b[i]) + 0.75*float64(c[i])
			}), 4, 2)
		}
	})
	add(unit+"mul", "mul", func(r *run) {
		for _, n := range lengths {
			a, b := r.floats(n, -3, 3), r.floats(n, -3, 3)
			dst := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with4(dst, on(r, a), on(r, b), int32(n)))
			equal(r, "dst", from(r, dst), each(n, func(i int) float32 { return a[i] * b[i] }))
		}
	})
	add(unit+"div", "pointwise_div", func(r *run) {
		for _, n := range lengths {
			a, b := r.floats(n, -3, 3), r.wholes(n, 5)
			dst := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with4(dst, on(r, a), on(r, b), int32(n)))
			equal(r, "dst", from(r, dst), each(n, func(i int) float32 {
				if b[i] == 0 {
					return 0
				}
				return a[i] / b[i]
			}))
		}
	})
	add(unit+"crossproduct", "crossproduct", func(r *run) {
		for _, n := range lengths {
			a, b := r.vectors(n, -1, 1), r.vectors(n, -1, 1)
			x, y := onVectors(r, a), onVectors(r, b)
			dst := [3]slice{fresh[float32](r, n), fresh[float32](r, n), fresh[float32](r, n)}
			grid, block := row(n)
			launch(r, grid, block, 0, with10(dst[0], dst[1], dst[2], x[0], x[1], x[2], y[0], y[1], y[2], int32(n)))
			nearVectors(r, dst, n, 3, 1, func(i int) [3]float64 { return cross(a.at(i), b.at(i)) })
		}
	})
	add(unit+"dotproduct", "dotproduct", func(r *run) {
		for _, n := range lengths {
			a, b, d := r.vectors(n, -1, 1), r.vectors(n, -1, 1), r.floats(n, -1, 1)
			x, y := onVectors(r, a), onVectors(r, b)
			dst := on(r, d)
			grid, block := row(n)
			launch(r, grid, block, 0, with9(dst, float32(0.5), x[0], x[1], x[2], y[0], y[1], y[2], int32(n)))
			near(r, "dst", from(r, dst), each(n, func(i int) float64 { return float64(d[i]) + 0.5*dot(a.at(i), b.at(i)) }), 7, 3)
		}
	})
	add(unit+"normalize", "normalize", func(r *run) {
		for _, n := range lengths {
			v, vol := r.vectors(n, -1, 1), r.floats(n, 0.5, 1)
			v[0][0], v[1][0], v[2][0] = 0, 0, 0
			for _, with := range []bool{false, true} {
				x, volume := onVectors(r, v), none[float32]()
				if with {
					volume = on(r, vol)
				}
				grid, block := row(n)
				launch(r, grid, block, 0, with5(x[0], x[1], x[2], volume, int32(n)))
				nearVectors(r, x, n, 12, 1, func(i int) [3]float64 {
					if length := math.Sqrt(dot(v.at(i), v.at(i))); length != 0 {
						return times(1/length, v.at(i))
					}
					return [3]float64{}
				})
			}
		}
	})
	add(unit+"llnoprecess", "llnoprecess", func(r *run) {
		for _, n := range lengths {
			m, h := r.vectors(n, -1, 1), r.vectors(n, -1, 1)
			x, y := onVectors(r, m), onVectors(r, h)
			dst := [3]slice{fresh[float32](r, n), fresh[float32](r, n), fresh[float32](r, n)}
			grid, block := row(n)
			launch(r, grid, block, 0, with10(dst[0], dst[1], dst[2], x[0], x[1], x[2], y[0], y[1], y[2], int32(n)))
			nearVectors(r, dst, n, 6, 4, func(i int) [3]float64 { return times(-1, cross(m.at(i), cross(m.at(i), h.at(i)))) })
		}
	})
	add(unit+"lltorque2", "lltorque2", func(r *run) {
		for _, n := range lengths {
			m, h, a := r.vectors(n, -1, 1), r.vectors(n, -1, 1), r.floats(n, 0, 1)
			x, y := onVectors(r, m), onVectors(r, h)
			dst := [3]slice{fresh[float32](r, n), fresh[float32](r, n), fresh[float32](r, n)}
			grid, block := row(n)
			launch(r, grid, block, 0, with12(dst[0], dst[1], dst[2], x[0], x[1], x[2], y[0], y[1], y[2], on(r, a), float32(0.5), int32(n)))
			nearVectors(r, dst, n, 14, 4, func(i int) [3]float64 {
				alpha, c := 0.5*float64(a[i]), cross(m.at(i), h.at(i))
				return times(-1/(1+alpha*alpha), plus(c, times(alpha, cross(m.at(i), c))))
			})
		}
	})
	add(unit+"minimize", "minimize", func(r *run) {
		for _, n := range lengths {
			m, torque := r.vectors(n, -1, 1), r.vectors(n, -1, 1)
			x, y := onVectors(r, m), onVectors(r, torque)
			dst := [3]slice{fresh[float32](r, n), fresh[float32](r, n), fresh[float32](r, n)}
			grid, block := row(n)
			dt := float32(0.25)
			launch(r, grid, block, 0, with11(dst[0], dst[1], dst[2], x[0], x[1], x[2], y[0], y[1], y[2], dt, int32(n)))
			nearVectors(r, dst, n, 12, 1.5, func(i int) [3]float64 {
				t2 := 0.0625 * dot(torque.at(i), torque.at(i))
				return times(1/(4+t2), plus(times(4-t2, m.at(i)), torque.at(i)))
			})
		}
	})
	add(unit+"regionadds", "regionadds", func(r *run) {
		for _, n := range lengths {
			dst, table, regions := r.floats(n, -1, 1), r.floats(256, -1, 1), r.bytes(n, 256)
			d := on(r, dst)
			grid, block := row(n)
			launch(r, grid, block, 0, with4(d, on(r, table), on(r, regions), int32(n)))
			equal(r, "dst", from(r, d), each(n, func(i int) float32 { return dst[i] + table[regions[i]] }))
		}
	})
	add(unit+"regiondecode", "regiondecode", func(r *run) {
		for _, n := range lengths {
			table, regions := r.floats(256, -1, 1), r.bytes(n, 256)
			d := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with4(d, on(r, table), on(r, regions), int32(n)))
			equal(r, "dst", from(r, d), each(n, func(i int) float32 { return table[regions[i]] }))
		}
	})
	add(unit+"regionselect", "regionselect", func(r *run) {
		for _, n := range lengths {
			src, regions := r.floats(n, -1, 1), r.bytes(n, 3)
			d := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with5(d, on(r, src), on(r, regions), uint8(2), int32(n)))
			equal(r, "dst", from(r, d), each(n, func(i int) float32 {
				if regions[i] == 2 {
					return src[i]
				}
				return 0
			}))
		}
	})
	add(unit+"zeromask", "zeromask", func(r *run) {
		for _, n := range lengths {
			dst, table, regions := r.floats(n, 1, 2), r.wholes(256, 1), r.bytes(n, 256)
			d := on(r, dst)
			grid, block := row(n)
			launch(r, grid, block, 0, with4(d, on(r, table), on(r, regions), int32(n)))
			equal(r, "dst", from(r, d), each(n, func(i int) float32 {
				if table[regions[i]] != 0 {
					return 0
				}
				return dst[i]
			}))
		}
	})
	add(unit+"copypadmul2", "copypadmul2", func(r *run) {
		for _, b := range boxes {
			big := box{2 * b.x, b.y + 3, b.z + 1}
			src, ms := r.floats(b.cells(), -1, 1), r.floats(b.cells(), 0, 1e6)
			before := r.floats(big.cells(), -1, 1)
			dst := on(r, before)
			sx, sy, sz := b.dims()
			dx, dy, dz := big.dims()
			grid, block := b.grid()
			launch(r, grid, block, 0, struct {
				Dst        slice
				Dx, Dy, Dz int32
				Src        slice
				Sx, Sy, Sz int32
				Ms         slice
				MsMul      float32
				Vol        slice
			}{dst, dx, dy, dz, on(r, src), sx, sy, sz, on(r, ms), 1.5, none[float32]()})
			near(r, "dst", from(r, dst), each(big.cells(), func(i int) float64 {
				x, y, z := big.of(i)
				if x >= b.x || y >= b.y || z >= b.z {
					return float64(before[i])
				}
				j := b.at(x, y, z)
				return 4 * math.Pi * 1e-7 * 1.5 * float64(ms[j]) * float64(src[j])
			}), 5, 2)
		}
	})
	add(unit+"copyunpad", "copyunpad", func(r *run) {
		for _, b := range boxes {
			big := box{b.x + 5, 2 * b.y, b.z + 1}
			src := r.floats(big.cells(), -1, 1)
			dst := fresh[float32](r, b.cells())
			dx, dy, dz := b.dims()
			sx, sy, sz := big.dims()
			grid, block := b.grid()
			launch(r, grid, block, 0, with8(dst, dx, dy, dz, on(r, src), sx, sy, sz))
			equal(r, "dst", from(r, dst), each(b.cells(), func(i int) float32 { return src[big.at(b.of(i))] }))
		}
	})
	add(unit+"crop", "crop", func(r *run) {
		for _, b := range boxes {
			big := box{b.x + 5, b.y + 2, b.z + 1}
			src := r.floats(big.cells(), -1, 1)
			dst := fresh[float32](r, b.cells())
			dx, dy, dz := b.dims()
			sx, sy, sz := big.dims()
			grid, block := b.grid()
			launch(r, grid, block, 0, with11(dst, dx, dy, dz, on(r, src), sx, sy, sz, int32(3), int32(2), int32(1)))
			equal(r, "dst", from(r, dst), each(b.cells(), func(i int) float32 {
				x, y, z := b.of(i)
				return src[big.at(x+3, y+2, z+1)]
			}))
		}
	})
	add(unit+"resize", "resize", func(r *run) {
		for _, b := range boxes {
			src := r.wholes(b.cells(), 100)
			dx, dy := over(b.x, 3), over(b.y, 2)
			dst := fresh[float32](r, dx*dy)
			sx, sy, sz := b.dims()
			launch(r, dim(over(dx, 8), over(dy, 8)), dim(8, 8), 0,
				with11(dst, int32(dx), int32(dy), int32(1), on(r, src), sx, sy, sz, sz-1, int32(3), int32(2)))
			equal(r, "dst", from(r, dst), each(dx*dy, func(i int) float32 {
				sum, n := float32(0), float32(0)
				for y := i / dx * 2; y < min(i/dx*2+2, b.y); y++ {
					for x := i % dx * 3; x < min(i%dx*3+3, b.x); x++ {
						sum, n = sum+src[b.at(x, y, b.z-1)], n+1
					}
				}
				return sum / n
			}))
		}
	})
	add(unit+"shiftbytes", "shiftbytes", func(r *run) {
		for _, b := range boxes {
			for _, by := range []int{-3, 0, 2} {
				src := r.bytes(b.cells(), 256)
				dst := fresh[byte](r, b.cells())
				nx, ny, nz := b.dims()
				grid, block := b.grid()
				launch(r, grid, block, 0, with7(dst, on(r, src), nx, ny, nz, int32(by), uint8(77)))
				equal(r, "dst", from(r, dst), each(b.cells(), func(i int) byte {
					x, y, z := b.of(i)
					if x-by < 0 || x-by >= b.x {
						return 77
					}
					return src[b.at(x-by, y, z)]
				}))
			}
		}
	})
	shift := func(axis int) func(r *run) {
		return func(r *run) {
			for _, b := range boxes {
				for _, by := range []int{-2, 1} {
					src := r.floats(b.cells(), -1, 1)
					dst := fresh[float32](r, b.cells())
					nx, ny, nz := b.dims()
					grid, block := b.grid()
					launch(r, grid, block, 0, with8(dst, on(r, src), nx, ny, nz, int32(by), float32(7), float32(8)))
					equal(r, "dst", from(r, dst), each(b.cells(), func(i int) float32 {
						var at [3]int
						at[0], at[1], at[2] = b.of(i)
						at[axis] -= by
						switch {
						case at[axis] < 0:
							return 7
						case at[axis] >= []int{b.x, b.y, b.z}[axis]:
							return 8
						}
						return src[b.at(at[0], at[1], at[2])]
					}))
				}
			}
		}
	}
	add(unit+"shiftx", "shiftx", shift(0))
	add(unit+"shifty", "shifty", shift(1))
	add(unit+"shiftz", "shiftz", shift(2))
	add(unit+"temperature2", "settemperature2", func(r *run) {
		for _, n := range lengths {
			noise, ms, temp, alpha := r.floats(n, -2, 2), r.floats(n, 0, 2), r.floats(n, 0, 2), r.floats(n, 0, 1)
			ms[0] = 0
			b := fresh[float32](r, n)
			grid, block := row(n)
			launch(r, grid, block, 0, with10(b, on(r, noise), float32(0.5), on(r, ms), float32(1), on(r, temp), float32(3), on(r, alpha), float32(2), int32(n)))
			near(r, "B", from(r, b), each(n, func(i int) float64 {
				if ms[i] == 0 {
					return 0
				}
				return float64(noise[i]) * math.Sqrt(0.5*2*float64(alpha[i])*3*float64(temp[i])/float64(ms[i]))
			}), 12, 1)
		}
	})
	add(unit+"uniaxialanisotropy2", "adduniaxialanisotropy2", func(r *run) {
		for _, n := range lengths {
			b, m, u := r.vectors(n, -1, 1), r.vectors(n, -1, 1), r.vectors(n, 0.1, 1)
			ms, k1 := r.floats(n, 0.5, 2), r.floats(n, -1, 1)
			x, y, z := onVectors(r, b), onVectors(r, m), onVectors(r, u)
			grid, block := row(n)
			launch(r, grid, block, 0, struct {
				Bx, By, Bz, Mx, My, Mz slice
				Ms                     slice
				MsMul                  float32
				K1                     slice
				K1Mul                  float32
				K2                     slice
				K2Mul                  float32
				Ux                     slice
				UxMul                  float32
				Uy                     slice
				UyMul                  float32
				Uz                     slice
				UzMul                  float32
				N                      int32
			}{x[0], x[1], x[2], y[0], y[1], y[2], on(r, ms), 1, on(r, k1), 2, none[float32](), 0.25, z[0], 1, z[1], 1, z[2], 1, int32(n)})
			nearVectors(r, x, n, 40, 8, func(i int) [3]float64 {
				axis := times(1/math.Sqrt(dot(u.at(i), u.at(i))), u.at(i))
				along := dot(m.at(i), axis)
				k1, k2 := 2*float64(k1[i])/float64(ms[i]), 0.25/float64(ms[i])
				return plus(b.at(i), times(2*k1*along+4*k2*along*along*along, axis))
			})
		}
	})
	add(unit+"exchange", "addexchange", func(r *run) {
		for _, b := range boxes {
			for _, periodic := range []uint8{0, 1, 6} {
				n := b.cells()
				m, h, regions := r.vectors(n, -1, 1), r.vectors(n, -1, 1), r.bytes(n, 3)
				m[0][n/2], m[1][n/2], m[2][n/2] = 0, 0, 0
				table := r.floats(6, 0, 1) // of pairs of regions
				x, y := onVectors(r, h), onVectors(r, m)
				nx, ny, nz := b.dims()
				grid, block := b.grid()
				w := [3]float64{1, 0.5, 0.25}
				launch(r, grid, block, 0, struct {
					Bx, By, Bz, Mx, My, Mz, Ms slice
					MsMul                      float32
					Table                      slice
					Regions                    cuda.Slice[byte]
					Wx, Wy, Wz                 float32
					Nx, Ny, Nz                 int32
					Periodic                   uint8
				}{x[0], x[1], x[2], y[0], y[1], y[2], none[float32](), 2, on(r, table), on(r, regions), 1, 0.5, 0.25, nx, ny, nz, periodic})
				nearVectors(r, x, n, 40, 8, func(i int) [3]float64 {
					sum := h.at(i)
					if dot(m.at(i), m.at(i)) == 0 {
						return sum
					}
					for axis, size := range []int{b.x, b.y, b.z} {
						if axis == 2 && size == 1 {
							continue
						}
						for _, step := range []int{-1, 1} {
							var at [3]int
							at[0], at[1], at[2] = b.of(i)
							at[axis] += step
							if periodic>>axis&1 != 0 {
								at[axis] = (at[axis] + size) % size
							} else {
								at[axis] = clamp(at[axis], size)
							}
							j := b.at(at[0], at[1], at[2])
							if dot(m.at(j), m.at(j)) == 0 {
								continue
							}
							low, high := min(regions[i], regions[j]), max(regions[i], regions[j])
							a := float64(table[int(high)*(int(high)+1)/2+int(low)])
							sum = plus(sum, times(w[axis]*a/2, plus(m.at(j), times(-1, m.at(i)))))
						}
					}
					return sum
				})
			}
		}
	})
	add(unit+"kernmulc", "kernmulC", func(r *run) {
		for _, b := range boxes {
			n := b.x * b.y
			m, k := r.floats(2*n, -1, 1), r.floats(2*n, -1, 1)
			dst := on(r, m)
			grid, block := b.plane()
			launch(r, grid, block, 0, with4(dst, on(r, k), int32(b.x), int32(b.y)))
			near(r, "M", from(r, dst), each(2*n, func(i int) float64 {
				e := i &^ 1
				p := complex(float64(m[e]), float64(m[e+1])) * complex(float64(k[e]), float64(k[e+1]))
				if i&1 == 0 {
					return real(p)
				}
				return imag(p)
			}), 3, 1)
		}
	})
	add(unit+"kernmulrsymm2dxy", "kernmulRSymm2Dxy", func(r *run) {
		for _, b := range []box{{1, 1, 1}, {17, 9, 1}, {8, 6, 1}} {
			n := b.x * b.y
			mx, my := r.floats(2*n, -1, 1), r.floats(2*n, -1, 1)
			kxx, kyy, kxy := r.floats(n, -1, 1), r.floats(n, -1, 1), r.floats(n, -1, 1)
			x, y := on(r, mx), on(r, my)
			grid, block := b.plane()
			launch(r, grid, block, 0, with7(x, y, on(r, kxx), on(r, kyy), on(r, kxy), int32(b.x), int32(b.y)))
			at := func(i int) (xx, yy, xy float64) {
				column, line, sign := i/2%b.x, i/2/b.x, 1.0
				if line > b.y/2 {
					line, sign = b.y-line, -1
				}
				j := line*b.x + column
				return float64(kxx[j]), float64(kyy[j]), sign * float64(kxy[j])
			}
			near(r, "Mx", from(r, x), each(2*n, func(i int) float64 {
				xx, _, xy := at(i)
				return float64(mx[i])*xx + float64(my[i])*xy
			}), 3, 1)
			near(r, "My", from(r, y), each(2*n, func(i int) float64 {
				_, yy, xy := at(i)
				return float64(mx[i])*xy + float64(my[i])*yy
			}), 3, 1)
		}
	})

	// The last steps of mumax's reductions are those of one warp, without a barrier.
	reduce := func(sources int, start float32, f func(x [][]float32, i int) float64, join func(a, b float64) float64) func(r *run) {
		return func(r *run) {
			for _, n := range []int{1, 63, 512, 5000} {
				x := make([][]float32, sources)
				s := make([]slice, 6)
				for i := range x {
					x[i] = r.wholes(n, 20)
					s[i] = on(r, x[i])
				}
				dst := on(r, []float32{start})
				grid, block := dim(3), dim(512)
				switch sources {
				case 1:
					launch(r, grid, block, 0, with4(s[0], dst, start, int32(n)))
				case 2:
					launch(r, grid, block, 0, with5(s[0], s[1], dst, start, int32(n)))
				case 3:
					launch(r, grid, block, 0, with6(s[0], s[1], s[2], dst, start, int32(n)))
				case 6:
					launch(r, grid, block, 0, with9(s[0], s[1], s[2], s[3], s[4], s[5], dst, start, int32(n)))
				}
				want := float64(start)
				for i := range n {
					want = join(want, f(x, i))
				}
				equal(r, "dst", from(r, dst), []float32{float32(want)})
			}
		}
	}
	sum := func(a, b float64) float64 { return a + b }
	square := func(x float32) float64 { return float64(x) * float64(x) }
	addWith(sharedRaces, unit+"reducesum", "reducesum", reduce(1, 0, func(x [][]float32, i int) float64 { return float64(x[0][i]) }, sum))
	addWith(sharedRaces, unit+"reducedot", "reducedot", reduce(2, 0, func(x [][]float32, i int) float64 { return float64(x[0][i]) * float64(x[1][i]) }, sum))
	addWith(sharedRaces, unit+"reducemaxabs", "reducemaxabs", reduce(1, 0, func(x [][]float32, i int) float64 { return math.Abs(float64(x[0][i])) }, math.Max))
	addWith(sharedRaces, unit+"reducemaxdiff", "reducemaxdiff", reduce(2, 0, func(x [][]float32, i int) float64 { return math.Abs(float64(x[0][i] - x[1][i])) }, math.Max))
	addWith(sharedRaces, unit+"reducemaxvecnorm2", "reducemaxvecnorm2", reduce(3, 0, func(x [][]float32, i int) float64 {
		return square(x[0][i]) + square(x[1][i]) + square(x[2][i])
	}, math.Max))
	addWith(sharedRaces, unit+"reducemaxvecdiff2", "reducemaxvecdiff2", reduce(6, 0, func(x [][]float32, i int) float64 {
		return square(x[0][i]-x[3][i]) + square(x[1][i]-x[4][i]) + square(x[2][i]-x[5][i])
	}, math.Max))
}
