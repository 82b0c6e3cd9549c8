// Command paint has a command for each kernel of paint.cu, with a flag for each parameter:
//
//	go run ./example/paint rings -frequency 60
//
// A template of its own, paint.tmpl, writes the commands from the kernels. It runs on a GPU if there
// is one, otherwise on the simulated device.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"strconv"

	"github.com/cudagen/cudagen/runtime/cuda"
	"github.com/cudagen/cudagen/runtime/cuda/vec"
	_ "github.com/cudagen/cudagen/runtime/sim" // the simulated device
)

//go:generate go run ../../cmd/cudagen -template paint.tmpl paint.cu

// A command is a kernel. The template writes them.
type command struct {
	name, help string
	flags      func(*flag.FlagSet) painter
}

// A painter launches a kernel with the values of its flags.
type painter func(k *Paint, s *cuda.Stream, pixels cuda.Slice[vec.UChar4], width, height int32) error

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "paint:", err)
		os.Exit(1)
	}
}

// run paints what args ask for with the default device.
func run(args []string, messages io.Writer) error {
	if len(args) == 0 {
		args = []string{commands[0].name}
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(args[1:], messages)
		}
	}
	for _, c := range commands {
		fmt.Fprintf(messages, "%-10s %s\n", c.name, c.help)
	}
	return fmt.Errorf("there is no command %q", args[0])
}

func (c command) run(args []string, messages io.Writer) error {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(messages)
	width := number[int32](flags, "width", 480)
	height := number[int32](flags, "height", 270)
	path := flags.String("o", "painted.png", "`path` of the picture")
	paint := c.flags(flags)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *width < 1 || *height < 1 || *width > 1<<14 || *height > 1<<14 {
		return fmt.Errorf("%d × %d pixels: want 1 to %d", *width, *height, 1<<14)
	}
	dev, err := cuda.OpenDefault()
	if err != nil {
		return err
	}
	defer dev.Close()
	img, err := painted(dev, paint, *width, *height)
	if err != nil {
		return err
	}
	file, err := os.Create(*path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(file, img), file.Close())
}

// painted returns a picture.
func painted(dev *cuda.Device, paint painter, width, height int32) (*image.NRGBA, error) {
	k, err := LoadPaint(dev)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	s, err := dev.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	img := image.NewNRGBA(image.Rect(0, 0, int(width), int(height)))
	pixels, err := cuda.Alloc[vec.UChar4](s, int(width)*int(height))
	if err != nil {
		return nil, err
	}
	defer pixels.Close()
	if err := paint(k, s, pixels.All(), width, height); err != nil {
		return nil, err
	}
	return img, cuda.Reinterpret[byte](pixels.All()).CopyTo(s, img.Pix)
}

// number adds a flag for a number.
func number[T int32 | uint32 | float32](flags *flag.FlagSet, name string, value T) *T {
	flags.Func(name, fmt.Sprintf("`number`, %v by default", value), func(text string) error {
		switch p := any(&value).(type) {
		case *int32:
			n, err := strconv.ParseInt(text, 0, 32)
			*p = int32(n)
			return err
		case *uint32:
			n, err := strconv.ParseUint(text, 0, 32)
			*p = uint32(n)
			return err
		case *float32:
			n, err := strconv.ParseFloat(text, 32)
			*p = float32(n)
			return err
		}
		return nil
	})
	return &value
}
