package cu_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/internal/testenv"
)

// validityPrelude declares the operands of tried expressions, and K, which makes a number of a type.
const validityPrelude = `#ifndef __CUDACC__
struct float4 { float x, y, z, w; };
#endif
template<class T> T &&val(); template<class...> using V = void; using Null = decltype(nullptr);
enum E { e0 }; enum F : char { f0 }; enum class S { s0 }; enum O { o0 }; O operator+(O, O); O &operator++(O &); bool operator!(O);
struct C { int x; const int c; static int s; int a[3]; void m(); int k() const; typedef int type; enum { en = 1 }; int bits : 3; int &r; mutable int mu; };
struct D : C { int y; };
struct W { int operator+(int) const; W &operator++(); int operator[](int); W *operator->(); int operator*(); explicit operator bool() const; int operator()(int); int *operator&(); int x; };
struct I { operator int() const; };
class P { int x; static int s; void m(); typedef int type; int operator+(int); P(int); public: P(); int y; };
struct G { G() = delete; int x; int operator-(int) = delete; void m() = delete; };
struct Q { ~Q() = delete; int x; };
struct Agg { int a; float b; };
struct N { N(int); N(const char *, int = 0); };
struct X; union U2 { int i; float f; };
template<class T> struct K { enum : long { v = 9 }; };
template<> struct K<void> { enum : long { v = 1 }; }; template<> struct K<bool> { enum : long { v = 2 }; }; template<> struct K<char> { enum : long { v = 3 }; };
template<> struct K<int> { enum : long { v = 4 }; }; template<> struct K<unsigned> { enum : long { v = 5 }; }; template<> struct K<float> { enum : long { v = 6 }; };
template<> struct K<double> { enum : long { v = 7 }; }; template<> struct K<long> { enum : long { v = 8 }; }; template<> struct K<E> { enum : long { v = 11 }; };
template<> struct K<S> { enum : long { v = 12 }; }; template<> struct K<C> { enum : long { v = 13 }; }; template<> struct K<Null> { enum : long { v = 14 }; };
template<> struct K<unsigned long> { enum : long { v = 15 }; }; template<> struct K<W> { enum : long { v = 16 }; }; template<> struct K<short> { enum : long { v = 17 }; };
template<class T> struct K<T *> { enum : long { v = 10 * K<T>::v + 1 }; }; template<class T> struct K<const T> { enum : long { v = 10 * K<T>::v + 2 }; };
template<class T> struct K<T &> { enum : long { v = 10 * K<T>::v + 3 }; }; template<class T> struct K<T &&> { enum : long { v = 10 * K<T>::v + 4 }; };
`

// validityTypes are the types of operands.
var validityTypes = []string{
	"int", "unsigned", "float", "double", "bool", "char", "short", "long", "void", "int *", "const int *", "float *", "void *", "const char *", "int (*)(int)", "E", "F", "S", "O",
	"C", "D", "W", "I", "P", "G", "Q", "Agg", "N", "X", "U2", "C *", "D *", "X *", "int [3]", "Null", "const int", "const float", "const E", "const C", "int &", "const int &", "int &&", "int C::*", "int (int)", "volatile int", "float4",
}

// validityUnary are expressions of one operand.
var validityUnary = []string{
	"+@", "-@", "~@", "!@", "&@", "*@", "++@", "--@", "@++", "@--", "(@)", "sizeof(@)", "sizeof @", "noexcept(@)", "@[0]", "@.x", "@.y", "@.c", "(@.x)", "@.s", "@.a", "@.bits", "&@.x", "&@.bits", "@.m()", "@.k()", "@.r", "(@.mu)", "@.en", "@->x", "@->y", "(@->x)", "@(1)", "@()", "@.none", "@.mu = 1",
	"(void)@", "(int)@", "(float)@", "(bool)@", "(long)@", "(int *)@", "(char)@", "(E)@", "(S)@", "static_cast<int>(@)", "static_cast<bool>(@)", "static_cast<E>(@)", "static_cast<S>(@)", "static_cast<void *>(@)", "static_cast<int *>(@)", "static_cast<const void *>(@)", "static_cast<void>(@)", "static_cast<float>(@)", "static_cast<int &>(@)", "static_cast<const int &>(@)", "static_cast<int &&>(@)",
	"reinterpret_cast<int *>(@)", "reinterpret_cast<long>(@)", "reinterpret_cast<int>(@)", "const_cast<int *>(@)", "const_cast<int &>(@)", "int(@)", "int{@}", "float(@)", "bool(@)", "C(@)", "N(@)", "D(@)",
	"@ = 1", "@ += 1", "@ -= 1.5f", "@ %= 2", "@ <<= 1", "@ = nullptr", "@ = e0", "@ = @", "@ == 0", "@ == nullptr", "@ < 0", "0 == @", "@ && true", "@ ? 1 : 2", "true ? @ : @", "true ? @ : 1", "true ? @ : nullptr", "@, 1", "1, @", "@ % 2", "@ << 1", "1 << @", "@ + 1", "1 + @", "@ - 1", "@ * 2", "@ / 2.f", "@ & 1", "@ | e0", "@ ^ S::s0", "@ == S::s0", "@ < e0",
	"new T", "new T()", "new T[3]", "delete @", "delete[] @", "throw @", "T()", "T{}", "T(1)", "T{1}", "T(@)", "(T)1", "static_cast<T>(1)", "static_cast<T>(nullptr)", "T::x", "&T::x", "&T::bits", "T::s", "(T::s)", "&T::s", "T::en", "T::m()", "&T::m", "&T::k", "sizeof(T)", "sizeof(T::x)", "alignof(T)", "val<T T::*>()", "val<T *>()", "val<T &>()", "*val<T *>()", "val<T *>() + 1", "val<T *>()[0]", "val<T *>() - val<T *>()", "val<T *>() < val<T *>()", "++val<T *&>()", "val<typename T::type>()", "val<T (*)()>()()", "val<void (*)(T)>()", "val<T (&)[2]>()", "val<T[2]>()", "typename T::type()", "dynamic_cast<C *>(@)", "sizeof(@.bits)", "((@))", "+(@)", "-(+@)", "!(@ == @)", "&*@", "*&@", "*@ = 1", "++*@", "@ ->* &C::x", "@.*(&C::x)", "*@ + 1", "&@[0]", "(@, @)", "!!@", "~+@", "- -@", "@ + @ * @", "static_cast<T &&>(@)", "static_cast<const T &>(@)", "(T)@", "const_cast<T &>(@)",
}

// validityBinary are expressions of two operands.
var validityBinary = []string{
	"@ + $", "@ - $", "@ * $", "@ / $", "@ % $", "@ << $", "@ >> $", "@ & $", "@ | $", "@ ^ $", "@ == $", "@ != $", "@ < $", "@ >= $", "@ && $", "@ || $", "@, $",
	"@ = $", "@ += $", "@ -= $", "@ *= $", "@ %= $", "@ &= $", "@ <<= $", "@[$]", "true ? @ : $", "static_cast<U>(@)", "val<void (&)(U)>()(@)", "(U)@", "reinterpret_cast<U>(@)",
}

// A validityCase says which type an expression has for operands of the types T and U, or that it is not valid.
type validityCase struct{ expression, types string }

// validitySource declares a constant for each of cases: 0 if the expression is not valid, and the number of its type otherwise.
func validitySource(cases []validityCase) string {
	var b strings.Builder
	b.WriteString(validityPrelude)
	templates := make(map[string]int)
	for i, one := range cases {
		n, ok := templates[one.expression]
		if !ok {
			n = len(templates)
			templates[one.expression] = n
			fmt.Fprintf(&b, "template<class T, class U, class = void> struct D%[1]d { enum : long { v = 0 }; }; template<class T, class U> struct D%[1]d<T, U, V<decltype(%[2]s)>> { enum : long { v = K<decltype(%[2]s)>::v }; };\n", n, one.expression)
		}
		fmt.Fprintf(&b, "constexpr long c%d = D%d<%s>::v;\n", i, n, one.types)
	}
	return b.String()
}

// validityCases returns the cases of the expressions in list, of which binary ones have two operands.
func validityCases(list []string, binary bool, stride int) (cases []validityCase) {
	others := []string{"int"}
	if binary {
		others = validityTypes
	}
	n := 0
	for _, one := range list {
		for _, operand := range []string{"val<T &>()", "val<T>()"} {
			text := strings.ReplaceAll(strings.ReplaceAll(one, "@", operand), "$", strings.Replace(operand, "<T", "<U", 1))
			for _, t := range validityTypes {
				if one == "&T::m" && t == "G" {
					continue // nvcc counts the address of a deleted function as valid, and then refuses it
				}
				for _, u := range others {
					if n++; n%stride == 0 && (text != one || operand == "val<T>()") {
						cases = append(cases, validityCase{text, t + ", " + u})
					}
				}
			}
		}
	}
	return cases
}

var validityStride = flag.Int("validity.stride", 11, "of so many expressions of two operands, one is tried at most")

// What counts as valid is what nvcc and clang say, also where an expression decides which specialisation is meant: C++ standard,
// [temp.deduct].
func TestValidityIsTheCompilers(t *testing.T) {
	cases := append(validityCases(validityUnary, false, testenv.Stride(3)), validityCases(validityBinary, true, *validityStride*testenv.Stride(4))...)
	known := 0
	var sources []string
	const most = 2000 // of a file: reading one has a limit
	for begin := 0; begin < len(cases); begin += most {
		part := cases[begin:min(begin+most, len(cases))]
		source := validitySource(part)
		constants := parseWith(t, source, "").Constants
		for i, one := range part {
			if v, ok := constants[fmt.Sprint("c", i)]; ok {
				known++
				source += fmt.Sprintf("static_assert(c%d == %d, \"%d: %s with %s\");\n", i, v, v, one.expression, one.types)
			}
		}
		sources = append(sources, source)
	}
	assert.Greater(t, known, len(cases)*4/5, "of %d", len(cases))
	for name, command := range map[string]func(t *testing.T) []string{
		"nvcc": func(t *testing.T) []string {
			return []string{testenv.NVCCPath(t), "-std=c++17", "-arch=compute_75", "-w", "-ptx", "-o", os.DevNull}
		},
		"clang": func(t *testing.T) []string {
			return []string{testenv.ClangPath(t), "-x", "c++", "-std=c++17", "-w", "-fsyntax-only"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, source := range sources {
				assert.NoError(t, compiled(t, source, command(t)...))
			}
			assert.ErrorContains(t, compiled(t, sources[0]+"static_assert(c0 == -1, \"a control\");\n", command(t)...), "a control")
		})
	}
}

// requirements are constraints of T and U, for values a and b of these.
var requirements = []string{
	"requires(T a, U b) { a + b; }", "requires(T a, U b) { a % b; a == b; }", "requires(T &a, U b) { a = b; }", "requires(T a) { a.x; }", "requires { typename T::type; }", "requires { typename K<T>; requires sizeof(T) > 2; }", "requires(T a) { { a.x } -> std::same_as<int &>; }",
	"requires(T a) { { a + 1 } -> std::convertible_to<U>; }", "requires(T a) { { a(1) } -> std::same_as<int>; }", "requires(T a, U b) { { a < b } -> std::same_as<bool>; } || requires { typename T::type; }", "Adds<T, U> && requires(T *a) { *a; }", "!Adds<T, U>", "!requires { typename T::type; } && (Adds<T, int> || Adds<U, U>)",
	"std::convertible_to<T, U>", "std::is_convertible_v<T, U>", "(sizeof(T) < 4 || Adds<T, U>)", "requires { requires Adds<T, U>; } && true", "Named<T>", "Named<T> || Adds<U, T>", "requires(T a) { new T; }", "requires(U (*f)(T)) { f(1); }", "requires { T(1); } && requires { U(); }",
}

// Constraints hold where nvcc says so: C++ standard, [temp.constr], [expr.prim.req].
func TestConstraintsAreTheCompilers(t *testing.T) {
	var b strings.Builder
	b.WriteString("#include <concepts>\n" + validityPrelude + `template<class A, class B> concept Adds = requires(A a, B b) { a + b; }; template<class A> concept Named = sizeof(typename A::type) > 0;
template<bool> struct Holds { enum { v = 1 }; };
`)
	stride, all := testenv.Stride(7), 0
	var names []string
	for i, one := range requirements {
		fmt.Fprintf(&b, "template<class T, class U> concept R%[1]d = %[2]s;\ntemplate<class T, class U> struct P%[1]d { enum { v = 0 }; }; template<class T, class U> requires (%[2]s) struct P%[1]d<T, U *> { enum { v = 2 }; };\n", i, one)
		for j, x := range validityTypes {
			for k, y := range validityTypes {
				if (i+j*len(validityTypes)+k)%(7*stride) == 0 && x != "void" && y != "void" {
					names = append(names, fmt.Sprintf("%s with %s, %s", one, x, y), fmt.Sprintf("partial %s with %s, %s", one, x, y))
					fmt.Fprintf(&b, "constexpr long c%d = R%d<%s, %s>;\n", all, i, x, y)
					fmt.Fprintf(&b, "constexpr long c%d = P%d<%s, %s *>::v;\n", all+1, i, x, strings.NewReplacer("&", "", "int [3]", "int", "int (*)(int)", "int", "int (int)", "int", "int C::*", "int").Replace(y))
					all += 2
				}
			}
		}
	}
	source, known := b.String(), 0
	config := cu.Config{Std: "c++20"}
	file, err := config.ParseFile("k.cu", []byte(source))
	require.NoError(t, err)
	for i := range all {
		if v, ok := file.Constants[fmt.Sprint("c", i)]; ok {
			known++
			source += fmt.Sprintf("static_assert(c%d == %d, \"%s\");\n", i, v, names[i])
		}
	}
	assert.Greater(t, known, all*7/10, "of %d", all)
	command := []string{testenv.NVCCPath(t), "-std=c++20", "-arch=compute_75", "-w", "-ptx", "-o", os.DevNull}
	assert.NoError(t, compiled(t, source, command...))
	assert.Error(t, compiled(t, source+"static_assert(c0 == 5);\n", command...), "a control")
}

// compiled compiles source with command.
func compiled(t *testing.T, source string, command ...string) error {
	path := filepath.Join(t.TempDir(), "k.cu")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o644))
	out, err := exec.CommandContext(t.Context(), command[0], append(command[1:], path)...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return err
}
