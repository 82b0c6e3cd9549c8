// Command rotate turns and scales a PNG, by a texture and a surface:
//
//	go run ./example/rotate -angle 30 -scale 1.5 in.png out.png
//
// It runs on a GPU if there is one, otherwise on the simulated device.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"
	"os"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen rotate.cu

func main() {
	angle := flag.Float64("angle", 30, "`degrees`, clockwise")
	scale := flag.Float64("scale", 1, "`factor` by which the picture grows")
	flag.Parse()
	if err := run(flag.Args(), *angle, *scale); err != nil {
		fmt.Fprintln(os.Stderr, "rotate:", err)
		os.Exit(1)
	}
}

// run turns the file of the first name into that of the second.
func run(names []string, angle, scale float64) error {
	if len(names) != 2 || !(scale >= 1e-3 && scale <= 1e3) || math.IsNaN(angle) || math.IsInf(angle, 0) {
		return errors.New("want rotate [-angle degrees] [-scale 0.001 to 1000] in.png out.png")
	}
	img, err := read(names[0])
	if err != nil {
		return err
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	turned, err := rotate(dev, img, angle, scale)
	if err != nil {
		return err
	}
	out, err := os.Create(names[1])
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(out, turned), out.Close())
}

// read returns the picture in a file.
func read(name string) (*image.RGBA, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	decoded, err := png.Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	img := image.NewRGBA(image.Rect(0, 0, decoded.Bounds().Dx(), decoded.Bounds().Dy()))
	draw.Draw(img, img.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	return img, nil
}

// A matrix is a turn by an angle and a scale, as the kernel takes them.
type matrix struct{ cos, sin float32 }

func matrixOf(angle, scale float64) matrix {
	sin, cos := math.Sincos(angle * math.Pi / 180)
	return matrix{float32(cos / scale), float32(sin / scale)}
}

// rotate returns img, turned by degrees and scaled about its middle. The result has its size.
func rotate(dev *cuda.Device, img *image.RGBA, angle, scale float64) (*image.RGBA, error) {
	k, err := LoadRotate(dev)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	size := img.Bounds().Size()
	in, err := cuda.NewArray[vec.UChar4](dev, cuda.ArrayConfig{Width: size.X, Height: size.Y})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if err := in.CopyFrom(s, pixelsOf(img)); err != nil {
		return nil, err
	}
	texture, err := cuda.NewTexture[vec.Float4](in, cuda.TextureConfig{Filter: cuda.FilterLinear, Address: cuda.AddressBorder, NormalizedFloat: true})
	if err != nil {
		return nil, err
	}
	defer texture.Close()
	out, err := cuda.NewArray[vec.UChar4](dev, cuda.ArrayConfig{Width: size.X, Height: size.Y, Surface: true})
	if err != nil {
		return nil, err
	}
	defer out.Close()
	surface, err := cuda.NewSurface[vec.UChar4](out)
	if err != nil {
		return nil, err
	}
	defer surface.Close()

	m := matrixOf(angle, scale)
	middle := vec.Float2{X: float32(size.X) / 2, Y: float32(size.Y) / 2}
	if err := k.Rotate.Launch(s, texture, middle, surface, int32(size.X), int32(size.Y), m.cos, m.sin); err != nil {
		return nil, err
	}
	turned := image.NewRGBA(img.Bounds())
	return turned, out.CopyTo(s, pixelsOf(turned))
}

// pixelsOf returns the pixels of img, which share its memory: CUDA's uchar4 is four bytes, as is a
// pixel.
func pixelsOf(img *image.RGBA) []vec.UChar4 {
	return unsafe.Slice((*vec.UChar4)(unsafe.Pointer(unsafe.SliceData(img.Pix))), len(img.Pix)/4)
}
