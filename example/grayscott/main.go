// Command grayscott lets two substances react, and writes grayscott.gif, an animated picture.
//
// Package reaction computes the frames. It runs on a GPU if there is one, otherwise on the simulated
// device, with a smaller picture.
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

	"github.com/cudagen/cudagen/example/grayscott/reaction"
	"github.com/cudagen/cudagen/example/progress"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

func main() {
	m := reaction.Movie{Colors: len(palette)}
	flag.IntVar(&m.Width, "width", 0, "`pixels` in a row; default: 256, and 96 on the simulated device")
	flag.IntVar(&m.Height, "height", 0, "`rows`; default: the width")
	flag.IntVar(&m.Frames, "frames", 40, "`number` of frames")
	flag.IntVar(&m.Steps, "steps", 40, "`steps` of time from frame to frame, an even number")
	path := flag.String("o", "grayscott.gif", "`path` of the picture")
	flag.Parse()
	if err := run(os.Stdout, m, *path); err != nil {
		fmt.Fprintln(os.Stderr, "grayscott:", err)
		os.Exit(1)
	}
}

// run makes a movie on the default device, and writes the file at path.
func run(out io.Writer, m reaction.Movie, path string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	if m.Width == 0 {
		m.Width = 256
		if dev.IsSimulated() {
			m.Width = 96
		}
	}
	if m.Height == 0 {
		m.Height = m.Width
	}
	bar := progress.New(os.Stderr, "frames", m.Frames)
	defer bar.Clear()
	var picture gif.GIF
	err = m.Show(dev, func(pixels []byte) {
		frame := image.NewPaletted(image.Rect(0, 0, m.Width, m.Height), palette)
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
	fmt.Fprintf(out, "%v\n%d steps of time, wrote %s\n", dev, m.Frames*m.Steps, path)
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
