// Command nbody moves bodies that attract each other, prints how well their energy is kept, and
// writes nbody.gif, an animated picture.
//
// It runs on a GPU if there is one, otherwise on the simulated device, with fewer bodies.
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
	"math/rand/v2"
	"os"

	"github.com/cudagen/cudagen/example/progress"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen nbody.cu

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

// How bodies move.
const (
	dt        = 0.005
	softening = 0.01
)

// perFrame is how many steps there are from frame to frame.
const perFrame = 4

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
	w := newWorld(n)
	before := w.energy()
	bar := progress.New(os.Stderr, "steps", steps)
	defer bar.Clear()
	var picture gif.GIF
	err = w.move(dev, steps, func(step int) {
		picture.Image, picture.Delay = append(picture.Image, w.frame()), append(picture.Delay, 8)
		bar.Set(step)
	})
	if err != nil {
		return err
	}
	bar.Clear()
	after := w.energy()
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

// frame returns a picture of the bodies, from above: the more are in a pixel, the lighter it is.
func (w *world) frame() *image.Paletted {
	palette := make(color.Palette, 0, 16)
	for i := range 16 {
		t := math.Sqrt(float64(i) / 15)
		palette = append(palette, color.RGBA{uint8(255 * t), uint8(240 * t), uint8(90 + 165*t*t - 90*(1-t)), 255})
	}
	img := image.NewPaletted(image.Rect(0, 0, 160, 120), palette)
	share := max(len(w.bodies)/1500, 1) // bodies that make a pixel lighter by 4
	counts := make([]int, len(img.Pix))
	for _, b := range w.bodies {
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

// A world is bodies with their velocities.
type world struct {
	bodies, velocities []cuda.Float4
}

// newWorld returns a ball of n bodies that turns, whose masses together are 1. It is the same for the
// same n.
func newWorld(n int) *world {
	random := rand.New(rand.NewPCG(1, 2))
	w := new(world)
	for len(w.bodies) < n {
		x, y, z := 2*random.Float32()-1, 2*random.Float32()-1, 2*random.Float32()-1
		if x*x+y*y+z*z <= 1 {
			w.bodies = append(w.bodies, cuda.Float4{X: x, Y: y, Z: z, W: 1 / float32(n)})
			w.velocities = append(w.velocities, cuda.Float4{X: -0.8 * y, Y: 0.8 * x})
		}
	}
	return w
}

// move moves the bodies on dev, and calls show now and then. Two buffers take turns.
func (w *world) move(dev *cuda.Device, steps int, show func(step int)) error {
	k, err := LoadNbody(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	now, err := cuda.Upload(s, w.bodies)
	if err != nil {
		return err
	}
	defer now.Close()
	next, err := cuda.Alloc[cuda.Float4](s, now.Len())
	if err != nil {
		return err
	}
	defer next.Close()
	velocities, err := cuda.Upload(s, w.velocities)
	if err != nil {
		return err
	}
	defer velocities.Close()
	from, to := now, next
	for step := range steps {
		if step%perFrame == 0 {
			if err := from.CopyTo(s, w.bodies); err != nil {
				return err
			}
			show(step)
		}
		if err := k.Step.Launch(s, from.All(), to.All(), velocities.All(), dt, softening); err != nil {
			return err
		}
		from, to = to, from
	}
	if err := from.CopyTo(s, w.bodies); err != nil {
		return err
	}
	return velocities.CopyTo(s, w.velocities)
}

// energy returns the kinetic and potential energy.
func (w *world) energy() (sum float64) {
	for i, b := range w.bodies {
		v := w.velocities[i]
		sum += float64(b.W) * square(v.X, v.Y, v.Z) / 2
		for _, other := range w.bodies[:i] {
			distance := math.Sqrt(square(b.X-other.X, b.Y-other.Y, b.Z-other.Z) + softening)
			sum -= float64(b.W) * float64(other.W) / distance
		}
	}
	return sum
}

func square(x, y, z float32) float64 {
	return float64(x)*float64(x) + float64(y)*float64(y) + float64(z)*float64(z)
}
