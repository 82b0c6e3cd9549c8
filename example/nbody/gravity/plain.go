package gravity

import (
	"math"

	"github.com/cudagen/cudagen/runtime/cuda/vec"
)

// Plain moves the bodies by one step in Go, in double precision.
func (w *World) Plain() {
	before := append([]vec.Float4(nil), w.Bodies...)
	for i, b := range before {
		var a [3]float64
		for _, other := range before {
			d := [3]float64{float64(other.X) - float64(b.X), float64(other.Y) - float64(b.Y), float64(other.Z) - float64(b.Z)}
			d2 := d[0]*d[0] + d[1]*d[1] + d[2]*d[2] + softening
			for axis := range a {
				a[axis] += float64(other.W) / (d2 * math.Sqrt(d2)) * d[axis]
			}
		}
		v := &w.Velocities[i]
		v.X, v.Y, v.Z = v.X+float32(dt*a[0]), v.Y+float32(dt*a[1]), v.Z+float32(dt*a[2])
		w.Bodies[i] = vec.Float4{X: b.X + dt*v.X, Y: b.Y + dt*v.Y, Z: b.Z + dt*v.Z, W: b.W}
	}
}
