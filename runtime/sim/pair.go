package sim

import "slices"

//go:generate go run pair_gen.go

// A pairing is two instructions that one function executes: a value goes from the first to the second in a register of the processor. Most of what
// an instruction costs is to load and to store lanes.
type pairing struct {
	first laneFunc
	lanes laneFunc // the second: this
	test  comparer // or this, with an operand that is the same in all lanes
	at    int      // which operand of the second the value is
	both  laneFunc // the first's operands and the second's other one make its result
	pair  pairFunc // or bits
	keeps bool     // pair leaves the value in the first's destination, too
}

// A pairFunc computes lanes like a laneFunc, unless nobody needs them, and compares them with c, which is the same in all lanes.
type pairFunc func(d, a, b, c *lanes) uint32

// counts is a sum with a number that is the same in all lanes, and a comparison of it: how loops count.
var counts = []pairing{
	{first: addUniform, test: portable.ltS32, at: 0, pair: countLt[int32], keeps: true},
	{first: addUniform, test: portable.ltU32, at: 0, pair: countLt[uint32], keeps: true},
	{first: addUniform, test: portable.ltS64, at: 0, pair: countLt[int64], keeps: true},
	{first: addUniform, test: portable.ltU64, at: 0, pair: countLt[uint64], keeps: true},
	{first: addUniform, test: portable.ltS32, at: 1, pair: countGt[int32], keeps: true},
	{first: addUniform, test: portable.ltU32, at: 1, pair: countGt[uint32], keeps: true},
	{first: addUniform, test: portable.ltS64, at: 1, pair: countGt[int64], keeps: true},
	{first: addUniform, test: portable.ltU64, at: 1, pair: countGt[uint64], keeps: true},
	{first: addUniform, test: portable.eq32, at: 0, pair: countEq[uint32], keeps: true},
	{first: addUniform, test: portable.eq64, at: 0, pair: countEq[uint64], keeps: true},
}

// pairKey finds a pairing.
type pairKey struct {
	first, second uintptr
	at            int
}

var pairings = func() map[pairKey]*pairing {
	table := make(map[pairKey]*pairing)
	for _, list := range [][]pairing{floatPairs, floatTests, counts} {
		for n := range list {
			c := &list[n]
			key := pairKey{codeOf(c.first), codeOf(c.lanes), c.at}
			if c.test != nil {
				key.second = codeOf(c.test)
			}
			table[key] = c
		}
	}
	return table
}()

// pairFirsts is the first instructions of pairings.
var pairFirsts = func() map[uintptr]bool {
	firsts := make(map[uintptr]bool)
	for key := range pairings {
		firsts[key.first] = true
	}
	return firsts
}()

// plainTwins has, for each function for special operands, the plain function that pairings know.
var plainTwins = func() map[uintptr]uintptr {
	plain := make(map[uintptr]uintptr)
	for _, twin := range uniformTwins {
		if codeOf(twin.of) == codeOf(portable.add) {
			continue // pairings have the one with a uniform operand
		}
		for _, fn := range []laneFunc{twin.with, twin.same} {
			if fn != nil {
				plain[codeOf(fn)] = codeOf(twin.of)
			}
		}
	}
	for _, twin := range uniformComparers {
		plain[codeOf(twin.withB)] = codeOf(twin.of)
		if twin.withA != nil {
			plain[codeOf(twin.withA)] = codeOf(twin.of)
		}
	}
	return plain
}()

func plainCode(fn any) uintptr {
	code := codeOf(fn)
	if of, ok := plainTwins[code]; ok {
		return of
	}
	return code
}

// pair makes code in which pairs of instructions are executed at once. The first one's place stays, so that what is executed is counted as before.
// Checks that follow each instruction use the code without pairs.
func (p *planner) pair() {
	code := p.plan.code
	if !slices.ContainsFunc(code, func(in instr) bool { return in.isFirst() }) {
		return
	}
	p.follow() // instructions have other operands since
	uniform, taken := p.uniforms(), make([]bool, len(code))
	for pc := range code {
		if taken[pc] || !code[pc].isFirst() {
			continue
		}
		last, c := p.partner(pc, uniform)
		if c == nil || taken[last] {
			continue
		}
		taken[last] = true
		if p.plan.paired == nil {
			p.plan.paired = slices.Clone(code)
		}
		first, second := &p.plan.paired[pc], &p.plan.paired[last]
		second.join(first, c)
		*first = instr{op: opHoisted, target: int32(pc) + 1, straight: first.straight}
	}
}

// isFirst reports whether in may be the first of a pair.
func (in *instr) isFirst() bool {
	return in.op == opLanes && in.straight > 1 && pairFirsts[plainCode(in.fn)]
}

// farthestPartner bounds how many instructions later the second of a pair is looked for, so that planning takes linear time.
const farthestPartner = 128

// partner returns the instruction that the one at pc is executed with, and how; or nil.
func (p *planner) partner(pc int, uniform []bool) (int, *pairing) {
	code := p.plan.code
	first := &code[pc]
	for last := pc + 1; last < pc+min(int(first.straight), farthestPartner) && p.region[last] == p.region[pc]; last++ {
		second := &code[last]
		reads, writes, _ := second.roles()
		if !slices.Contains(reads, first.dst) {
			if slices.ContainsFunc(writes, func(r int32) bool { return r == first.dst || r == first.a || r == first.b }) {
				break
			}
			continue
		}
		return last, p.pairing(first, second, last, uniform)
	}
	return 0, nil
}

// pairing returns how second is executed with first, whose result it is the first to read; or nil.
func (p *planner) pairing(first, second *instr, last int, uniform []bool) *pairing {
	if second.a == second.b || first.dst <= regSink {
		return nil
	}
	key, other := pairKey{first: plainCode(first.fn)}, second.b
	if second.b == first.dst {
		key.at, other = 1, second.a
	}
	switch second.op {
	case opLanes:
		key.second = plainCode(second.fn)
	case opTest:
		key.second = plainCode(second.compare)
	default:
		return nil
	}
	c := pairings[key]
	if c == nil || c.test != nil && !uniform[other] || !c.keeps && (!p.passes(first.dst) || p.registers[first.dst].last != int32(last)) {
		return nil
	}
	return c
}

// join makes in do what first and in do.
func (in *instr) join(first *instr, c *pairing) {
	other := in.b
	if c.at == 1 {
		other = in.a
	}
	in.a, in.b, in.c = first.a, first.b, other
	if c.test == nil {
		in.fn = c.both
		return
	}
	in.op, in.pair, in.temporary = opPair, c.pair, true
	if c.keeps {
		in.dst, in.temporary = first.dst, first.temporary
	}
}

// paired executes a pair in the lanes e.
func (w *warp) paired(in *instr, e uint32) {
	d := &w.regs[in.dst]
	if e != full && !in.temporary {
		d = &w.result
	}
	p := in.pair(d, &w.regs[in.a], &w.regs[in.b], &w.regs[in.c]) ^ in.negate
	w.preds[in.pdst] = w.preds[in.pdst]&^e | p&e
	if e != full && !in.temporary {
		fast.blend(&w.regs[in.dst], d, e)
	}
}

func countLt[T integer](d, a, b, c *lanes) uint32 {
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

func countGt[T integer](d, a, b, c *lanes) uint32 {
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

func countEq[T integer](d, a, b, c *lanes) uint32 {
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
