// Command julia paints a Julia set into julia.png.
//
// It runs on a GPU if there is one, otherwise on the simulated device.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen julia.cu

func main() {
	p := &picture{C: vec.Double2{X: -0.8, Y: 0.156}, span: 3.2, limit: 200}
	flag.IntVar(&p.width, "width", 480, "`pixels` in a row")
	flag.IntVar(&p.height, "height", 240, "`rows`")
	path := flag.String("o", "julia.png", "`path` of the picture")
	flag.Parse()
	if err := p.run(*path); err != nil {
		fmt.Fprintln(os.Stderr, "julia:", err)
		os.Exit(1)
	}
}

// A picture says what is painted.
type picture struct {
	width, height int
	C             vec.Double2 // of z = z*z + c
	span          float64     // width of the rectangle around 0
	limit         int         // steps
}

// run paints with the default device, and writes the file at path.
func (p *picture) run(path string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	steps, err := p.paint(dev)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(file, p.colored(steps)); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	fmt.Printf("%v\nwrote %s\n", dev, path)
	return nil
}

// paint returns the steps of every pixel.
func (p *picture) paint(dev *cuda.Device) ([]uint16, error) {
	k, err := LoadJulia(dev)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	steps, err := cuda.Alloc[uint16](s, p.width*p.height)
	if err != nil {
		return nil, err
	}
	defer steps.Close()
	if err := k.Julia.Launch(s, steps.All(), int32(p.width), int32(p.height), p.C, p.span, int32(p.limit)); err != nil {
		return nil, err
	}
	host := make([]uint16, steps.Len())
	return host, steps.CopyTo(s, host)
}

// colored returns the picture: dark where few steps are left.
func (p *picture) colored(steps []uint16) image.Image {
	palette := make(color.Palette, 0, 256)
	for i := range 256 {
		t := float64(i) / 255
		wave := func(phase float64) uint8 { return uint8(255 * t * (0.5 + 0.5*math.Cos(2*math.Pi*(1.5*t+phase)))) }
		palette = append(palette, color.RGBA{wave(0.9), wave(0.7), wave(0.5), 255})
	}
	img := image.NewPaletted(image.Rect(0, 0, p.width, p.height), palette)
	for i, n := range steps {
		img.Pix[i] = uint8(255 * math.Sqrt(float64(n)/float64(p.limit)))
	}
	return img
}
