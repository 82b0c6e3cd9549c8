// Command nbody moves bodies that attract each other, and prints how well their energy and momentum
// are kept.
//
// It runs on a GPU if there is one, otherwise on the simulated device, with fewer bodies.
package main

import (
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen nbody.cu

func main() {
	n := flag.Int("n", 0, "number of `bodies`; default: 8192, and 512 on the simulated device")
	steps := flag.Int("steps", 40, "number of `steps`")
	flag.Parse()
	if err := run(os.Stdout, *n, *steps); err != nil {
		fmt.Fprintln(os.Stderr, "nbody:", err)
		os.Exit(1)
	}
}

// How bodies move.
const (
	dt        = 0.005
	softening = 0.01
)

// run moves n bodies on the default device.
func run(out io.Writer, n, steps int) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	switch {
	case n < 0:
		return fmt.Errorf("-n %d is negative", n)
	case n == 0 && dev.IsSimulated():
		n = 512
	case n == 0:
		n = 8192
	}
	w := newWorld(n)
	before := w.energy()
	if err := w.move(dev, steps); err != nil {
		return err
	}
	after := w.energy()
	fmt.Fprintf(out, "%v\n%d bodies, %d steps: energy %.6f, then %.6f\n", dev, n, steps, before, after)
	if drift := math.Abs(after-before) / math.Abs(before); !(drift < 0.02) {
		return fmt.Errorf("the energy changed by %.1f %%", 100*drift)
	}
	return nil
}

// A world is bodies with their velocities.
type world struct {
	bodies, velocities []cuda.Float4
}

// newWorld returns a ball of n bodies, whose masses together are 1. It is the same for the same n.
func newWorld(n int) *world {
	random := rand.New(rand.NewPCG(1, 2))
	w := &world{velocities: make([]cuda.Float4, n)}
	for len(w.bodies) < n {
		x, y, z := 2*random.Float32()-1, 2*random.Float32()-1, 2*random.Float32()-1
		if x*x+y*y+z*z <= 1 {
			w.bodies = append(w.bodies, cuda.Float4{X: x, Y: y, Z: z, W: 1 / float32(n)})
		}
	}
	return w
}

// move moves the bodies on dev. Two buffers take turns.
func (w *world) move(dev *cuda.Device, steps int) error {
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
	for range steps {
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
