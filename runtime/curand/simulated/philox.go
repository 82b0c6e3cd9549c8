package simulated

import "math/bits"

// philox is a block cipher of counters: four numbers of 32 bits for each. Elements of memory are in groups of four, and each 65,536th
// group has the next counter of the same lane.
//
// J. Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3.
type philox struct {
	key      [2]uint32
	counters []uint64 // of the lanes
	at       uint64   // the next element
}

const (
	philoxLanes = 65536
	philoxGroup = 4
)

func newPhilox(seed, offset uint64) *philox {
	p := &philox{key: [2]uint32{uint32(seed), uint32(seed >> 32)}, counters: make([]uint64, philoxLanes), at: offset}
	group := offset / philoxGroup
	for i := range p.counters {
		p.counters[i] = group / philoxLanes
		if uint64(i) < group%philoxLanes {
			p.counters[i]++
		}
	}
	return p
}

// block returns the four numbers of a counter of a lane.
func (p *philox) block(lane int, counter uint64) [philoxGroup]uint32 {
	c := [4]uint32{uint32(counter), uint32(counter >> 32), uint32(lane), 0}
	k := p.key
	for range 10 {
		high0, low0 := bits.Mul32(0xd2511f53, c[0])
		high1, low1 := bits.Mul32(0xcd9e8d57, c[2])
		c = [4]uint32{high1 ^ c[1] ^ k[0], low1, high0 ^ c[3] ^ k[1], low0}
		k[0] += 0x9e3779b9
		k[1] += 0xbb67ae85
	}
	return c
}

// groups puts elements into out. A group of them is made of so many counters.
func groups[T any](p *philox, out []T, counters uint64, group func(lane int, counter uint64) [philoxGroup]T) error {
	for i := 0; i < len(out); {
		lane := int(p.at / philoxGroup % philoxLanes)
		made := group(lane, p.counters[lane])
		n := copy(out[i:], made[p.at%philoxGroup:])
		i += n
		p.at += uint64(n)
		if p.at%philoxGroup == 0 {
			p.counters[lane] += counters
		}
	}
	return nil
}

func (p *philox) bits(out []uint32) error { return groups(p, out, 1, p.block) }

func (p *philox) uniform32(out []float32) error {
	return groups(p, out, 1, func(lane int, counter uint64) (made [philoxGroup]float32) {
		for i, x := range p.block(lane, counter) {
			made[i] = uniform32(x)
		}
		return made
	})
}

// doubles returns four numbers of (0, 1], of two counters.
func (p *philox) doubles(lane int, counter uint64) [philoxGroup]float64 {
	x, y := p.block(lane, counter), p.block(lane, counter+1)
	return [philoxGroup]float64{uniform64(x[0], x[1]), uniform64(x[2], x[3]), uniform64(y[0], y[1]), uniform64(y[2], y[3])}
}

func (p *philox) uniform64(out []float64) error { return groups(p, out, 2, p.doubles) }

func (p *philox) normal32(out []float32) error {
	return groups(p, out, 1, func(lane int, counter uint64) (made [philoxGroup]float32) {
		x := p.block(lane, counter)
		made[0], made[1] = boxMuller32(uniform32(x[0]), angle(x[1]))
		made[2], made[3] = boxMuller32(uniform32(x[2]), angle(x[3]))
		return made
	})
}

func (p *philox) normal64(out []float64) error {
	return groups(p, out, 2, func(lane int, counter uint64) (made [philoxGroup]float64) {
		x := p.doubles(lane, counter)
		made[0], made[1] = boxMuller64(x[0], x[1])
		made[2], made[3] = boxMuller64(x[2], x[3])
		return made
	})
}
