// Command linear solves systems of linear equations: the temperatures of a plate whose edge is held, with one equation for each point inside.
//
// A kernel makes the matrix, cuSOLVER solves by LU and by Cholesky, and cuBLAS says how exact that is, all on one stream. It runs on a
// GPU if there is one and the libraries are installed, otherwise on the simulated device.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cudagen/cudagen/example/opened"
	"github.com/cudagen/cudagen/runtime/cublas"
	_ "github.com/cudagen/cudagen/runtime/cublas/simulated" // cuBLAS and cuSOLVER on the simulated device
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cusolver"
	_ "github.com/cudagen/cudagen/runtime/cusolver/simulated"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

//go:generate go run ../../cmd/cudagen linear.cu

func main() {
	size := flag.Int("size", 0, "`points` in a row and in a column; default: 64, and 12 on the simulated device")
	flag.Parse()
	if err := run(os.Stdout, *size); err != nil {
		fmt.Fprintln(os.Stderr, "linear:", err)
		os.Exit(1)
	}
}

// run solves on the default device, and says how.
func run(out io.Writer, size int) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	if size == 0 {
		size = 64
		if dev.IsSimulated() {
			size = 12
		}
	}
	p, err := newPlate(dev, size)
	if err != nil {
		return err
	}
	defer p.close()
	for _, way := range []struct {
		name  string
		solve func() error
	}{{"LU", p.lu}, {"Cholesky", p.cholesky}} {
		wrong, middle, err := p.solved(way.solve)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		fmt.Fprintf(out, "%s: %d equations, %.1f degrees in the middle, |A x - b| = %.1e\n", way.name, p.n, middle, wrong)
	}
	return nil
}

// A plate is a system A x = b with an equation for each of size by size points.
type plate struct {
	size, n int
	kernels *Linear
	stream  *cuda.Stream
	blas    *cublas.Handle
	solver  *cusolver.Handle
	a, work *cuda.Buffer[float64] // n by n; solvers replace work
	b, x, r *cuda.Buffer[float64]
	info    *cuda.Buffer[int32]
	made    opened.List
}

func newPlate(dev *cuda.Device, size int) (*plate, error) {
	p := &plate{size: size, n: size * size}
	err := p.made.Make(
		func() error { return opened.Keep(&p.made, &p.kernels)(LoadLinear(dev)) },
		func() error { return opened.Keep(&p.made, &p.stream)(dev.NewStream()) },
		func() error { return opened.Keep(&p.made, &p.blas)(cublas.NewHandle(dev)) },
		func() error { return opened.Keep(&p.made, &p.solver)(cusolver.NewHandle(dev)) },
		func() error { return opened.Keep(&p.made, &p.a)(cuda.Alloc[float64](p.stream, p.n*p.n)) },
		func() error { return opened.Keep(&p.made, &p.work)(cuda.Alloc[float64](p.stream, p.n*p.n)) },
		func() error { return opened.Keep(&p.made, &p.b)(cuda.Alloc[float64](p.stream, p.n)) },
		func() error { return opened.Keep(&p.made, &p.x)(cuda.Alloc[float64](p.stream, p.n)) },
		func() error { return opened.Keep(&p.made, &p.r)(cuda.Alloc[float64](p.stream, p.n)) },
		func() error { return opened.Keep(&p.made, &p.info)(cuda.Alloc[int32](p.stream, 1)) },
		func() error { return p.kernels.Equations.Launch(p.stream, p.a.All(), p.b.All(), int32(size), 100) },
	)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (p *plate) close() { p.made.Close() }

// lu and cholesky solve in x, and lose work.
func (p *plate) lu() error {
	return cusolver.Solve(p.solver, p.stream, p.n, 1, p.work.All(), p.n, p.x.All(), p.n)
}

func (p *plate) cholesky() error {
	lower, info := cusolver.FillModeLower, p.info.All()
	if err := cusolver.Potrf(p.solver, p.stream, lower, p.n, p.work.All(), p.n, info); err != nil {
		return err
	}
	if err := cusolver.Check(p.stream, info); err != nil {
		return err
	}
	return cusolver.Potrs(p.solver, p.stream, lower, p.n, 1, p.work.All(), p.n, p.x.All(), p.n, info)
}

// solved solves, and returns how far A x is from b, and the temperature in the middle.
func (p *plate) solved(solve func() error) (wrong, middle float64, err error) {
	n := int64(p.n)
	if err := p.blas.Dcopy(p.stream, n*n, p.a.All(), 1, p.work.All(), 1); err != nil {
		return 0, 0, err
	}
	if err := p.blas.Dcopy(p.stream, n, p.b.All(), 1, p.x.All(), 1); err != nil {
		return 0, 0, err
	}
	if err := solve(); err != nil {
		return 0, 0, err
	}
	if err := p.blas.Dcopy(p.stream, n, p.b.All(), 1, p.r.All(), 1); err != nil {
		return 0, 0, err
	}
	if err := cublas.Gemv(p.blas, p.stream, cublas.OpN, p.n, p.n, 1, p.a.All(), p.n, p.x.All(), 1, -1, p.r.All(), 1); err != nil {
		return 0, 0, err
	}
	if wrong, err = p.blas.Dnrm2(p.stream, n, p.r.All(), 1); err != nil {
		return 0, 0, err
	}
	at := p.size/2*p.size + p.size/2
	temperature, err := p.x.Slice(at, at+1).Download(p.stream)
	if err != nil {
		return 0, 0, err
	}
	return wrong, temperature[0], nil
}
