//go:build linux && !cudagen_nodriver && (amd64 || arm64)

package clib_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A randomType is a type of C that arguments, elements, values and results have.
type randomType struct {
	c, goName string
	leaves    []leaf // what it has in C
	signed    bool
	number    bool // an integer that lengths can be made of
	plain     bool // it can be passed by value
	enum      bool
	fields    []string // of a struct
	declared  string   // a struct
}

// A leaf is a number or an address in a type.
type leaf struct {
	path    string // behind the name of the variable
	size    int
	boolean bool
	address bool
}

// basic are the types of numbers.
func basic() (list []*randomType) {
	for _, one := range []struct {
		c, goName string
		size      int
		kind      string // n: a number for lengths
	}{
		{"signed char", "int8", 1, "ns"}, {"unsigned char", "uint8", 1, "n"}, {"char", "int8", 1, ""}, {"short", "int16", 2, "ns"}, {"unsigned short", "uint16", 2, "n"},
		{"int", "int32", 4, "ns"}, {"unsigned", "uint32", 4, "n"}, {"long", "int64", 8, "ns"}, {"unsigned long", "uint64", 8, "n"},
		{"long long", "int64", 8, "ns"}, {"unsigned long long", "uint64", 8, "n"}, {"int8_t", "int8", 1, "ns"}, {"uint16_t", "uint16", 2, "n"},
		{"int32_t", "int32", 4, "ns"}, {"int64_t", "int64", 8, "ns"}, {"uint64_t", "uint64", 8, "n"}, {"size_t", "uint64", 8, "n"}, {"r_count", "int32", 4, "ns"},
		{"bool", "bool", 1, "nb"}, {"float", "float32", 4, ""}, {"double", "float64", 8, ""}, {"float", "float32", 4, ""}, {"double", "float64", 8, ""},
		{"enum r_some", "Some", 4, "ne"}, {"r_signed", "Signed", 4, "nse"}, {"enum r_wide", "Wide", 8, "nse"},
	} {
		list = append(list, &randomType{c: one.c, goName: one.goName, leaves: []leaf{{"", one.size, strings.Contains(one.kind, "b"), false}},
			number: strings.Contains(one.kind, "n"), signed: strings.Contains(one.kind, "s"), enum: strings.Contains(one.kind, "e"), plain: true})
	}
	return list
}

// vectors are types of CUDA, which only pointers lead to.
func vectors() (list []*randomType) {
	for _, one := range []struct {
		c, goName string
		count     int
		size      int
	}{
		{"cuComplex", "complex64", 2, 4}, {"cuFloatComplex", "complex64", 2, 4}, {"cuDoubleComplex", "complex128", 2, 8},
		{"float2", "vec.Float2", 2, 4}, {"float3", "vec.Float3", 3, 4}, {"int4", "vec.Int4", 4, 4}, {"double2", "vec.Double2", 2, 8},
	} {
		v := &randomType{c: one.c, goName: one.goName}
		for i := range one.count {
			v.leaves = append(v.leaves, leaf{"." + "xyzw"[i:i+1], one.size, false, false})
		}
		list = append(list, v)
	}
	return list
}

// randomStruct returns a struct with members of types.
func randomStruct(r *rand.Rand, number int, types []*randomType) *randomType {
	s := &randomType{c: fmt.Sprint("struct r_s", number), goName: fmt.Sprint("S", number)}
	attribute := []string{"", "", "", "", "__attribute__((aligned(16))) ", ""}[r.IntN(6)]
	s.declared = fmt.Sprintf("struct %sr_s%d {", attribute, number)
	for i := range 1 + r.IntN(6) {
		of := types[r.IntN(len(types))]
		name := fmt.Sprint("f", i)
		var paths []string
		switch r.IntN(6) {
		case 0:
			n := 1 + r.IntN(4)
			s.declared += fmt.Sprintf(" %s %s[%d];", of.c, name, n)
			for j := range n {
				paths = append(paths, fmt.Sprintf(".%s[%d]", name, j))
			}
		case 1:
			s.declared += fmt.Sprintf(" %s %s[2][3];", of.c, name)
			for j := range 6 {
				paths = append(paths, fmt.Sprintf(".%s[%d][%d]", name, j/3, j%3))
			}
		case 2:
			s.declared += fmt.Sprintf(" const %s *%s;", of.c, name)
			s.leaves = append(s.leaves, leaf{"." + name, 8, false, true})
		default:
			s.declared += fmt.Sprintf(" %s %s;", of.c, name)
			paths = []string{"." + name}
		}
		for _, p := range paths {
			for _, l := range of.leaves {
				l.path = p + l.path
				s.leaves = append(s.leaves, l)
			}
		}
		s.fields = append(s.fields, name)
	}
	s.declared += " };\n"
	return s
}

// random returns the bytes of a value, those of its leaves.
func (t *randomType) random(r *rand.Rand) (value []byte) {
	for _, l := range t.leaves {
		one := make([]byte, l.size)
		switch n := r.IntN(8); {
		case l.boolean:
			one[0] = byte(r.IntN(2))
		case l.address:
			one = place(uint64(r.IntN(1 << 16)))
			if n == 0 {
				one = null
			}
		case n == 0: // the least number
			one[l.size-1] = 0x80
		case n == 1: // the greatest one
			for i := range one {
				one[i] = 0xff
			}
			one[l.size-1] = 0x7f
		case n == 2: // -1
			for i := range one {
				one[i] = 0xff
			}
		default:
			for i := range one {
				one[i] = byte(r.Uint32())
			}
		}
		value = append(value, one...)
	}
	return value
}

// little returns a value with a small number.
func (t *randomType) little(r *rand.Rand) []byte {
	n := r.Int64N(9)
	if t.signed && r.IntN(4) == 0 {
		n = -n
	}
	if t.leaves[0].boolean {
		n &= 1
	}
	return place(uint64(n))[:t.leaves[0].size]
}

// integer returns the number that value has, or false if it does not fit.
func (t *randomType) integer(value []byte) (int64, bool) {
	n, bits := uint64(0), 8*len(value)
	for i, b := range value {
		n |= uint64(b) << (8 * i)
	}
	if t.signed {
		n = uint64(int64(n<<(64-bits)) >> (64 - bits))
		return int64(n), int64(n) < 1<<40 && int64(n) > -1<<40
	}
	return int64(n), n < 1<<40
}

// place returns the 8 bytes of an address in the program's memory, or of another number.
func place(n uint64) (b []byte) {
	for i := range 8 {
		b = append(b, byte(n>>(8*i)))
	}
	return b
}

// null are the bytes of NULL.
var null = []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// A randomHandle is a type of handles.
type randomHandle struct {
	c, goName, short string
	size             int
	other            string // const typedef
	maker            *randomFunction
	kept             []string
}

// handles are those that a library has. The first one has a stream and a mode, and the last one memory.
func handles() []*randomHandle {
	return []*randomHandle{
		{c: "r_context_t", goName: "Context", short: "context", size: 8, kept: []string{"a", "b"}},
		{c: "r_plan_t", goName: "Plan", short: "plan", size: 4, kept: []string{"a", "b", "c"}},
		{c: "r_texture_t", goName: "Texture", short: "texture", size: 8, kept: []string{"a"}},
		{c: "r_vector_t", other: "r_const_vector_t", goName: "Vector", short: "vector", size: 8, kept: []string{"a", "b"}},
	}
}

// A library is a random C library, and calls of it.
type library struct {
	r         *rand.Rand
	status    string // the type; "" for none
	types     []*randomType
	structs   []*randomType
	handles   []*randomHandle
	functions []*randomFunction
	calls     []*randomCall
}

// randomLibrary returns a library of count functions.
func randomLibrary(r *rand.Rand, count int) *library {
	l := &library{r: r, status: []string{"enum r_status", "int", ""}[r.IntN(3)], types: slices.Concat(basic(), vectors()), handles: handles()}
	for i := range 5 {
		l.structs = append(l.structs, randomStruct(r, i, l.types))
		l.types = append(l.types, l.structs[i])
	}
	for _, h := range l.handles {
		h.maker = l.newMaker(h)
	}
	for len(l.functions) < len(l.handles)+count {
		f := l.function(len(l.functions))
		var calls []*randomCall
		for _, device := range []bool{false, true}[:1+min(1, f.modes())] {
			for range 2 {
				if c := l.call(f, device); c != nil {
					calls = append(calls, c)
					calls = append(calls, c.shorter()...)
				}
			}
		}
		if len(calls) > 0 {
			l.functions = append(l.functions, f)
			l.calls = append(l.calls, calls...)
		}
	}
	for i, c := range l.calls {
		c.finish(i)
	}
	return l
}

// A role is what a parameter is.
type randomRole int

const (
	rPlain randomRole = iota
	rStream
	rObject
	rCreated
	rMemory
	rAddress
	rHost
	rValue
	rText
	rOut
	rOutAddress
	rOutHost
	rMode      // a constant value that lies where the mode says
	rModeOut   // a result that does
	rModeSlice // elements that do
	rUpdate
)

// A randomParameter is one of a function.
type randomParameter struct {
	name               string
	role               randomRole
	typ                *randomType
	constant           bool
	nullable, optional bool
	void               bool
	handle             *randomHandle
	need               *number
	declared           string
}

// A kept is what a function has a handle keep.
type randomKept struct {
	handle int // index of the parameter
	name   string
	number *number
}

// A randomFunction is a function of a library.
type randomFunction struct {
	l          *library
	name       string
	parameters []*randomParameter
	receiver   int // -1 for none
	created    int
	result     *randomType // nil for none
	returns    string      // its C type
	conditions []*number
	kept       []randomKept
	stream     bool // a directive says that it queues work
	swap       [2]int
	directives []string
}

func (f *randomFunction) has(role randomRole) bool {
	return slices.ContainsFunc(f.parameters, func(p *randomParameter) bool { return p.role == role })
}

func (f *randomFunction) modes() (count int) {
	for _, p := range f.parameters {
		if p.role >= rMode {
			count++
		}
	}
	return count
}

// onStream reports whether f takes a stream in Go.
func (f *randomFunction) onStream(device bool) bool {
	if f.created >= 0 {
		return false
	}
	for i, p := range f.parameters {
		if p.role == rStream || p.role == rMemory || p.role == rObject && p.handle.other != "" && i != f.receiver {
			return true
		}
	}
	return f.stream || device
}

// newMaker returns the function that makes a handle for calls of others.
func (l *library) newMaker(h *randomHandle) *randomFunction {
	f := &randomFunction{l: l, name: "r_new_" + h.short, receiver: -1, created: 0, returns: l.statusType()}
	f.parameters = []*randomParameter{{name: "made", role: rCreated, handle: h}}
	for i := range 2 {
		f.parameters = append(f.parameters, &randomParameter{name: fmt.Sprint("n", i), role: rPlain, typ: l.types[5]})
	}
	if h.other != "" {
		f.parameters = append(f.parameters, &randomParameter{name: "memory", role: rMemory, typ: l.types[19], need: literal(3)})
	}
	for _, name := range h.kept {
		f.kept = append(f.kept, randomKept{0, name, &number{text: "abs({0}+{1}*" + fmt.Sprint(len(name)+len(f.kept)) + ")",
			parts: []*number{{text: "n0", name: true}, {text: "n1", name: true}},
			value: func(factor int64) func(v []int64) (int64, bool) {
				return func(v []int64) (int64, bool) { n := v[0] + v[1]*factor; return max(n, -n), true }
			}(int64(len(name) + len(f.kept)))}})
	}
	f.declare()
	l.functions = append(l.functions, f)
	return f
}

func (l *library) statusType() string {
	if l.status == "" {
		return "void"
	}
	return l.status
}

// function returns a random function.
func (l *library) function(number int) *randomFunction {
	r := l.r
	f := &randomFunction{l: l, name: fmt.Sprint("r_f", number), receiver: -1, created: -1}
	count := []int{0, 1, 2, 3, 5, 6, 7, 8, 9, 12, 20, 40}[r.IntN(12)]
	receiver, created := -1, -1
	var kind *randomHandle
	if count > 0 {
		kind = l.handles[min(r.IntN(6), 3)]
		switch r.IntN(6) {
		case 0, 1, 2:
			receiver = r.IntN(count)
			if r.IntN(2) == 0 {
				kind = l.handles[0]
			}
		case 3:
			created = r.IntN(count)
		}
	}
	memory, objects := 0, 0
	for i := range count {
		p := &randomParameter{name: fmt.Sprint("p", i), typ: l.types[r.IntN(len(l.types))], constant: r.IntN(2) == 0}
		f.parameters = append(f.parameters, p)
		n := r.IntN(100)
		switch {
		case i == receiver:
			p.role, p.handle = rObject, kind
			objects++
		case i == created:
			p.role, p.handle = rCreated, kind
		case n < 8 && objects < 6 && (created >= 0 || receiver >= 0 && i > receiver):
			p.role, p.handle = rObject, l.handles[r.IntN(4)]
			objects++
		case n < 18 && memory < 8 && (created < 0 || kind.other != "" && memory < 1):
			p.role = rMemory
			if created >= 0 {
				p.name = "memory" // a handle has few names for what it holds
			}
			p.nullable, p.optional, p.void = r.IntN(4) == 0, r.IntN(4) == 0, r.IntN(6) == 0
			memory++
		case n < 21:
			p.role = rAddress
		case n < 28:
			p.role, p.nullable, p.void = rHost, r.IntN(4) == 0, r.IntN(6) == 0
		case n < 34:
			p.role, p.nullable = rValue, r.IntN(3) == 0
		case n < 37:
			p.role, p.nullable = rText, r.IntN(3) == 0
		case n < 42 && created < 0:
			p.role = rOut
		case n < 44 && created < 0:
			p.role = rOutAddress
		case n < 46 && created < 0:
			p.role = rOutHost
		case n < 60 && receiver >= 0 && kind == l.handles[0] && memory < 10:
			p.role = rMode + randomRole(r.IntN(4))
			memory++
		case n < 62 && created < 0 && !f.has(rStream):
			p.role = rStream
		default:
			p.role, p.typ = rPlain, l.types[r.IntN(len(basic()))]
		}
		if p.void {
			p.typ = l.types[1]
		} else if p.role == rMemory && r.IntN(6) == 0 { // of addresses
			p.typ = &randomType{c: p.typ.c + " *", goName: "cuda.Ptr[" + p.typ.goName + "]"}
		}
	}
	f.receiver, f.created = receiver, created
	f.stream = r.IntN(8) == 0 && created < 0
	if (f.onStream(false) || f.modes() > 0) && (receiver < 0 || kind != l.handles[0]) && !f.has(rStream) {
		f.parameters = slices.Insert(f.parameters, len(f.parameters), &randomParameter{name: "stream", role: rStream})
	}
	f.numbers()
	f.results()
	f.declare()
	f.swaps()
	return f
}

// numbers gives f lengths, conditions, and numbers that handles keep.
func (f *randomFunction) numbers() {
	r := f.l.r
	names := []string{"R_SEVEN", "R_MINUS", "R_MANY"}
	for i, p := range f.parameters {
		switch {
		case p.role == rPlain && p.typ.number:
			names = append(names, p.name)
			if p.typ.goName == "int32" || p.typ.goName == "Signed" {
				names = append(names, "go.thrice("+p.name+")")
			}
		case p.role == rObject && (i == f.receiver || r.IntN(2) == 0):
			for _, k := range p.handle.kept {
				names = append(names, p.name+"."+k)
			}
		}
	}
	lengths := slices.Clone(names)
	for _, p := range f.parameters {
		switch p.role {
		case rMemory, rHost, rModeSlice, rOutHost:
			p.need = randomNumber(r, lengths, r.IntN(4))
		}
		if p.role == rMemory || p.role == rHost {
			lengths = append(lengths, "len("+p.name+")")
		}
		if p.role == rHost && p.typ.number && !p.typ.enum && !p.typ.leaves[0].boolean && !p.void {
			lengths = append(lengths, "sum("+p.name+")")
		}
	}
	for range r.IntN(3) {
		if r.IntN(2) == 0 {
			f.conditions = append(f.conditions, randomNumber(r, lengths, 1+r.IntN(3)))
		}
	}
	if at := max(f.created, f.receiver); at >= 0 && r.IntN(2) == 0 {
		for _, p := range f.parameters {
			if p.role == rOut && p.typ.number {
				lengths = append(lengths, p.name)
			}
		}
		h := f.parameters[at].handle
		f.kept = append(f.kept, randomKept{at, h.kept[r.IntN(len(h.kept))], randomNumber(r, lengths, r.IntN(3))})
		for i, p := range f.parameters {
			if p.role == rObject && i != at && r.IntN(3) == 0 && f.created < 0 {
				f.kept = append(f.kept, randomKept{i, p.handle.kept[0], randomNumber(r, lengths, r.IntN(3))})
				break
			}
		}
	}
}

// results chooses what f returns.
func (f *randomFunction) results() {
	r := f.l.r
	f.returns = f.l.statusType()
	switch n := r.IntN(8); {
	case f.created >= 0:
	case n == 0:
		f.returns = "void"
	case n == 1:
		f.returns = "const char *"
	case n <= 4:
		t := f.l.types[r.IntN(len(basic()))]
		if !strings.HasPrefix(t.goName, "float") && (t.c != "int" || f.l.status != "int") {
			f.result, f.returns = t, t.c
		}
	}
}

// swaps chooses two parameters of one type that the wrong library has in the wrong order.
func (f *randomFunction) swaps() {
	for i, a := range f.parameters {
		for j, b := range f.parameters[:i] {
			if a.role == rPlain && b.role == rPlain && a.typ.c == b.typ.c {
				f.swap = [2]int{j, i}
				return
			}
		}
	}
}

// declare chooses how the parameters are written, and the directives.
func (f *randomFunction) declare() {
	r := f.l.r
	say := func(format string, args ...any) { f.directives = append(f.directives, fmt.Sprintf(format, args...)) }
	anywhere := func(format string, args ...any) {
		f.directives = slices.Insert(f.directives, r.IntN(len(f.directives)+1), fmt.Sprintf(format, args...))
	}
	for _, p := range f.parameters {
		var elem string
		if p.typ != nil {
			elem = p.typ.c
		}
		if p.void {
			elem = "void"
		}
		lead := elem
		if p.constant {
			lead = "const " + elem
			if r.IntN(2) == 0 {
				lead = elem + " const"
			}
		}
		p.declared = lead + " *" + p.name
		if !p.void && p.role != rHost && p.role != rMemory && p.role != rAddress {
			p.declared = []string{lead + " *" + p.name, lead + " *const " + p.name}[r.IntN(2)]
		} else if !p.void {
			p.declared = []string{lead + " *" + p.name, lead + " " + p.name + "[]", lead + " *const " + p.name, fmt.Sprintf("%s %s[%d]", lead, p.name, 1+r.IntN(4))}[r.IntN(4)]
		}
		if p.nullable && (p.role == rMemory || p.role == rHost || p.role == rValue || p.role == rText) {
			anywhere("nullable %s", p.name)
		}
		switch p.role {
		case rPlain:
			p.declared = []string{"", "const "}[r.IntN(8)/7] + p.typ.c + " " + p.name
		case rStream:
			p.declared = []string{"cudaStream_t ", "struct CUstream_st *"}[r.IntN(2)] + p.name
		case rObject:
			p.declared = p.handle.c + " " + p.name
			if p.handle.other != "" && r.IntN(2) == 0 {
				p.declared = p.handle.other + " " + p.name
			}
		case rCreated:
			p.declared = p.handle.c + " *" + p.name
		case rMemory:
			if p.optional {
				anywhere("optional %s", p.name)
			}
			say("len %s=%s", p.name, p.need.C())
		case rAddress:
			say("ptr %s", p.name)
		case rHost:
			say("host %s=%s", p.name, p.need.C())
		case rValue:
			say("value %s", p.name)
		case rText:
			p.declared = "const char *" + p.name
			say("text %s", p.name)
		case rOut:
			p.declared = strings.NewReplacer("const ", "", " const", "").Replace(p.declared)
			say("out %s", p.name)
		case rOutAddress:
			p.declared = lead + " **" + p.name
			say("out %s=ptr", p.name)
		case rOutHost:
			p.declared = lead + " **" + p.name
			say("out %s=host(%s)", p.name, p.need.C())
		case rMode:
			p.declared = "const " + elem + " *" + p.name
			say("mode %s", p.name)
		case rModeOut:
			p.declared = elem + " *" + p.name
			say("mode %s", p.name)
		case rModeSlice:
			say("mode %s=%s", p.name, p.need.C())
		case rUpdate:
			p.declared, p.constant = elem+" *"+p.name, false
			say("update %s", p.name)
		}
	}
	for _, c := range f.conditions {
		say("require %s and a hint", c.C())
	}
	at := max(f.created, f.receiver)
	for _, k := range f.kept {
		of := ""
		if k.handle != at {
			of = f.parameters[k.handle].name + "."
		}
		say("keep %s%s=%s", of, k.name, k.number.C())
	}
	if f.stream {
		anywhere("stream")
	}
}

// prototype returns the declaration of f without a semicolon.
func (f *randomFunction) prototype(wrong bool) string {
	var list []string
	for _, p := range f.parameters {
		list = append(list, p.declared)
	}
	if wrong && f.swapped() {
		list[f.swap[0]], list[f.swap[1]] = list[f.swap[1]], list[f.swap[0]]
	}
	if list == nil {
		list = []string{"void"}
	}
	return fmt.Sprintf("%s %s(%s)", f.returns, f.name, strings.Join(list, ", "))
}

// declaration returns the declaration of f with its directives.
func (f *randomFunction) declaration() (text string) {
	for _, d := range f.directives {
		text += "//cudagen:" + d + "\n"
	}
	return text + f.prototype(false) + ";\n"
}

const randomTypes = `
enum r_some { R_NONE, R_SEVEN = 7, R_MANY = 200 };
typedef enum { R_MINUS = -5, R_PLUS = 3 } r_signed;
enum r_wide { R_LEAST = -0x7fffffffffffffff - 1, R_LARGE = 0x123456789 };
enum r_status { R_OK, R_BAD = -3, R_WORSE = 7 };
typedef int r_count;
typedef struct r_context *r_context_t;
typedef int r_plan_t;
typedef unsigned long long r_texture_t;
typedef struct r_vector *r_vector_t;
typedef const struct r_vector *r_const_vector_t;
`

// header returns the header of l.
func (l *library) header() string {
	var b strings.Builder
	b.WriteString(`#ifdef RANDOM_CUDA
#include <cuComplex.h>
#include <cuda_runtime_api.h>
#else
typedef struct CUstream_st *cudaStream_t;
typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

//cudagen:library random linux=librandom.so
//cudagen:trim r_ R_ _t
`)
	if l.status != "" {
		fmt.Fprintf(&b, "//cudagen:status %s\n", strings.TrimPrefix(l.status, "enum "))
	}
	for _, h := range l.handles {
		fmt.Fprintf(&b, "//cudagen:handle %s destroy=r_%s_end", h.c, h.short)
		if h == l.handles[0] {
			b.WriteString(" stream=r_context_stream mode=r_context_mode,R_SEVEN,R_MANY")
		}
		if h.other != "" {
			b.WriteString(" const=" + h.other)
		}
		b.WriteString("\n")
	}
	b.WriteString("//cudagen:makes *\n")
	fmt.Fprintf(&b, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n%s", randomTypes)
	for _, s := range l.structs {
		b.WriteString(s.declared)
	}
	for _, h := range l.handles {
		fmt.Fprintf(&b, "%s r_%s_end(%s h);\n", l.statusType(), h.short, h.ended())
	}
	fmt.Fprintf(&b, "%s r_context_stream(r_context_t h, cudaStream_t stream);\n%[1]s r_context_mode(r_context_t h, enum r_some mode);\n", l.statusType())
	b.WriteString(`//cudagen:ptr at
void r_base(void *at, cudaStream_t stream);
//cudagen:host tape=n
void r_tape(const unsigned char *tape, size_t n);
const char *r_seen(void);
const char *r_layouts(void);
`)
	for _, s := range l.structs {
		fmt.Fprintf(&b, "//cudagen:ptr s\nvoid r_has_%s(%s *s);\n", s.goName, s.c)
	}
	for _, f := range l.functions {
		b.WriteString(f.declaration())
	}
	b.WriteString("#ifdef __cplusplus\n}\n#endif\n")
	return b.String()
}

// ended returns the type that the function takes which destroys h.
func (h *randomHandle) ended() string {
	if h.other != "" {
		return h.other
	}
	return h.c
}
