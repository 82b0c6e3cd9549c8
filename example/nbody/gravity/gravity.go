// Package gravity moves bodies that attract each other. A kernel loads tiles of bodies into shared
// memory, and two buffers take turns. Plain is a step in plain Go.
package gravity

import (
	"math"
	"math/rand/v2"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

//go:generate go run ../../../cmd/cudagen nbody.cu

// How bodies move.
const (
	dt        = 0.005
	softening = 0.01
)

// perFrame is how many steps there are from frame to frame.
const perFrame = 4

// A World is bodies with their velocities. A body is its place and its mass.
type World struct {
	Bodies, Velocities []vec.Float4
}

// New returns a ball of n bodies that turns, whose masses together are 1. It is the same for the
// same n.
func New(n int) *World {
	random := rand.New(rand.NewPCG(1, 2))
	w := new(World)
	for len(w.Bodies) < n {
		x, y, z := 2*random.Float32()-1, 2*random.Float32()-1, 2*random.Float32()-1
		if x*x+y*y+z*z <= 1 {
			w.Bodies = append(w.Bodies, vec.Float4{X: x, Y: y, Z: z, W: 1 / float32(n)})
			w.Velocities = append(w.Velocities, vec.Float4{X: -0.8 * y, Y: 0.8 * x})
		}
	}
	return w
}

// Move moves the bodies on dev, and calls show every four steps, when w has the bodies. Two buffers take turns.
func (w *World) Move(dev *cuda.Device, steps int, show func(step int)) error {
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
	now, err := cuda.Upload(s, w.Bodies)
	if err != nil {
		return err
	}
	defer now.Close()
	next, err := cuda.Alloc[vec.Float4](s, now.Len())
	if err != nil {
		return err
	}
	defer next.Close()
	velocities, err := cuda.Upload(s, w.Velocities)
	if err != nil {
		return err
	}
	defer velocities.Close()
	from, to := now, next
	for step := range steps {
		if step%perFrame == 0 {
			if err := from.CopyTo(s, w.Bodies); err != nil {
				return err
			}
			show(step)
		}
		if err := k.Step.Launch(s, from.All(), to.All(), velocities.All(), dt, softening); err != nil {
			return err
		}
		from, to = to, from
	}
	if err := from.CopyTo(s, w.Bodies); err != nil {
		return err
	}
	return velocities.CopyTo(s, w.Velocities)
}

// Energy returns the kinetic and potential energy.
func (w *World) Energy() (sum float64) {
	for i, b := range w.Bodies {
		v := w.Velocities[i]
		sum += float64(b.W) * square(v.X, v.Y, v.Z) / 2
		for _, other := range w.Bodies[:i] {
			distance := math.Sqrt(square(b.X-other.X, b.Y-other.Y, b.Z-other.Z) + softening)
			sum -= float64(b.W) * float64(other.W) / distance
		}
	}
	return sum
}

func square(x, y, z float32) float64 {
	return float64(x)*float64(x) + float64(y)*float64(y) + float64(z)*float64(z)
}
