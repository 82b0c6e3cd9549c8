package sim

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// uniformTwins is functions that do the same as portable ones of which an operand is the same in all lanes, as constants and the parameters of a
// kernel are. What such an operand is computed from, a load and a test in each lane, is saved.
var uniformTwins = []struct {
	of, with laneFunc // with has the same b in all lanes
	both     laneFunc // the same c, too; or nil
	same     laneFunc // its a and b are one register; or nil
	commutes bool     // it may be a instead
}{
	{of: portable.add, with: addUniform, commutes: true},
	{of: portable.and, with: andUniform, commutes: true},
	{of: portable.shl, with: shlUniform},
	{of: portable.shrU32, with: shrUniform[uint32]},
	{of: portable.shrS32, with: shrUniform[int32]},
	{of: portable.shrU64, with: shrUniform[uint64]},
	{of: portable.mulWideU32, with: mulWideUniform[uint32]},
	{of: portable.mulWideS32, with: mulWideUniform[int32]},
	{of: portable.madWideU32, with: madWideUniform[uint32], both: scaleUniform[uint32]},
	{of: portable.madWideS32, with: madWideUniform[int32], both: scaleUniform[int32]},
	{of: portable.addF32, with: addUniformF32, same: doubleF32, commutes: true},
	{of: portable.subF32, with: subUniformF32},
	{of: portable.mulF32, with: mulUniformF32, same: squareF32, commutes: true},
	{of: portable.fmaF32, with: fmaUniformF32, commutes: true},
}

// uniformComparers is the same for comparisons: one with the same b, and one with the same a in all lanes.
var uniformComparers = []struct{ of, withB, withA comparer }{
	{portable.eq32, eqUniform[uint32], func(a, b *lanes) uint32 { return eqUniform[uint32](b, a) }},
	{portable.ltS32, ltUniform[int32], uniformLt[int32]},
	{portable.ltU32, ltUniform[uint32], uniformLt[uint32]},
	{portable.leF32, leUniformF32, nil},
	{portable.ltF32, ltUniformF32, nil},
}

// codeOf tells functions apart.
func codeOf(fn any) uintptr { return reflect.ValueOf(fn).Pointer() }

// unify has instructions use that an operand is the same in all lanes.
func (p *planner) unify() {
	uniform := p.uniforms()
	for pc := range p.plan.code {
		in := &p.plan.code[pc]
		switch in.op {
		case opLanes:
			in.unify(uniform)
		case opTest:
			a, b := uniform[in.a], uniform[in.b]
			for _, twin := range uniformComparers {
				if (a || b) && codeOf(in.compare) == codeOf(twin.of) {
					if b {
						in.compare = twin.withB
					} else if twin.withA != nil {
						in.compare = twin.withA
					}
					break
				}
			}
		}
	}
}

func (in *instr) unify(uniform []bool) {
	a, b, c := uniform[in.a], uniform[in.b], uniform[in.c]
	if !a && !b && in.a != in.b {
		return
	}
	for _, twin := range uniformTwins {
		if codeOf(in.fn) != codeOf(twin.of) {
			continue
		}
		if a && !b && twin.commutes {
			in.a, in.b, b = in.b, in.a, true
		}
		switch {
		case b && c && twin.both != nil:
			in.fn = twin.both
		case b:
			in.fn = twin.with
		case in.a == in.b && twin.same != nil:
			in.fn = twin.same
		}
		return
	}
}

// uniforms returns which registers have the same value in all lanes at all times: constants, special registers that do not tell lanes apart, and
// what is computed once for all blocks from those.
func (p *planner) uniforms() []bool {
	uniform := make([]bool, p.k.registers())
	for r := p.k.firstConst(); r < len(uniform); r++ {
		uniform[r] = r < p.k.firstSpecial() || specialRegisters[p.k.specials[r-p.k.firstSpecial()]].isUniform()
	}
	for n := range p.plan.hoisted {
		reads, writes, _ := p.plan.hoisted[n].roles()
		same := true
		for _, r := range reads {
			same = same && (r == regSink || uniform[r])
		}
		for _, r := range writes {
			uniform[r] = same
		}
	}
	return uniform
}

// uniformRegisters are the special registers that are the same in all threads of all blocks.
var uniformRegisters = map[string]bool{"%ntid.x": true, "%ntid.y": true, "%ntid.z": true, "%nctaid.x": true, "%nctaid.y": true, "%nctaid.z": true}

// isUniform reports whether r is the same in all threads of a block. What varies from block to block does not within.
func (r specialRegister) isUniform() bool { return r.varies || uniformRegisters[r.name] }

func addUniform(d, a, b, _ *lanes) {
	y := b[0]
	for l := 0; l < warpSize; l += 8 {
		x, to := eight(a, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]+y, x[1]+y, x[2]+y, x[3]+y
		to[4], to[5], to[6], to[7] = x[4]+y, x[5]+y, x[6]+y, x[7]+y
	}
}

func andUniform(d, a, b, _ *lanes) {
	y := b[0]
	for l := 0; l < warpSize; l += 8 {
		x, to := eight(a, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]&y, x[1]&y, x[2]&y, x[3]&y
		to[4], to[5], to[6], to[7] = x[4]&y, x[5]&y, x[6]&y, x[7]&y
	}
}

func shlUniform(d, a, b, _ *lanes) {
	by := uint32(b[0])
	if by > 63 {
		fill(d, 0)
		return
	}
	by &= 63
	for l := 0; l < warpSize; l += 8 {
		x, to := eight(a, l), eight(d, l)
		to[0], to[1], to[2], to[3] = x[0]<<by, x[1]<<by, x[2]<<by, x[3]<<by
		to[4], to[5], to[6], to[7] = x[4]<<by, x[5]<<by, x[6]<<by, x[7]<<by
	}
}

func shrUniform[T integer](d, a, b, c *lanes) {
	by := uint32(b[0])
	if by > 31 {
		shr[T](d, a, b, c)
		return
	}
	by &= 31
	for l, x, to := 0, eight(a, 0), eight(d, 0); l < warpSize; l, x, to = l+8, eight(a, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0])>>by), uint64(T(x[1])>>by), uint64(T(x[2])>>by), uint64(T(x[3])>>by)
		to[4], to[5], to[6], to[7] = uint64(T(x[4])>>by), uint64(T(x[5])>>by), uint64(T(x[6])>>by), uint64(T(x[7])>>by)
	}
}

func mulWideUniform[T integer](d, a, b, _ *lanes) {
	y := uint64(T(b[0]))
	for l, x, to := 0, eight(a, 0), eight(d, 0); l < warpSize; l, x, to = l+8, eight(a, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*y, uint64(T(x[1]))*y, uint64(T(x[2]))*y, uint64(T(x[3]))*y
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*y, uint64(T(x[5]))*y, uint64(T(x[6]))*y, uint64(T(x[7]))*y
	}
}

func madWideUniform[T integer](d, a, b, c *lanes) {
	y := uint64(T(b[0]))
	for l, x, z, to := 0, eight(a, 0), eight(c, 0), eight(d, 0); l < warpSize; l, x, z, to = l+8, eight(a, l+8), eight(c, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*y+z[0], uint64(T(x[1]))*y+z[1], uint64(T(x[2]))*y+z[2], uint64(T(x[3]))*y+z[3]
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*y+z[4], uint64(T(x[5]))*y+z[5], uint64(T(x[6]))*y+z[6], uint64(T(x[7]))*y+z[7]
	}
}

// scaleUniform is madWide where b and c are the same in all lanes.
func scaleUniform[T integer](d, a, b, c *lanes) {
	y, z := uint64(T(b[0])), c[0]
	for l, x, to := 0, eight(a, 0), eight(d, 0); l < warpSize; l, x, to = l+8, eight(a, l+8), eight(d, l+8) {
		to[0], to[1], to[2], to[3] = uint64(T(x[0]))*y+z, uint64(T(x[1]))*y+z, uint64(T(x[2]))*y+z, uint64(T(x[3]))*y+z
		to[4], to[5], to[6], to[7] = uint64(T(x[4]))*y+z, uint64(T(x[5]))*y+z, uint64(T(x[6]))*y+z, uint64(T(x[7]))*y+z
	}
}

// pushBelow shifts into p whether x is below y. The compiler keeps it in the flag of the carry.
func pushBelow(p, x, y uint64) uint64 {
	_, below := bits.Sub64(x, y, 0)
	p, _ = bits.Add64(p, p, below)
	return p
}

// rank is x as an integer without a sign in the order of those of type T.
func rank[T integer](x uint64) uint64 {
	switch {
	case ^T(0) > 0:
		return uint64(T(x))
	case unsafe.Sizeof(T(0)) == 8:
		return x + 1<<63
	}
	return uint64(uint32(T(x)) + 1<<31)
}

func eqUniform[T integer](a, b *lanes) uint32 {
	y, p := T(b[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x := eight(a, l)
		p = pushBelow(pushBelow(p, uint64(T(x[7])^y), 1), uint64(T(x[6])^y), 1)
		p = pushBelow(pushBelow(p, uint64(T(x[5])^y), 1), uint64(T(x[4])^y), 1)
		p = pushBelow(pushBelow(p, uint64(T(x[3])^y), 1), uint64(T(x[2])^y), 1)
		p = pushBelow(pushBelow(p, uint64(T(x[1])^y), 1), uint64(T(x[0])^y), 1)
	}
	return uint32(p)
}

func ltUniform[T integer](a, b *lanes) uint32 {
	y, p := rank[T](b[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x := eight(a, l)
		p = pushBelow(pushBelow(p, rank[T](x[7]), y), rank[T](x[6]), y)
		p = pushBelow(pushBelow(p, rank[T](x[5]), y), rank[T](x[4]), y)
		p = pushBelow(pushBelow(p, rank[T](x[3]), y), rank[T](x[2]), y)
		p = pushBelow(pushBelow(p, rank[T](x[1]), y), rank[T](x[0]), y)
	}
	return uint32(p)
}

// uniformLt is lt where a is the same in all lanes.
func uniformLt[T integer](a, b *lanes) uint32 {
	x, p := rank[T](a[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		y := eight(b, l)
		p = pushBelow(pushBelow(p, x, rank[T](y[7])), x, rank[T](y[6]))
		p = pushBelow(pushBelow(p, x, rank[T](y[5])), x, rank[T](y[4]))
		p = pushBelow(pushBelow(p, x, rank[T](y[3])), x, rank[T](y[2]))
		p = pushBelow(pushBelow(p, x, rank[T](y[1])), x, rank[T](y[0]))
	}
	return uint32(p)
}

func leUniformF32(a, b *lanes) (p uint32) {
	y := f32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x := floatsOf(a, l)
		p = p>>4 | fourBits(x[0] <= y, x[2] <= y, x[4] <= y, x[6] <= y)<<28
		p = p>>4 | fourBits(x[8] <= y, x[10] <= y, x[12] <= y, x[14] <= y)<<28
	}
	return p
}

func ltUniformF32(a, b *lanes) (p uint32) {
	y := f32(b[0])
	for l := 0; l < warpSize; l += 8 {
		x := floatsOf(a, l)
		p = p>>4 | fourBits(x[0] < y, x[2] < y, x[4] < y, x[6] < y)<<28
		p = p>>4 | fourBits(x[8] < y, x[10] < y, x[12] < y, x[14] < y)<<28
	}
	return p
}
