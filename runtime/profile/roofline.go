package profile

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/profiled"
)

// The picture, in its own units.
const (
	pictureWidth, pictureHeight = 760, 470
	left, right, top, bottom    = 70, 740, 60, 330
	lowest, highest             = 1.0 / 64, 4096.0 // operations a byte
)

// WriteRoofline draws, as SVG, what a GPU allows the kernels: how many operations a second at most, by how many operations there are for
// each byte of global memory. A dot is a kernel with the sectors that it touches, a ring is the same with as many as it asks for. All
// of it is an estimate: no cache is taken into account, and no kernel reaches what a data sheet says.
func (p *Profile) WriteRoofline(w io.Writer, gpu string) error {
	g, err := findGPU(gpu)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="12" fill="#333">`+"\n", pictureWidth, pictureHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", pictureWidth, pictureHeight)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="15">What an %s allows: an estimate without caches</text>`+"\n", left, html.EscapeString(g.Name))
	var kernels []point
	used := [pipes]bool{}
	for _, group := range p.launches.Groups() {
		k, ok := pointOf(group, g)
		if ok {
			kernels = append(kernels, k)
			used[k.pipe] = true
		}
	}
	if len(kernels) == 0 {
		used[fp32] = true
	}
	s := scaleOf(g, used)
	s.axes(&b)
	for pipe, is := range used {
		if is {
			s.roof(&b, g, pipe)
		}
	}
	y := bottom + 62
	if len(kernels) == 0 {
		fmt.Fprintf(&b, `<text x="%d" y="%d">no kernel accesses global memory</text>`+"\n", left, y)
	}
	for n, k := range kernels {
		color := colors[n%len(colors)]
		if n < maxKernels {
			s.dot(&b, k, color)
			k.legend(&b, left+n%2*340, y+n/2*34, color)
		}
	}
	b.WriteString("</svg>\n")
	text := strings.Replace(b.String(), fmt.Sprintf(`height="%d" viewBox="0 0 %d %[1]d"`, pictureHeight, pictureWidth), fmt.Sprintf(`height="%d" viewBox="0 0 %d %[1]d"`, pictureHeightOf(len(kernels)), pictureWidth), 1)
	text = strings.Replace(text, fmt.Sprintf(`<rect width="%d" height="%d"`, pictureWidth, pictureHeight), fmt.Sprintf(`<rect width="%d" height="%d"`, pictureWidth, pictureHeightOf(len(kernels))), 1)
	_, err = io.WriteString(w, text)
	return err
}

// maxKernels is how many kernels a picture shows.
const maxKernels = 12

var colors = []string{"#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#117a65"}

// pictureHeightOf is how high a picture is with so many kernels.
func pictureHeightOf(kernels int) int { return bottom + 62 + (min(kernels, maxKernels)+1)/2*34 + 8 }

// A point is a kernel in the picture.
type point struct {
	title           string
	pipe            pipe
	operations      float64
	touched, wanted float64 // bytes
	allowed, ideal  float64 // operations a second
}

// pointOf returns the point of a group, if it accesses global memory. Of a kernel without floating-point operations all instructions of
// threads count.
func pointOf(group *profiled.Group, g GPU) (k point, ok bool) {
	t, works := totalOf(group), work(group)
	if t.GlobalSectors == 0 {
		return point{}, false
	}
	k = point{title: titleOf(group), touched: float64(t.GlobalSectors) * sectorBytes, wanted: float64(t.GlobalIdeal) * sectorBytes}
	if sum(works[:]) == 0 {
		works[issue] = t.Threads
	}
	for p, n := range works {
		if n > works[k.pipe] {
			k.pipe = pipe(p)
		}
	}
	k.operations = float64(works[k.pipe])
	k.allowed = min(g.peak(k.pipe), g.Bandwidth*k.operations/k.touched)
	k.ideal = min(g.peak(k.pipe), g.Bandwidth*k.operations/k.wanted)
	return k, true
}

// A scale maps numbers to places in the picture, both by their logarithms.
type scale struct{ low, high float64 } // operations a second

func scaleOf(g GPU, used [pipes]bool) scale {
	high := 0.0
	for p, is := range used {
		if is {
			high = max(high, g.peak(pipe(p)))
		}
	}
	return scale{math.Pow(10, math.Floor(math.Log10(g.Bandwidth*lowest))), math.Pow(10, math.Ceil(math.Log10(high)))}
}

func (s scale) x(intensity float64) float64 {
	part := math.Log(max(lowest, min(highest, intensity))/lowest) / math.Log(highest/lowest)
	return left + part*(right-left)
}

func (s scale) y(speed float64) float64 {
	part := math.Log(max(s.low, min(s.high, speed))/s.low) / math.Log(s.high/s.low)
	return bottom - part*(bottom-top)
}

// axes draws the lines behind everything.
func (s scale) axes(b *strings.Builder) {
	for v := lowest; v <= highest; v *= 8 {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%[1].1f" y2="%[3]d" stroke="#ddd"/><text x="%[1].1f" y="%[4]d" text-anchor="middle">%[5]s</text>`+"\n", s.x(v), top, bottom, bottom+16, fraction(v))
	}
	for v := s.low; v <= s.high*1.01; v *= 10 {
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%[2].1f" stroke="#ddd"/><text x="%[4]d" y="%[5].1f" text-anchor="end">%[6]s</text>`+"\n", left, s.y(v), right, left-6, s.y(v)+4, speed(v))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">operations (instructions, where there are none) for each byte of global memory</text>`+"\n", (left+right)/2, bottom+34)
	fmt.Fprintf(b, `<text x="%d" y="%d">a second, at most</text>`+"\n", left, top-10)
}

// roof draws what the memory and some units of a GPU allow.
func (s scale) roof(b *strings.Builder, g GPU, of int) {
	peak := g.peak(pipe(of))
	knee := peak / g.Bandwidth
	fmt.Fprintf(b, `<polyline points="%.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="none" stroke="#555" stroke-width="1.5"/>`+"\n", s.x(lowest), s.y(lowest*g.Bandwidth), s.x(knee), s.y(peak), s.x(highest), s.y(peak))
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%v: %s</text>`+"\n", right-4, s.y(peak)-5, pipe(of), speed(peak))
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="end">memory: %s</text>`+"\n", s.x(1)-8, s.y(g.Bandwidth)-4, strings.Replace(speed(g.Bandwidth), "/s", "B/s", 1))
}

// dot draws a kernel.
func (s scale) dot(b *strings.Builder, k point, color string) {
	x, y := s.x(k.operations/k.touched), s.y(k.allowed)
	ix, iy := s.x(k.operations/k.wanted), s.y(k.ideal)
	if k.touched > k.wanted {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s" stroke-dasharray="3 3"/><circle cx="%[3].1f" cy="%[4].1f" r="5" fill="#fff" stroke="%[5]s" stroke-width="1.5"/>`+"\n", x, y, ix, iy, color)
	}
	fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="5" fill="%s"/>`+"\n", x, y, color)
}

// legend says what a kernel's dot is.
func (k point) legend(b *strings.Builder, x, y int, color string) {
	fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="5" fill="%s"/><text x="%d" y="%d">%s: %s</text>`+"\n", x+5, y-4, color, x+16, y, html.EscapeString(k.title), bytes(k.touched))
	text := "of global memory, no more than it asks for"
	if k.touched > k.wanted {
		text = fmt.Sprintf("of global memory, where %s would do", bytes(k.wanted))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d">%s</text>`+"\n", x+16, y+14, text)
}

func fraction(v float64) string {
	if v < 1 {
		return fmt.Sprintf("1/%g", 1/v)
	}
	return fmt.Sprintf("%g", v)
}

// speed writes operations a second.
func speed(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}} {
		if v >= unit.of {
			return fmt.Sprintf("%.3g %s/s", v/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.3g M/s", v/1e6)
}

// bytes writes a number of bytes.
func bytes(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if v >= unit.of {
			return fmt.Sprintf("%.4g %s", v/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.0f bytes", v)
}
