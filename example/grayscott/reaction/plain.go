package reaction

import "slices"

// Plain returns the frames, computed in Go. Conversions keep the compiler from fusing operations.
func (m Movie) Plain() (frames [][]byte) {
	u, v := m.begin()
	around := func(a []float32, x, y int) float32 {
		at := func(x, y int) float32 { return a[(y+m.Height)%m.Height*m.Width+(x+m.Width)%m.Width] }
		return at(x-1, y) + at(x+1, y) + at(x, y-1) + at(x, y+1) - 4*at(x, y)
	}
	rate, ending := float32(feed), float32(feed)+float32(kill)
	for range m.Frames {
		frame := make([]byte, len(v))
		for i, v := range v {
			frame[i] = byte(min(max(float32(v*2.5), 0), 1) * float32(m.Colors-1))
		}
		frames = append(frames, frame)
		for range m.Steps {
			nextU, nextV := slices.Clone(u), slices.Clone(v)
			for i, a := range u {
				b, x, y := v[i], i%m.Width, i/m.Width
				reaction := float32(float32(a*b) * b)
				nextU[i] = a + float32(0.2*around(u, x, y)) - reaction + float32(rate*(1-a))
				nextV[i] = b + float32(0.1*around(v, x, y)) + reaction - float32(ending*b)
			}
			u, v = nextU, nextV
		}
	}
	return frames
}
