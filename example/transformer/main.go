// Command transformer trains a tiny transformer to spell, prints what it writes, and paints its loss
// into loss.png.
//
// It trains twice, with kernels and in plain Go: the loss must be the same in every step, bit by
// bit. It runs on a GPU if there is one, otherwise on the simulated device, with a smaller model.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"

	"github.com/cudagen/cudagen/example/progress"
	"github.com/cudagen/cudagen/example/transformer/gpt"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

func main() {
	steps := flag.Int("steps", 0, "`number` of steps; default: 1000, and 300 on the simulated device")
	path := flag.String("o", "loss.png", "`path` of the picture")
	flag.Parse()
	if err := run(os.Stdout, *steps, *path); err != nil {
		fmt.Fprintln(os.Stderr, "transformer:", err)
		os.Exit(1)
	}
}

// words are what it learns.
const words = "peter piper picked a peck of pickled peppers. a peck of pickled peppers peter piper picked. " +
	"if peter piper picked a peck of pickled peppers, where is the peck of pickled peppers peter piper picked? "

// rate is how far a step moves the weights.
const rate = 0.01

// run trains on the default device, and writes the file at path.
func run(out io.Writer, steps int, path string) error {
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	text, err := gpt.NewText(words)
	if err != nil {
		return err
	}
	c := gpt.Config{Vocabulary: len(text.Alphabet), Context: 32, Width: 64, Heads: 4, Hidden: 256, Layers: 2, Batch: 8}
	normal := 1000
	if dev.IsSimulated() {
		c = gpt.Config{Vocabulary: len(text.Alphabet), Context: 16, Width: 16, Heads: 2, Hidden: 32, Layers: 1, Batch: 4}
		normal = 300
	}
	if steps == 0 {
		steps = normal
	}
	if steps < 1 {
		return fmt.Errorf("-steps %d: want 1 or more", steps)
	}
	fmt.Fprintf(out, "%v\n%d weights\n", dev, c.Weights())
	m, err := gpt.New(dev, c, c.Random(1))
	if err != nil {
		return err
	}
	defer m.Close()
	plain, err := gpt.NewPlain(c, c.Random(1))
	if err != nil {
		return err
	}
	losses, err := train(out, m, plain, text, steps)
	if err != nil {
		return err
	}
	written, err := text.Continue(m, "peter p", 80)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "every loss is that of plain Go\nit writes: %s\n", written)
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(png.Encode(file, plot(losses)), file.Close()); err != nil {
		return err
	}
	fmt.Fprintf(out, "wrote %s\n", path)
	return nil
}

// train trains both models, and returns the loss of each step.
func train(out io.Writer, m *gpt.Model, plain *gpt.Plain, text *gpt.Text, steps int) (losses []float64, err error) {
	bar := progress.New(os.Stderr, "steps", steps)
	defer bar.Clear()
	for step := range steps {
		inputs, targets := text.Batch(m.Config(), step)
		loss, err := m.Gradients(inputs, targets)
		if err != nil {
			return nil, err
		}
		want, err := plain.Gradients(inputs, targets)
		if err != nil {
			return nil, err
		}
		if loss != want {
			return nil, fmt.Errorf("step %d: the loss is %v, %v in plain Go", step, loss, want)
		}
		if err := m.Update(rate); err != nil {
			return nil, err
		}
		plain.Update(rate)
		losses = append(losses, loss)
		if step&(step-1) == 0 || step%100 == 0 || step == steps-1 {
			bar.Clear()
			fmt.Fprintf(out, "step %4d: loss %.4f\n", step, loss)
		}
		bar.Set(step + 1)
	}
	return losses, nil
}

// plot paints the losses from left to right. The highest is at the top, 0 at the bottom.
func plot(losses []float64) image.Image {
	const width, height = 320, 160
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.RGBA{0, 90, 160, 255}})
	most := losses[0]
	for _, l := range losses {
		most = max(most, l)
	}
	for x := range width {
		y := int((1 - losses[x*len(losses)/width]/most) * (height - 1))
		for ; y < height; y++ {
			img.SetColorIndex(x, y, 1)
		}
	}
	return img
}
