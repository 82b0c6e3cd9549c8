package inspect_test

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// A sample is one class with all that C++ lets stand in and around it, and the questions
// that a compiler is asked about it.
type sample struct {
	id     int
	lines  []string // its source
	query  string   // the type that is asked for: "S17", or "S17<char, 3>"
	probes []probe
	space  string // a namespace that keeps it from others of the same names; "" for none
}

// A probe asks where one field lies.
type probe struct {
	path string // from the class: "f3", or "f2[0].f3" of a field of an unnamed class
	kind probeKind
}

// A probeKind says what can be asked about a field.
type probeKind int

const (
	plainField  probeKind = iota // offset and size
	bitField                     // first bit and width
	hiddenField                  // its type: no expression tells where it is
	silentField                  // nothing: it cannot be named. It only has to be there
)

// direct reports whether it is a field of the class, of a base or of an anonymous member.
func (p probe) direct() bool { return !strings.Contains(p.path, ".") }

func (s *sample) source() string { return strings.Join(s.lines, "\n") + "\n" }

// alias is the name under which the class is asked for.
func (s *sample) alias() string {
	if s.space != "" {
		return fmt.Sprintf("%s::Q%d", s.space, s.id)
	}
	return fmt.Sprintf("Q%d", s.id)
}

// kernel returns a kernel that leads to the class.
func (s *sample) kernel() string {
	return fmt.Sprintf("typedef %s Q%d;\nextern \"C\" __global__ void kern%[2]d(Q%[2]d *p) {}\n", s.query, s.id)
}

// definition returns what a compiler needs to answer the questions.
func (s *sample) definition() string {
	text := s.source() + s.kernel()
	if s.space != "" {
		text = "namespace " + s.space + " {\n" + text + "}\n"
	}
	return text
}

// questions returns text for the end of s: variables that a compiler fills with the
// numbers, and a kernel that stores a number for each bit-field.
//
// What asks is a specialisation of Peek, which classes with private members have as a
// friend.
func (s *sample) questions() string {
	numbers := []string{fmt.Sprintf("sizeof(%s)", s.alias()), fmt.Sprintf("alignof(%s)", s.alias())}
	var stores strings.Builder
	bits := 0
	for _, p := range s.probes {
		if p.kind == silentField {
			continue
		}
		field := s.alias() + "::" + p.path
		if !p.direct() {
			field = fmt.Sprintf("static_cast<%s *>(nullptr)->%s", s.alias(), p.path)
		}
		numbers = append(numbers, fmt.Sprintf("Code<decltype(%s)>::value", field))
		switch p.kind {
		case plainField:
			numbers = append(numbers, fmt.Sprintf("__builtin_offsetof(%s, %s)", s.alias(), p.path), fmt.Sprintf("sizeof(%s)", field))
		case bitField:
			fmt.Fprintf(&stores, "\n\t\t{ alignas(%[1]s) unsigned char m[sizeof(%[1]s) + 8] = {}; %[1]s *q = reinterpret_cast<%[1]s *>(m); q->%[2]s = static_cast<decltype(q->%[2]s)>(-1); store<sizeof(%[1]s), 0>(m, r + %[3]d); }",
				s.alias(), p.path, 2*bits)
			bits++
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "template <> struct Peek<%d> {\n\tstatic constexpr unsigned long long r[] = {%s};\n", s.id, strings.Join(numbers, ", "))
	if bits > 0 {
		fmt.Fprintf(&b, "\tstatic __device__ __forceinline__ void bits(volatile unsigned long long *r) {%s\n\t}\n", stores.String())
	}
	b.WriteString("};\n")
	list := make([]string, len(numbers))
	for i := range list {
		list[i] = fmt.Sprintf("Peek<%d>::r[%d]", s.id, i)
	}
	fmt.Fprintf(&b, "extern \"C\" __constant__ unsigned long long r_%d[] = {%s};\n", s.id, strings.Join(list, ", "))
	if bits > 0 {
		fmt.Fprintf(&b, "extern \"C\" __global__ void b_%d(unsigned long long *r) { Peek<%[1]d>::bits(r); }\n", s.id)
	}
	return b.String()
}

// reduced returns s with other lines, and without the probes of fields that they no
// longer declare.
func (s *sample) reduced(lines []string) *sample {
	r := &sample{id: s.id, lines: lines, query: s.query}
	text := prelude + r.source()
	for _, p := range s.probes {
		declared := true
		for _, name := range fieldName.FindAllString(p.path, -1) {
			declared = declared && regexp.MustCompile(`\b`+name+`\b`).MatchString(text)
		}
		if declared {
			r.probes = append(r.probes, p)
		}
	}
	return r
}

var fieldName = regexp.MustCompile(`[a-zA-Z_]\w*`)

// code returns a number for a type that tells its form and what is at the bottom of it, but
// neither qualifiers nor classes: what Code in the prelude gives.
func code(t ctype.Type) uint64 {
	switch t := ctype.Unqualified(t).(type) {
	case *ctype.Basic:
		return 1 + uint64(t.Kind)
	case *ctype.Pointer:
		return 64*code(t.Elem) + 50
	case *ctype.Array:
		return 64*code(t.Elem) + 51
	case *ctype.MemberPointer:
		return 64*code(t.Elem) + 52
	case *ctype.Function:
		return 53
	case *ctype.Reference:
		if t.RValue {
			return 64*code(t.Elem) + 55
		}
		return 64*code(t.Elem) + 54
	case *ctype.Enum:
		return 40
	case *ctype.Struct:
		if t.Union {
			return 42
		}
	}
	return 41
}

// prelude stands before all samples: what asks, and what they use.
var prelude = codes() + helpers

// codes returns the C++ form of code.
func codes() string {
	var b strings.Builder
	b.WriteString(`template <class T> struct Bare { typedef T type; };
template <class T> struct Bare<T *__restrict__> { typedef T *type; };
template <class T> struct Bare<const T> { typedef typename Bare<T>::type type; };
template <class T> struct Bare<volatile T> { typedef typename Bare<T>::type type; };
template <class T> struct Bare<const volatile T> { typedef typename Bare<T>::type type; };
template <class T> struct Shape { static constexpr unsigned long long value = __is_enum(T) ? 40 : __is_union(T) ? 42 : __is_class(T) ? 41 : 53; };
template <class T> struct Code : Shape<typename Bare<T>::type> {};
template <class T> struct Shape<T *> { static constexpr unsigned long long value = 64 * Code<T>::value + 50; };
template <class T, unsigned long N> struct Shape<T[N]> { static constexpr unsigned long long value = 64 * Code<T>::value + 51; };
template <class T> struct Shape<T[]> { static constexpr unsigned long long value = 64 * Code<T>::value + 51; };
template <class T, class C> struct Shape<T C::*> { static constexpr unsigned long long value = 64 * Code<T>::value + 52; };
template <class T> struct Shape<T &> { static constexpr unsigned long long value = 64 * Code<T>::value + 54; };
template <class T> struct Shape<T &&> { static constexpr unsigned long long value = 64 * Code<T>::value + 55; };
`)
	fmt.Fprintf(&b, "template <> struct Shape<decltype(nullptr)> { static constexpr unsigned long long value = %d; };\n", code(ctype.Builtin(ctype.NullPtr)))
	for kind := ctype.Void; kind <= ctype.UnsignedInt128; kind++ {
		if kind != ctype.LongDouble {
			fmt.Fprintf(&b, "template <> struct Shape<%s> { static constexpr unsigned long long value = %d; };\n", ctype.Builtin(kind).Name, 1+int(kind))
		}
	}
	return b.String()
}

const helpers = `template <int> struct Peek;
template <unsigned long Size, int Word> __device__ __forceinline__ void store(const unsigned char *m, volatile unsigned long long *r) {
	if constexpr (8 * Word < Size) {
		unsigned long long w = 0;
		__builtin_memcpy(&w, m + 8 * Word, 8);
		if (w != 0) r[0] = Word, r[1] = w;
		else store<Size, Word + 1>(m, r);
	}
}
#define ALIGNED(n) __attribute__((aligned(n)))
#define FIELD(type, name) type name;
#define WIDTH(n) (n + 1)
#define HD __host__ __device__
#define EMPTY
#define THREE 3
struct Sm { char c0; };
struct Em {};
struct Ba { int b0; char b1; };
struct Ba2 { char b2; };
struct Al { alignas(16) char a0; };
struct Np { Np(int); char n0; };
class Pv { template <int> friend struct Peek; double p0; char p1; };
union Un { int u0; char u1[6]; };
enum E0 { e0a, e0b = 3 };
enum class E1 : unsigned char { a, b = 5 };
enum E2 : short { e2a = 1 };
typedef int I;
using D = double;
typedef float F3[3];
typedef int Fn(int);
typedef void Fv();
typedef int Fc(int) const;
typedef int (*Fp)(int);
using Mf = int (Sm::*)(int) const;
typedef int Sm::*Mp;
typedef int A8 __attribute__((aligned(8)));
using A16 __attribute__((aligned(16))) = int;
typedef struct { char t0; short t1; } Td;
constexpr int k3 = 3;
static const unsigned k4 = 4;
constexpr int cf(int x) { return x + 1; }
template <class T> constexpr int vt = sizeof(T);
template <class T> using Id = T;
template <class T, class U> using First = T;
template <class T, int N = 2> struct Ar { T v[N]; };
template <class T> struct Ar<T, 1> { T v; char one; };
template <class T> struct Ar<T *, 5> { char five; };
template <class T> struct Tr { typedef T type; typedef T *pointer; static constexpr int value = sizeof(T); enum { n = 3 }; template <class U> using pair = Ar<U, 2>; };
template <int N> struct Va { static constexpr int value = N; static const int more = N + 1; };
template <class T> struct Bt { T bt0; char bt1; };
template <class... A> struct Pk { char pk[sizeof...(A) + 1]; };
template <class T> concept Any = sizeof(T) > 0;
namespace ns {
struct Nm { short s0; char s1; };
constexpr int k2 = 2;
namespace in { typedef float R; template <class T> struct Nt { T nt0; }; }
template <class T> T fn(T x) { return x; }
inline namespace v1 { struct Vi { char v0; }; }
}
`
