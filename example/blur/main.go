// Command blur blurs a PNG:
//
//	go run ./example/blur -radius 3 in.png out.png
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
	"os"
	"unsafe"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen blur.cu

func main() {
	radius := flag.Int("radius", 3, "`pixels` to each side")
	flag.Parse()
	if err := run(flag.Args(), *radius); err != nil {
		fmt.Fprintln(os.Stderr, "blur:", err)
		os.Exit(1)
	}
}

// maxRadius keeps the sums of a kernel within 32 bits.
const maxRadius = 1000

// run blurs the file of the first name into that of the second.
func run(names []string, radius int) error {
	if len(names) != 2 || radius < 0 || radius > maxRadius {
		return fmt.Errorf("want blur [-radius 0 to %d] in.png out.png", maxRadius)
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
	if err := blur(dev, img, radius); err != nil {
		return err
	}
	out, err := os.Create(names[1])
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(out, img), out.Close())
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

// blur blurs img on dev.
func blur(dev *cuda.Device, img *image.RGBA, radius int) error {
	k, err := LoadBlur(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	pixels := pixelsOf(img)
	in, err := cuda.Upload(s, pixels)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := cuda.Alloc[vec.UChar4](s, len(pixels))
	if err != nil {
		return err
	}
	defer out.Close()
	size := img.Bounds().Size()
	if err := k.Blur.Launch(s, in.All(), out.All(), int32(size.X), int32(size.Y), int32(radius)); err != nil {
		return err
	}
	return out.CopyTo(s, pixels)
}

// pixelsOf returns the pixels of img, which share its memory: CUDA's uchar4 is four bytes, as is a
// pixel.
func pixelsOf(img *image.RGBA) []vec.UChar4 {
	return unsafe.Slice((*vec.UChar4)(unsafe.Pointer(unsafe.SliceData(img.Pix))), len(img.Pix)/4)
}
