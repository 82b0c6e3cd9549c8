// Command grayscott lets two substances react, and writes grayscott.gif, an animated picture.
//
// A frame is one launch of a graph: some steps of time, the colors, and their copy to the host. It
// runs on a GPU if there is one, otherwise on the simulated device, with a smaller picture.
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

	"github.com/cudagen/cudagen/example/progress"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen grayscott.cu -- -fmad=false

func main() {
	var m movie
	flag.IntVar(&m.width, "width", 0, "`pixels` in a row; default: 256, and 96 on the simulated device")
	flag.IntVar(&m.height, "height", 0, "`rows`; default: the width")
	flag.IntVar(&m.frames, "frames", 40, "`number` of frames")
	flag.IntVar(&m.steps, "steps", 40, "`steps` of time from frame to frame, an even number")
	path := flag.String("o", "grayscott.gif", "`path` of the picture")
	flag.Parse()
	if err := m.run(os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "grayscott:", err)
		os.Exit(1)
	}
}

// A movie says what is shown.
type movie struct{ width, height, frames, steps int }

// How the substances react: worms grow into a maze.
const (
	feed = 0.037
	kill = 0.06
)

// run makes the movie on the default device, and writes the file at path.
func (m *movie) run(out io.Writer, path string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	if m.width == 0 {
		m.width = 256
		if dev.IsSimulated() {
			m.width = 96
		}
	}
	if m.height == 0 {
		m.height = m.width
	}
	if m.width < 1 || m.height < 1 || m.frames < 1 || m.steps < 2 || m.steps%2 != 0 {
		return fmt.Errorf("%d × %d pixels, %d frames of %d steps: want positive numbers, and an even one of steps", m.width, m.height, m.frames, m.steps)
	}
	bar := progress.New(os.Stderr, "frames", m.frames)
	defer bar.Clear()
	var picture gif.GIF
	err = m.react(dev, func(pixels []byte) {
		frame := image.NewPaletted(image.Rect(0, 0, m.width, m.height), palette)
		copy(frame.Pix, pixels)
		picture.Image, picture.Delay = append(picture.Image, frame), append(picture.Delay, 8)
		bar.Set(len(picture.Image))
	})
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(gif.EncodeAll(file, &picture), file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "%v\n%d steps of time, wrote %s\n", dev, m.frames*m.steps, path)
	return nil
}

// palette is the colors of a frame, from little v to much.
var palette = func() (p color.Palette) {
	for i := range 32 {
		t := float64(i) / 31
		wave := func(phase float64) uint8 {
			return uint8(255 * math.Sqrt(t) * (0.5 + 0.5*math.Cos(2*math.Pi*(t+phase))))
		}
		p = append(p, color.RGBA{wave(0.5), wave(0.25), wave(0.05), 255})
	}
	return p
}()

// begin returns the substances at the beginning: u everywhere, and some v in the middle.
func (m *movie) begin() (u, v []float32) {
	u, v = make([]float32, m.width*m.height), make([]float32, m.width*m.height)
	for i := range u {
		u[i] = 1
		x, y := i%m.width-m.width/2, i/m.width-m.height/2
		if 4*x*x+y*y < 60 || 2*(x-9)*(x-9)+(y-14)*(y-14) < 20 {
			u[i], v[i] = 0.5, 0.25
		}
	}
	return u, v
}

// react shows every frame: the pixels, which are valid until show returns.
func (m *movie) react(dev *cuda.Device, show func(pixels []byte)) error {
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

	shade, err := k.Shade.PrepareDefault(ShadeArgs{V: v[0].All(), Pixels: pixels.All(), Colors: int32(len(palette))})
	if err != nil {
		return err
	}
	colors := cuda.NewCallNode(shade)
	shown := cuda.NewMemcpyNode(host.All(), pixels.All()).After(colors)
	var last cuda.Node = colors // v is read before it is written
	for step := range m.steps {
		now, next := step%2, 1-step%2
		react, err := k.React.PrepareDefault(ReactArgs{U: u[now].All(), V: v[now].All(), NextU: u[next].All(), NextV: v[next].All(),
			Width: int32(m.width), Height: int32(m.height), Feed: feed, Kill: kill})
		if err != nil {
			return err
		}
		last = cuda.NewCallNode(react).After(last)
	}
	frame, err := cuda.BuildGraph(shown, last)
	if err != nil {
		return err
	}
	defer frame.Close()
	for range m.frames {
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
