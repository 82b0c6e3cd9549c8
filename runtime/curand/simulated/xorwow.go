package simulated

// xorwow is Marsaglia's generator: five words that are linear over bits, and a counter.
//
// G. Marsaglia, Xorshift RNGs.
type xorwow struct{}

type xorwowState struct {
	words   [5]uint32
	counter uint32
}

// counterStep is what the counter grows by.
const counterStep = 362437

func (xorwow) count() int { return 4096 }

func (xorwow) begin(seed uint64) xorwowState {
	low := 1099087573 * (uint32(seed) ^ 0xaad26b49)
	high := 2591861531 * (uint32(seed>>32) ^ 0xf7dcefdd)
	return xorwowState{[5]uint32{123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low}, 6615241 + high + low}
}

// skips goes 2^67 numbers further, after which the counter is what it was.
func (xorwow) skips() func(xorwowState) xorwowState {
	far := oneStep()
	for range 67 {
		far = far.behind(far)
	}
	return func(s xorwowState) xorwowState {
		s.words = far.times(s.words)
		return s
	}
}

func (xorwow) forward(n uint64) func(*xorwowState) {
	far, step := identity(), oneStep()
	for rest := n; rest > 0; rest >>= 1 {
		if rest&1 != 0 {
			far = step.behind(far)
		}
		step = step.behind(step)
	}
	return func(s *xorwowState) {
		s.words = far.times(s.words)
		s.counter += counterStep * uint32(n)
	}
}

func (xorwow) bits(s *xorwowState) uint32 {
	s.words = shift(s.words)
	s.counter += counterStep
	return s.words[4] + s.counter
}

func shift(w [5]uint32) [5]uint32 {
	t := w[0] ^ w[0]>>2
	return [5]uint32{w[1], w[2], w[3], w[4], w[4] ^ w[4]<<4 ^ t ^ t<<1}
}

func (x xorwow) uniform32(s *xorwowState) float32 { return uniform32(x.bits(s)) }

func (x xorwow) uniform64(s *xorwowState) float64 {
	low := x.bits(s)
	return uniform64(low, x.bits(s))
}

func (x xorwow) normal32(s *xorwowState) (float32, float32) {
	u := x.uniform32(s)
	return boxMuller32(u, angle(x.bits(s)))
}

func (x xorwow) normal64(s *xorwowState) (float64, float64) {
	u := x.uniform64(s)
	return boxMuller64(u, x.uniform64(s))
}

// A bitMatrix is a linear function of 160 bits: what it makes of each bit alone.
type bitMatrix [160][5]uint32

func identity() *bitMatrix {
	var m bitMatrix
	for i := range m {
		m[i][i/32] = 1 << (i % 32)
	}
	return &m
}

// oneStep is what shift does.
func oneStep() *bitMatrix {
	m := identity()
	for i := range m {
		m[i] = shift(m[i])
	}
	return m
}

// times returns what m makes of the bits of w.
func (m *bitMatrix) times(w [5]uint32) (product [5]uint32) {
	for i := range m {
		if w[i/32]>>(i%32)&1 != 0 {
			for j := range product {
				product[j] ^= m[i][j]
			}
		}
	}
	return product
}

// behind returns what first and then m do.
func (m *bitMatrix) behind(first *bitMatrix) *bitMatrix {
	var both bitMatrix
	for i := range both {
		both[i] = m.times(first[i])
	}
	return &both
}
