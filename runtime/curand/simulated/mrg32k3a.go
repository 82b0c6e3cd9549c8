package simulated

import (
	"math"
	"math/bits"
)

// mrg32k3a is L'Ecuyer's combined multiple recursive generator.
//
// P. L'Ecuyer, Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators.
type mrg32k3a struct{}

// An mrgState has the last three numbers of both recurrences, the newest last.
type mrgState struct{ first, second [3]uint64 }

// The moduli.
const (
	modulus1 = 1<<32 - 209
	modulus2 = 1<<32 - 22853
)

func (mrg32k3a) count() int { return 81920 }

func (mrg32k3a) begin(seed uint64) mrgState {
	const word = 12345
	if seed == 0 {
		return mrgState{[3]uint64{word, word, word}, [3]uint64{word, word, word}}
	}
	x, y := uint64(uint32(seed)^0x55555555), uint64(uint32(seed>>32)^0xaaaaaaaa)
	return mrgState{
		[3]uint64{x * word % modulus1, y * word % modulus1, x * word % modulus1},
		[3]uint64{y * word % modulus2, x * word % modulus2, y * word % modulus2},
	}
}

// next goes one number further, and returns one of 1 to modulus1.
func (s *mrgState) next() uint64 {
	a := (1403580*s.first[1] + (modulus1-810728)*s.first[0]%modulus1) % modulus1
	b := (527612*s.second[2] + (modulus2-1370589)*s.second[0]%modulus2) % modulus2
	s.first = [3]uint64{s.first[1], s.first[2], a}
	s.second = [3]uint64{s.second[1], s.second[2], b}
	if a <= b {
		a += modulus1
	}
	return a - b
}

// The steps of both recurrences.
var (
	mrgStep1 = matrix3{{0, 1, 0}, {0, 0, 1}, {modulus1 - 810728, 1403580, 0}}
	mrgStep2 = matrix3{{0, 1, 0}, {0, 0, 1}, {modulus2 - 1370589, 0, 527612}}
)

// skips goes 2^76 numbers further.
func (mrg32k3a) skips() func(mrgState) mrgState {
	first, second := mrgStep1, mrgStep2
	for range 76 {
		first, second = first.behind(&first, modulus1), second.behind(&second, modulus2)
	}
	return func(s mrgState) mrgState {
		return mrgState{first.times(s.first, modulus1), second.times(s.second, modulus2)}
	}
}

func (mrg32k3a) forward(n uint64) func(*mrgState) {
	first, second := mrgStep1.power(n, modulus1), mrgStep2.power(n, modulus2)
	return func(s *mrgState) { *s = mrgState{first.times(s.first, modulus1), second.times(s.second, modulus2)} }
}

// bits stretches a number to 32 bits.
func (mrg32k3a) bits(s *mrgState) uint32 { return uint32(float64(s.next()) * 1.000000048662) }

func (mrg32k3a) uniform64(s *mrgState) float64   { return float64(s.next()) * (1.0 / modulus1) }
func (m mrg32k3a) uniform32(s *mrgState) float32 { return float32(m.uniform64(s)) }

func (m mrg32k3a) normal32(s *mrgState) (float32, float32) {
	u := m.uniform32(s)
	return boxMuller32(u, m.uniform32(s)*(2*math.Pi))
}

func (m mrg32k3a) normal64(s *mrgState) (float64, float64) {
	u := m.uniform64(s)
	return boxMuller64(u, m.uniform64(s))
}

// A matrix3 is a linear function of three numbers, modulo one of the moduli.
type matrix3 [3][3]uint64

func (m *matrix3) times(v [3]uint64, modulus uint64) (product [3]uint64) {
	for i, row := range m {
		for j, x := range row {
			high, low := bits.Mul64(x, v[j])
			product[i] = (product[i] + bits.Rem64(high, low, modulus)) % modulus
		}
	}
	return product
}

// behind returns what first and then m do.
func (m *matrix3) behind(first *matrix3, modulus uint64) (both matrix3) {
	for j := range 3 {
		column := m.times([3]uint64{first[0][j], first[1][j], first[2][j]}, modulus)
		for i, x := range column {
			both[i][j] = x
		}
	}
	return both
}

// power returns what m does when it is done n times.
func (m matrix3) power(n, modulus uint64) matrix3 {
	all := matrix3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			all = m.behind(&all, modulus)
		}
		m = m.behind(&m, modulus)
	}
	return all
}
