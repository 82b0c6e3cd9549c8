// Command nbody moves bodies that attract each other, prints how well their energy is kept, and
// writes nbody.gif, an animated picture.
//
// Package gravity moves them. It runs on a GPU if there is one, otherwise on the simulated device, with
// fewer bodies.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math"
	"os"

	"github.com/cudagen/cudagen/example/nbody/gravity"
	"github.com/cudagen/cudagen/example/progress"
	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

func main() {
	n := flag.Int("n", 0, "number of `bodies`; default: 8192, and 512 on the simulated device")
	steps := flag.Int("steps", 320, "number of `steps`")
	path := flag.String("o", "nbody.gif", "`path` of the picture")
	flag.Parse()
	if err := run(os.Stdout, *n, *steps, *path); err != nil {
		fmt.Fprintln(os.Stderr, "nbody:", err)
		os.Exit(1)
	}
}

// run moves n bodies on the default device, and writes the file at path.
func run(out io.Writer, n, steps int, path string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	switch {
	case n < 0 || steps < 1:
		return fmt.Errorf("-n %d -steps %d: want positive numbers", n, steps)
	case n == 0 && dev.IsSimulated():
		n = 512
	case n == 0:
		n = 8192
	}
	w := gravity.New(n)
	before := w.Energy()
	bar := progress.New(os.Stderr, "steps", steps)
	defer bar.Clear()
	var picture gif.GIF
	err = w.Move(dev, steps, func(step int) {
		picture.Image, picture.Delay = append(picture.Image, frame(w.Bodies)), append(picture.Delay, 8)
		bar.Set(step)
	})
	if err != nil {
		return err
	}
	bar.Clear()
	after := w.Energy()
	fmt.Fprintf(out, "%v\n%d bodies, %d steps: energy %.6f, then %.6f\n", dev, n, steps, before, after)
	if drift := math.Abs(after-before) / math.Abs(before); !(drift < 0.05) {
		return fmt.Errorf("the energy changed by %.1f %%", 100*drift)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(gif.EncodeAll(file, &picture), file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote %s\n", path)
	return nil
}

// frame returns a picture of bodies, from above: the more are in a pixel, the lighter it is.
func frame(bodies []vec.Float4) *image.Paletted {
	palette := make(color.Palette, 0, 16)
	for i := range 16 {
		t := math.Sqrt(float64(i) / 15)
		palette = append(palette, color.RGBA{uint8(255 * t), uint8(240 * t), uint8(90 + 165*t*t - 90*(1-t)), 255})
	}
	img := image.NewPaletted(image.Rect(0, 0, 160, 120), palette)
	share := max(len(bodies)/1500, 1) // bodies that make a pixel lighter by 4
	counts := make([]int, len(img.Pix))
	for _, b := range bodies {
		x, y := int(math.Floor(80+50*float64(b.X))), int(math.Floor(60+50*float64(b.Y)))
		if (image.Point{X: x, Y: y}).In(img.Rect) {
			counts[y*160+x]++
		}
	}
	for i, n := range counts {
		img.Pix[i] = uint8(min((4*n+share-1)/share, 15))
	}
	return img
}
