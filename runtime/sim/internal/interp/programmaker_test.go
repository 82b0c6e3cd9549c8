package interp

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A programMaker makes a CUDA program of random kernels whose results C++ and CUDA define, and which have
// no races: what it stores is the same from every compiler, device, host and order of threads.
type programMaker struct {
	*rand.Rand
	strings.Builder
	surroundings
	names     int
	functions []helper
}

// surroundings is what is known of the place of a statement.
type surroundings struct {
	scope   []named
	indent  int
	fuel    int    // statements that are left
	mask    string // the lanes that are here, if threads of a warp may exchange values
	block   bool   // all threads of the block are here
	loops   int    // loops around
	leaves  bool   // the innermost loop may be left by break and continue
	returns string // type of the function
	kernel  bool
}

// A named is a variable, or something in one.
type named struct {
	text  string
	typ   string
	count int  // elements of an array, or 0
	fixed bool // not to be assigned
}

// A helper is called with values of its parameters' types, and with a mask in front if it exchanges values.
type helper struct {
	name, result string
	parameters   []string
	masked       bool
	points       bool // its parameters are a pointer to its result's type, an array of eight u32, an S3 and a number
	deep         bool // the last parameter bounds a recursion
}

var (
	integers = []string{"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "i128", "u128"}
	common   = []string{"i32", "u32", "u32", "i32", "u64", "i64", "u8", "i8", "u16", "i16", "f32", "f64", "u128", "i128"}
)

func bitsOfType(typ string) int {
	var n int
	fmt.Sscanf(typ[1:], "%d", &n)
	return n
}

func (p *programMaker) pick(choices ...string) string { return choices[p.IntN(len(choices))] }

func (p *programMaker) chance(percent int) bool { return p.IntN(100) < percent }

func (p *programMaker) name(prefix string) string {
	p.names++
	return fmt.Sprint(prefix, "_", p.names)
}

func (p *programMaker) line(format string, args ...any) {
	p.WriteString(strings.Repeat("  ", p.indent))
	fmt.Fprintf(p, format, args...)
	p.WriteByte('\n')
}

// within writes a block; what is declared in it ends with it.
func (p *programMaker) within(head string, write func()) {
	p.line("%s {", head)
	p.indent++
	known, leaves := len(p.scope), p.leaves
	write()
	p.leaves = leaves
	p.scope = p.scope[:known]
	p.indent--
	p.line("}")
}

// literal makes a number of a type, which likely is at a corner.
func (p *programMaker) literal(typ string) string {
	switch typ {
	case "f32":
		return p.pick("0.f", "-0.f", "1.f", "-1.5f", "0x1.8p28f", "0x1p-140f", "0x1.fffffep127f", "0x1.99999ap-4f", "16777218.f", "-2147483648.f", fmt.Sprintf("%d.5f", p.IntN(1000)))
	case "f64":
		return p.pick("0.", "-0.", "1.", "-2.5", "0x1p1000", "0x1p-1040", "0x1.999999999999ap-4", "9007199254740994.", fmt.Sprintf("%d.25", p.IntN(1000)))
	}
	bits := bitsOfType(typ)
	v := p.Uint64() >> p.IntN(64)
	switch p.IntN(4) {
	case 0:
		v = uint64(p.IntN(16))
	case 1:
		v = 1<<p.IntN(64) - uint64(p.IntN(2))
	case 2:
		v = -uint64(p.IntN(9))
	}
	if bits < 64 {
		v &= 1<<bits - 1
	}
	if bits == 128 {
		return fmt.Sprintf("(%s)((u128)%#xull << %d | %#xull)", typ, v, p.IntN(65), p.Uint64()>>p.IntN(64))
	}
	return fmt.Sprintf("(%s)%#xull", typ, v)
}

// load is a place of a type, or "".
func (p *programMaker) load(typ string, assigned bool, depth int) string {
	var fit []named
	for _, v := range p.scope {
		if v.typ == typ && !(assigned && v.fixed) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	v := fit[p.IntN(len(fit))]
	if p.chance(50) { // the newest ones
		v = fit[len(fit)-1-p.IntN(min(3, len(fit)))]
	}
	if v.count == 0 {
		return v.text
	}
	return fmt.Sprintf("%s[%s]", v.text, p.below(v.count, depth))
}

// below is an index less than n.
func (p *programMaker) below(n, depth int) string {
	if depth <= 0 || p.chance(30) {
		return fmt.Sprint(p.IntN(n))
	}
	e := p.expr(p.pick("u32", "u32", "i32", "u64", "u8"), min(depth-1, 1))
	if n&(n-1) == 0 {
		return fmt.Sprintf("%s & %d", e, n-1)
	}
	return fmt.Sprintf("(u32)%s %% %du", e, n)
}

// expr is an expression of a type without side effects.
func (p *programMaker) expr(typ string, depth int) string {
	if depth <= 0 || p.chance(15) {
		if v := p.load(typ, false, depth); v != "" && p.chance(80) {
			return v
		}
		if p.chance(60) {
			if v := p.load(p.pick("u32", "i32"), false, depth); v != "" {
				return p.convert(typ, v)
			}
		}
		return p.literal(typ)
	}
	if p.chance(5) {
		if c := p.call(typ, depth); c != "" {
			return c
		}
	}
	if p.chance(8) {
		return fmt.Sprintf("(%s)(%s ? %s : %s)", typ, p.condition(depth-1), p.expr(typ, depth-1), p.expr(typ, depth-1))
	}
	switch typ {
	case "f32":
		return p.float32(depth)
	case "f64":
		return p.float64(depth)
	}
	return p.integer(typ, depth)
}

func (p *programMaker) convert(to, v string) string { return fmt.Sprintf("(%s)(%s)", to, v) }

// condition is a bool.
func (p *programMaker) condition(depth int) string {
	switch p.IntN(9) {
	case 0:
		if depth > 0 {
			return fmt.Sprintf("(%s %s %s)", p.condition(depth-1), p.pick("&&", "||"), p.condition(depth-1))
		}
	case 1:
		if depth > 0 {
			return "!" + p.condition(depth-1)
		}
	case 2:
		return fmt.Sprintf("(%s & %d)", p.expr(p.pick("u32", "i32", "u64", "u8", "i16"), depth), 1<<p.IntN(6))
	case 3:
		return fmt.Sprintf("(%s %% %du < %du)", p.expr("u32", depth), 2+p.IntN(6), 1+p.IntN(3))
	}
	typ := common[p.IntN(len(common))]
	return fmt.Sprintf("(%s %s %s)", p.expr(typ, depth), p.pick("<", ">", "<=", ">=", "==", "!="), p.expr(typ, depth))
}

// integer is a computed expression of an integer type.
func (p *programMaker) integer(typ string, depth int) string {
	bits := bitsOfType(typ)
	wide := "u32"
	if bits > 32 {
		wide = fmt.Sprint("u", bits)
	}
	a := func() string { return p.expr(typ, depth-1) }
	small := func() string { return p.expr(p.pick("u32", "u8", "i32"), depth-1) }
	switch p.IntN(14) {
	case 0, 1, 2, 3:
		return fmt.Sprintf("(%s)((%s)%s %s (%s)%s)", typ, wide, a(), p.pick("+", "-", "*", "&", "|", "^", "+", "*"), wide, a())
	case 4:
		return fmt.Sprintf("(%s)((%s)%s << (%s & %d))", typ, wide, a(), small(), bits-1)
	case 5:
		return fmt.Sprintf("(%s)(%s >> (%s & %d))", typ, a(), small(), bits-1)
	case 6:
		return fmt.Sprintf("%s<%s>(%s, %s)", p.pick("quo", "rest"), typ, a(), a())
	case 7:
		divisor := 1 + p.IntN(100)
		return fmt.Sprintf("(%s)(%s %s (%s)%d)", typ, a(), p.pick("/", "%"), typ, divisor)
	case 8:
		return fmt.Sprintf("(%s)(%s(%s)%s)", typ, p.pick("~", "-", "!"), wide, a())
	case 9:
		from := integers[p.IntN(len(integers))]
		return p.convert(typ, p.expr(from, depth-1))
	case 10:
		return fmt.Sprintf("(%s)%s", typ, p.condition(depth-1))
	case 11:
		if bits >= 32 && bits <= 64 {
			return p.intrinsic(typ, depth)
		}
		return p.convert(typ, p.intrinsic(p.pick("u32", "i32", "u64", "i64"), depth))
	case 12:
		return p.convert(typ, p.fromFloat(depth))
	}
	n := p.IntN(bits-1) + 1
	v := a()
	if strings.HasPrefix(typ, "i") {
		return fmt.Sprintf("(%s)(%s ^ (%s)%d)", typ, v, typ, n)
	}
	if bits < 32 {
		return fmt.Sprintf("(%s)(%s * %du + %s)", typ, v, n, small())
	}
	return fmt.Sprintf("((%s)%s << %d | (%s)%s >> %d)", typ, v, n, typ, a(), bits-n)
}

// intrinsic is a call of what CUDA has for integers of 32 and 64 bits.
func (p *programMaker) intrinsic(typ string, depth int) string {
	u := func() string { return p.expr("u32", depth-1) }
	i := func() string { return p.expr("i32", depth-1) }
	u64, i64 := func() string { return p.expr("u64", depth-1) }, func() string { return p.expr("i64", depth-1) }
	switch typ {
	case "u32":
		switch p.IntN(8) {
		case 0:
			return fmt.Sprintf("(u32)%s(%s)", p.pick("__brev", "__popc"), u())
		case 1:
			return fmt.Sprintf("%s(%s, %s, %s)", p.pick("__byte_perm", "__funnelshift_l", "__funnelshift_r", "__funnelshift_lc", "__funnelshift_rc", "__usad", "__dp4a"), u(), u(), u())
		case 2:
			return fmt.Sprintf("%s(%s, %s)", p.pick("__umulhi", "__umul24", "__uhadd", "__urhadd", "lesserOf<u32>", "greaterOf<u32>"), u(), u())
		case 3:
			return fmt.Sprintf("__sad(%s, %s, %s)", i(), i(), u())
		}
		return fmt.Sprintf("%s(%s, %s)", p.pick("__vadd4", "__vsub2", "__vadd2", "__vabsdiffu4", "__vmaxs2", "__vminu4", "__vaddss2", "__vsubus4", "__vcmpgts4", "__vseteq2", "__vavgu4"), u(), u())
	case "i32":
		switch p.IntN(4) {
		case 0:
			return fmt.Sprintf("%s(%s)", p.pick("__ffs", "__clz"), i())
		case 1:
			return fmt.Sprintf("%s(%s)", p.pick("__ffsll", "__clzll", "__popcll"), i64())
		case 2:
			return fmt.Sprintf("__dp4a(%s, %s, %s)", i(), i(), i())
		}
		return fmt.Sprintf("%s(%s, %s)", p.pick("__mulhi", "__mul24", "__hadd", "__rhadd", "lesserOf<i32>", "greaterOf<i32>"), i(), i())
	case "u64":
		if p.chance(40) {
			return fmt.Sprintf("__brevll(%s)", u64())
		}
		return fmt.Sprintf("%s(%s, %s)", p.pick("__umul64hi", "greaterOf<u64>"), u64(), u64())
	}
	return fmt.Sprintf("%s(%s, %s)", p.pick("__mul64hi", "lesserOf<i64>"), i64(), i64())
}

// fromFloat is an integer of what a floating-point expression is.
func (p *programMaker) fromFloat(depth int) string {
	if p.chance(50) {
		return fmt.Sprintf("%s(%s)", p.pick("__float2int_rz", "__float2int_rn", "__float2int_ru", "__float2uint_rd", "__float2uint_rz", "__float2ll_rz", "__float2ull_rn", "bitsOf"), p.expr("f32", depth-1))
	}
	return fmt.Sprintf("%s(%s)", p.pick("__double2int_rz", "__double2uint_ru", "__double2ll_rd", "__double2ull_rz", "bitsOf"), p.expr("f64", depth-1))
}

func (p *programMaker) float32(depth int) string {
	a := func() string { return p.expr("f32", depth-1) }
	switch n := p.IntN(10); {
	case n < 4:
		return fmt.Sprintf("%s_%s(%s, %s)", p.pick("__fadd", "__fsub", "__fmul", "__fdiv"), p.pick("rn", "rn", "rz", "ru", "rd"), a(), a())
	case n < 5:
		return fmt.Sprintf("__fmaf_%s(%s, %s, %s)", p.pick("rn", "rz", "ru"), a(), a(), a())
	case n < 6:
		return fmt.Sprintf("%s(%s)", p.pick("fabsf", "floorf", "ceilf", "truncf", "rintf", "-", "__fsqrt_rn", "__fsqrt_ru"), a())
	case n < 7:
		if p.chance(40) {
			return p.pick(fmt.Sprintf("fmodf(%s, %s)", a(), a()), fmt.Sprintf("ldexpf(%s, %s & 63)", a(), p.expr("i32", depth-1)), fmt.Sprintf("roundf(%s)", a()), fmt.Sprintf("nextafterf(%s, %s)", a(), a()))
		}
		if p.chance(20) {
			return fmt.Sprintf("copysignf(%s, %s)", a(), p.literal("f32"))
		}
		return fmt.Sprintf("%s(%s, %s)", p.pick("fminf", "fmaxf"), a(), a())
	case n < 8:
		return p.pick("__double2float_rn", "__double2float_rz") + "(" + p.expr("f64", depth-1) + ")"
	}
	return p.pick("__int2float_rn("+p.expr("i32", depth-1), "__uint2float_rz("+p.expr("u32", depth-1), "__ull2float_ru("+p.expr("u64", depth-1), "(f32)("+p.expr(integers[p.IntN(8)], depth-1)) + ")"
}

func (p *programMaker) float64(depth int) string {
	a := func() string { return p.expr("f64", depth-1) }
	switch n := p.IntN(10); {
	case n < 4:
		return fmt.Sprintf("%s_%s(%s, %s)", p.pick("__dadd", "__dmul", "__ddiv"), p.pick("rn", "rn", "rz", "ru", "rd"), a(), a())
	case n < 5:
		return fmt.Sprintf("__fma_%s(%s, %s, %s)", p.pick("rn", "rd"), a(), a(), a())
	case n < 6:
		return fmt.Sprintf("%s(%s)", p.pick("fabs", "floor", "ceil", "trunc", "rint", "-", "__dsqrt_rn", "__dsqrt_rd"), a())
	case n < 7:
		if p.chance(40) {
			return p.pick(fmt.Sprintf("fmod(%s, %s)", a(), a()), fmt.Sprintf("ldexp(%s, %s & 63)", a(), p.expr("i32", depth-1)), fmt.Sprintf("round(%s)", a()), fmt.Sprintf("remainder(%s, %s)", a(), a()))
		}
		return fmt.Sprintf("%s(%s, %s)", p.pick("fmin", "fmax"), a(), a())
	case n < 8:
		return "(f64)" + p.expr("f32", depth-1)
	}
	return p.pick("__ll2double_rn("+p.expr("i64", depth-1), "__ull2double_rd("+p.expr("u64", depth-1), "(f64)("+p.expr(integers[p.IntN(8)], depth-1)) + ")"
}

// call calls a function without pointers, or is "".
func (p *programMaker) call(typ string, depth int) string {
	var fit []helper
	for _, f := range p.functions {
		if f.result == typ && !f.masked && !f.points {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 || p.loops > 2 {
		return ""
	}
	return p.callOf(fit[p.IntN(len(fit))], "", depth)
}

func (p *programMaker) callOf(f helper, first string, depth int) string {
	args := []string{}
	if first != "" {
		args = append(args, first)
	}
	for n, typ := range f.parameters {
		arg := p.expr(typ, min(depth-1, 1))
		if f.deep && n == len(f.parameters)-1 {
			arg = fmt.Sprintf("(i32)(%s & 3)", p.expr("u32", 1))
		}
		args = append(args, arg)
	}
	return fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", "))
}

func (p *programMaker) remember(v named) { p.scope = append(p.scope, v) }

// apart writes what is not in a function.
func (p *programMaker) apart(fuel int, write func()) {
	saved := p.surroundings
	p.surroundings = surroundings{fuel: fuel}
	write()
	p.surroundings = saved
}
