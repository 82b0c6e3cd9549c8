package inspect_test

import (
	"fmt"
	"strings"
)

// scalars are the spellings of arithmetic types.
var scalars = []string{
	"char", "signed char", "unsigned char", "char unsigned", "short", "short int", "unsigned short", "int short unsigned", "short unsigned", "int", "signed", "signed int",
	"unsigned", "unsigned int", "int unsigned", "long", "long int", "unsigned long", "long unsigned", "long unsigned int", "long long", "long long int", "long int long",
	"unsigned long long", "long unsigned long", "long int long unsigned", "float", "double", "bool", "char16_t", "char32_t", "wchar_t", "char8_t",
}

// integers are those that bit-fields of up to 8 bits may have.
var integers = []string{"int", "unsigned", "unsigned char", "signed char", "short", "unsigned short", "long", "unsigned long long", "signed", "int long unsigned", "I", "Id<int>", "unsigned int"}

// others are further types of fields.
var others = []string{
	"Sm", "struct Sm", "::Sm", "Em", "Al", "Np", "Un", "union Un", "ns::Nm", "::ns::Nm", "struct ns::Nm", "ns::in::Nt<int>", "ns::Vi", "Td", "class Pv",
	"E0", "enum E0", "E1", "enum E2", "E2", "I", "D", "F3", "Fp", "Mp", "Mf",
	"Id<int>", "Id<Sm>", "First<char, double>", "Ar<char>", "Ar<short, 3>", "struct Ar<int, 1>", "Ar<int *, 5>", "Ar<Ar<char, 3>, 2>", "Ar<int, (3 > 2)>", "Ar<int, sizeof(int)>",
	"Tr<double>::type", "typename Tr<char>::type", "Tr<char>::pointer", "Tr<int>::pair<char>", "Bt<char>", "Bt<Sm>", "Pk<int, char>", "Pk<>", "ns::in::R",
	"Ar<char, Va<2>::value>", "Ar<char, Tr<int>::n>", "Ar<int[2], 2>", "Ar<void (*)(int), 2>", "Ar<char, THREE>", "Ar<char, 3 /* > */>",
	"float2", "float3", "float4", "int4", "uchar3", "double2", "short2", "dim3", "longlong2", "char1", "uint3",
}

// rare are types that few classes have.
var rare = []string{
	"decltype(0)", "decltype(k3 + 1.0)", "decltype(Sm::c0)", "decltype(nullptr)", "__typeof__(int)", "decltype(cf(1))", "decltype(sizeof 1)", "decltype(Sm{})", "__int128", "unsigned __int128",
	"typename ns::in::Nt<char>", "decltype(static_cast<Ba *>(nullptr)->b0)",
}

// object returns a type that a field may have.
func (g *sampler) object() string {
	n := g.IntN(100)
	if g.params && n < 30 {
		return choose(g, []string{"T", "T", "T", "typename Tr<T>::type", "Ar<T, N>", "Ar<T>", "Id<T>", "Bt<T>", "typename Tr<T>::pointer", "ns::in::Nt<T>", "Ar<T *, 5>", "typename Tr<T>::template pair<char>", "Pk<T, T>"})
	}
	switch {
	case n < 60:
		return choose(g, scalars)
	case n < 65 && len(g.types) > 0:
		return choose(g, g.types)
	case n < 98:
		return choose(g, others)
	}
	return choose(g, rare)
}

// A value is a constant expression.
type value struct {
	text string
	n    int
}

var values = []value{
	{"1", 1}, {"2", 2}, {"3", 3}, {"0x3", 3}, {"0b11", 3}, {"03", 3}, {"3u", 3}, {"3UL", 3}, {"1 + 2", 3}, {"(3)", 3}, {"1'0 - 7", 3}, {"-1 + 4", 3}, {"~0 & 3", 3}, {"1 << 1", 2}, {"7 >> 1", 3}, {"7 / 2", 3}, {"8 % 5", 3},
	{"sizeof(int)", 4}, {"sizeof(int) * 2", 8}, {"sizeof(Sm)", 1}, {"sizeof(char[3])", 3}, {"sizeof(short) + sizeof(char)", 3}, {"alignof(double)", 8}, {"alignof(Sm) + 1", 2}, {"sizeof(float3) / 4", 3},
	{"int(3)", 3}, {"static_cast<int>(3)", 3}, {"(int)3", 3}, {"int{3}", 3}, {"unsigned(3)", 3}, {"(unsigned char)259", 3}, {"static_cast<unsigned>(k3)", 3}, {"I(3)", 3},
	{"k3", 3}, {"k4", 4}, {"::k3", 3}, {"e0b", 3}, {"ns::k2", 2}, {"ns::k2 + 1", 3}, {"int(E1::b)", 5}, {"static_cast<int>(E1::b)", 5}, {"E0::e0b", 3}, {"THREE", 3}, {"WIDTH(2)", 3}, {"WIDTH(sizeof(int))", 5},
	{"(3 > 2 ? 3 : 4)", 3}, {"3 > 2 ? 3 : 4", 3}, {"true + 2", 3}, {"'\\3'", 3}, {"!0 + 1", 2}, {"(1, 3)", 3}, {"3 == 3", 1}, {"(2 < 3) + 1", 2}, {"3 <= 3 && 1", 1},
	{"cf(2)", 3}, {"cf(cf(1))", 3}, {"Va<3>::value", 3}, {"Va<2>::more", 3}, {"Va<(3 > 2)>::value", 1}, {"Tr<short>::value", 2}, {"Tr<int>::n", 3}, {"vt<int>", 4}, {"vt<Ar<char, 3>>", 3},
}

var rareValues = []value{
	{"sizeof \"ab\"", 3}, {"sizeof(\"};\")", 3}, {"sizeof 'a' + 1", 2}, {"decltype(3){3}", 3}, {"noexcept(1) + 2", 3}, {"sizeof(decltype(1.0f))", 4}, {"sizeof(cf(1))", 4}, {"__builtin_offsetof(ns::Nm, s1)", 2},
	{"int('\\x3')", 3}, {"bool(3)", 1}, {"sizeof(Sm::c0) + 1", 2}, {"sizeof(Ar<int, 2>{}.v)", 8},
}

// constant returns a constant expression from 1 to most.
func (g *sampler) constant(most int) value {
	for {
		v := choose(g, values)
		switch {
		case g.params && g.one(4):
			v = choose(g, []value{{"N", 3}, {"N + 1", 4}, {"Va<N>::value", 3}, {"N > 2", 1}, {"(N > 2 ? 1 : 2)", 1}, {"int(N)", 3}, {"static_cast<int>(N)", 3}, {"Tr<T>::n", 3}})
			if strings.Contains(v.text, ">") && v.text == "N > 2" {
				v.text = "(N > 2)"
			}
		case g.one(40):
			v = choose(g, rareValues)
		}
		if v.n >= 1 && v.n <= most {
			return v
		}
	}
}

// alignment returns an attribute that aligns a class or a field.
func (g *sampler) alignment() string {
	n := choose(g, []string{"16", "16", "16", "32", "sizeof(double) * 2", "2 * alignof(double)", "8 + 8", "(16)", "64"})
	switch g.IntN(12) {
	case 0, 1, 2:
		return "alignas(" + choose(g, []string{n, n, n, "float4", "16) alignas(8", "16) alignas(32"}) + ")"
	case 3, 4, 5:
		return "__align__(" + n + ")"
	case 6, 7:
		return "__attribute__((aligned(" + n + ")))"
	case 8:
		return "[[gnu::aligned(" + n + ")]]"
	case 9:
		return choose(g, []string{"__attribute__((__aligned__(" + n + ")))", "__attribute__((unused, aligned(" + n + ")))", "[[gnu::unused, gnu::aligned(" + n + ")]]", "[[using gnu: aligned(" + n + ")]]"})
	case 10:
		return "ALIGNED(" + n + ")"
	}
	return choose(g, []string{"__attribute__((aligned))", "__attribute__((aligned(" + n + "), unused))", "alignas(" + n + ") [[maybe_unused]]"})
}

// parameters returns those of a function.
func (g *sampler) parameters() string {
	return choose(g, []string{
		"", "int", "int px", "void", "int, float", "const Sm &ps", "int (*pf)(int)", "int px = 3", "Sm ps = {}", "int pa[3]", "Sm &&", "...", "int px, ...", "Ar<int, 3> pa = Ar<int, 3>{}", "int (&pa)[3]",
		"int px = (1, 2)", "bool pb = 1 < 2", "First<int, char> px = First<int, char>(3)", "int pf(int)", "int Sm::*pp = nullptr", "int (Sm::*pp)(int) const = nullptr", "const char *ps = \"};\"", "char pc = '}'",
		"int px = [] { return 3; }()", "float4 pv", "unsigned long long px", "struct Sm ps", "I pi, D pd", "int = 3", "int px = sizeof(Ar<int, 3>)", "[[maybe_unused]] int px", "Fn pf", "Fn *pf", "const volatile void *pp",
	})
}

// qualifiers are what may stand behind the parameters of a function that is not static.
func (g *sampler) qualifiers() string {
	return choose(g, []string{"", "", "", " const", " const", " volatile", " const volatile", " &", " &&", " const &", " const &&"}) + g.exception()
}

func (g *sampler) exception() string {
	return choose(g, []string{"", "", "", "", " noexcept", " noexcept(true)", " noexcept(sizeof(int) == 4)", " noexcept(noexcept(cf(1)))", " noexcept(false)", " throw()"})
}

// body returns the body of a function of any type.
func (g *sampler) body() string {
	return choose(g, []string{
		"{ for (;;); }", "{ throw 1; }", "{ while (true) { } }", "{ __builtin_trap(); }", "{ struct L { int z = 1, y{2}; } l; (void)l; for (;;); }", "{ const char *s = \"};\"; (void)s; for (;;); }",
		"{ auto l = [](int a) { return a < 1; }; l(1); for (;;); }", "{ char c = '}'; (void)c; for (;;); }", "{ if (k3 < 4) { for (;;); } for (;;); }", "{ /* } */ for (;;); }", "{ int v = 3, w[2] = {1, 2}; (void)v, (void)w; for (;;) { } }",
		"{ enum { a, b }; for (;;); }", "{ using UU = Ar<int, 3>; UU v{}; (void)v; for (;;); }", "{ for (;;); };", "try { throw 1; } catch (...) { throw; }", "{ switch (k3) { case 3: default: ; } for (;;); }", "{ const char *s = R\"x(}\";{)x\"; (void)s; for (;;); }",
	})
}

// declared returns how the declaration of a function ends.
func (g *sampler) declared() string {
	if g.one(3) {
		return ";"
	}
	return " " + g.body()
}

// A layer of a declarator.
type layer int

const (
	noLayer layer = iota
	pointer
	reference
	array
	function
	member // a pointer to a member
)

// grow puts layers around the declarator inner, whose outermost layer is last, and
// returns the one that is outermost then.
func (g *sampler) grow(inner string, last layer, count int) (declarator string, outermost layer) {
	prefix := false // the last layer stands before the name
	switch last {
	case pointer, reference, member:
		prefix = true
	}
	for ; count > 0; count-- {
		if g.one(6) && !strings.HasPrefix(inner, "::") {
			inner, prefix = "("+inner+")", false
		}
		var next layer
		switch last {
		case noLayer:
			next = choose(g, []layer{pointer, pointer, pointer, array, array, array, reference, member})
			if g.union && next == reference {
				next = pointer
			}
		case pointer, reference:
			next = choose(g, []layer{pointer, pointer, array, function, member})
			if strings.Contains(inner, "restrict") && next == function {
				next = pointer
			}
		case member:
			next = choose(g, []layer{pointer, array, function, function, member})
		case array:
			next = choose(g, []layer{pointer, array, member})
		case function:
			next = choose(g, []layer{pointer, reference, member})
		}
		switch next {
		case pointer:
			q := choose(g, []string{"", "", "", "", "const ", "volatile ", " const volatile ", "__restrict__ ", "const __restrict "})
			if last == function || strings.HasPrefix(inner, "*") && g.one(2) {
				q = ""
			}
			inner, prefix = "*"+choose(g, []string{"", "", " "})+q+inner, true
		case reference:
			inner, prefix = choose(g, []string{"&", "&", "&&"})+inner, true
		case member:
			class := choose(g, []string{"Sm", "Sm", "Sm", "ns::Nm", "Tr<int>", "Ba"})
			if !g.params && g.one(4) {
				class = g.class
			}
			inner, prefix = class+"::*"+choose(g, []string{"", "", "const ", " "})+inner, true
		case array:
			if prefix {
				inner = "(" + inner + ")"
			}
			inner, prefix = fmt.Sprintf("%s[%s]", inner, g.constant(4).text), false
		case function:
			behind := ""
			if last == member {
				behind = choose(g, []string{"", "", " const", " volatile", " &", " &&", " const &"})
			}
			inner, prefix = fmt.Sprintf("(%s)(%s)%s%s", inner, choose(g, []string{"", "int", "int x", "void", "int, float", "const Sm &s", "int (*f)(int)", "Ar<int, 3> a", "..."}), behind,
				choose(g, []string{"", "", "", " noexcept", " noexcept(true)"})), false
		}
		if last == noLayer && next == reference {
			g.probes[len(g.probes)-1].kind = hiddenField
		}
		last = next
	}
	return inner, last
}

// layers returns how many layers a declarator has.
func (g *sampler) layers() int {
	return choose(g, []int{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3})
}

// declarator returns a declarator of a field, with attributes. function says that the type
// before it is the result of a function.
func (g *sampler) declarator() (text string, result bool) {
	name := g.field(plainField)
	inner := name
	if !g.packed && g.one(30) {
		inner += " " + choose(g, []string{"[[gnu::aligned(16)]]", "[[maybe_unused]]"})
	}
	n := g.layers()
	if n == 0 && g.one(8) {
		inner = "(" + inner + ")"
		if g.one(6) {
			inner = "(" + inner + ")"
		}
	}
	var last layer
	text, last = g.grow(inner, noLayer, n)
	if !g.packed && g.one(25) {
		text += " " + choose(g, []string{"__attribute__((aligned(16)))", "__align__(16)", "__attribute__((aligned(8)))", "ALIGNED(32)", "__attribute__((unused))"})
	}
	return text, last == function
}

// data returns the declaration of some fields.
func (g *sampler) data() string {
	if g.one(12) && !g.packed {
		return g.attributed()
	}
	spec := g.object()
	if g.one(8) {
		spec = choose(g, []string{"const " + spec, spec + " const", "volatile " + spec, spec + " volatile", "const volatile " + spec, spec + " const volatile"})
	} else if g.one(25) && !g.union && spec != "T" && spec != "Id<T>" {
		return choose(g, []string{"mutable " + spec, spec + " mutable"}) + " " + g.field(plainField) + ";"
	}
	if g.one(15) && !g.packed {
		spec = g.alignment() + " " + spec
	} else if g.one(30) {
		spec = choose(g, []string{"[[maybe_unused]] ", "__attribute__((unused)) ", "[[deprecated]] "}) + spec
	}
	var texts []string
	for range choose(g, []int{1, 1, 1, 1, 2, 2, 3}) {
		text, result := g.declarator()
		if result && (strings.Contains(spec, "F3") || len(g.types) > 0) {
			spec = choose(g, scalars) // no function has an array as its result
		}
		texts = append(texts, text)
	}
	if len(texts) == 1 && !g.union && g.one(10) {
		return g.initialised()
	}
	separator := ", "
	if g.one(4) {
		separator = ","
	}
	return spec + " " + strings.Join(texts, separator) + ";"
}

// initialised returns a scalar field with an initializer, in place of the last one.
func (g *sampler) initialised() string {
	g.probes = g.probes[:len(g.probes)-1]
	name := g.field(plainField)
	return choose(g, []string{"int ", "double ", "short ", "unsigned char ", "bool ", "long "}) + choose(g, []string{name, name, name, "(" + name + ")"}) + choose(g, []string{
		" = 1", "{}", "{1}", " = {}", " = {1}", " = 1 < 2", " = (1, 2)", " = sizeof(int) > 3 ? 1 : 2", " = [](int a, int b) { return a < b; }(1, 2)", " = Ar<bool, 2>{1, 0}.v[0]", " = cf(2) < 4 > 0",
		" = vt<Ar<int, 3>> > 2", "{ [] { struct L { int q; }; return true; }() }", " = '}' == 'a'", " = \"};\"[0] == 1", " = bool{}", " = ns::fn<bool>(true)", " = !First<int, char>(3)", " = static_cast<bool>(3)", "{ 1 < 2 }", "{ (3 > 2) }",
	}) + ";"
}

// attributed returns a field with an alignment at one of the places where one may stand.
func (g *sampler) attributed() string {
	form := choose(g, []string{
		"int * __attribute__((aligned(16))) $f;", "int *[[gnu::aligned(16)]] $f;", "int __attribute__((aligned(16))) $f;", "int __attribute__((aligned(16))) *$f;", "int alignas(16) *$f;", "int [[gnu::aligned(16)]] $f;", "int alignas(16) $f;",
		"int $f __attribute__((aligned(16))), $f;", "int $f, $f __attribute__((aligned(16)));", "alignas(16) int $f, *$f;", "int $f [[gnu::aligned(16)]], $f;", "int $f[2] __attribute__((aligned(16)));", "int $f [[gnu::aligned(16)]] [2];", "int $f[2] [[gnu::aligned(16)]];",
		"int ($f) __attribute__((aligned(16)));", "int (*$f)(int) __attribute__((aligned(16)));", "int (*__attribute__((aligned(16))) $f)(int);", "const int __attribute__((aligned(16))) $f;", "int const __attribute__((aligned(16))) $f;",
		"__attribute__((aligned(16))) const int $f;", "__attribute__((aligned(16))) int $f, $f;", "struct alignas(16) { char c; } $f;", "int $f, __attribute__((aligned(16))) $f;", "int $f, *__attribute__((aligned(16))) $f, $f;", "int __align__(16) $f;", "__align__(16) unsigned $f, $f;",
		"unsigned __align__(16) long $f;", "alignas(int) alignas(16) char $f;", "alignas(16) char $f[3];", "alignas(16) float3 $f;", "int *const __attribute__((aligned(16))) $f;", "int * __attribute__((aligned(16))) *$f;",
		"short $f __attribute__((packed));", "__attribute__((packed)) int $f;", "int $f __attribute__((packed)), $f;", "[[gnu::packed]] double $f;", "double $f [[gnu::packed]];", "int __attribute__((packed)) $f;", "int __attribute__((aligned(2), packed)) $f;",
		"char $f alignas(16);", "char $f [[maybe_unused]] alignas(16);", "[[no_unique_address]] Sm $f;", "[[no_unique_address]] Em $f;", "[[no_unique_address, maybe_unused]] int $f;",
	})
	return g.fill(form)
}

// bits returns the declaration of bit-fields.
func (g *sampler) bits() string {
	typ := choose(g, integers)
	most := 8
	kind := bitField
	switch g.IntN(14) {
	case 0:
		typ, most = "bool", 1
	case 1:
		typ, most = choose(g, []string{"E1", "enum E1"}), 8
	case 2:
		typ, most, kind = choose(g, []string{"const ", "volatile "})+typ, 8, hiddenField
	case 3:
		typ, most = "E2", 8
	}
	width := func() string {
		v := g.constant(most)
		if g.one(5) && most == 8 {
			return g.padded(v.text)
		}
		return v.text
	}
	var texts []string
	for range choose(g, []int{1, 1, 2, 3}) {
		switch n := g.IntN(16); {
		case n == 0 && kind == bitField && !strings.HasPrefix(typ, "enum"):
			texts = append(texts, ": "+choose(g, []string{"0", "3", "k3", "sizeof(char)", "int(3)", "1 - 1"}))
			if most == 1 {
				texts[len(texts)-1] = ": 0"
			}
		case n == 1 && kind == bitField:
			texts = append(texts, g.field(plainField))
		case n == 2:
			texts = append(texts, "*"+g.field(plainField))
		case n == 3:
			texts = append(texts, g.field(kind)+" [[maybe_unused]] : "+width())
		case n == 4 && kind == bitField:
			texts = append(texts, g.field(kind)+" : "+width()+" "+choose(g, []string{"__attribute__((unused))", "__attribute__((deprecated))"}))
		case n == 5 && !g.union && kind == bitField && most == 8 && !strings.HasPrefix(typ, "E") && !strings.HasPrefix(typ, "enum"):
			v := g.constant(most)
			texts = append(texts, g.field(kind)+" : "+v.text+choose(g, []string{" = 1", "{}", "{1}", " = 1 < 2", " = int(1)"}))
			if strings.Contains(v.text, "?") || strings.HasPrefix(v.text, "vt") {
				texts[len(texts)-1] = strings.Replace(texts[len(texts)-1], v.text, "3", 1)
			}
		default:
			texts = append(texts, g.field(kind)+choose(g, []string{" : ", ": ", " : ", ":  "})+width())
		}
	}
	return typ + " " + strings.Join(texts, ", ") + ";"
}

// padded puts an expression in parentheses, or adds to it what does not change it.
func (g *sampler) padded(text string) string {
	return choose(g, []string{"(" + text + ")", "int(" + text + ")", "static_cast<unsigned>(" + text + ")", "(" + text + ") * 1", "(" + text + ") + 0"})
}
