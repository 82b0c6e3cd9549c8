package simd

// A Pairing is two instructions that one function executes: a value goes from the first to the second in a register of the processor. Most of what
// an instruction costs is to load and to store lanes.
type Pairing struct {
	First Func
	Lanes Func       // the second: this
	Test  Comparison // or this, with an operand that is the same in all lanes
	At    int        // which operand of the second the value is
	Both  Func       // the first's operands and the second's other one make its result
	Pair  PairFunc   // or bits
	Keeps bool       // Pair leaves the value in the first's destination, too
}

// A PairFunc computes lanes like a Func, unless nobody needs them, and compares them with c, which is the same in all lanes.
type PairFunc func(d, a, b, c *Lanes) uint32

// CountPairs is a sum with a number that is the same in all lanes, and a comparison of it: how loops count.
var CountPairs = []Pairing{
	{First: addUniform, Test: Portable.LtS32, At: 0, Pair: countLt[int32], Keeps: true},
	{First: addUniform, Test: Portable.LtU32, At: 0, Pair: countLt[uint32], Keeps: true},
	{First: addUniform, Test: Portable.LtS64, At: 0, Pair: countLt[int64], Keeps: true},
	{First: addUniform, Test: Portable.LtU64, At: 0, Pair: countLt[uint64], Keeps: true},
	{First: addUniform, Test: Portable.LtS32, At: 1, Pair: countGt[int32], Keeps: true},
	{First: addUniform, Test: Portable.LtU32, At: 1, Pair: countGt[uint32], Keeps: true},
	{First: addUniform, Test: Portable.LtS64, At: 1, Pair: countGt[int64], Keeps: true},
	{First: addUniform, Test: Portable.LtU64, At: 1, Pair: countGt[uint64], Keeps: true},
	{First: addUniform, Test: Portable.Eq32, At: 0, Pair: countEq[uint32], Keeps: true},
	{First: addUniform, Test: Portable.Eq64, At: 0, Pair: countEq[uint64], Keeps: true},
}

func countLt[T Integer](d, a, b, c *Lanes) uint32 {
	y, z, p := b[0], rank[T](c[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x, to := eight(a, l), eight(d, l)
		s7, s6, s5, s4 := x[7]+y, x[6]+y, x[5]+y, x[4]+y
		to[7], to[6], to[5], to[4] = s7, s6, s5, s4
		p = pushBelow(pushBelow(p, rank[T](s7), z), rank[T](s6), z)
		p = pushBelow(pushBelow(p, rank[T](s5), z), rank[T](s4), z)
		s3, s2, s1, s0 := x[3]+y, x[2]+y, x[1]+y, x[0]+y
		to[3], to[2], to[1], to[0] = s3, s2, s1, s0
		p = pushBelow(pushBelow(p, rank[T](s3), z), rank[T](s2), z)
		p = pushBelow(pushBelow(p, rank[T](s1), z), rank[T](s0), z)
	}
	return uint32(p)
}

func countGt[T Integer](d, a, b, c *Lanes) uint32 {
	y, z, p := b[0], rank[T](c[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x, to := eight(a, l), eight(d, l)
		s7, s6, s5, s4 := x[7]+y, x[6]+y, x[5]+y, x[4]+y
		to[7], to[6], to[5], to[4] = s7, s6, s5, s4
		p = pushBelow(pushBelow(p, z, rank[T](s7)), z, rank[T](s6))
		p = pushBelow(pushBelow(p, z, rank[T](s5)), z, rank[T](s4))
		s3, s2, s1, s0 := x[3]+y, x[2]+y, x[1]+y, x[0]+y
		to[3], to[2], to[1], to[0] = s3, s2, s1, s0
		p = pushBelow(pushBelow(p, z, rank[T](s3)), z, rank[T](s2))
		p = pushBelow(pushBelow(p, z, rank[T](s1)), z, rank[T](s0))
	}
	return uint32(p)
}

func countEq[T Integer](d, a, b, c *Lanes) uint32 {
	y, z, p := b[0], T(c[0]), uint64(0)
	for l := warpSize - 8; l >= 0; l -= 8 {
		x, to := eight(a, l), eight(d, l)
		s7, s6, s5, s4 := x[7]+y, x[6]+y, x[5]+y, x[4]+y
		to[7], to[6], to[5], to[4] = s7, s6, s5, s4
		p = pushBelow(pushBelow(p, uint64(T(s7)^z), 1), uint64(T(s6)^z), 1)
		p = pushBelow(pushBelow(p, uint64(T(s5)^z), 1), uint64(T(s4)^z), 1)
		s3, s2, s1, s0 := x[3]+y, x[2]+y, x[1]+y, x[0]+y
		to[3], to[2], to[1], to[0] = s3, s2, s1, s0
		p = pushBelow(pushBelow(p, uint64(T(s3)^z), 1), uint64(T(s2)^z), 1)
		p = pushBelow(pushBelow(p, uint64(T(s1)^z), 1), uint64(T(s0)^z), 1)
	}
	return uint32(p)
}
