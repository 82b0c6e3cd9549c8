package interp

import (
	"fmt"
	"strings"
)

// exchangeInWarp has the lanes of the mask exchange values.
func (p *programMaker) exchangeInWarp() {
	if p.mask == "" {
		p.assignment()
		return
	}
	m := p.mask
	name := p.name("w")
	lane := fmt.Sprintf("laneOf(%s, %s)", m, p.expr("u32", 1))
	if p.chance(30) {
		lane = fmt.Sprintf("laneOf(%s, %s)", m, p.literal("u32"))
	}
	typ := p.pick("u32", "i32", "u64", "f32", "f64", "i64")
	switch p.IntN(9) {
	case 0, 1:
		p.line("%s %s = __shfl_sync(%s, %s, %s);", typ, name, m, p.expr(typ, 2), lane)
	case 2:
		if m != "full" {
			typ = "u32"
			p.line("u32 %s = __ballot_sync(%s, %s);", name, m, p.condition(2))
			break
		}
		p.line("%s %s = threads %% 32 ? 0 : __shfl_%s_sync(full, %s, %d, %d);", typ, name, p.pick("xor", "up", "down"), p.expr(typ, 2), 1<<p.IntN(3), 8<<p.IntN(3))
	case 3:
		typ = "u32"
		p.line("u32 %s = __ballot_sync(%s, %s);", name, m, p.condition(2))
	case 4:
		typ = "i32"
		p.line("i32 %s = %s(%s, %s);", name, p.pick("__any_sync", "__all_sync"), m, p.condition(2))
	case 5:
		of := p.pick("u32", "u64")
		p.line("u32 %s = __match_any_sync(%s, %s & %d);", name, m, p.expr(of, 2), 1+p.IntN(7))
		typ = "u32"
	case 6:
		typ = "i32"
		p.line("i32 %s = 0; const u32 all%s = __match_all_sync(%s, %s & %d, &%s);", name, name, m, p.expr("u32", 2), p.IntN(2), name)
		p.remember(named{text: "all" + name, typ: "u32", fixed: true})
	case 7:
		typ = "u32"
		p.line("u32 %s = %s(%s, %s);", name, p.pick("sumOf", "greatestOf", "xorOf"), m, p.expr("u32", 2))
	case 8:
		typ = "u32"
		p.line("u32 %s = %s;", name, p.expr("u32", 2))
		p.within(fmt.Sprintf("for (u32 left = %s; left; left &= left - 1)", m), func() {
			p.line("%s = %s * 3 + __shfl_sync(%s, %s, __ffs(left) - 1);", name, name, m, name)
		})
	}
	p.remember(named{text: name, typ: typ})
}

// exchangeInBlock has all threads exchange values through shared memory.
func (p *programMaker) exchangeInBlock() {
	if !p.block || !p.kernel {
		p.exchangeInWarp()
		return
	}
	name := p.name("b")
	switch p.IntN(5) {
	case 0, 1:
		p.line("shared[tid] = %s; __syncthreads();", p.expr("u32", 2))
		p.line("u32 %s = shared[%s]; __syncthreads();", name, p.pick("(tid + 1) % threads", "threads - 1 - tid", "0", "n % threads", "("+p.expr("u32", 2)+") % threads"))
		p.remember(named{text: name, typ: "u32"})
	case 2:
		p.line("wide[(tid * 5 + 1) %% threads] = 0; __syncthreads(); wide[tid] = %s; __syncthreads();", p.expr("u64", 2))
		p.line("u64 %s = wide[(%s) %% threads]; __syncthreads();", name, p.expr("u32", 2))
		p.remember(named{text: name, typ: "u64"})
	case 3:
		p.line("i32 %s = __syncthreads_count(%s);", name, p.condition(2))
		p.remember(named{text: name, typ: "i32"})
	case 4:
		p.line("for (u32 step = 64; step > 0; step >>= 1) { shared[tid] = %s; __syncthreads(); if (tid + step < threads) own[tid][0] += shared[tid + step]; __syncthreads(); }", p.expr("u32", 1))
	}
}

// atomics adds to sums whose order does not matter.
func (p *programMaker) atomics() {
	if !p.kernel {
		p.assignment()
		return
	}
	at := p.pick("&sums[%d]", "&global[%d]")
	// A word has one operation, so that the order of all does not matter.
	n := p.IntN(6)
	at = fmt.Sprintf(at, n)
	value := p.expr("u32", 2)
	switch n {
	case 0, 1:
		p.line("atomicAdd(%s, %s);", at, value)
	case 2:
		p.line("atomicMin(%s, %s);", at, value)
	case 3:
		p.line("atomicMax((i32 *)%s, (i32)%s);", at, value)
	case 4:
		p.line("atomicXor(%s, %s);", at, value)
	case 5:
		name := p.name("old")
		p.line("for (u32 %s = atomicAdd(%s, 0u), seen;; %s = seen) { seen = atomicCAS(%s, %s, %s + (tid | 1)); if (seen == %s) break; }", name, at, name, at, name, name, name)
	}
}

// array fills an array of the thread.
func (p *programMaker) array() {
	typ, name, count := common[p.IntN(len(common))], p.name("r"), p.IntN(12)+2
	if p.chance(50) {
		count = 1 << (1 + p.IntN(4))
	}
	if p.chance(25) {
		var all []string
		for range count {
			all = append(all, p.expr(typ, 1))
		}
		p.line("%s %s[%d] = {%s};", typ, name, count, strings.Join(all, ", "))
	} else if p.chance(25) {
		p.line("%s %s[%d] = {%s};", typ, name, count, p.expr(typ, 2))
	} else {
		p.line("%s %s[%d];", typ, name, count)
		p.within(fmt.Sprintf("for (u32 j = 0; j < %d; j++)", count), func() {
			p.remember(named{text: "j", typ: "u32", fixed: true})
			p.line("%s[j] = %s;", name, p.expr(typ, 2))
		})
	}
	p.remember(named{text: name, typ: typ, count: count})
}

// structs makes a struct, and copies of it.
func (p *programMaker) structs() {
	name := p.name("s")
	switch p.IntN(5) {
	case 0:
		p.line("S0 %s = {%s, %s, {%s, %s}, %s};", name, p.expr("u8", 2), p.expr("i32", 2), p.expr("u16", 1), p.expr("u16", 1), p.expr("i64", 2))
		p.remember(named{text: name + ".a", typ: "u8"})
		p.remember(named{text: name + ".b", typ: "i32"})
		p.remember(named{text: name + ".c", typ: "u16", count: 3})
		p.remember(named{text: name + ".d", typ: "i64"})
	case 1:
		p.line("S1 %s; %s.a = %s; %s.b = %s; %s.s = S0{1, 2, {3, %s, 5}, %s};", name, name, p.expr("i16", 2), name, p.expr("u32", 2), name, p.expr("u16", 1), p.expr("i64", 1))
		p.remember(named{text: name + ".a", typ: "i16"})
		p.remember(named{text: name + ".s.d", typ: "i64"})
		p.remember(named{text: name + ".s.c", typ: "u16", count: 3})
	case 2:
		p.line("S2 %s; %s.a = %s; %s.b = %s; %s.c = %s; %s.d = %s; %s.e = %s;", name, name, p.expr("u32", 2), name, p.expr("i32", 2), name, p.expr("u32", 1), name, p.expr("u8", 1), name, p.expr("f32", 1))
		p.remember(named{text: name + ".a", typ: "u32"})
		p.remember(named{text: name + ".b", typ: "i32"})
		p.remember(named{text: name + ".e", typ: "f32"})
	case 3:
		p.line("S3 %s[3]; for (u32 j = 0; j < 15; j++) %s[j / 5].v[j %% 5] = %s + j;", name, name, p.expr("u32", 1))
		p.line("%s[%s] = %s[%s];", name, p.below(3, 2), name, p.below(3, 2))
		p.remember(named{text: fmt.Sprintf("%s[%s].v", name, p.below(3, 1)), typ: "u32", count: 5, fixed: true})
	case 4:
		p.line("S4 %s{%s, %s, %s}, copy%s = %s; if (%s) %s = S4{1, 2, 3};", name, p.expr("u64", 2), p.expr("i8", 1), p.expr("u32", 1), name, name, p.condition(2), name)
		p.remember(named{text: name + ".a", typ: "u64"})
		p.remember(named{text: "copy" + name + ".c", typ: "u32"})
	}
}

// calls calls a function in a statement of its own: one that takes pointers, or a mask.
func (p *programMaker) calls() {
	var fit []helper
	for _, f := range p.functions {
		if f.points || (f.masked && p.mask != "") {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 || p.loops > 1 {
		p.declaration()
		return
	}
	f, name := fit[p.IntN(len(fit))], p.name("c")
	first := p.mask
	if f.points {
		p.line("%s p%s = %s; u32 q%s[8] = {%s, 2, 3}; S3 s%s = {{1, %s, 7}};", f.result, name, p.expr(f.result, 1), name, p.expr("u32", 1), name, p.expr("u32", 1))
		first = fmt.Sprintf("&p%s, q%s, &s%s", name, name, name)
	}
	p.line("%s %s = %s;", f.result, name, p.callOf(f, first, 2))
	p.remember(named{text: name, typ: f.result})
	if f.points {
		p.remember(named{text: "p" + name, typ: f.result})
		p.remember(named{text: "q" + name, typ: "u32", count: 8})
		p.remember(named{text: "s" + name + ".v", typ: "u32", count: 5})
	}
}

// pointers makes pointers that point to another kind of memory in each thread. They are volatile because nvcc 13.0
// takes some for pointers to local memory that are not.
func (p *programMaker) pointers() {
	if !p.kernel {
		p.array()
		return
	}
	name := p.name("p")
	p.line("u32 t%s[4] = {%s, 1, %s, 2};", name, p.expr("u32", 1), p.expr("u32", 1))
	if p.chance(30) {
		p.line("u32 *volatile %s = %s ? own[tid] : global + 16 + gid * 4;", name, p.condition(2))
		p.line("atomic%s(&%s[%s], %s);", p.pick("Add", "Exch", "Max"), name, p.below(4, 2), p.expr("u32", 1))
	} else {
		p.line("u32 *volatile %s = %s ? t%s : %s ? own[tid] : global + 16 + gid * 4;", name, p.condition(2), name, p.condition(2))
	}
	p.line("%s[%s] %s %s;", name, p.below(4, 2), p.pick("=", "+=", "^="), p.expr("u32", 2))
	p.remember(named{text: name, typ: "u32", count: 4})
	p.remember(named{text: "t" + name, typ: "u32", count: 4})
}

// copies reads the bytes of one thing as another.
func (p *programMaker) copies() {
	name := p.name("m")
	switch p.IntN(3) {
	case 0:
		to, from := p.pick("u32", "u16", "u8", "u64"), p.pick("u64", "u128", "i64")
		n := bitsOfType(from) / bitsOfType(to)
		p.line("%s %s[%d]; { %s of = %s; memcpy(%s, &of, sizeof of); }", to, name, n, from, p.expr(from, 2), name)
		p.remember(named{text: name, typ: to, count: n})
	case 1:
		size := 1 + p.IntN(6)
		p.line("u8 %s[16] = {%s}; memset(%s + %d, %s, %d); memcpy(%s + %d, %s + %d, %d);", name, p.expr("u8", 1), name, p.IntN(9), p.literal("u8"), size, name, 8+p.IntN(2), name, p.IntN(2), size)
		p.remember(named{text: name, typ: "u8", count: 16})
	case 2:
		p.line("union { u64 all; u16 parts[4]; struct { u8 a; i8 b; u32 c; } fields; } u%s; u%s.all = %s; u%s.fields.b = %s;", name, name, p.expr("u64", 2), name, p.expr("i8", 1))
		p.line("u16 %s = 0; memcpy(&%s, (u8 *)&u%s + (%s & 6), 2);", name, name, name, p.expr("u32", 1))
		p.remember(named{text: name, typ: "u16"})
	}
}

func (p *programMaker) lambda() {
	name, typ := p.name("g"), p.pick("u32", "u64", "f32", "i64")
	by, p2 := p.pick("=", "&"), p.name("x")
	known := len(p.scope)
	p.remember(named{text: p2, typ: "u32", fixed: true})
	body := p.expr(typ, 3)
	p.scope = p.scope[:known]
	p.line("auto %s = [%s](u32 %s) -> %s { return %s; };", name, by, p2, typ, body)
	p.line("%s r%s = %s(%s); if (%s) r%s = %s(%s);", typ, name, name, p.expr("u32", 1), p.condition(1), name, name, p.expr("u32", 1))
	p.remember(named{text: "r" + name, typ: typ})
}

// functionPointer calls one of two functions of a type.
func (p *programMaker) functionPointer() {
	var fit [][2]helper
	for _, f := range p.functions {
		for _, g := range p.functions {
			if f.name != g.name && f.result == g.result && fmt.Sprint(f.parameters) == fmt.Sprint(g.parameters) && !f.points && !g.points && !f.masked && !g.masked {
				fit = append(fit, [2]helper{f, g})
			}
		}
	}
	name := p.name("z")
	if len(fit) == 0 {
		for _, f := range p.functions {
			if !f.points && !f.masked {
				fit = append(fit, [2]helper{f, f})
			}
		}
	}
	if len(fit) == 0 || p.loops > 1 {
		p.array()
		return
	}
	pair := fit[p.IntN(len(fit))]
	f := pair[0]
	p.line("%s (*volatile to%s)(%s) = %s ? %s : %s;", f.result, name, strings.Join(f.parameters, ", "), p.condition(2), f.name, pair[1].name)
	f.name = "to" + name
	p.line("%s %s = %s;", f.result, name, p.callOf(f, "", 2))
	p.remember(named{text: name, typ: f.result})
}

// duff is a loop that is entered in its middle.
func (p *programMaker) duff() {
	if p.loops > 1 {
		return
	}
	i := p.name("i")
	p.line("u32 %s = %s & 3, sum%s = 1;", i, p.expr("u32", 1), i)
	p.line("switch (%s & 3) { case 0: do { sum%s = sum%s * 3 + %s;", p.expr("u32", 2), i, i, p.expr("u32", 1))
	for n := range 3 {
		p.line("case %d: sum%s = sum%s %s %s;%s", n+1, i, i, p.pick("*", "+", "^"), p.expr("u32", 1), p.pick("", "", fmt.Sprintf(" if (%s) continue;", p.condition(1)), fmt.Sprintf(" if (%s) break;", p.condition(1))))
	}
	p.line("} while (%s-- > 0); }", i)
	p.line("sum%s += %s;", i, i)
	p.remember(named{text: "sum" + i, typ: "u32"})
}

func (p *programMaker) vector() {
	if !p.kernel {
		p.array()
		return
	}
	name := p.name("q")
	switch p.IntN(4) {
	case 0:
		p.line("uint4 %s = ((const uint4 *)in)[%s];", name, p.below(64, 2))
		p.remember(named{text: name + ".x", typ: "u32"})
		p.remember(named{text: name + ".w", typ: "u32"})
	case 1:
		p.line("uint2 %s = %s ? ((uint2 *)own[tid])[1] : make_uint2(%s, 2); ((uint2 *)own[tid])[0] = %s;", name, p.condition(2), p.expr("u32", 1), name)
		p.remember(named{text: name + ".y", typ: "u32"})
	case 2:
		p.line("ushort2 %s = __ldg((const ushort2 *)in + (%s)); const u8 *b%s = (const u8 *)in;", name, p.below(256, 1), name)
		p.remember(named{text: name + ".y", typ: "u16"})
		p.remember(named{text: "b" + name, typ: "u8", count: 1024, fixed: true})
	case 3:
		p.line("uchar4 %s = ((const uchar4 *)in)[%s]; const i16 *b%s = (const i16 *)in;", name, p.below(256, 2), name)
		p.remember(named{text: name + ".z", typ: "u8"})
		p.remember(named{text: "b" + name, typ: "i16", count: 512, fixed: true})
	}
}

func (p *programMaker) virtual() {
	if !p.kernel {
		p.array()
		return
	}
	name := p.name("V")
	known := p.scope
	p.scope = []named{{text: "x", typ: "u32"}, {text: "side", typ: "u32", fixed: true}}
	body := p.expr("u32", 3)
	p.scope = known
	p.line("struct %s : Shape { FN u32 area(u32 x) const override { return %s; } };", name, body)
	p.line("Shape plain%s; %s other%s; other%s.side = %s; const Shape *one%s = %s ? &plain%s : &other%s;", name, name, name, name, p.expr("u32", 1), name, p.condition(2), name, name)
	p.line("u32 r%s = one%s->area(%s);", name, name, p.expr("u32", 1))
	p.remember(named{text: "r" + name, typ: "u32"})
}

func (p *programMaker) heap() {
	name := p.name("n")
	p.line("u32 %s = 0; { u32 *at = (u32 *)malloc(4 * 8); for (u32 j = 0; j < 8; j++) at[j] = %s + j; %s = at[%s]; free(at); }", name, p.expr("u32", 1), name, p.below(8, 2))
	p.remember(named{text: name, typ: "u32"})
}
