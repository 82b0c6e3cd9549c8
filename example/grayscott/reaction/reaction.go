// Package reaction lets two substances react, as Gray and Scott described it.
//
// A frame is one launch of a graph: some steps of time, the colors, and their copy to the host. Plain
// is the same in plain Go, and every pixel is the same.
package reaction

import (
	"fmt"

	"github.com/cudagen/cudagen/runtime/cuda"
)

//go:generate go run ../../../cmd/cudagen grayscott.cu -- -fmad=false

// How the substances react: worms grow into a maze.
const (
	feed = 0.037
	kill = 0.06
)

// A Movie says what is shown.
type Movie struct {
	Width, Height int // pixels
	Frames        int
	Steps         int // of time from frame to frame, an even number
	Colors        int // from little v to much
}

// begin returns the substances at the beginning: u everywhere, and some v in the middle.
func (m Movie) begin() (u, v []float32) {
	u, v = make([]float32, m.Width*m.Height), make([]float32, m.Width*m.Height)
	for i := range u {
		u[i] = 1
		x, y := i%m.Width-m.Width/2, i/m.Width-m.Height/2
		if 4*x*x+y*y < 60 || 2*(x-9)*(x-9)+(y-14)*(y-14) < 20 {
			u[i], v[i] = 0.5, 0.25
		}
	}
	return u, v
}

// Show computes the frames on dev and calls show with each: a color for each pixel, which are valid
// until show returns.
func (m Movie) Show(dev *cuda.Device, show func(pixels []byte)) error {
	if m.Width < 1 || m.Height < 1 || m.Frames < 1 || m.Steps < 2 || m.Steps%2 != 0 {
		return fmt.Errorf("%d × %d pixels, %d frames of %d steps: want positive numbers, and an even one of steps", m.Width, m.Height, m.Frames, m.Steps)
	}
	k, err := LoadGrayscott(dev)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	var u, v [2]*cuda.Buffer[float32] // now, next
	u0, v0 := m.begin()
	for i := range 2 {
		if u[i], err = cuda.Upload(s, u0); err != nil {
			return err
		}
		defer u[i].Close()
		if v[i], err = cuda.Upload(s, v0); err != nil {
			return err
		}
		defer v[i].Close()
	}
	pixels, err := cuda.Alloc[byte](s, len(u0))
	if err != nil {
		return err
	}
	defer pixels.Close()
	host, err := cuda.AllocHost[byte](dev, len(u0), cuda.HostConfig{})
	if err != nil {
		return err
	}
	defer host.Close()

	shade, err := k.Shade.PrepareDefault(ShadeArgs{V: v[0].All(), Pixels: pixels.All(), Colors: int32(m.Colors)})
	if err != nil {
		return err
	}
	colors := cuda.NewNode(shade)
	shown := cuda.NewNode(cuda.Copy(host.All(), pixels.All())).After(colors)
	var last *cuda.Node = colors // v is read before it is written
	for step := range m.Steps {
		now, next := step%2, 1-step%2
		react, err := k.React.PrepareDefault(ReactArgs{U: u[now].All(), V: v[now].All(), NextU: u[next].All(), NextV: v[next].All(),
			Width: int32(m.Width), Height: int32(m.Height), Feed: feed, Kill: kill})
		if err != nil {
			return err
		}
		last = cuda.NewNode(react).After(last)
	}
	frame, err := cuda.BuildGraph(shown, last)
	if err != nil {
		return err
	}
	defer frame.Close()
	for range m.Frames {
		if err := frame.Launch(s); err != nil {
			return err
		}
		if err := s.Synchronize(); err != nil {
			return err
		}
		show(host.Host())
	}
	return nil
}
