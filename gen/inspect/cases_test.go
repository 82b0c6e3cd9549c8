package inspect_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
	"github.com/cudagen/cudagen/gen/internal/layout"
)

// A kernelCase is a kernel with the types that its parameters need, made at random.
type kernelCase struct {
	Name    string // of the kernel; those of the types begin with it
	Enums   []*ctype.Enum
	Classes []*caseClass // in the order of their definitions
	Params  []ctype.Type
}

// A caseClass is a class and how it is written down, as far as the type does not say.
type caseClass struct {
	*ctype.Struct
	Private   bool   // the fields are private
	Functions string // members that are no fields
	Default   bool   // the first field is initialised, when it is a scalar
}

// A caseGenerator makes cases. The same seed gives the same cases.
type caseGenerator struct {
	*rand.Rand
	Refused int // how many classes were thrown away because package layout refuses them
	cases   int
	c       *kernelCase
}

// newCaseGenerator returns a generator with a seed.
func newCaseGenerator(seed uint64) *caseGenerator {
	return &caseGenerator{Rand: rand.New(rand.NewPCG(seed, seed))}
}

var (
	scalarKinds = []ctype.Kind{
		ctype.Bool, ctype.Char, ctype.SignedChar, ctype.UnsignedChar, ctype.Char16, ctype.Char32, ctype.WChar, ctype.Short,
		ctype.UnsignedShort, ctype.Int, ctype.UnsignedInt, ctype.Long, ctype.UnsignedLong, ctype.LongLong, ctype.UnsignedLongLong,
		ctype.Float, ctype.Double, ctype.Int, ctype.Float, ctype.Char,
	}
	bitKinds = []ctype.Kind{
		ctype.Int, ctype.UnsignedInt, ctype.Char, ctype.UnsignedChar, ctype.Short, ctype.UnsignedShort, ctype.Long, ctype.UnsignedLong, ctype.Bool,
	}
	knownNames = []string{
		"char3", "uchar4", "short2", "ushort3", "int2", "uint4", "long3", "ulong4", "longlong2", "float1", "float2", "float3",
		"float4", "double2", "double3", "double4", "double4_32a", "longlong4_16a", "dim3",
		"__half", "__half2", "__nv_bfloat16", "half", "uint8_t", "int16_t", "size_t", "cudaTextureObject_t", "int64_t",
	}
	flavours = []string{
		" __host__ __device__ %s();", " %s &operator=(const %[1]s &) { return *this; }", " explicit %s(int);",
	}
)

// one returns true once in n times.
func (g *caseGenerator) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g *caseGenerator, from []T) T { return from[g.IntN(len(from))] }

// next returns the next case. Package layout knows the layout of all of it.
func (g *caseGenerator) next() *kernelCase {
	g.c = &kernelCase{Name: fmt.Sprintf("k%d", g.cases)}
	g.cases++
	for range g.IntN(3) {
		g.enum()
	}
	for range 1 + g.IntN(6) {
		g.class()
	}
	for range 1 + g.IntN(6) {
		g.c.Params = append(g.c.Params, g.parameter())
	}
	for {
		if _, _, _, err := layout.Params(g.c.Params); err == nil {
			return g.c
		}
		g.c.Params = g.c.Params[:len(g.c.Params)-1]
	}
}

func (g *caseGenerator) enum() {
	e := &ctype.Enum{Name: fmt.Sprintf("%s_E%d", g.c.Name, len(g.c.Enums)), Scoped: g.one(2)}
	e.Underlying, e.Fixed = ctype.Builtin(pick(g, bitKinds[:8])), true
	if !e.Scoped && g.one(2) {
		e.Underlying, e.Fixed = ctype.Builtin(ctype.UnsignedInt), false
	}
	g.c.Enums = append(g.c.Enums, e)
}

// class adds a class whose layout is known; one that is refused is thrown away.
func (g *caseGenerator) class() {
	for {
		c := &caseClass{Struct: &ctype.Struct{Name: fmt.Sprintf("%s_S%d", g.c.Name, len(g.c.Classes)), Complete: true, Union: g.one(9)}}
		g.body(c, 2)
		if _, err := layout.Struct(c.Struct); err == nil {
			g.c.Classes = append(g.c.Classes, c)
			return
		}
		g.Refused++
	}
}

// body fills c; classes are nested to a depth of depth in it.
func (g *caseGenerator) body(c *caseClass, depth int) {
	s := c.Struct
	if !s.Union && s.Name != "" {
		g.bases(s)
	}
	if s.Name != "" {
		g.attributes(s)
	}
	fields := g.IntN(6)
	if g.one(8) {
		fields = 0
	}
	if s.Union {
		fields = 1 + g.IntN(4)
	}
	for i := range fields {
		s.Fields = append(s.Fields, g.field(s, i, depth))
	}
	if s.Name == "" {
		return
	}
	g.flavour(c)
}

func (g *caseGenerator) attributes(s *ctype.Struct) {
	if g.one(10) {
		s.Align = 1 << g.IntN(6)
	}
	switch {
	case g.one(14):
		s.Pack = 1 << g.IntN(4)
	case g.one(14):
		s.Packed = true
	}
}

// flavour makes c no plain C struct, at times.
func (g *caseGenerator) flavour(c *caseClass) {
	s := c.Struct
	switch {
	case s.Union:
	case g.one(8) && len(s.Fields) > 0:
		c.Private, s.POD = true, ctype.PODNo
	case g.one(6):
		c.Functions, s.POD = fmt.Sprintf(pick(g, flavours), s.Name), ctype.PODNo
	case g.one(14):
		c.Functions, s.POD = fmt.Sprintf(" %s() = default;", s.Name), ctype.PODUnsure
	case g.one(14) && len(s.Fields) > 0:
		if basic, ok := s.Fields[0].Type.(*ctype.Basic); ok && basic.Kind != ctype.Bool && !s.Fields[0].BitField {
			c.Default, s.POD = true, ctype.PODUnsure
		}
	case g.one(6):
		c.Functions = " static int count; int sum() const { return 1; }"
	}
	if len(s.Bases) > 0 {
		s.POD = ctype.PODNo
	}
}

func (g *caseGenerator) bases(s *ctype.Struct) {
	if !g.one(3) {
		return
	}
	taken := map[*ctype.Struct]bool{}
	for range 1 + g.IntN(3) {
		if len(g.c.Classes) == 0 {
			return
		}
		base := pick(g, g.c.Classes).Struct
		if base.Union || ancestor(base, taken) {
			continue
		}
		s.Bases = append(s.Bases, ctype.Base{Type: base})
	}
}

// ancestor reports whether s or a base of it is in taken, and adds them all: a class
// that is inherited twice could not be converted to.
func ancestor(s *ctype.Struct, taken map[*ctype.Struct]bool) bool {
	if taken[s] {
		return true
	}
	taken[s] = true
	for _, base := range s.Bases {
		if ancestor(base.Type, taken) {
			return true
		}
	}
	return false
}

func (g *caseGenerator) field(s *ctype.Struct, index, depth int) ctype.Field {
	f := ctype.Field{Name: fmt.Sprintf("f%d", index)}
	switch {
	case g.one(9):
		return g.bitField(f)
	case depth > 0 && g.one(10):
		inner := &caseClass{Struct: &ctype.Struct{}}
		for len(inner.Fields) == 0 {
			inner.Struct = &ctype.Struct{Complete: true, Union: g.one(2), Pack: s.Pack}
			g.body(inner, depth-1)
		}
		f.Type = inner.Struct
		if g.one(2) {
			f.Name = ""
			prefix(inner.Struct, fmt.Sprintf("f%d_", index))
			return f
		}
	default:
		f.Type = g.value()
	}
	for range g.IntN(3) * g.IntN(2) {
		f.Type = &ctype.Array{Elem: f.Type, Len: int64(1 + g.IntN(4))}
	}
	if g.one(12) {
		f.Align = 8 << g.IntN(4)
	} else if g.one(20) {
		f.Packed = true
	}
	return f
}

// prefix makes the names of the fields of an anonymous class its own: they are visible in
// the class around it.
func prefix(s *ctype.Struct, text string) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name != "" {
			f.Name = text + f.Name
		} else if inner, ok := f.Type.(*ctype.Struct); ok {
			prefix(inner, text)
		}
	}
}

func (g *caseGenerator) bitField(f ctype.Field) ctype.Field {
	basic := ctype.Builtin(pick(g, bitKinds))
	f.BitField, f.Type = true, basic
	width := int(8 * basic.Size)
	if basic.Kind == ctype.Bool {
		width = 1
	}
	f.Bits = int64(1 + g.IntN(width))
	switch {
	case g.one(8):
		f.Name, f.Bits = "", 0
	case g.one(8):
		f.Name = ""
	}
	return f
}

// value returns a type of a field or parameter.
func (g *caseGenerator) value() ctype.Type {
	switch n := g.IntN(21); {
	case n == 20:
		return g.box(ctype.Builtin(pick(g, scalarKinds)))
	case n < 8:
		return ctype.Builtin(pick(g, scalarKinds))
	case n < 12:
		return ctype.Known(pick(g, knownNames))
	case n < 13 && len(g.c.Enums) > 0:
		return pick(g, g.c.Enums)
	case n < 17 && len(g.c.Classes) > 0:
		return pick(g, g.c.Classes).Struct
	case n < 18:
		return &ctype.Pointer{Elem: &ctype.Function{Result: ctype.Builtin(ctype.Float), Params: []ctype.Type{ctype.Builtin(ctype.Int)}}}
	}
	return &ctype.Pointer{Elem: ctype.Builtin(pick(g, scalarKinds))}
}

func (g *caseGenerator) parameter() ctype.Type {
	if len(g.c.Classes) > 0 && g.one(2) {
		return pick(g, g.c.Classes).Struct
	}
	if g.one(12) {
		return &ctype.Reference{Elem: g.value()}
	}
	return g.value()
}

// caseHeaders and caseSpellings are what the source of cases needs in front.
const (
	caseHeaders   = "#include <cstddef>\n#include <cstdint>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
	caseSpellings = `namespace spell {
template <class T> using Same = T;
template <class T> struct Traits { typedef T type; };
template <class T, int N = 2> struct Box { T items[N]; char last; };
template <class T> struct Box<T, 1> { T item; };
}
#define SPELL(...) __VA_ARGS__
`
)

// spelled returns the name of a type in one of the ways that there are to write it: which
// one depends on the name of what is declared.
func spelled(t, name string) string {
	hash := fnv.New32()
	hash.Write([]byte(t + name))
	switch hash.Sum32() % 7 {
	case 0:
		return "spell::Same<" + t + ">"
	case 1:
		return "typename spell::Traits<" + t + ">::type"
	case 2:
		return "SPELL(" + t + ")"
	case 3:
		return t + " \\\n"
	}
	return t
}

// box returns an instance of the class template Box with elements of type elem.
func (g *caseGenerator) box(elem ctype.Type) *ctype.Struct {
	n := int64(1 + g.IntN(3))
	s := &ctype.Struct{Name: "Box", Scope: []string{"spell"}, Complete: true, Args: []ctype.TemplateArg{
		{Type: elem}, {Type: ctype.Builtin(ctype.Int), Value: n, IsValue: true},
	}}
	if n == 1 { // the partial specialisation
		s.Fields = []ctype.Field{{Name: "item", Type: elem}}
		return s
	}
	s.Fields = []ctype.Field{{Name: "items", Type: &ctype.Array{Elem: elem, Len: n}}, {Name: "last", Type: ctype.Builtin(ctype.Char)}}
	return s
}

// source returns the definitions of c in C++.
func (c *kernelCase) source() string {
	var b strings.Builder
	enclosed := len(c.Classes)%3 == 2
	if enclosed {
		fmt.Fprintf(&b, "namespace in_%s {\n", c.Name)
	}
	for _, e := range c.Enums {
		b.WriteString(enumSource(e))
	}
	for _, class := range c.Classes {
		b.WriteString(class.source())
	}
	var params []string
	for i, t := range c.Params {
		params = append(params, declare(t, fmt.Sprintf("p%d", i)))
	}
	fmt.Fprintf(&b, "extern \"C\" __global__ void %s(%s) {}\n", c.Name, strings.Join(params, ", "))
	if enclosed {
		fmt.Fprintf(&b, "}\nusing namespace in_%s;\n", c.Name)
	}
	return b.String()
}

func enumSource(e *ctype.Enum) string {
	head := "enum "
	if e.Scoped {
		head += "class "
	}
	head += e.Name
	if e.Fixed {
		head += " : " + e.Underlying.Name
	}
	return fmt.Sprintf("%s { %s_a, %[2]s_b = 5 };\n", head, e.Name)
}

func (c *caseClass) source() string {
	var b strings.Builder
	if c.Pack != 0 {
		fmt.Fprintf(&b, "#pragma pack(push, %d)\n", c.Pack)
	}
	keyword := "struct"
	if c.Private {
		keyword = "class"
	}
	b.WriteString(definition(c.Struct, keyword, c.Functions, c.Default) + ";\n")
	if c.Pack != 0 {
		b.WriteString("#pragma pack(pop)\n")
	}
	return b.String()
}

func definition(s *ctype.Struct, keyword, functions string, initialise bool) string {
	var b strings.Builder
	if s.Union {
		keyword = "union"
	}
	b.WriteString(keyword)
	if s.Packed {
		b.WriteString(" __attribute__((packed))")
	}
	if s.Align != 0 {
		fmt.Fprintf(&b, " __align__(%d)", s.Align)
	}
	b.WriteString(" " + s.Name)
	for i, base := range s.Bases {
		b.WriteString([]string{" : public ", ", public "}[min(i, 1)] + base.Type.Name)
	}
	b.WriteString(" {")
	for i := range s.Fields {
		b.WriteString(" " + fieldSource(&s.Fields[i], initialise && i == 0))
	}
	if keyword == "class" && functions != "" {
		functions = " public:" + functions
	}
	b.WriteString(functions + " }")
	return b.String()
}

func fieldSource(f *ctype.Field, initialise bool) string {
	text := ""
	if f.Align != 0 {
		text = fmt.Sprintf("__align__(%d) ", f.Align)
	}
	text += declare(f.Type, f.Name)
	switch {
	case f.BitField:
		text += fmt.Sprintf(" : %d", f.Bits)
	case f.Packed:
		text += " __attribute__((packed))"
	}
	if initialise {
		text += " = 1"
	}
	return text + ";"
}

// declare returns the declaration of name with type t.
func declare(t ctype.Type, name string) string {
	switch t := t.(type) {
	case *ctype.Array:
		return declare(t.Elem, fmt.Sprintf("%s[%d]", name, t.Len))
	case *ctype.Pointer:
		if f, ok := t.Elem.(*ctype.Function); ok {
			return fmt.Sprintf("%s (*%s)(%s)", f.Result, name, f.Params[0])
		}
	case *ctype.Struct:
		if t.Name == "" {
			return strings.TrimSuffix(definition(t, "struct", "", false)+" "+name, " ")
		}
	case *ctype.Reference:
		return declare(t.Elem, "&"+name)
	}
	return spelled(t.String(), name) + " " + name
}
