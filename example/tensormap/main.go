// Command tensormap transposes a matrix whose tiles the tensor memory accelerator of Hopper and newer
// GPUs brings to shared memory, and compares with Go.
//
//	go run ./example/tensormap
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/tensormap"
	_ "github.com/cudagen/cudagen/runtime/sim" // where there is no GPU
)

//go:generate go run ../../cmd/cudagen -arch compute_90 transpose.cu

func main() {
	rows := flag.Int("rows", 1000, "`rows` of the matrix")
	columns := flag.Int("columns", 700, "`columns`, a multiple of 4")
	flag.Parse()
	if err := run(os.Stdout, *rows, *columns); err != nil {
		fmt.Fprintln(os.Stderr, "tensormap:", err)
		os.Exit(1)
	}
}

// run transposes on the first device.
func run(out io.Writer, rows, columns int) error {
	if rows < 1 || columns < 1 || rows > 1<<20 || columns > 1<<20 {
		return fmt.Errorf("a matrix of %d × %d elements: want 1 to %d of each", rows, columns, 1<<20)
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	fmt.Fprintln(out, dev)
	matrix := make([]float32, rows*columns)
	for i := range matrix {
		matrix[i] = float32(i)
	}
	got, err := transposed(dev, matrix, rows, columns)
	if err != nil {
		return err
	}
	for i, v := range got {
		if want := matrix[i%rows*columns+i/rows]; v != want {
			return fmt.Errorf("row %d, column %d of the result: got %v, want %v", i/rows, i%rows, v, want)
		}
	}
	fmt.Fprintf(out, "transposed %d × %d elements by tensor maps: %d values identical\n", rows, columns, len(got))
	return nil
}

// transposed returns the transposed matrix.
func transposed(dev *cuda.Device, matrix []float32, rows, columns int) (_ []float32, err error) {
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	in, err := cuda.Upload(s, matrix)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := cuda.Alloc[float32](s, len(matrix))
	if err != nil {
		return nil, err
	}
	defer out.Close()
	tiles, err := cuda.NewTensorMap(in.All(), tensormap.Config{Dims: []int{columns, rows}, Box: []int{tile, tile}})
	if err != nil {
		return nil, err
	}
	kernels, err := LoadTranspose(dev)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, kernels.Close()) }()
	if err := kernels.Transpose.Launch(s, tiles, out.All(), int32(rows), int32(columns)); err != nil {
		return nil, err
	}
	return out.All().Download(s)
}

// tile is the rows and columns of what a block transposes.
const tile = 32
