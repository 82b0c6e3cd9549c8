package layout_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/layout"
	"github.com/cudagen/cudagen/internal/testenv"
)

// constantsBefore is what the expressions in constants use.
const constantsBefore = `
#define HD __host__ __device__
enum Plain { P0 = 3, P1, P2 = 1u << 4, P3 = sizeof(int) };
enum Huge : unsigned long { H0 = 1, H1 = ~0ul };
enum class Strict : unsigned char { S0 = 200, S1 };
enum Negative { N0 = -1, N1 = 0x7fffffff };
enum Wide { W0 = 1, W1 = 1l << 40 };
enum Grow { G0 = 0x7fffffff, G1 };

HD constexpr int cdiv(int a, int b) { return (a + b - 1) / b; }
HD constexpr unsigned log2_(unsigned n) { return n <= 1 ? 0 : 1 + log2_(n / 2); }
constexpr int fact(int n) { if (n <= 1) return 1; return n * fact(n - 1); }
constexpr int sumTo(int n) { int s = 0; for (int i = 1; i <= n; ++i) s += i; return s; }
constexpr int collatz(unsigned long n) { int steps = 0; while (n != 1) { if (n % 2 == 0) n /= 2; else n = 3 * n + 1; steps++; } return steps; }
constexpr int digits(int n) { int d = 0; do { n /= 10; d++; } while (n); return d; }
constexpr int classify(int n) { switch (n) { case 0: return 10; case 1: case 2: n += 20; break; case 3: { n = 5; } default: n = 99; } return n; }
constexpr bool isPrime(int n) { if (n < 2) return false; for (int i = 2; i * i <= n; i++) { if (n % i == 0) return false; } return true; }
constexpr int primes(int n) { int found = 0, i = 0; for (;;) { if (found == n) break; ++i; if (!isPrime(i)) continue; found++; } return i; }
constexpr int table(int i) { const int t[] = {2, 3, 5, 7, 11}; return t[i]; }
constexpr int sorted(int k) { int t[5] = {5, 3, 9, 1}; for (int i = 0; i < 5; i++) for (int j = i + 1; j < 5; j++) if (t[j] < t[i]) { int x = t[i]; t[i] = t[j]; t[j] = x; } return t[k]; }
constexpr void addOne(int &x) { x += 1; }
constexpr int byReference(int n) { addOne(n); addOne(n); return n; }
constexpr unsigned char narrow(unsigned n) { return n; }
constexpr int defaulted(int a, int b = 7, int c = 2) { return a * 100 + b * 10 + c; }
constexpr auto deduced(short a) { return a + 1l; }
constexpr auto trailing(int a) -> unsigned char { return a; }
constexpr int over(int) { return 1; }
constexpr int over(double) { return 2; }
constexpr int over(unsigned) { return 3; }
constexpr int over(int, int) { return 4; }
constexpr int ahead(int n);
constexpr int ahead(int n) { return n + 40; }
HD int plainFunction(float);
HD double realFunction(int);
HD const char *textFunction();
template <int N> constexpr int log2T() { return N <= 1 ? 0 : 1 + log2T<(N > 1 ? N / 2 : 1)>(); }
template <class T> HD constexpr T ceilDiv(T a, T b) { return (a + b - 1) / b; }
template <class T> constexpr T clampT(const T &v, const T &lo, const T &hi) { return v < lo ? lo : hi < v ? hi : v; }
template <class T, class U = int> constexpr int sizes(T) { return sizeof(T) * 10 + sizeof(U); }
template <class T> constexpr int bitsOf() { return 8 * sizeof(T); }
template <class T> constexpr int pick() { if constexpr (sizeof(T) == 4) { return 4; } else if constexpr (sizeof(T) == 8) return 8; else return 1; }
template <int N> constexpr int twiceV = N * 2;
template <> constexpr int twiceV<5> = 1000;
template <class T> constexpr bool isFloatV = false;
template <> constexpr bool isFloatV<float> = true;
template <class T> constexpr int rankV = 1;
template <class T> constexpr int rankV<T *> = rankV<T> + 1;
template <class T, int N = 3> constexpr T filledV = T(N);

constexpr int list[] = {1, 4, 9, 16, 25};
constexpr int grid[2][3] = {{1, 2, 3}, {4, 5}};
constexpr float quarter = 0.25f;
constexpr double third = 1.0 / 3;
const int plainConst = 12;
static const unsigned long longConst = 5;
int variableInt; float variableArray[7]; double *variablePointer; extern short externShort[3];
constexpr auto autoConst = 5u;

struct Pair { int a; double b; };
struct Config { int block = 128; int warps = block / 32; float scale = 1.5f; static constexpr int kStages = 4; constexpr int threads() const { return block * warps; } constexpr int plus(int n) const { return threads() + n; } static constexpr int round(int n) { return (n + 31) / 32 * 32; } };
constexpr Config config{};
constexpr Config other{64, 3};
constexpr Pair pairOf(int n) { return {n, n * 0.5}; }
constexpr Pair pairs[2] = {{1, 2.5}, {3, 4.5}};
template <int M, int N> struct Shape { static constexpr int kM = M, kN = N, kMN = kM * kN; enum { kSum = M + N }; static constexpr int area(int d) { return kMN * d; } };
template <class T> struct Traits { static const int size = sizeof(T); typedef T type; };
template <> struct Traits<char> { static const int size = 77; };
struct Fields { char c; int bits : 3; short s[5]; Pair p; union { int i; double d; }; const float *q; };
struct Derived : Pair { char more; };
namespace ns { constexpr int inner = 6; constexpr int scaled(int n) { return n * inner; } namespace deep { constexpr int inner = 60; } }
constexpr int sameName = 1;
namespace ns2 { constexpr int readsGlobal() { return sameName * 10; } }
`

// A constantTest is an expression with its value, as the compilers have it, and the size of its
// type.
type constantTest struct {
	expression string
	want       int64
	size       int64
}

// libraryConstants are those of the C++ library, which are known without its headers.
var libraryConstants = []constantTest{
	{"std::numeric_limits<int>::max()", 2147483647, 4}, {"std::numeric_limits<long>::min()", -9223372036854775807 - 1, 8}, {"std::numeric_limits<unsigned>::max()", 4294967295, 4}, {"std::numeric_limits<unsigned long>::max() >> 1", 9223372036854775807, 8},
	{"std::numeric_limits<signed char>::lowest()", -128, 1}, {"std::numeric_limits<bool>::max()", 1, 1}, {"std::numeric_limits<bool>::digits", 1, 4}, {"std::numeric_limits<short>::digits", 15, 4}, {"std::numeric_limits<unsigned long>::digits", 64, 4},
	{"std::numeric_limits<float>::max() > 3e38", 1, 1}, {"(long)(1 / std::numeric_limits<float>::epsilon())", 8388608, 8}, {"std::numeric_limits<double>::lowest() < 0", 1, 1}, {"(long)(1 / std::numeric_limits<double>::epsilon())", 4503599627370496, 8}, {"std::numeric_limits<float>::min() > 0", 1, 1},
	{"std::numeric_limits<float>::is_integer", 0, 1}, {"std::numeric_limits<float>::is_signed", 1, 1}, {"std::numeric_limits<unsigned>::is_signed", 0, 1}, {"std::integral_constant<int, 7>::value", 7, 4}, {"std::is_signed<char>::value", 1, 1}, {"std::is_signed_v<float>", 1, 1}, {"std::is_unsigned_v<unsigned short>", 1, 1},
	{"std::is_unsigned_v<float>", 0, 1}, {"std::is_reference_v<int &>", 1, 1}, {"std::is_array_v<int[3]>", 1, 1}, {"std::max(3, 7)", 7, 4}, {"std::min(3, 7)", 3, 4}, {"std::max<long>(3, 7)", 7, 8}, {"std::is_same_v<decltype(plainConst), const int>", 1, 1}, {"std::is_same_v<decltype((variableInt)), int &>", 1, 1},
	{"std::is_same_v<decltype(1 + 1l), long>", 1, 1}, {"std::is_same_v<decltype(variableArray), float[7]>", 1, 1}, {"std::is_same_v<decltype('a' + 'b'), int>", 1, 1}, {"std::is_same_v<decltype(P0), Plain>", 1, 1}, {"std::is_same_v<decltype(*variablePointer), double &>", 1, 1}, {"std::is_same_v<decltype(1.0f * 2), float>", 1, 1},
	{"std::is_same_v<decltype(1u + 1l), long>", 1, 1}, {"std::is_same_v<decltype(1ul + 1ll), unsigned long long>", 1, 1}, {"std::is_same_v<decltype(config), const Config>", 1, 1}, {"std::is_same_v<decltype(&variableInt), int *>", 1, 1}, {"std::is_same_v<decltype(config.block), int>", 1, 1}, {"std::is_same_v<decltype(pairOf(1)), Pair>", 1, 1},
	{"std::is_same_v<decltype(true ? 1 : 2l), long>", 1, 1}, {"std::is_same_v<decltype(sizeof(int)), unsigned long>", 1, 1}, {"std::is_same_v<decltype(variableInt = 3), int &>", 1, 1}, {"std::is_same_v<decltype(variableInt, 3l), long>", 1, 1}, {"std::is_same_v<decltype(Fields::p), Pair>", 1, 1},
	{"std::is_same_v<decltype(true ? variableInt : variableInt), int &>", 1, 1}, {"std::is_same_v<decltype(0, variableInt), int &>", 1, 1}, {"std::is_same_v<decltype(variableArray[0]), float &>", 1, 1}, {"std::is_same_v<decltype((config.block)), const int &>", 1, 1}, {"std::is_same_v<decltype(static_cast<int &&>(variableInt)), int &&>", 1, 1},
	{"std::is_same_v<decltype(list), const int[5]>", 1, 1}, {"std::is_same_v<decltype(list[0]), const int &>", 1, 1}, {"std::is_same_v<decltype(-'a'), int>", 1, 1}, {"std::is_same_v<decltype(!1.0), bool>", 1, 1}, {"std::is_same_v<decltype(1 << 2l), int>", 1, 1}, {"std::is_same_v<decltype(Strict::S0), Strict>", 1, 1},
	{"std::is_same_v<decltype(\"ab\"), const char (&)[3]>", 1, 1}, {"std::is_same_v<decltype(variablePointer + 1), double *>", 1, 1}, {"std::is_same_v<decltype(variablePointer - variablePointer), long>", 1, 1}, {"std::is_same_v<decltype(plainFunction(1)), int>", 1, 1}, {"std::is_same_v<decltype(int{}), int>", 1, 1}, {"std::is_same_v<decltype(autoConst), const unsigned>", 1, 1},
}

// constants are those of the language.
var constants = []constantTest{
	{"P0 + P1", 7, 4}, {"P2", 16, 4}, {"P0 - 4 < 0", 1, 1}, {"P3", 4, 4}, {"-P0", -3, 4}, {"H1 > 0", 1, 1}, {"H1 >> 60", 15, 8}, {"(int)Strict::S1", 201, 4}, {"N0 < 0", 1, 1}, {"W1 >> 39", 2, 8},
	{"static_cast<unsigned char>(Strict::S0) + 100", 300, 4}, {"Strict::S0 == Strict::S0", 1, 1}, {"Strict::S0 < Strict::S1", 1, 1}, {"G1", 2147483648, 4},
	{"'\\377' < 0", 1, 1}, {"'\\0'", 0, 1}, {"'\\033'", 27, 1}, {"'\\x41'", 65, 1}, {"'\\xff'", -1, 1}, {"'ab'", 24930, 4}, {"'abcd'", 1633837924, 4}, {"L'\\xff'", 255, 4}, {"u'\\xffff'", 65535, 2},
	{"U'\\xffffffff' > 0", 1, 1}, {"u'\\u00e9'", 233, 2}, {"U'\\U0001F600'", 128512, 4}, {"'\\u0041'", 65, 1}, {"u8'a'", 97, 1}, {"L'\\377'", 255, 4}, {"'\\''", 39, 1}, {"'\\1234'", 21300, 4}, {"L'\u00e9'", 233, 4},
	{"1 << 31", -2147483648, 4}, {"1l << 63 < 0", 1, 1}, {"1u << 31", 2147483648, 4}, {"3u - 4", 4294967295, 4}, {"-1 < 0u", 0, 1}, {"(char)200", -56, 1}, {"(unsigned char)-1", 255, 1}, {"(bool)7", 1, 1}, {"(short)70000", 4464, 2},
	{"2147483648 - 1", 2147483647, 8}, {"1ull * 3", 3, 8}, {"5 / 2 * 2.0", 4, 8}, {"7.9", 7, 8}, {"(int)-7.9", -7, 4}, {"(int)(0.1f * 10)", 1, 4}, {"(int)(0.1 + 0.7) * 10", 0, 4}, {"(int)((0.1 + 0.7) * 10)", 7, 4}, {"(int)((0.1f + 0.7f) * 10)", 8, 4},
	{"(long)1e15", 1000000000000000, 8}, {"(int)0x1.8p3", 12, 4}, {"(int)(16777217 * 1.0f)", 16777216, 4}, {"(int)(1.0f / 3 * 3)", 1, 4}, {"1.5 > 1", 1, 1}, {"(unsigned)3.99f", 3, 4}, {"1e3", 1000, 8}, {".5f * 4", 2, 4}, {"!0.5", 0, 1}, {"2.5 ? 1 : 2", 1, 4},
	{"(3, 4)", 4, 4}, {"1 ? 2 : 3l", 2, 8}, {"true + true", 2, 4}, {"true ? 1u : -1", 1, 4}, {"sizeof(1 ? 'a' : 'b')", 1, 8}, {"0 && 1 / 0", 0, 1}, {"1 || 1 / 0", 1, 1}, {"1 ? 5 : 1 / 0", 5, 4}, {"not 0 and true", 1, 1},
	{"bool{}", 0, 1}, {"int{}", 0, 4}, {"int{7}", 7, 4}, {"unsigned(-1) > 0", 1, 1}, {"double(3) / 2 * 2", 3, 8}, {"int() + 0", 0, 4}, {"float{2}", 2, 4}, {"(unsigned long long)-1 == ~0ull", 1, 1},
	{"cdiv(1000, 128)", 8, 4}, {"log2_(1024)", 10, 4}, {"fact(10)", 3628800, 4}, {"sumTo(100)", 5050, 4}, {"collatz(27)", 111, 4}, {"digits(12345)", 5, 4}, {"classify(0)", 10, 4}, {"classify(2)", 22, 4}, {"classify(3)", 99, 4}, {"classify(8)", 99, 4},
	{"isPrime(97)", 1, 1}, {"primes(10)", 29, 4}, {"table(3)", 7, 4}, {"sorted(0)", 0, 4}, {"sorted(4)", 9, 4}, {"byReference(5)", 7, 4}, {"narrow(300)", 44, 1}, {"defaulted(1)", 172, 4}, {"defaulted(1, 2)", 122, 4}, {"(long)deduced(4)", 5, 8}, {"trailing(258)", 2, 1},
	{"over(1)", 1, 4}, {"over(1.0)", 2, 4}, {"over(1u)", 3, 4}, {"over(1, 2)", 4, 4}, {"ahead(2)", 42, 4}, {"log2T<1024>()", 10, 4}, {"ceilDiv(10, 4)", 3, 4}, {"ceilDiv<long>(10, 4)", 3, 8}, {"clampT(15, 0, 10)", 10, 4}, {"sizes(1.0)", 84, 4}, {"sizes<char, short>(1)", 12, 4},
	{"bitsOf<double>()", 64, 4}, {"pick<float>()", 4, 4}, {"pick<long>()", 8, 4}, {"pick<char>()", 1, 4}, {"twiceV<4>", 8, 4}, {"twiceV<5>", 1000, 4}, {"isFloatV<float>", 1, 1}, {"isFloatV<int>", 0, 1}, {"rankV<int **>", 3, 4}, {"filledV<long>", 3, 8}, {"filledV<char, 65>", 65, 1},
	{"list[3]", 16, 4}, {"grid[1][1]", 5, 4}, {"grid[1][2]", 0, 4}, {"sizeof(list) / sizeof(list[0])", 5, 8}, {"sizeof(grid)", 24, 8}, {"(int)(quarter * 16)", 4, 4}, {"(int)(third * 3)", 1, 4}, {"plainConst * longConst", 60, 8}, {"autoConst - 6", 4294967295, 4},
	{"config.block", 128, 4}, {"config.warps", 4, 4}, {"other.threads()", 192, 4}, {"config.plus(3)", 515, 4}, {"Config::kStages", 4, 4}, {"config.kStages", 4, 4}, {"Config::round(33)", 64, 4}, {"pairOf(3).a", 3, 4}, {"(int)(pairOf(4).b * 10)", 20, 4}, {"pairs[1].a", 3, 4}, {"(int)pairs[1].b", 4, 4}, {"Config{256}.warps", 8, 4}, {"Config{}.block", 128, 4}, {"(int)(config.scale * 2)", 3, 4},
	{"Shape<4, 8>::kMN", 32, 4}, {"Shape<4, 8>::kSum", 12, 4}, {"Shape<4, 8>::area(2)", 64, 4}, {"Traits<double>::size", 8, 4}, {"Traits<char>::size", 77, 4}, {"sizeof(Traits<short>::type)", 2, 8}, {"ns::scaled(7)", 42, 4}, {"ns::deep::inner", 60, 4}, {"ns2::readsGlobal()", 10, 4},
	{`sizeof("hello")`, 6, 8}, {`sizeof("a\n\x41\0")`, 5, 8}, {`sizeof("ab" "cd")`, 5, 8}, {`sizeof(L"ab")`, 12, 8}, {`sizeof(R"x(a\n)x")`, 4, 8}, {`sizeof("\u00e9")`, 3, 8}, {"sizeof(variableInt)", 4, 8}, {"sizeof variableArray", 28, 8}, {"sizeof(variableArray[0])", 4, 8}, {"sizeof(*variablePointer)", 8, 8}, {"sizeof(variablePointer)", 8, 8}, {"sizeof(externShort)", 6, 8}, {"sizeof(variableInt + 1.0)", 8, 8},
	{"sizeof(Fields::s)", 10, 8}, {"sizeof(Fields::p.b)", 8, 8}, {"sizeof(((Fields *)0)->s)", 10, 8}, {"sizeof(plainFunction(1))", 4, 8}, {"sizeof(realFunction(1))", 8, 8}, {"sizeof(*textFunction())", 1, 8}, {"sizeof(Pair)", 16, 8}, {"sizeof(int[3])", 12, 8}, {"sizeof(int) * 2", 8, 8}, {"sizeof 1", 4, 8}, {"sizeof(char) + 1", 2, 8}, {"sizeof(Pair::b)", 8, 8},
	{"alignof(Pair)", 8, 8}, {"alignof(double)", 8, 8}, {"__builtin_offsetof(Fields, p)", 16, 8}, {"__builtin_offsetof(Fields, p.b)", 24, 8}, {"__builtin_offsetof(Fields, s[2])", 6, 8}, {"__builtin_offsetof(Fields, d)", 32, 8}, {"__builtin_offsetof(Fields, q)", 40, 8},
	{"sizeof(decltype(variableArray))", 28, 8}, {"sizeof(decltype(Fields::s))", 10, 8}, {"sizeof(decltype(sizeof(int)))", 8, 8}, {"(decltype(variableInt))3.5", 3, 4}, {"sizeof(decltype(plainFunction(1)))", 4, 8}, {"decltype(autoConst)(-1) > 0", 1, 1}, {"noexcept(1 + 2)", 1, 1}, {"noexcept(variableInt)", 1, 1}, {"sizeof(decltype(1 + 1.0f))", 4, 8}, {"sizeof(decltype(config.scale))", 4, 8},
	{"__CHAR_BIT__", 8, 4}, {"__cplusplus / 100", 2017, 8}, {"__INT_MAX__", 2147483647, 4}, {"__SIZEOF_LONG_LONG__", 8, 4},
}

// packsBefore is what the expressions in packs use.
const packsBefore = `
template <class T, class... U> constexpr int sizesOf(T, U... u) { return sizeof(T) + (0 + ... + int(sizeof(U))); }
template <class... T> constexpr unsigned long count(T... t) { return sizeof...(T) * 10 + sizeof...(t); }
template <class... T> constexpr auto total(T... t) { return (t + ... + 0); }
template <class... T> constexpr auto difference(T... t) { return (t - ...) * 100 + (... - t); }
template <int... N> constexpr int sumOf() { return (N + ... + 0); }
template <int B, unsigned... N> constexpr bool anyOf() { return ((N == B) || ...); }
template <class... T> constexpr int bytes() { return (int(sizeof(T)) + ... + 0); }
template <class F, class... T> constexpr int bytesBehind(F) { return sizeof(F) * 1000 + bytes<T...>(); }
constexpr int sum() { return 0; }
template <class T, class... U> constexpr int sum(T t, U... u) { return t + sum(u...); }
template <class T> constexpr T largest(T t) { return t; }
template <class T, class... U> constexpr T largest(T t, U... u) { const T r = largest(u...); return t < r ? r : t; }
template <class T> constexpr const T &least(const T &t) { return t; }
template <class T, class... U> constexpr T least(const T &t, const U &...u) { const T r = least(u...); return t < r ? t : r; }
template <int N> constexpr int product() { return N; }
template <int N, int M, int... R> constexpr int product() { return N * product<M, R...>(); }
template <class... T> constexpr int commas(T... t) { int s = 0; ((s = 10 * s + t), ...); return s; }
template <class... T> constexpr int steps(T... t) { int n = 0; (void)((++n, t) && ...); return n; }
template <class... T> constexpr int stepsOr(T... t) { int n = 0; (void)(... || (++n, t)); return n; }
template <class... T> constexpr int quotients(T... t) { return ((t != 0 && 12 / t > 2) && ...); }
template <class... T> constexpr int listed(T... t) { const int a[] = {t..., 7}; int s = 0; for (int i = 0; i < int(sizeof(a) / sizeof(a[0])); i++) s = 10 * s + a[i]; return s; }
constexpr int three(int a, int b, int c) { return 100 * a + 10 * b + c; }
template <class... T> constexpr int doubled(T... t) { return three((2 * t)...); }
template <class... T> constexpr int casts(T... t) { return three(static_cast<int>(t)..., sizeof...(T)); }
template <class... T> constexpr int forwarded(T &&...t) { return three(t...); }
template <class... T> constexpr int referred(const T &...t) { return (0 + ... + int(sizeof(t) * t)); }
template <class... T> constexpr int increments(T &...t) { ((t += 1), ...); return 0; }
constexpr int incremented() { int a = 1, b = 20; increments(a, b); return a + b; }
template <class... T> constexpr int pointers(T *...) { return (0 + ... + int(sizeof(T))); }
template <class... T> struct Pack { static constexpr int each(T... t) { return (0 + ... + int(t)); } template <class... U> static constexpr int both(U... u) { return 10 * sizeof...(T) + (0 + ... + int(u)); } static constexpr int size = bytes<T...>(); };
template <template <class> class... F> constexpr int templates() { return sizeof...(F); }
template <class T> struct Wrapped { T t; };
template <class... T> constexpr bool same = (std::is_same_v<T, int> && ...);
template <class... T> constexpr int names(T... t) { return sizeof...(t) == 0 ? 0 : 1 + (0 + ... + int(sizeof(Wrapped<T>))); }
template <class... T> constexpr auto kind(T &&...) { return (0 + ... + (std::is_reference_v<T> ? 1 : 10)); }
template <class T, int N = 2> struct Injected { T v[N]; char c; };
struct Both : Injected<float>, Injected<char> { Injected<long, 4> n; };
template <class... T> struct All : Injected<T>... { Injected<double, 3> m; };
template <class T> constexpr int form(T) { return 1; }
template <class T> constexpr int form(T *) { return 2; }
template <class T> constexpr int form(const T *) { return 3; }
template <class T, class U> constexpr int form(T, U) { return 4; }
template <class T> constexpr int form(T, T) { return 5; }
template <class T> constexpr int form(T, int) { return 6; }
template <class T> constexpr int wide(T, long) { return 1; }
template <class T> constexpr int wide(T t) { return wide(t, 0); }
constexpr int bound(int &) { return 1; }
template <class T> constexpr int bound(T) { return 2; }
`

// packs are calls of functions with packs of parameters, and of several templates that fit.
var packs = []constantTest{
	{"sizesOf(1, 'c', 2.0)", 13, 4}, {"sizesOf('c')", 1, 4}, {"sizesOf<long>(1)", 8, 4}, {"sizesOf<long, short>(1, 2, 3)", 14, 4}, {"sizesOf<long, short, char>(1, 2, 3)", 11, 4}, {"count()", 0, 8}, {"count(1, 2l, '3')", 33, 8}, {"count<long>(1)", 11, 8},
	{"(int)total()", 0, 4}, {"(int)total(1, 2, 3)", 6, 4}, {"(int)total(1, 2l)", 3, 4}, {"(long)total(1u, -2)", 4294967295, 8}, {"(int)difference(10, 3, 2)", 905, 4}, {"sumOf<>()", 0, 4}, {"sumOf<1, 2, 3>()", 6, 4}, {"anyOf<3, 1, 2>()", 0, 1}, {"anyOf<3, 1, 3>()", 1, 1}, {"anyOf<3>()", 0, 1},
	{"bytes<int, char>()", 5, 4}, {"bytes<>()", 0, 4}, {"bytesBehind<int, char, short>(1)", 4003, 4}, {"bytesBehind(1.0)", 8000, 4}, {"sum(1, 2, 3)", 6, 4}, {"sum()", 0, 4}, {"largest(3, 9, 4)", 9, 4}, {"largest('a', 98l)", 98, 1}, {"least(3, 9, 2)", 2, 4}, {"least(3l)", 3, 8},
	{"product<2, 3, 7>()", 42, 4}, {"product<5>()", 5, 4}, {"commas(1, 2, 3)", 123, 4}, {"commas()", 0, 4}, {"steps(1, 1, 0, 1)", 3, 4}, {"steps()", 0, 4}, {"stepsOr(0, 1, 0)", 2, 4}, {"quotients(2, 0, 5)", 0, 4}, {"quotients(2, 3, 4)", 1, 4}, {"quotients()", 1, 4},
	{"listed(1, 2)", 127, 4}, {"listed()", 7, 4}, {"doubled(1, 2, 3)", 246, 4}, {"casts(1.5, 2.9f)", 122, 4}, {"forwarded(1, 2, 3)", 123, 4}, {"referred(1, 2l, '\x01')", 21, 4}, {"incremented()", 23, 4}, {"pointers((int *)0, (int **)0, (const int *)0)", 16, 4},
	{"Pack<int, char>::each(1, 'a')", 98, 4}, {"Pack<>::each()", 0, 4}, {"Pack<int, char>::both(1, 2.5)", 23, 4}, {"Pack<int, char>::size", 5, 4}, {"templates<Wrapped, Wrapped>()", 2, 4}, {"same<int, int>", 1, 1}, {"names(1, 'a')", 6, 4}, {"(int)kind(1, list[0], plainConst)", 12, 4},
	{"sizeof(Both)", 56, 8}, {"sizeof(Both::Injected<char, 9>)", 10, 8}, {"sizeof(All<int, char, short>)", 56, 8},
	{"form(1)", 1, 4}, {"form((int *)0)", 2, 4}, {"form((const int *)0)", 3, 4}, {"form((int **)0)", 2, 4}, {"form('a', 1l)", 4, 4}, {"form(1l, 2l)", 5, 4}, {"form(1l, 2)", 6, 4}, {"wide('a')", 1, 4}, {"bound(3)", 2, 4},
}

// objectsBefore is what the expressions in objects use.
const objectsBefore = `
template <class T, T V> struct Ic { static constexpr T value = V; typedef T value_type; constexpr operator value_type() const noexcept { return value; } constexpr value_type operator()() const noexcept { return value; } };
template <int N> using Int = Ic<int, N>;
template <class T> struct Is : Ic<bool, sizeof(T) == 4> {};
struct Held { int a, b; void *operator new(unsigned long); constexpr operator int() const { return 10 * a + b; } constexpr int operator()(int c, int d = 2) const { return 100 * a + 10 * c + d; } constexpr long operator()(long) const { return 7; } };
struct Truth { int n; explicit constexpr operator bool() const { return n > 2; } };
struct Both2 { constexpr operator int() const { return 3; } explicit constexpr operator bool() const { return false; } };
struct Several { constexpr operator char() const { return 'a'; } constexpr operator double() const { return 2.5; } };
struct Real { constexpr operator float() const { return 2.75f; } };
struct Small { constexpr operator unsigned char() const { return 200; } };
enum Level { low = 4, high = 6 };
enum class Kind { a = 5 };
struct Leveled { constexpr operator Level() const { return high; } };
struct Kinded { constexpr operator Kind() const { return Kind::a; } };
struct Second { int x; constexpr operator long() const { return x; } };
struct Two : Held { };
struct Other { int x; };
struct Apply { template <class... T> constexpr int operator()(T... t) const { return (t + ... + sizeof...(t)); } };
constexpr int operator+(Other, Other) { return 1000; }
namespace far { struct Distant {}; constexpr int operator*(Distant, int) { return 1000; } template <class T> constexpr int operator-(Ic<T, 1>, Distant) { return 1; } }
struct Const { constexpr int operator()(int) { return 1; } constexpr int operator()(long) const { return 2; } constexpr int f(int) { return 3; } constexpr int f(long) const { return 4; } };
constexpr Const constObject{};
constexpr Held held{4, 2};
constexpr int fromObject = Int<9>{};
constexpr int tableOf(int i) { const int t[] = {2, 3, 5, 7}; return t[i]; }
constexpr int indexed() { const int t[] = {2, 3, 5, 7}; return t[Int<2>{}]; }
constexpr int choice(Truth t) { if (t) return 1; while (t) {} return t ? 3 : 4; }
constexpr int byLevel(Leveled v) { switch (v) { case 4: return 1; case Int<6>{}: return 2; } return 3; }
template <class T> constexpr int passed(T t) { return t + 1; }
template <int... N> constexpr int totalOf() { return (Int<N>{} + ... + 0); }
template <class... T> constexpr bool allOf() { return (Is<T>{} && ...); }
template <int N> struct Sized { char c[Int<N>{}]; enum { n = Int<N>{} + 1 }; };
`

// objects are objects of classes that are converted, and called.
var objects = []constantTest{
	{"Int<3>{} + 1", 4, 4}, {"1 + Int<3>{}", 4, 4}, {"Int<3>{}()", 3, 4}, {"Int<3>() + 0", 3, 4}, {"Int<3>{} * Int<5>{}", 15, 4}, {"Ic<long, 3>{} + 1", 4, 8}, {"Ic<char, 3>{} + Ic<char, 4>{}", 7, 4}, {"Ic<unsigned, 3>{} - 4 > 0", 1, 1}, {"-Int<3>{}", -3, 4}, {"~Ic<unsigned char, 1>{}", -2, 4}, {"+Ic<char, 3>{}", 3, 4},
	{"!Int<3>{}", 0, 1}, {"Int<3>{} && Int<0>{}", 0, 1}, {"Int<0>{} || Int<2>{}", 1, 1}, {"Int<0>{} && 1 / 0", 0, 1}, {"Int<3>{} ? 5 : 6", 5, 4}, {"Int<3>{} == 3", 1, 1}, {"Int<3>{} < Int<4>{}", 1, 1}, {"Int<1>{} << Int<4>{}", 16, 4}, {"Int<-1>{} < 0u", 0, 1}, {"true ? Int<3>{} : 4", 3, 4}, {"false ? 4l : Int<3>{}", 3, 8},
	{"(char)Int<300>{}", 44, 1}, {"static_cast<bool>(Int<300>{})", 1, 1}, {"long(Int<3>{})", 3, 8}, {"fromObject", 9, 4}, {"cdiv(Int<10>{}, Int<3>{})", 4, 4}, {"passed(Int<3>{})", 4, 4}, {"totalOf<1, 2, 3>()", 6, 4}, {"allOf<int, float>()", 1, 1}, {"allOf<int, char>()", 0, 1}, {"indexed()", 5, 4}, {"tableOf(Int<3>{})", 7, 4}, {"list[Int<3>{}]", 16, 4},
	{"sizeof(Sized<7>)", 7, 8}, {"Sized<7>::n", 8, 4}, {"Int<Int<3>{}>::value", 3, 4}, {"Int<Int<3>{} + Int<4>{}>{} + 0", 7, 4}, {"sizeof(char[Int<6>{}])", 6, 8}, {"Is<float>{} + 1", 2, 4}, {"Is<char>{}()", 0, 1}, {"Is<float>{} ? 8 : 9", 8, 4}, {"held + 1", 43, 4}, {"held(3)", 432, 4}, {"held(3, 1)", 431, 4}, {"held(3l)", 7, 8}, {"Held{1, 2} + 0", 12, 4}, {"Held{1, 2}(0)", 102, 4},
	{"constObject(1)", 2, 4}, {"constObject.f(1)", 4, 4}, {"Truth{3} ? 1 : 2", 1, 4}, {"Truth{2} || Truth{3}", 1, 1}, {"!Truth{2}", 1, 1}, {"static_cast<bool>(Truth{3})", 1, 1}, {"choice(Truth{3})", 1, 4}, {"choice(Truth{1})", 4, 4}, {"Both2{} + 1", 4, 4}, {"Both2{} ? 1 : 2", 2, 4}, {"(int)Both2{}", 3, 4}, {"(bool)Both2{}", 0, 1}, {"(int)Several{}", 97, 4}, {"(double)Several{} * 2", 5, 8}, {"(char)Several{}", 97, 1},
	{"Real{} * 4", 11, 4}, {"(int)Real{}", 2, 4}, {"Real{} > 2.5", 1, 1}, {"Small{} + 100", 300, 4}, {"(signed char)Small{}", -56, 1}, {"Leveled{} + 1", 7, 4}, {"Leveled{} == high", 1, 1}, {"byLevel(Leveled{})", 2, 4}, {"(int)(Kind)Kinded{}", 5, 4}, {"Second{5} + 1", 6, 8}, {"Apply{}(1, 2)", 5, 4}, {"Apply{}()", 0, 4}, {"sizeof(Int<3>{} + 1l)", 8, 8}, {"sizeof(held(1l))", 8, 8},
}

// operatorsBefore is what the expressions in operators use.
const operatorsBefore = `
struct Num { int x; constexpr operator int() const { return x; } };
constexpr Num operator+(Num a, const Num &b) { return {a.x * b.x}; }
constexpr int operator+(Num a, int) { return a.x + 70; }
namespace far { struct Num { int x; }; template <class T> constexpr int operator-(T t) { return t.x + 700; } constexpr bool operator<(Num a, Num b) { return a.x > b.x; } }
enum class Flag { a = 1, b = 6 };
constexpr Flag operator|(Flag x, Flag y) { return Flag(int(x) | int(y)); }
constexpr short operator~(Flag x) { return 40 + short(x); }
constexpr unsigned long long operator""_kb(unsigned long long n) { return n << 10; }
constexpr int operator""_len(const char *, unsigned long n) { return n; }
constexpr char operator""_next(char c) { return c + 1; }
constexpr int operator""_real(long double) { return 5; }
constexpr int operator""_both(unsigned long long) { return 1; }
constexpr int operator""_both(long double) { return 2; }
namespace units { inline namespace some { constexpr short operator""_m(unsigned long long n) { return n; } } }
using namespace units;
constexpr Flag operator,(Flag x, Flag y) { return Flag(int(x) + 8 * int(y)); }
extern int *address;
template <class U> __host__ __device__ char which(U *); template <class U> __host__ __device__ int which(U);
template <class U> __host__ __device__ int reversed(U); template <class U> __host__ __device__ char reversed(U *);
template <class U> constexpr int twice(U *p = nullptr); template <class T> constexpr int twice(T *q) { return sizeof(T); }
template <unsigned long N> constexpr char letter(const char (&s)[N]) { return s[2]; }
`

// operators are those of functions, and what literals become.
var operators = []constantTest{
	{"Num{2} + Num{3}", 6, 4}, {"Num{2} + 3", 72, 4}, {"3 + Num{2}", 5, 4}, {"Num{2} * Num{4}", 8, 4}, {"(Num{2} + Num{3}) + Num{5}", 30, 4},
	{"-far::Num{5}", 705, 4}, {"far::Num{5} < far::Num{6}", 0, 1}, {"int(Flag::a | Flag::b)", 7, 4}, {"~Flag::b", 46, 2},
	{"int((Flag::a, Flag::b))", 49, 4}, {"(1, 2)", 2, 4}, {"sizeof(which(address))", 1, 8}, {"sizeof(reversed(address))", 1, 8}, {"sizeof(which(1))", 4, 8},
	{"twice((char *)nullptr)", 1, 4}, {`sizeof(L"a" "bc")`, 16, 8}, {`sizeof("é" "a")`, 4, 8},
	{"4_kb", 4096, 8}, {"0x1'0_kb", 16384, 8}, {`"a" "bc"_len`, 3, 4}, {"'a'_next", 'b', 1}, {"2_both", 1, 4}, {"7_m", 7, 2}, {"7_m + 1_kb", 1031, 8},
	{`"abc"[1]`, 'b', 1}, {`"abc"[3]`, 0, 1}, {`2["abc"]`, 'c', 1}, {`"\x7f\12"[1]`, 10, 1}, {`L"a\x1234"[1]`, 0x1234, 4}, {`R"(a\n)"[1]`, '\\', 1}, {`letter<4>("xyz")`, 'z', 1},
}

// constantTests are the tables with what stands before each.
var constantTests = []struct {
	name, before string
	tests        []constantTest
}{
	{"language", constantsBefore, constants},
	{"packs", "#include <type_traits>\n" + constantsBefore + packsBefore, packs},
	{"objects", constantsBefore + objectsBefore, objects},
	{"operators and literals", constantsBefore + operatorsBefore, operators},
	{"library", "#include <cstdlib>\n#include <limits>\n#include <type_traits>\n#include <algorithm>\n" + constantsBefore, libraryConstants},
}

// sized returns the operand of sizeof for an expression.
func sized(expression string) string { return "(" + expression + ")" }

func TestConstantExpressions(t *testing.T) {
	config := cu.Config{SizeOf: layout.Of, OffsetOf: layout.Offset}
	for _, table := range constantTests {
		source := table.before
		for i, c := range table.tests {
			source += fmt.Sprintf("constexpr long long v%d = (long long)(%s), s%d = sizeof(%s);\n", i, c.expression, i, sized(c.expression))
		}
		file, err := config.ParseFile("in.cu", []byte(source+"__global__ void k(int n);\n"))
		require.NoError(t, err)
		for i, c := range table.tests {
			for name, want := range map[string]int64{fmt.Sprint("v", i): c.want, fmt.Sprint("s", i): c.size} {
				got, ok := file.Constants[name]
				if !ok {
					assert.Fail(t, "no value", "%s: %s: %s", name, c.expression, whyNot(t, source, name))
					continue
				}
				assert.Equal(t, want, got, "%s: %s", name, c.expression)
			}
		}
	}
}

// whyNot returns why the constant called name in source has no value.
func whyNot(t *testing.T, source, name string) string {
	config := cu.Config{SizeOf: layout.Of, OffsetOf: layout.Offset}
	file, err := config.ParseFile("in.cu", []byte(source+"__global__ void why(int (*x)["+name+"]);\n"))
	if err != nil {
		return err.Error()
	}
	return file.Kernels[len(file.Kernels)-1].Errors.Error()
}

// The tables have what compilers have.
func TestConstantExpressionsAgainstCompilers(t *testing.T) {
	for _, table := range constantTests {
		source := table.before + "__device__ long long values[] = {\n"
		for _, c := range table.tests {
			source += fmt.Sprintf("(long long)(%s), (long long)sizeof%s,\n", c.expression, sized(c.expression))
		}
		source += "};\n__global__ void k(long long *p) { *p = values[*p]; }\n"
		check := func(t *testing.T, ptx string) {
			got := deviceValues(t, ptx)
			require.Len(t, got, 2*len(table.tests))
			for i, c := range table.tests {
				assert.Equal(t, c.want, got[2*i], c.expression)
				assert.Equal(t, c.size, got[2*i+1], "the size of %s", c.expression)
			}
		}
		t.Run(table.name+" of nvcc", func(t *testing.T) {
			testenv.Need(t, testenv.NVCC)
			check(t, compile(t, source))
		})
		t.Run(table.name+" of clang", func(t *testing.T) { check(t, compileClang(t, source)) })
	}
}

// compileClang returns the PTX that clang makes of CUDA source without CUDA's headers.
func compileClang(t *testing.T, source string) string {
	t.Helper()
	clang := testenv.ClangPath(t)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.cu"), filepath.Join(dir, "out.ptx")
	words := "#define __global__ __attribute__((global))\n#define __device__ __attribute__((device))\n#define __host__ __attribute__((host))\n#define __constant__ __attribute__((constant))\n"
	require.NoError(t, os.WriteFile(in, []byte(words+source), 0o666))
	command := exec.Command(clang, "-x", "cuda", "-w", "-nocudainc", "-nocudalib", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-std=c++17", "-S", "-o", out, in)
	text, err := command.CombinedOutput()
	require.NoError(t, err, "%s", text)
	ptx, err := os.ReadFile(out)
	require.NoError(t, err)
	return string(ptx)
}

var deviceArray = regexp.MustCompile(`values\[\d+\] = \{([^}]*)\}`)

// deviceValues returns the numbers of 8 bytes in the variable values.
func deviceValues(t *testing.T, ptx string) []int64 {
	t.Helper()
	found := deviceArray.FindStringSubmatch(ptx)
	require.NotNil(t, found, "%s", ptx)
	bytes := strings.Contains(ptx, ".b8 values[")
	var values []int64
	for i, text := range strings.Split(found[1], ",") {
		text = strings.TrimSpace(text)
		n, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		switch {
		case !bytes:
			values = append(values, n)
		case i%8 == 0:
			values = append(values, n)
		default:
			values[i/8] |= n << (8 * (i % 8))
		}
	}
	return values
}
