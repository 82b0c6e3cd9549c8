// Command slow transposes a matrix in five ways, from naive to good, and says what the profiler finds in each:
//
//	go run ./example/slow
//
// It always runs on the simulated device, which counts. docs/profiling.md explains the steps.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/profile"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen slow.cu

func main() {
	size := flag.Int("size", 1024, "rows and columns of the matrix, a multiple of 32")
	folder := flag.String("pictures", "", "`folder` for a picture after each step (SVG)")
	flag.Parse()
	if err := run(os.Stdout, *size, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "slow:", err)
		os.Exit(1)
	}
}

// steps are the kernels, from naive to good.
var steps = []string{"naive", "tiled", "padded", "several", "vectors"}

// run writes the report of each step, and a picture of it and those before, if there is a folder for that.
func run(out io.Writer, size int, folder string) error {
	if size <= 0 || size%32 != 0 {
		return fmt.Errorf("the size is %d: want a multiple of 32", size)
	}
	dev, err := cuda.OpenSimulator()
	if err != nil {
		return err
	}
	defer dev.Close()
	p, err := profile.Start(profile.Config{})
	if err != nil {
		return err
	}
	defer p.Stop()
	for n, step := range steps {
		if err := transpose(dev, step, size); err != nil {
			return err
		}
		if n > 0 {
			fmt.Fprintln(out)
		}
		if err := p.Kernel(step).WriteReport(out); err != nil {
			return err
		}
		if folder == "" {
			continue
		}
		if err := draw(p, filepath.Join(folder, step+".svg")); err != nil {
			return err
		}
	}
	return nil
}

// draw writes a picture of what was profiled so far.
func draw(p *profile.Profile, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(p.WriteRoofline(file, "H200"), file.Close())
}

// transpose transposes a square matrix by one of the kernels, and checks the result.
func transpose(dev *cuda.Device, step string, size int) error {
	k, err := LoadSlow(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	matrix := make([]float32, size*size)
	for i := range matrix {
		matrix[i] = float32(i)
	}
	in, err := cuda.Upload(s, matrix)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := cuda.Alloc[float32](s, len(matrix))
	if err != nil {
		return err
	}
	defer out.Close()
	n := int32(size)
	switch step {
	case "naive":
		err = k.Naive.Launch(s, in.All(), out.All(), n, n)
	case "tiled":
		err = k.Tiled.Launch(s, in.All(), out.All(), n, n)
	case "padded":
		err = k.Padded.Launch(s, in.All(), out.All(), n, n)
	case "several":
		err = k.Several.Launch(s, in.All(), out.All(), n, n)
	case "vectors":
		err = k.Vectors.Launch(s, cuda.Reinterpret[vec.Float4](in.All()), cuda.Reinterpret[vec.Float4](out.All()), n, n)
	default:
		err = fmt.Errorf("there is no step %s", step)
	}
	if err != nil {
		return err
	}
	turned, err := out.All().Download(s)
	if err != nil {
		return err
	}
	for i := range turned {
		if turned[i] != matrix[i%size*size+i/size] {
			return fmt.Errorf("%s: element %d is %v", step, i, turned[i])
		}
	}
	return nil
}
