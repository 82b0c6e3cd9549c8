// Command heat lets letters of heat spread on a plate, and writes heat.gif, an animated picture.
//
// It has kernels of its own, transforms by cuFFT, and sums up by cuBLAS, all on one stream. It runs on a GPU if there is
// one and the libraries are installed, otherwise on the simulated device.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"

	"github.com/cudagen/cudagen/example/opened"
	"github.com/cudagen/cudagen/runtime/cublas"
	_ "github.com/cudagen/cudagen/runtime/cublas/simulated" // cuBLAS and cuFFT on the simulated device
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	"github.com/cudagen/cudagen/runtime/cufft"
	_ "github.com/cudagen/cudagen/runtime/cufft/simulated"
	_ "github.com/cudagen/cudagen/runtime/sim"
)

//go:generate go run ../../cmd/cudagen heat.cu

func main() {
	size := flag.Int("size", 0, "`pixels` in a row and in a column; default: 512, and 64 on the simulated device")
	frames := flag.Int("frames", 20, "`number` of frames")
	path := flag.String("o", "heat.gif", "`path` of the picture")
	flag.Parse()
	if err := run(os.Stdout, *size, *frames, *path); err != nil {
		fmt.Fprintln(os.Stderr, "heat:", err)
		os.Exit(1)
	}
}

// run makes a movie on the default device, and writes the file at path.
func run(out io.Writer, size, frames int, path string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	if size == 0 {
		size = 512
		if dev.IsSimulated() {
			size = 64
		}
	}
	p, err := newPlate(dev, letters(size), size, size)
	if err != nil {
		return err
	}
	defer p.close()
	var picture gif.GIF
	for range frames {
		pixels, heat, err := p.frame()
		if err != nil {
			return err
		}
		frame := image.NewPaletted(image.Rect(0, 0, size, size), palette)
		copy(frame.Pix, pixels)
		picture.Image, picture.Delay = append(picture.Image, frame), append(picture.Delay, 8)
		fmt.Fprintf(out, "heat %.0f\n", heat)
		if err := p.wait(float32(size) / 40); err != nil {
			return err
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(gif.EncodeAll(file, &picture), file.Close())
}

// A plate is heat in the memory of a device, whose opposite edges meet.
type plate struct {
	width, height int
	kernels       *Heat
	stream        *cuda.Stream
	blas          *cublas.Handle
	there, back   *cufft.Plan
	temperatures  *cuda.Buffer[float32]
	waves         *cuda.Buffer[complex64]
	pixels        *cuda.Buffer[uint8]
	made          opened.List
}

func newPlate(dev *cuda.Device, temperatures []float32, width, height int) (*plate, error) {
	p := &plate{width: width, height: height}
	err := p.made.Make(
		func() error { return opened.Keep(&p.made, &p.kernels)(LoadHeat(dev)) },
		func() error { return opened.Keep(&p.made, &p.stream)(dev.NewStream()) },
		func() error { return opened.Keep(&p.made, &p.blas)(cublas.NewHandle(dev)) },
		func() error {
			return opened.Keep(&p.made, &p.there)(cufft.NewPlan2D(dev, int32(height), int32(width), cufft.R2C))
		},
		func() error {
			return opened.Keep(&p.made, &p.back)(cufft.NewPlan2D(dev, int32(height), int32(width), cufft.C2R))
		},
		func() error { return opened.Keep(&p.made, &p.temperatures)(cuda.Upload(p.stream, temperatures)) },
		func() error {
			return opened.Keep(&p.made, &p.waves)(cuda.Alloc[complex64](p.stream, (width/2+1)*height))
		},
		func() error { return opened.Keep(&p.made, &p.pixels)(cuda.Alloc[uint8](p.stream, width*height)) },
	)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (p *plate) close() { p.made.Close() }

// wait lets the heat spread for a time.
func (p *plate) wait(time float32) error {
	if err := p.there.ExecR2C(p.stream, p.temperatures.All(), p.waves.All()); err != nil {
		return err
	}
	waves := cuda.Reinterpret[vec.Float2](p.waves.All())
	if err := p.kernels.Decay.Launch(p.stream, waves, int32(p.width), int32(p.height), time); err != nil {
		return err
	}
	return p.back.ExecC2R(p.stream, p.waves.All(), p.temperatures.All())
}

// frame returns the plate as pixels, and how much heat it has: the sum of all temperatures, none of which is below 0.
func (p *plate) frame() (pixels []uint8, heat float32, err error) {
	n := p.width * p.height
	if err := p.kernels.Shade.Launch(p.stream, p.temperatures.All(), p.pixels.All(), int32(n), 1, int32(len(palette))); err != nil {
		return nil, 0, err
	}
	if heat, err = p.blas.Sasum(p.stream, int64(n), p.temperatures.All(), 1); err != nil {
		return nil, 0, err
	}
	pixels, err = p.pixels.All().Download(p.stream)
	return pixels, heat, err
}

// letters returns a plate with GO on it, in squares.
func letters(size int) []float32 {
	rows := []string{"            ", " ###   ###  ", "#     #   # ", "#  ## #   # ", "#   # #   # ", " ###   ###  ", "            "}
	plate := make([]float32, size*size)
	for y := range size {
		for x := range size {
			if row := rows[y*len(rows)/size]; row[x*len(row)/size] == '#' {
				plate[y*size+x] = 1
			}
		}
	}
	return plate
}

// palette is the colors of temperatures.
var palette = func() (p color.Palette) {
	for i := range 64 {
		t := i * 4
		p = append(p, color.RGBA{uint8(min(255, 2*t)), uint8(max(0, 2*t-255)), uint8(max(0, 3*t-600)), 255})
	}
	return p
}()
