// Command life plays Conway's game of life on several devices: each has some rows, and sends its
// first and its last one to its neighbours in every generation. It writes life.gif, in which the
// rows of each device have a color.
//
// It uses all GPUs if there are two or more. Otherwise
//
//	CUDAGEN_SIM_DEVICES=2 go run ./example/life
//
// has two simulated devices.
package main

import (
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math/rand/v2"
	"os"

	"github.com/cudagen/cudagen/example/progress"
	"github.com/cudagen/cudagen/runtime/cuda"
	_ "github.com/cudagen/cudagen/runtime/sim" // simulated devices
)

//go:generate go run ../../cmd/cudagen life.cu

func main() {
	var g game
	flag.IntVar(&g.width, "width", 96, "`cells` in a row")
	flag.IntVar(&g.height, "height", 96, "`rows`")
	flag.IntVar(&g.generations, "n", 100, "`number` of generations")
	path := flag.String("o", "life.gif", "`path` of the picture")
	flag.Parse()
	if err := g.run(os.Stdout, *path); err != nil {
		fmt.Fprintln(os.Stderr, "life:", err)
		os.Exit(1)
	}
}

// A game says what is played.
type game struct{ width, height, generations int }

// run plays on all devices, and writes the file at path.
func (g *game) run(out io.Writer, path string) error {
	infos, err := cuda.Devices()
	if err != nil {
		return err
	}
	if len(infos) < 2 {
		return fmt.Errorf("it wants two devices, and there are %d: CUDAGEN_SIM_DEVICES=2 makes simulated ones", len(infos))
	}
	if g.width < 1 || g.height < len(infos) || g.generations < 1 {
		return fmt.Errorf("%d × %d cells for %d generations on %d devices: want a row for each device", g.width, g.height, g.generations, len(infos))
	}
	var devices []*cuda.Device
	for i := range infos {
		dev, err := cuda.Open(i)
		if err != nil {
			return err
		}
		defer dev.Close()
		devices = append(devices, dev)
		fmt.Fprintln(out, dev)
	}
	bar := progress.New(os.Stderr, "generations", g.generations)
	defer bar.Clear()
	var picture gif.GIF
	err = g.play(devices, func(cells []byte) {
		picture.Image, picture.Delay = append(picture.Image, g.colored(cells, len(devices))), append(picture.Delay, 8)
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
	fmt.Fprintf(out, "%d generations on %d devices, wrote %s\n", g.generations, len(devices), path)
	return nil
}

// begin returns cells of which every fourth is alive.
func (g *game) begin() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	cells := make([]byte, g.width*g.height)
	for i := range cells {
		if random.IntN(4) == 0 {
			cells[i] = 1
		}
	}
	return cells
}

// bounds returns the rows from first to end, exclusive, of device i of n.
func (g *game) bounds(i, n int) (first, end int) { return i * g.height / n, (i + 1) * g.height / n }

// A part is the rows of a device, with a row of each neighbour around them.
type part struct {
	k           *Life
	stream      *cuda.Stream
	width, rows int
	now, next   *cuda.Buffer[byte]
	sent        *cuda.Event // it has sent its rows of this generation
}

// open puts cells on dev.
func open(dev *cuda.Device, width int, cells []byte) (p *part, err error) {
	p = &part{width: width, rows: len(cells) / width}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.close())
		}
	}()
	if p.k, err = LoadLife(dev); err != nil {
		return p, err
	}
	if p.stream, err = dev.NewStream(); err != nil {
		return p, err
	}
	if p.sent, err = dev.NewEvent(cuda.EventConfig{}); err != nil {
		return p, err
	}
	for _, b := range []**cuda.Buffer[byte]{&p.now, &p.next} {
		if *b, err = cuda.Alloc[byte](p.stream, width*(p.rows+2)); err != nil {
			return p, err
		}
	}
	return p, p.now.Slice(width, width*(p.rows+1)).CopyFrom(p.stream, cells)
}

func (p *part) close() error {
	return errors.Join(p.now.Close(), p.next.Close(), p.sent.Close(), p.stream.Close(), p.k.Close())
}

// row returns a row, with those of the neighbours: 0 is the one above.
func (p *part) row(i int) cuda.Slice[byte] { return p.now.Slice(i*p.width, (i+1)*p.width) }

// send copies its first row to above and its last one to below.
func (p *part) send(above, below *part) error {
	return errors.Join(
		cuda.Copy(above.row(above.rows+1), p.row(1)).Launch(p.stream),
		cuda.Copy(below.row(0), p.row(p.rows)).Launch(p.stream),
		p.sent.Record(p.stream))
}

// live makes a generation, when the neighbours have sent their rows.
func (p *part) live(above, below *part) error {
	err := errors.Join(
		p.stream.WaitEvent(above.sent),
		p.stream.WaitEvent(below.sent),
		p.k.Live.Launch(p.stream, p.now.All(), p.next.All(), int32(p.width), int32(p.rows)))
	p.now, p.next = p.next, p.now
	return err
}

// play shows every generation: the cells, which are valid until show returns. A generation ends when
// the rows of all devices are on the host, so none writes a row that its neighbour still reads.
func (g *game) play(devices []*cuda.Device, show func(cells []byte)) (err error) {
	cells := g.begin()
	n := len(devices)
	var parts []*part
	for i, dev := range devices {
		first, end := g.bounds(i, n)
		p, err := open(dev, g.width, cells[first*g.width:end*g.width])
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, p.close()) }()
		parts = append(parts, p)
	}
	for range g.generations {
		for i, p := range parts {
			if err := p.send(parts[(i+n-1)%n], parts[(i+1)%n]); err != nil {
				return err
			}
		}
		for i, p := range parts {
			if err := p.live(parts[(i+n-1)%n], parts[(i+1)%n]); err != nil {
				return err
			}
		}
		for i, p := range parts {
			first, end := g.bounds(i, n)
			if err := p.now.Slice(g.width, g.width*(p.rows+1)).CopyTo(p.stream, cells[first*g.width:end*g.width]); err != nil {
				return err
			}
		}
		show(cells)
	}
	return nil
}

// colored returns a frame.
func (g *game) colored(cells []byte, devices int) *image.Paletted {
	palette := color.Palette{color.Black, color.RGBA{255, 180, 60, 255}, color.RGBA{90, 170, 255, 255}, color.RGBA{130, 220, 110, 255}, color.RGBA{240, 110, 150, 255}}
	frame := image.NewPaletted(image.Rect(0, 0, g.width, g.height), palette)
	for i := range devices {
		first, end := g.bounds(i, devices)
		for at := first * g.width; at < end*g.width; at++ {
			frame.Pix[at] = cells[at] * uint8(1+i%(len(palette)-1))
		}
	}
	return frame
}
