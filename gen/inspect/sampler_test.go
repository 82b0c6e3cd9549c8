package inspect_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// A sampler makes random samples that are valid C++, but for a few that compilers
// refuse.
type sampler struct {
	*rand.Rand
	made int

	// Of the sample that is made.
	names  int
	probes []probe
	used   map[string]bool // forms and groups of forms that stand once in a class
	types  []string        // complete classes, enumerations and aliases that it declares
	behind []string        // what has to stand behind the class

	class  string // the name of the innermost class that has one
	params bool   // inside of a template with parameters T and N
	union  bool   // the members of a union are made
	plain  bool   // those of an anonymous class: only fields
	packed bool   // the class is packed: no bit-fields and alignments, on which compilers differ
	depth  int    // how deep classes and types are nested
	last   string // the last name that a form made

	// A constructor with a body has to initialise constants and references, so a class
	// has only one of both.
	constructed, fixed bool
}

func newSampler(seed uint64) *sampler { return &sampler{Rand: rand.New(rand.NewPCG(seed, 11))} }

func (g *sampler) one(n int) bool { return g.IntN(n) == 0 }

func choose[T any](g *sampler, list []T) T { return list[g.IntN(len(list))] }

// name returns a new name.
func (g *sampler) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// field notes a new field and returns its name.
func (g *sampler) field(kind probeKind) string {
	name := g.name("f")
	g.probes = append(g.probes, probe{name, kind})
	return name
}

// next returns the next sample.
func (g *sampler) next() *sample {
	g.made++
	*g = sampler{Rand: g.Rand, made: g.made}
	g.used = make(map[string]bool)
	s := &sample{id: g.made}
	g.class = fmt.Sprintf("S%d", s.id)
	s.query = g.class
	switch n := g.IntN(20); {
	case n < 14:
		s.lines = g.definition(g.class, "")
	case n < 17:
		g.params = true
		s.query = g.instance()
		head := choose(g, heads)
		g.used["outside"] = !slices.Contains(heads[:4], head)
		s.lines = append([]string{head}, g.definition(g.class, "")...)
	case n < 18:
		g.used["outside"] = true // it would need the arguments
		g.specialised(s)
	case n < 19:
		g.within(s)
	default:
		g.wrapped(s)
	}
	s.lines = append(s.lines, g.behind...)
	s.probes = g.probes
	if g.one(4) {
		for i := range s.lines {
			s.lines[i] = g.noise(s.lines[i])
		}
	}
	return s
}

// heads are the parameters of class templates whose members use T and N, an int.
var heads = []string{
	"template <class T, int N>", "template <typename T, int N = 3>", "template <class T = float, int N = 3>", "template<class T,int N>",
	"template <Any T, int N>", "template <class T, int N> requires (N > 1)", "template <class T, int N, class... Rest>",
	"template <class T, int N, int M = N + 1>", "template <class T, int N, class = void>", "template <class T, int N, template <class> class C = Id>",
}

// arguments are what T is in instances.
var arguments = []string{"char", "short", "int", "double", "float *", "float3", "unsigned char", "Sm", "ns::Nm", "const int", "long long"}

func (g *sampler) instance() string { return g.class + "<" + choose(g, arguments) + ", 3>" }

// specialised makes a class template whose partial or explicit specialisation is asked for.
func (g *sampler) specialised(s *sample) {
	primary := fmt.Sprintf("template <class T, int N> struct %s { int dummy[11]; };", g.class)
	form := choose(g, specialisations)
	if form.primary != "" {
		primary = fmt.Sprintf(form.primary, g.class)
	}
	s.query = g.class + "<" + form.query + ">"
	g.params = form.uses
	head := form.head
	if head == "" {
		head = "template <>"
	}
	s.lines = append([]string{primary, head}, g.definition(g.class, "<"+form.args+">")...)
	if strings.Contains(head, "unsigned N") {
		g.probes = []probe{{"dummy", plainField}}
	}
}

// specialisations are the forms of specialised: the head of the primary template unless it
// has T and N, that of the specialisation, and what is asked for.
var specialisations = []struct {
	primary, head, args, query string
	uses                       bool // T and N
}{
	{"", "template <class T, int N>", "T *, N", "char *, 3", true},
	{"", "template <class T, int N>", "T[N], N", "short[3], 3", true},
	{"", "template <class T, int N>", "const T, N", "const double, 3", true},
	{"", "template <class T, int N>", "Ar<T, N>, N", "Ar<char, 3>, 3", true},
	{"", "template <class T, int N>", "T &, N", "char &, 3", true},
	{"", "template <class T, int N>", "T (*)(int), N", "char (*)(int), 3", true},
	{"", "template <class T, int N>", "T Sm::*, N", "char Sm::*, 3", true},
	{"", "template <class T, int N>", "Tr<T>, N", "Tr<char>, 3", true},
	{"", "template <class T, unsigned N>", "T *, N", "int *, 3", false}, // of another type: it must not match
	{"", "", "char, 3", "char, 3", false},
	{"", "", "const int *, 3", "const int *, 3", false},
	{"template <class T, class U = void> struct %s { int dummy[11]; };", "template <class T>", "T, T *", "char, char *", false},
	{"template <class T, class = void> struct %s { int dummy[11]; };", "template <class T>", "T, Id<void>", "char", false},
	{"template <class... A> struct %s { int dummy[11]; };", "template <class T, class... Rest>", "T, Rest...", "char, int, double", false},
	{"template <class F> struct %s { int dummy[11]; };", "template <class T, class... Rest>", "T(Rest...)", "char(int, double)", false},
}

// within makes a class in a namespace or in a class.
func (g *sampler) within(s *sample) {
	outer := fmt.Sprintf("O%d", s.id)
	open := choose(g, []string{"namespace %s {", "struct %s {", "inline namespace %s {", "namespace %s::in {", "struct %s { private: int o; public:"})
	closing := "};"
	if strings.Contains(open, "namespace") {
		closing = "}"
	}
	g.used["outside"] = closing == "};"
	s.lines = append([]string{fmt.Sprintf(open, outer)}, g.definition(g.class, "")...)
	s.lines = append(append(s.lines, g.behind...), closing)
	g.behind = nil
	s.query = outer + "::" + g.class
	if strings.Contains(open, "::in") {
		s.query = outer + "::in::" + g.class
	}
}

// wrapped makes a class template and a class with an instance as field or base.
func (g *sampler) wrapped(s *sample) {
	g.params = true
	inner := g.class
	s.lines = append([]string{choose(g, heads[:4])}, g.definition(g.class, "")...)
	probes := g.probes
	g.probes, g.params = nil, false
	instance := g.instance()
	g.class = fmt.Sprintf("W%d", s.id)
	s.query = g.class
	if g.one(2) || g.union {
		field := g.field(plainField)
		s.lines = append(s.lines, g.behind...)
		s.lines = append(s.lines, fmt.Sprintf("struct %s {", g.class), "char "+g.field(plainField)+";", instance+" "+field+";", "char "+g.field(plainField)+";", "};")
		for _, p := range probes {
			if !g.used["private "+inner] {
				g.probes = append(g.probes, probe{field + "." + p.path, p.kind})
			}
		}
	} else {
		s.lines = append(s.lines, g.behind...)
		s.lines = append(s.lines, fmt.Sprintf("struct %s : %s {", g.class, instance), "char "+g.field(plainField)+";", "};")
		if g.used["private "+inner] {
			for i := range probes {
				probes[i].kind = silentField
			}
		}
		g.probes = append(g.probes, probes...)
	}
	g.behind = nil
}

// definition returns the definition of a class called name, with what may stand before
// it and behind its }. args are those of a specialisation.
func (g *sampler) definition(name, args string) []string {
	key := choose(g, []string{"struct", "struct", "struct", "struct", "class", "union"})
	if args != "" && key == "union" {
		key = "struct"
	}
	g.union = key == "union"
	head := key
	g.packed = g.one(25)
	behind := ""
	switch {
	case g.packed:
		switch g.IntN(3) {
		case 0:
			head += " __attribute__((packed))"
		case 1:
			head += " [[gnu::packed]]"
		default:
			behind = " __attribute__((packed))"
		}
	case g.one(8):
		head += " " + g.alignment()
	case g.one(20):
		behind = " " + choose(g, []string{"__attribute__((aligned(16)))", "__align__(16)", "__attribute__((aligned(32)))", "ALIGNED(16)"})
	case g.one(20):
		head += " " + choose(g, harmlessHead)
	}
	head += " " + name + args
	if !g.union && g.one(15) && !g.params {
		head += " final"
	}
	if !g.union && !g.packed && g.one(5) {
		head += " : " + g.bases()
	}
	var lines []string
	pack := ""
	if args == "" && !g.params && !g.packed && g.one(30) {
		pack = choose(g, []string{"#pragma pack(push, 2)", "#pragma pack(push, 8)", "#pragma pack(4)", "_Pragma(\"pack(push, 1)\")"})
		g.packed = true
		lines = append(lines, pack)
	}
	lines = append(lines, head+" {")
	if key == "class" || g.one(12) && !g.union {
		g.used["private "+name] = true
		lines = append(lines, "template <int> friend struct ::Peek;")
	}
	lines = append(lines, g.members(key == "class")...)
	lines = append(lines, "}"+behind+";")
	switch {
	case pack == "":
	case strings.Contains(pack, "push"):
		lines = append(lines, "#pragma pack(pop)")
	default:
		lines = append(lines, "#pragma pack()")
	}
	return lines
}

// harmlessHead are attributes of a class that do not change its layout.
var harmlessHead = []string{"[[maybe_unused]]", "[[deprecated]]", "__attribute__((unused))", "[[]]", "[[nodiscard]]", "__attribute__(())", "[[gnu::unused, deprecated(\"};\")]]"}

// bases returns a list of base classes.
func (g *sampler) bases() string {
	list := []struct {
		text   string
		fields []string
	}{
		{"Ba", []string{"b0", "b1"}}, {"Em", nil}, {"Ba2", []string{"b2"}}, {"ns::Nm", []string{"s0", "s1"}}, {"Bt<int>", []string{"bt0", "bt1"}},
		{"Id<Sm>", []string{"c0"}}, {"::ns::v1::Vi", []string{"v0"}}, {"Al", []string{"a0"}}, {"ns::in::Nt<char>", []string{"nt0"}}, {"decltype(Td())", []string{"t0", "t1"}},
		{"struct Np", []string{"n0"}}, {"Pk<int, char>", []string{"pk"}},
	}
	if g.params {
		list = append(list, list[0], list[1])
		list[0].text, list[0].fields = "Bt<T>", []string{"bt0", "bt1"}
		list[1].text, list[1].fields = "ns::in::Nt<typename Tr<T>::type>", []string{"nt0"}
		list = slices.DeleteFunc(list, func(b struct {
			text   string
			fields []string
		}) bool {
			return b.text == "Bt<int>" || b.text == "ns::in::Nt<char>"
		})
	}
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	var texts []string
	for _, base := range list[:1+g.IntN(2)] {
		access := choose(g, []string{"", "", "public ", "private ", "protected ", "[[]] public "})
		if access == "private " || access == "protected " {
			g.used["hidden base"] = true
		}
		if base.text == "struct Np" {
			base.text = "Np"
		}
		texts = append(texts, access+base.text)
		for _, field := range base.fields {
			kind := plainField
			if g.used["hidden base"] {
				kind = silentField
			}
			g.probes = append(g.probes, probe{field, kind})
		}
	}
	return strings.Join(texts, choose(g, []string{", ", ","}))
}

// members returns the members of a class. private says that they are, until a label
// says otherwise.
func (g *sampler) members(private bool) []string {
	var lines []string
	for range 2 + g.IntN(9) {
		before := len(g.probes)
		made := g.member()
		if text := strings.Join(made, "\n"); len(g.probes) > before && hasFixed.MatchString(text) {
			if g.constructed {
				g.probes = g.probes[:before]
				made = []string{"char " + g.field(plainField) + ";"}
			} else {
				g.fixed = true
			}
		}
		lines = append(lines, made...)
	}
	if g.union && !slices.ContainsFunc(g.probes, func(p probe) bool { return p.direct() }) {
		lines = append(lines, "int "+g.field(plainField)+";")
	}
	return lines
}

// hasFixed matches declarations of constants, of references and of Np.
var hasFixed = regexp.MustCompile(`\bconst\b|&|\bNp\b`)

// member returns a member.
func (g *sampler) member() []string {
	switch n := g.IntN(20); {
	case n < 9:
		return []string{g.data()}
	case n < 10 && !g.packed:
		return []string{g.bits()}
	case n < 12 && g.depth < 2:
		return g.nested()
	case n < 13 && !g.plain && !g.union:
		label := choose(g, []string{"public:", "private:", "protected:", "public: private:"})
		if label == "public:" || g.used["private "+g.class] {
			return []string{label}
		}
		return []string{"public:"}
	case g.plain:
		return []string{g.data()}
	case n < 16:
		return []string{g.function()}
	}
	return g.form()
}

// nested returns a class inside of the class, with declarators or without a name at all.
func (g *sampler) nested() []string {
	outer, union, plain, class, packed, constructed := g.probes, g.union, g.plain, g.class, g.packed, g.constructed
	types := len(g.types)
	g.probes = nil
	g.depth++
	key := choose(g, []string{"struct", "struct", "union"})
	g.union = key == "union"
	head := key
	anonymous := g.one(3)
	if !g.packed && g.one(8) {
		head += " " + g.alignment()
	}
	name := ""
	switch {
	case anonymous:
		g.plain = true
	case plain: // of an anonymous class: only unnamed ones may stand in it
		g.plain = true
	case g.one(2):
		name = g.name("N")
		head += " " + name
		g.class = name
		if g.union == false && g.one(6) {
			head += " : " + choose(g, []string{"Em", "Ba", "Sm"})
		}
	default:
		g.plain = true // an unnamed class may have functions, but few
	}
	lines := append([]string{head + " {"}, g.members(false)...)
	inner := g.probes
	g.probes, g.union, g.plain, g.class, g.packed, g.constructed = outer, union, plain, class, packed, constructed
	g.types = g.types[:types]
	g.depth--
	if anonymous {
		g.probes = append(g.probes, inner...)
		return append(lines, "};")
	}
	if name != "" {
		g.types = append(g.types, name)
		if g.one(3) {
			return append(lines, "};")
		}
	}
	var texts []string
	for range 1 + g.IntN(3)/2 {
		field := g.field(plainField)
		switch g.IntN(8) {
		case 0:
			texts = append(texts, field+"[2]")
			field += "[0]"
		case 1:
			texts = append(texts, "*"+field)
			continue
		case 2:
			texts = append(texts, "("+field+")")
		case 3:
			texts = append(texts, field+"[2][3]")
			field += "[1][0]"
		default:
			texts = append(texts, field)
		}
		for _, p := range inner {
			g.probes = append(g.probes, probe{field + "." + p.path, p.kind})
		}
	}
	qualifier := choose(g, []string{"", "", "", "", " const", " volatile"})
	if qualifier != "" {
		for i := range g.probes[len(outer):] {
			if p := &g.probes[len(outer)+i]; p.kind == bitField {
				p.kind = hiddenField
			}
		}
	}
	return append(lines, "}"+qualifier+" "+strings.Join(texts, ", ")+";")
}

// noise puts comments, line ends and blanks where a line has blanks.
func (g *sampler) noise(line string) string {
	if strings.ContainsAny(line, "\"'\\#\n") || strings.Contains(line, "/*") || strings.Contains(line, "//") {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		if r != ' ' || !g.one(8) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(choose(g, []string{" /* ; } */ ", "/**/ ", "  ", "\t", " // }; {\n", " \\\n", "\n", " /* \" */ ", " /* ' */"}))
	}
	return b.String()
}
