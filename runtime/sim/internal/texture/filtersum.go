package texture

import (
	"math"
	"slices"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A plane is four elements of one level that are weighted and added first.
type plane struct {
	elements [4]Texel
	weights  [4]int64 // in units of 1/256
	reached  [4]bool  // whether the coordinates lie beside the element, whatever its rounded weight
}

// A filterSum is what one read adds: a plane, or two in the third dimension, of one or two levels.
type filterSum struct {
	list  [4]plane
	n     int
	first int // how many belong to the first level
}

// next returns a plane to fill.
func (s *filterSum) next() *plane {
	s.n++
	return &s.list[s.n-1]
}

// planes returns those that were filled.
func (s *filterSum) planes() []plane { return s.list[:s.n] }

// total returns the sum as a texture returns it.
func (s *Sampler) total(sum *filterSum) (v Texel) {
	for c := range s.channels {
		switch {
		case s.isLinearized(c):
			v[c] = sum.ofSRGB(c)
		case s.elements.isFloat():
			v[c] = s.rounded(sum.ofFloats(c, s.elementBits()))
		default:
			v[c] = s.ofIntegers(sum.exact(c))
		}
	}
	return v
}

// exact returns the sum of channel c in units of 1/256, of elements that are integers.
func (s *filterSum) exact(c int) (total int64) {
	for n := range s.planes() {
		p := &s.list[n]
		for i, weight := range p.weights {
			total += int64(p.elements[i][c]) * weight
		}
	}
	return total
}

// ofIntegers returns the number for a sum of integers in units of 1/256.
func (e elements) ofIntegers(sum int64) float64 {
	switch e.format {
	case driver.FormatUint8, driver.FormatUint16:
		return float64((sum+unit/2)>>fractionBits) / math.MaxUint16
	case driver.FormatInt8:
		// 32767/127 is 258 and a little. It is taken as 256 (1 + 257/2^15), without the sum's last bits.
		wide := sum + (sum&^15*257+1<<14)>>15
		return float64(max(wide, -math.MaxInt16)) / math.MaxInt16
	}
	return float64(max((sum+unit/2)>>fractionBits, -math.MaxInt16)) / math.MaxInt16
}

// filterUnits returns how many of the units that filters add an integer has.
func (e elements) filterUnits() float64 {
	if e.format == driver.FormatUint8 {
		return math.MaxUint16 / math.MaxUint8
	}
	return 1
}

// ofFloats returns the sum of channel c, of floating-point elements that are cut to a number of
// bits behind the first one of the largest.
func (s *filterSum) ofFloats(c, bits int) float64 {
	var sums, steps [4]float64
	finite := true
	for n := range s.planes() {
		p := &s.list[n]
		largest := p.largest(c)
		if largest > math.MaxFloat32 || largest != largest {
			finite = false
		}
		sums[n] = p.sum(c, largest, bits)
		if largest != 0 {
			steps[n] = sumStep(largest, bits)
		}
	}
	if !finite {
		steps = [4]float64{}
	}
	return s.joined(sums, steps) / unit
}

// joined adds the sums of planes: first those of the first level, then the others to that.
func (s *filterSum) joined(sums, steps [4]float64) float64 {
	last := s.first - 1
	sums[last], steps[last] = addCut(sums[:s.first], steps[:s.first])
	total, _ := addCut(sums[last:s.n], steps[last:s.n])
	return total
}

// addCut adds numbers that are rounded down to multiples of the largest of their steps, and returns
// that. Where it is 0, they are added as they are.
func addCut(list, steps []float64) (total, step float64) {
	step = slices.Max(steps)
	total = math.Copysign(0, -1)
	for _, v := range list {
		if step != 0 {
			v = math.Floor(v/step) * step
		}
		total += v
	}
	return total, step
}

// sumStep returns to multiples of what the sums of planes are rounded down, in units of 1/256, where
// elements are cut to a number of bits.
func sumStep(largest float64, bits int) float64 { return math.Ldexp(1, hexBits(largest)-bits-3) }

// hexBits returns the exponent of the highest bit in the first hexadecimal digit of v, where digits
// begin at exponents of float32, with their bias, that four divides.
func hexBits(v float64) int { return (math.Ilogb(v)+127)&^3 - 127 + 3 }

// largest returns the absolute value of the largest element in channel c that has a weight, or an
// infinity or a NaN that is reached.
func (p *plane) largest(c int) (largest float64) {
	for i, weight := range p.weights {
		v := math.Abs(p.elements[i][c])
		switch {
		case !p.reached[i]:
		case v > math.MaxFloat32 || v != v:
			return v
		case weight != 0:
			largest = max(largest, v)
		}
	}
	return largest
}

// sum adds channel c of the elements, cut to a number of bits behind the first one of the largest,
// in units of 1/256.
func (p *plane) sum(c int, largest float64, bits int) float64 {
	step := 0.0
	if largest <= math.MaxFloat32 && largest != 0 {
		step = math.Ldexp(1, math.Ilogb(largest)-bits)
	}
	total := math.Copysign(0, -1)
	for i, weight := range p.weights {
		v := p.elements[i][c]
		switch {
		case !p.reached[i]:
		case step == 0: // all are zero, or some are infinite
			if weight != 0 || math.IsInf(v, 0) || v != v {
				total += v
			}
		case weight != 0:
			total += math.Trunc(v/step) * step * float64(weight)
		}
	}
	return total
}

// ofSRGB returns the sum of channel c of colours of sRGB. In each plane they are cut to the largest
// step of those with a weight.
func (s *filterSum) ofSRGB(c int) float64 {
	var sums, steps [4]float64
	for n := range s.planes() {
		p := &s.list[n]
		largest := p.largest(c)
		if largest == 0 {
			continue
		}
		step := linearStep(largest)
		for i, weight := range p.weights {
			sums[n] += math.Trunc(p.elements[i][c]/step) * step * float64(weight)
		}
		steps[n] = sumStep(largest, colourBits)
	}
	return roundedToFloat16(s.joined(sums, steps) / unit)
}

// colourBits is what elementBits is for colours of sRGB, where sums are rounded. The colours themselves
// are cut to linearStep.
const colourBits = 7

// elementBits is how many bits behind the first one of the largest element filtering looks at.
func (e elements) elementBits() int {
	if e.format == driver.FormatFloat16 {
		return 14
	}
	return 27
}

// rounded returns the number that a filtered sum is read as. That of Float16 is a Float16;
// a number too small to be normal is zero, and there is one NaN.
func (e elements) rounded(v float64) float64 {
	switch {
	case v != v && e.format == driver.FormatFloat16:
		return widened(0x7fffe000)
	case v != v:
		return widened(math.MaxInt32)
	case math.Abs(v) < smallestNormal:
		return math.Copysign(0, v)
	case e.format == driver.FormatFloat16:
		return roundedToFloat16(v)
	}
	return roundedAway(v)
}

// roundedToFloat16 returns the Float16 nearest to v; of two, that which is further away from zero.
func roundedToFloat16(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) {
		return v
	}
	step := math.Ldexp(1, max(math.Ilogb(v)-10, -24))
	return math.Round(v/step) * step
}

// roundedAway returns the float nearest to v; of two, that which is further away from zero.
func roundedAway(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	step := math.Ldexp(1, math.Ilogb(v)-23)
	return math.Round(v/step) * step
}
