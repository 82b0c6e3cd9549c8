// Command formula plots a formula that you type:
//
//	go run ./example/formula 'sin(3*x) * exp(-x*x/8)'
//
// NVRTC compiles a kernel for it at run time, so the formula may use all that CUDA C++ has. It runs
// on a GPU if there is one, otherwise on the simulated device; NVRTC needs no GPU. The second run of
// a formula takes it from the cache.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/nvrtc"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

func main() {
	formula := "sin(3*x) * exp(-x*x/8)"
	if len(os.Args) > 1 {
		formula = strings.Join(os.Args[1:], " ")
	}
	if err := run(context.Background(), os.Stdout, formula); err != nil {
		fmt.Fprintln(os.Stderr, "formula:", err)
		os.Exit(1)
	}
}

// run plots formula with the default device.
func run(ctx context.Context, out io.Writer, formula string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	y, err := evaluate(ctx, dev, formula, -4, 4, 73)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%v\n%s\n", dev, formula)
	plot(out, y, 21)
	return nil
}

// source is the kernel, without the formula. #line makes the compiler's messages speak of it.
const source = `extern "C" __global__ void evaluate(double *y, double from, double step, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double x = from + i * step;
  y[i] =
#line 1 "formula"
%s
  ;
}
`

// evaluateArgs are the parameters of the kernel. cuda.Bind compares them with it.
type evaluateArgs struct {
	Y          cuda.Slice[float64]
	From, Step float64
	N          int32
}

// evaluate returns the values of formula at n places between from and to.
func evaluate(ctx context.Context, dev *cuda.Device, formula string, from, to float64, n int) ([]float64, error) {
	arch, err := nvrtc.ArchFor(dev)
	if err != nil {
		return nil, err
	}
	compiled, err := nvrtc.Compile(ctx, fmt.Sprintf(source, formula), nvrtc.Options{Arch: arch})
	if missing := (*nvrtc.NotFoundError)(nil); errors.As(err, &missing) {
		return nil, fmt.Errorf("%w\n\nThis program compiles at run time. NVRTC needs no GPU", err)
	}
	if err != nil {
		return nil, err
	}
	library, err := dev.LoadLibrary(compiled.Image)
	if err != nil {
		return nil, err
	}
	defer library.Close()
	kernel, err := cuda.Bind[evaluateArgs](library, "evaluate")
	if err != nil {
		return nil, err
	}
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	y, err := cuda.Alloc[float64](s, n)
	if err != nil {
		return nil, err
	}
	defer y.Close()
	cfg := cuda.LaunchConfig{Grid: cuda.Dim(uint32(n+63) / 64), Block: cuda.Dim(64)}
	args := evaluateArgs{Y: y.All(), From: from, Step: (to - from) / float64(n-1), N: int32(n)}
	if err := kernel.LaunchArgsWith(s, cfg, &args); err != nil {
		return nil, err
	}
	return y.All().Download(s)
}

// plot prints y with so many rows.
func plot(out io.Writer, y []float64, rows int) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range y {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			low, high = min(low, v), max(high, v)
		}
	}
	if low > high {
		fmt.Fprintln(out, "no value is a finite number")
		return
	}
	span := max(high-low, math.SmallestNonzeroFloat64)
	for row := range rows {
		line := []byte(strings.Repeat(" ", len(y)))
		for i, v := range y {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			if int(math.Round((high-v)/span*float64(rows-1))) == row {
				line[i] = '*'
			}
		}
		label := ""
		switch row {
		case 0:
			label = fmt.Sprintf("%.4g", high)
		case rows - 1:
			label = fmt.Sprintf("%.4g", low)
		}
		fmt.Fprintf(out, "%10s |%s\n", label, strings.TrimRight(string(line), " "))
	}
}
