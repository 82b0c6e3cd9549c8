// Command regression finds lines between classes of points: logistic regression by gradient descent.
//
// cuRAND makes the points, cuBLAS multiplies matrices, and two kernels do the rest, all on one stream. It runs on a GPU if there is
// one and the libraries are installed, otherwise on the simulated device.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cudagen/cudagen/example/opened"
	"github.com/cudagen/cudagen/runtime/cublas"
	_ "github.com/cudagen/cudagen/runtime/cublas/simulated" // cuBLAS and cuRAND on the simulated device
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/curand"
	_ "github.com/cudagen/cudagen/runtime/curand/simulated"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

//go:generate go run ../../cmd/cudagen regression.cu

func main() {
	points := flag.Int("points", 0, "`number` of points; default: 1,000,000, and 2,000 on the simulated device")
	classes := flag.Int("classes", 3, "`number` of classes")
	steps := flag.Int("steps", 60, "`number` of steps")
	flag.Parse()
	if err := run(os.Stdout, *points, *classes, *steps); err != nil {
		fmt.Fprintln(os.Stderr, "regression:", err)
		os.Exit(1)
	}
}

// run finds lines on the default device, and says how good they are.
func run(out io.Writer, points, classes, steps int) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	if points == 0 {
		points = 1_000_000
		if dev.IsSimulated() {
			points = 2000
		}
	}
	m, err := newModel(dev, points, classes)
	if err != nil {
		return err
	}
	defer m.close()
	for i := range steps + 1 {
		loss, right, err := m.step(1)
		if err != nil {
			return err
		}
		if i%20 == 0 {
			fmt.Fprintf(out, "step %d: loss %.3f, %.1f %% right\n", i, loss, 100*right)
		}
	}
	return nil
}

// coordinates is how many numbers a point has.
const coordinates = 3

// A model tells classes apart: the score of a class is the product of its weights and a point.
type model struct {
	n, classes int
	kernels    *Regression
	stream     *cuda.Stream
	blas       *cublas.Handle
	points     *cuda.Buffer[float32] // n by coordinates
	weights    *cuda.Buffer[float32] // coordinates by classes
	gradient   *cuda.Buffer[float32] // the same
	scores     *cuda.Buffer[float32] // n by classes, and then their errors
	losses     *cuda.Buffer[float32]
	right      *cuda.Buffer[float32]
	made       opened.List
}

// newModel makes points, and a model whose weights are 0.
func newModel(dev *cuda.Device, n, classes int) (*model, error) {
	m := &model{n: n, classes: classes}
	var random *curand.Generator
	err := m.made.Make(
		func() error { return opened.Keep(&m.made, &m.kernels)(LoadRegression(dev)) },
		func() error { return opened.Keep(&m.made, &m.stream)(dev.NewStream()) },
		func() error { return opened.Keep(&m.made, &m.blas)(cublas.NewHandle(dev)) },
		func() error { return opened.Keep(&m.made, &random)(curand.NewGenerator(dev, curand.Philox4x32)) },
		func() error { return opened.Keep(&m.made, &m.points)(cuda.Alloc[float32](m.stream, n*coordinates)) },
		func() error {
			return opened.Keep(&m.made, &m.weights)(cuda.Alloc[float32](m.stream, coordinates*classes))
		},
		func() error {
			return opened.Keep(&m.made, &m.gradient)(cuda.Alloc[float32](m.stream, coordinates*classes))
		},
		func() error { return opened.Keep(&m.made, &m.scores)(cuda.Alloc[float32](m.stream, n*classes)) },
		func() error { return opened.Keep(&m.made, &m.losses)(cuda.Alloc[float32](m.stream, n)) },
		func() error { return opened.Keep(&m.made, &m.right)(cuda.Alloc[float32](m.stream, n)) },
		func() error { return m.weights.Clear(m.stream) },
		func() error { return random.SetSeed(1) },
		func() error { return curand.Normal(random, m.stream, m.points.Slice(0, 2*n), 0, 1) },
		func() error { return m.kernels.Place.Launch(m.stream, m.points.All(), int32(n), int32(classes), 3) },
	)
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *model) close() { m.made.Close() }

// step returns the mean loss, and which part of the points the model tells right, and improves the weights at that rate.
func (m *model) step(rate float32) (loss, right float32, err error) {
	x, w, e := m.points.All(), m.weights.All(), m.scores.All()
	if err := cublas.Gemm(m.blas, m.stream, cublas.OpN, cublas.OpN, m.n, m.classes, coordinates, 1, x, m.n, w, coordinates, 0, e, m.n); err != nil {
		return 0, 0, err
	}
	if err := m.kernels.Errors.Launch(m.stream, e, m.losses.All(), m.right.All(), int32(m.n), int32(m.classes)); err != nil {
		return 0, 0, err
	}
	gradient, size := m.gradient.All(), coordinates*m.classes
	if err := cublas.Gemm(m.blas, m.stream, cublas.OpT, cublas.OpN, coordinates, m.classes, m.n, 1/float32(m.n), x, m.n, e, m.n, 0, gradient, coordinates); err != nil {
		return 0, 0, err
	}
	if err := cublas.Axpy(m.blas, m.stream, size, -rate, gradient, 1, w, 1); err != nil {
		return 0, 0, err
	}
	if loss, err = m.blas.Sasum(m.stream, int64(m.n), m.losses.All(), 1); err != nil {
		return 0, 0, err
	}
	if right, err = m.blas.Sasum(m.stream, int64(m.n), m.right.All(), 1); err != nil {
		return 0, 0, err
	}
	return loss / float32(m.n), right / float32(m.n), nil
}
