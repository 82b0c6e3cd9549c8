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
	pictureWidth             = 760
	left, right, top, bottom = 70, 740, 60, 330
	firstRow, rowHeight      = bottom + 76, 46
	barLeft, barRight        = 400, 660
	lowest, highest          = 1.0 / 64, 512.0 // operations a byte
	maxKernels               = 12              // that are shown
)

var colors = []string{"#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#117a65"}

// WriteRoofline draws, as SVG, what a GPU allows the kernels. Above, how many operations a second at most, by how many there are for each byte
// of global memory: a dot is a kernel with the sectors that it touches, a ring is the same kernel with as many as it asks for. Below, how
// long its parts keep the kernel at least. All of it is an estimate: no cache is taken into account, instructions are those of PTX, and
// no kernel reaches what a data sheet says.
func (p *Profile) WriteRoofline(w io.Writer, gpu string) error {
	g, err := findGPU(gpu)
	if err != nil {
		return err
	}
	var kernels []point
	used, longest := [pipes]bool{}, 0.0
	groups, titled := p.launches.Groups(), make(map[string]int)
	for _, group := range groups {
		titled[titleOf(group)]++
	}
	more := 0
	for _, group := range groups {
		switch k, ok := pointOf(group, g); {
		case !ok:
		case len(kernels) == maxKernels:
			more++
		default:
			if titled[k.title] > 1 {
				k.title = launchOf(group)
			}
			kernels = append(kernels, k)
			used[k.pipe] = true
			longest = max(longest, k.memory, k.shared, k.issue)
		}
	}
	if len(kernels) == 0 {
		used[fp32] = true
	}
	d := newDrawing(g, used)
	d.height = firstRow + max(1, len(kernels)+min(more, 1))*rowHeight
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#333">`, pictureWidth, d.height, pictureWidth, d.height)
	d.printf(`<rect width="%d" height="%d" fill="#fff"/>`, pictureWidth, d.height)
	d.text(left, 22, "start", `What an `+g.Name+` allows: an estimate, without caches`, 15)
	d.axes()
	for of, is := range used {
		if is {
			d.roof(g, pipe(of))
		}
	}
	d.text(barLeft, firstRow-24, "start", "least time of a launch by each part", 12)
	if len(kernels) == 0 {
		d.text(left, firstRow, "start", "no kernel accesses global memory", 12)
	}
	for n, k := range kernels {
		d.kernel(k, firstRow+n*rowHeight, colors[n%len(colors)], longest)
	}
	if more > 0 {
		d.text(left, float64(firstRow+len(kernels)*rowHeight), "start", fmt.Sprintf("and %s, of which there is no room here: choose one by its name", counted(uint64(more), "more", "more")), 12)
	}
	d.printf(`</svg>`)
	_, err = io.WriteString(w, d.svg.String())
	return err
}

// A point is a kernel in the picture.
type point struct {
	title                 string
	pipe                  pipe
	operations            float64
	touched, wanted       float64 // bytes
	peak, bandwidth       float64 // of the GPU, for its operations
	memory, shared, issue float64 // seconds of a launch that its parts take at least
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
	k.operations, k.peak, k.bandwidth = float64(works[k.pipe]), g.peak(k.pipe), g.Bandwidth
	launches := float64(max(1, group.Launches))
	k.memory = k.touched / g.Bandwidth / launches
	k.issue = float64(t.Warps) * 32 / g.Issue / launches
	k.shared = float64(t.SharedWavefronts) * issuedLanes / g.Issue / launches
	return k, true
}

// issuedLanes is for how many threads a multiprocessor issues an instruction in a clock, in which its shared memory has one wavefront.
const issuedLanes = 128

// A drawing is a picture under way.
type drawing struct {
	svg       strings.Builder
	height    int
	low, high float64 // operations a second
	dots      map[[2]int]int
}

func newDrawing(g GPU, used [pipes]bool) *drawing {
	high := 0.0
	for p, is := range used {
		if is {
			high = max(high, g.peak(pipe(p)))
		}
	}
	return &drawing{dots: make(map[[2]int]int), low: math.Pow(10, math.Floor(math.Log10(g.Bandwidth*lowest))), high: math.Pow(10, math.Ceil(math.Log10(high)))}
}

func (d *drawing) printf(format string, args ...any) { fmt.Fprintf(&d.svg, format+"\n", args...) }

func (d *drawing) text(x, y float64, anchor, text string, size int) {
	d.printf(`<text x="%.1f" y="%.1f" text-anchor="%s" font-size="%d">%s</text>`, x, y, anchor, size, html.EscapeString(text))
}

func (d *drawing) line(x1, y1, x2, y2 float64, style string) {
	d.printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" %s/>`, x1, y1, x2, y2, style)
}

// x and y are where numbers stand, both by their logarithms.
func (d *drawing) x(intensity float64) float64 {
	return left + math.Log(max(lowest, min(highest, intensity))/lowest)/math.Log(highest/lowest)*(right-left)
}

func (d *drawing) y(speed float64) float64 {
	return bottom - math.Log(max(d.low, min(d.high, speed))/d.low)/math.Log(d.high/d.low)*(bottom-top)
}

// axes draws the lines behind everything.
func (d *drawing) axes() {
	const faint = `stroke="#e4e4e4"`
	for v := lowest; v <= highest; v *= 8 {
		d.line(d.x(v), top, d.x(v), bottom, faint)
		d.text(d.x(v), bottom+16, "middle", fraction(v), 12)
	}
	for v := d.low; v <= d.high*1.01; v *= 10 {
		d.line(left, d.y(v), right, d.y(v), faint)
		d.text(left-6, d.y(v)+4, "end", prefixed(v, ""), 12)
	}
	d.text((left+right)/2, bottom+34, "middle", "operations (instructions, where there are none) for each byte of global memory", 12)
	d.text(left, top-10, "start", "a second, at most", 12)
}

// roof draws what the memory and some units of a GPU allow.
func (d *drawing) roof(g GPU, of pipe) {
	peak := g.peak(of)
	knee := peak / g.Bandwidth
	d.printf(`<polyline points="%.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="none" stroke="#555" stroke-width="1.5"/>`, d.x(lowest), d.y(lowest*g.Bandwidth), d.x(knee), d.y(peak), d.x(highest), d.y(peak))
	d.text(right-4, d.y(peak)-5, "end", fmt.Sprintf("%v: %s/s", of, prefixed(peak, "")), 12)
	d.text(d.x(lowest*8)-10, d.y(g.Bandwidth*lowest*8)-8, "end", "memory: "+prefixed(g.Bandwidth, "B")+"/s", 12)
}

// kernel draws a kernel, and its row below.
func (d *drawing) kernel(k point, row int, color string, longest float64) {
	allowed := func(bytes float64) (x, y float64) {
		intensity := k.operations / bytes
		return d.x(intensity), d.y(min(k.peak, k.bandwidth*intensity))
	}
	x, y := allowed(k.touched)
	if k.touched > k.wanted {
		ideal, high := allowed(k.wanted)
		d.line(x, y, ideal, high, fmt.Sprintf(`stroke="%s" stroke-width="2" stroke-dasharray="3 3"`, color))
		d.printf(`<circle cx="%.1f" cy="%.1f" r="6" fill="#fff" stroke="%s" stroke-width="2"/>`, ideal, high, color)
	}
	place := [2]int{int(x) / 4, int(y) / 4}
	d.printf(`<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"/>`, x, y, max(2, 6-2*d.dots[place]), color) // smaller upon another
	d.dots[place]++

	at := float64(row)
	d.printf(`<circle cx="%d" cy="%.1f" r="6" fill="%s"/>`, left+6, at-4, color)
	d.text(left+20, at, "start", k.title, 13)
	touched := binary(k.touched) + " of global memory"
	if k.touched > k.wanted {
		touched += ", where " + binary(k.wanted) + " would do"
	}
	d.text(left+20, at+15, "start", touched, 11)
	for n, part := range []struct {
		name string
		time float64
	}{{"memory", k.memory}, {"shared", k.shared}, {"instructions", k.issue}} {
		y := at - 13 + float64(n)*13
		width := part.time / longest * (barRight - barLeft)
		d.printf(`<rect x="%d" y="%.1f" width="%.1f" height="9" fill="%s" fill-opacity="%.2f"/>`, barLeft, y, width, color, 1-float64(n)*0.3)
		if part.time > 0 {
			d.text(barLeft+width+4, y+8, "start", part.name+" "+seconds(part.time), 10)
		}
	}
}

func fraction(v float64) string {
	if v < 1 {
		return fmt.Sprintf("1/%g", 1/v)
	}
	return fmt.Sprintf("%g", v)
}

// prefixed writes a number with a prefix of the unit.
func prefixed(v float64, unit string) string {
	for _, p := range []struct {
		of   float64
		name string
	}{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}} {
		if v >= p.of*0.999 {
			return fmt.Sprintf("%.3g %s%s", v/p.of, p.name, unit)
		}
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

// binary writes a number of bytes.
func binary(v float64) string {
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

// seconds writes a time.
func seconds(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if v >= unit.of {
			return fmt.Sprintf("%.3g %s", v/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ns", v/1e-9)
}
