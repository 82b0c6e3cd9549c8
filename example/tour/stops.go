package main

import (
	"fmt"
	"image"
	"image/png"
	"math"
	"math/rand/v2"
	"os"

	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// random makes the same numbers in every run.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// floats returns n numbers in [-1, 1).
func floats(n int) []float32 {
	rng := random()
	list := make([]float32, n)
	for i := range list {
		list[i] = 2*rng.Float32() - 1
	}
	return list
}

// download copies a buffer to a new slice.
func download[T any](s *session, b *cuda.Buffer[T]) ([]T, error) {
	host := make([]T, b.Len())
	return host, b.CopyTo(s.stream, host)
}

func saxpy(s *session) (*result, error) {
	const n, a = 1 << 20, 2.5
	hostX := floats(n)
	x, err := cuda.Upload(s.stream, hostX)
	if err != nil {
		return nil, err
	}
	defer x.Close()
	y, err := cuda.Upload(s.stream, make([]float32, n))
	if err != nil {
		return nil, err
	}
	defer y.Close()
	elapsed, err := s.timed(func() error { return s.kernels.Saxpy.Launch(s.stream, a, x.All(), y.All()) })
	if err != nil {
		return nil, err
	}
	got, err := download(s, y)
	if err != nil {
		return nil, err
	}
	want := make([]float32, n)
	for range 2 { // timed launches twice
		for i := range want {
			want[i] += float32(a * hostX[i])
		}
	}
	return &result{elements: n, elapsed: elapsed, output: near{got, want, 1e-6}}, nil
}

func sum(s *session) (*result, error) {
	const n = 1<<20 + 37
	host := make([]int32, n)
	want := make([]int64, (n+1023)/1024)
	rng := random()
	for i := range host {
		host[i] = int32(rng.Uint32())
		want[i/1024] += int64(host[i])
	}
	in, err := cuda.Upload(s.stream, host)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	partial, err := cuda.Alloc[int64](s.stream, len(want))
	if err != nil {
		return nil, err
	}
	defer partial.Close()
	elapsed, err := s.timed(func() error { return s.kernels.Sum.Launch(s.stream, in.All(), partial.All()) })
	if err != nil {
		return nil, err
	}
	got, err := download(s, partial)
	return &result{elements: n, elapsed: elapsed, output: exact[int64]{got, want}}, err
}

// The picture that mandelbrot paints.
const (
	width, height = 640, 480
	limit         = 256
	span          = 3.2
)

var centre = vec.Double2{X: -0.6, Y: 0}

func mandelbrot(s *session) (*result, error) {
	img, err := cuda.Alloc[vec.UChar4](s.stream, width*height)
	if err != nil {
		return nil, err
	}
	defer img.Close()
	elapsed, err := s.timed(func() error {
		return s.kernels.Mandelbrot.Launch(s.stream, img.All(), width, height, centre, span, limit)
	})
	if err != nil {
		return nil, err
	}
	got, err := download(s, img)
	want := make([]vec.UChar4, width*height)
	for i := range want {
		want[i] = colour(i%width, i/width)
	}
	return &result{elements: width * height, elapsed: elapsed, output: exact[vec.UChar4]{got, want}}, err
}

// colour is the kernel in Go. The conversions keep Go from fusing operations where
// the kernel rounds.
func colour(px, py int) vec.UChar4 {
	cx := math.FMA(span, (float64(px)+0.5)/width-0.5, centre.X)
	cy := math.FMA(span, (float64(py)+0.5-0.5*height)/width, centre.Y)
	x, y, n := 0.0, 0.0, 0
	for ; n < limit; n++ {
		xx, yy := float64(x*x), float64(y*y)
		if float64(xx+yy) > 4 {
			break
		}
		y = math.FMA(2*x, y, cy)
		x = float64(xx-yy) + cx
	}
	shade := uint8(n * 7)
	if n == limit {
		shade = 0
	}
	return vec.UChar4{X: shade, Y: shade * 3, Z: 255 - shade, W: 255}
}

// writePicture writes what mandelbrot painted as a PNG file.
func writePicture(path string, results []*result) error {
	for _, r := range results {
		pixels, ok := r.output.(exact[vec.UChar4])
		if !ok {
			continue
		}
		img := image.NewNRGBA(image.Rect(0, 0, width, height))
		for i, p := range pixels.got {
			copy(img.Pix[4*i:], []byte{p.X, p.Y, p.Z, p.W})
		}
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		defer file.Close()
		return png.Encode(file, img)
	}
	return fmt.Errorf("no kernel painted %s", path)
}

func heatStep(s *session) (*result, error) {
	const columns, rows, steps = 300, 200, 8
	plate := example.Plate{Size: vec.UInt2{X: columns, Y: rows}, Periodic: 1, Dt: 0.2, Conduct: [3]float32{1, 0.5, 0.75}}
	hot := floats(columns * rows)
	a, err := cuda.Upload(s.stream, hot)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	b, err := cuda.Alloc[float32](s.stream, columns*rows)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	from, to := a, b
	elapsed, err := s.timed(func() error {
		for range steps {
			if err := s.kernels.HeatStep.Launch(s.stream, to.All(), from.All(), plate, columns, rows); err != nil {
				return err
			}
			from, to = to, from
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	got, err := download(s, from)
	want := hot
	for range 2 * steps { // timed runs twice
		want = heatInGo(want, plate, columns, rows)
	}
	return &result{elements: steps * columns * rows, elapsed: elapsed, output: near{got, want, 1e-5}}, err
}

// heatInGo is one step of heat_step on a periodic plate.
func heatInGo(in []float32, plate example.Plate, columns, rows int) []float32 {
	out := make([]float32, len(in))
	for y := range rows {
		for x := range columns {
			at := func(dx, dy int) float32 {
				return in[(y+dy+rows)%rows*columns+(x+dx+columns)%columns]
			}
			here := at(0, 0)
			flow := plate.Conduct[1]*(at(-1, 0)+at(1, 0)-2*here) + plate.Conduct[2]*(at(0, -1)+at(0, 1)-2*here)
			out[y*columns+x] = plate.Conduct[0]*here + float32(plate.Dt)*flow
		}
	}
	return out
}

func histogram(s *session) (*result, error) {
	const n, bins = 1 << 18, 100
	host := make([]uint8, n)
	want := make([]uint32, bins)
	rng := random()
	for i := range host {
		host[i] = uint8(rng.Uint32())
		want[int(host[i])%bins] += 2 // timed launches twice
	}
	data, err := cuda.Upload(s.stream, host)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	counts, err := cuda.Upload(s.stream, make([]uint32, bins))
	if err != nil {
		return nil, err
	}
	defer counts.Close()
	elapsed, err := s.timed(func() error { return s.kernels.Histogram.Launch(s.stream, data.All(), counts.All(), bins) })
	if err != nil {
		return nil, err
	}
	got, err := download(s, counts)
	return &result{elements: n, elapsed: elapsed, output: exact[uint32]{got, want}}, err
}

func addDelta(s *session) (*result, error) {
	const n, delta = 1<<20 - 5, 7
	host := make([]int32, n)
	want := make([]int32, n)
	for i := range host {
		host[i] = int32(3 * i)
		want[i] = host[i] + 2*delta // timed launches twice
	}
	data, err := cuda.Upload(s.stream, host)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	elapsed, err := s.timed(func() error { return s.kernels.AddDelta.Launch(s.stream, data.All(), delta) })
	if err != nil {
		return nil, err
	}
	got, err := download(s, data)
	return &result{elements: n, elapsed: elapsed, output: exact[int32]{got, want}}, err
}

func transform(s *session) (*result, error) {
	const n = 1 << 19
	m := [6]float32{0.8, -0.6, 0.25, 0.6, 0.8, -0.5}
	xy := floats(2 * n)
	host := make([]vec.Float2, n)
	want := make([]float32, 0, 2*n)
	for i := range host {
		p := vec.Float2{X: xy[2*i], Y: xy[2*i+1]}
		host[i] = p
		want = append(want, m[0]*p.X+m[1]*p.Y+m[2], m[3]*p.X+m[4]*p.Y+m[5])
	}
	from, err := cuda.Upload(s.stream, host)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := cuda.Alloc[vec.Float2](s.stream, n)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	elapsed, err := s.timed(func() error {
		return s.kernels.Transform.Launch(s.stream, from.All(), to.All(), example.Affine{M: m})
	})
	if err != nil {
		return nil, err
	}
	points, err := download(s, to)
	got := make([]float32, 0, 2*n)
	for _, p := range points {
		got = append(got, p.X, p.Y)
	}
	return &result{elements: n, elapsed: elapsed, output: near{got, want, 1e-6}}, err
}

func smooth(s *session) (*result, error) {
	const n = 1 << 19
	taps := [5]float32{0.0625, 0.25, 0.375, 0.25, 0.0625}
	if err := s.kernels.Taps.Set(s.stream, taps); err != nil {
		return nil, err
	}
	host := floats(n)
	want := make([]float32, n)
	for i := range want {
		for t, tap := range taps {
			if at := i + t - 2; at >= 0 && at < n {
				want[i] += tap * host[at]
			}
		}
	}
	in, err := cuda.Upload(s.stream, host)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := cuda.Alloc[float32](s.stream, n)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	elapsed, err := s.timed(func() error { return s.kernels.Smooth.Launch(s.stream, in.All(), out.All()) })
	if err != nil {
		return nil, err
	}
	got, err := download(s, out)
	return &result{elements: n, elapsed: elapsed, output: near{got, want, 1e-6}}, err
}
