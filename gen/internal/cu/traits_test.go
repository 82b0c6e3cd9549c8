package cu

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/ctype"
)

// Types that are computed with <type_traits> and <limits>: C++ standard, [meta],
// [numeric.limits].
func TestTraits(t *testing.T) {
	for _, test := range []struct{ name, source, parameter, want string }{
		{"conditional", "", "std::conditional_t<(sizeof(int) > 2), float, char> a", "float"},
		{"conditional::type", "", "typename std::conditional<false, float, const char *>::type a", "char const*"},
		{"the type that is not chosen", "", "std::conditional_t<true, int, Unknown> a", "int"},
		{"of cuda::std", "", "cuda::std::conditional_t<true, int, char> a, ::std::remove_const_t<const int> *b", "int, int*"},
		{"enable_if", "", "std::enable_if_t<true, short> a, std::enable_if<1>::type *b", "short, void*"},
		{"qualifiers", "", "std::remove_cv_t<const volatile int> *a, std::remove_volatile_t<const volatile int> *b, std::remove_const_t<int> *c", "int*, int const*, int*"},
		{"references", "", "std::remove_reference_t<const int &> *a, std::remove_cvref_t<const int &&> *b, std::remove_reference_t<int> c", "int const*, int*, int"},
		{"pointers", "", "std::remove_pointer_t<int *> a, std::add_pointer_t<const int &> b, std::remove_pointer_t<int> c", "int, int const*, int"},
		{"add_const", "", "std::add_const_t<int> *a, std::add_const_t<int &> b, std::type_identity_t<int> c", "int const*, int&, int"},
		{"signs", "typedef const int CI;", "std::make_unsigned_t<char> a, std::make_signed_t<unsigned long> b, std::make_unsigned_t<CI> *c", "unsigned char, long, unsigned int const*"},
		{"underlying_type", "enum class E : short { a };", "std::underlying_type_t<E> a", "short"},
		{"is_same", "template <int> struct A {};", "A<std::is_same_v<int, signed> + 2 * std::is_same<int, const int>::value> *a", "A<1>*"},
		{"properties", "template <int> struct A {}; enum E { a };",
			"A<std::is_const_v<const int> + 2 * std::is_integral_v<bool> + 4 * std::is_floating_point_v<int> + 8 * std::is_pointer_v<int *> + 16 * std::is_void_v<int> + 32 * std::is_arithmetic_v<float> + 64 * std::is_enum_v<E>> *a", "A<107>*"},
		{"numeric_limits", "template <long> struct A {};", "A<std::numeric_limits<signed char>::max()> *a, A<std::numeric_limits<int>::min()> *b, A<std::numeric_limits<unsigned>::lowest()> *c, A<std::numeric_limits<bool>::digits> *d",
			"A<127l>*, A<-2147483648l>*, A<0l>*, A<1l>*"},
		{"a constant", "constexpr std::size_t none = std::numeric_limits<std::size_t>::max(); template <std::size_t N = none> struct A {};", "A<> *a", "A<18446744073709551615ul>*"},
		{"classes as arguments", "template <class T> struct A {}; template <int N> struct V {};",
			"A<std::integral_constant<int, 3>> *a, A<std::enable_if<true>> *b, A<cuda::std::is_same<int, short>> *c, A<std::conditional<(1 > 2), std::is_void<int>, char>> *d, A<::std::integral_constant<unsigned, 7>> *e",
			"A<std::integral_constant<int, 3> >*, A<std::enable_if<true, void> >*, A<cuda::std::is_same<int, short> >*, A<std::conditional<false, std::is_void<int>, char> >*, A<std::integral_constant<unsigned int, 7u> >*"},
		{"values of classes as arguments", "template <class T> struct A { static const int n = T::value; }; template <int N> struct V {}; typedef std::integral_constant<int, 5> five;",
			"V<A<std::integral_constant<int, 3>>::n> *a, V<A<five>::n> *b, V<std::is_same_v<A<five>, A<std::integral_constant<int, 2 + 3>>>> *c, V<std::is_same_v<five, std::integral_constant<long, 5>>> *d", "V<3>*, V<5>*, V<1>*, V<0>*"},
		{"in a class template", "template <class T, bool C> struct A { using V = std::conditional_t<C, T const, T>; V *p; };", "A<int, true>::V *a", "int const*"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := parseClean(t, test.source+"\n__global__ void k("+test.parameter+") {}")
			require.Len(t, file.Kernels, 1)
			require.Empty(t, file.Kernels[0].Errors)
			var got []string
			for _, p := range file.Kernels[0].Params {
				got = append(got, p.Type.Demangled())
			}
			assert.Equal(t, test.want, strings.Join(got, ", "))
		})
	}
}

func TestTraitsNotUnderstood(t *testing.T) {
	for _, test := range []struct{ name, source, parameter, want string }{
		{"a condition that is not known", "", "std::conditional_t<Unknown::value, int, char> a", "Unknown::value is not a constant"},
		{"no type", "", "std::enable_if_t<false, int> a", "the condition of enable_if_t does not hold"},
		{"arguments", "", "std::remove_const_t<int, int> a", "remove_const_t has 2 arguments, not 1"},
		{"sign of a float", "", "std::make_unsigned_t<float> a", "make_unsigned_t of float is not understood"},
		{"limits of a float", "", "std::conditional_t<(std::numeric_limits<long double>::digits > 3), int, char> a", "numeric_limits of long double is not understood"},
		{"the class itself", "", "std::is_same<int, int> a", "whose layout is not understood"},
		// In a pattern T is any type: whether it is int is not known.
	} {
		t.Run(test.name, func(t *testing.T) {
			file, err := ParseFile("k.cu", []byte(test.source+"\n__global__ void k("+test.parameter+") {}"))
			require.NoError(t, err)
			require.Len(t, file.Kernels, 1)
			require.Len(t, file.Kernels[0].Errors, 1)
			assert.Contains(t, file.Kernels[0].Errors[0].Message.Error(), test.want)
		})
	}
}

// A kernel template whose instances are limited by its return type.
func TestKernelOfEnableIf(t *testing.T) {
	file := parseClean(t, `
//cudagen:instantiate T=int,N=3
template <typename T, int N>
__global__ typename std::enable_if<(N > 2)>::type a(T *x) {}
//cudagen:instantiate T=int
template <typename T>
__global__ std::enable_if_t<std::is_integral<T>::value> b(T x) {}
`)
	require.Len(t, file.Kernels, 4)
	for _, k := range file.Kernels {
		assert.Empty(t, k.Errors, k.Name)
	}
	assert.Equal(t, ctype.Type(ctype.Builtin(ctype.Int)), ctype.Unqualified(file.Kernels[3].Params[0].Type))
}
