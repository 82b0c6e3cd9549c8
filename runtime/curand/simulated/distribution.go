package simulated

import "math"

// The steps between numbers of 32 and of 53 bits.
const (
	step32 = 1.0 / (1 << 32)
	step53 = 1.0 / (1 << 53)
)

// uniform32 returns a number of (0, 1] for 32 bits.
func uniform32(bits uint32) float32 { return float32(bits)*step32 + step32/2 }

// uniform64 returns a number of (0, 1] for twice 32 bits, of which it takes 53.
func uniform64(x, y uint32) float64 { return float64(uint64(x)^uint64(y)<<21)*step53 + step53/2 }

// angle returns an angle for 32 bits, rounded as single precision has it.
func angle(bits uint32) float32 { return float32(bits)*(step32*2*math.Pi) + step32*math.Pi }

// boxMuller32 makes two numbers of a normal distribution of one of (0, 1] and an angle.
func boxMuller32(u, angle float32) (float32, float32) {
	radius := math.Sqrt(-2 * math.Log(float64(u)))
	sin, cos := math.Sincos(float64(angle))
	return float32(radius * sin), float32(radius * cos)
}

// boxMuller64 makes two numbers of a normal distribution of two of (0, 1].
func boxMuller64(u, v float64) (float64, float64) {
	radius := math.Sqrt(-2 * math.Log(u))
	sin, cos := math.Sincos(2 * math.Pi * v)
	return radius * sin, radius * cos
}

// normal32 makes each number of a normal distribution into another one.
func normal32(f func(float32) float32) func(numbers, []float32) error {
	return func(n numbers, out []float32) error { return mapped(n.normal32(out), out, f) }
}

// normal64 is normal32 in double precision.
func normal64(f func(float64) float64) func(numbers, []float64) error {
	return func(n numbers, out []float64) error { return mapped(n.normal64(out), out, f) }
}

func mapped[T any](err error, out []T, f func(T) T) error {
	for i, v := range out {
		out[i] = f(v)
	}
	return err
}

func exp32(x float32) float32 { return float32(math.Exp(float64(x))) }
func exp64(x float64) float64 { return math.Exp(x) }
