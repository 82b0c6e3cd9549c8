package inspect_test

import (
	"fmt"
	"strings"
)

// A form is a pattern of one or several member declarations, in which fill replaces:
//
//	$f $b $h  a new field: plain, a bit-field, one that has no offset
//	$fi $fj   a field that the form declares later, as $i and $j
//	$I        a number that is the form's own, for macros
//	$n $N     a new name; one of a type that later fields may have
//	$m        the last new name
//	$S        the class
//	$o        a type of objects
//	$P        parameters
//	$Q $X     qualifiers of a function and noexcept; noexcept alone
//	$B $D     a body; a body or a semicolon
//	$E        a constant expression from 1 to 4
//	$A        an attribute that changes no layout
//
// Lines are separated by line ends. Behind a line that is "/*outside*/" comes what stands
// behind the class.
type form string

// functions are declarations of functions and operators, and of something that is not a function but
// looks like one. Those without a $n stand once in a class.
var functions = []form{
	// Plain ones.
	"$o $n($P)$Q$D", "$o $n($P)$Q$D", "void $n($P)$Q$D", "static $o $n($P)$X$D", "inline $o $n($P)$Q $B", "$o inline $n($P)$Q $B", "void static $n($P)$X$D", "constexpr int $n() const { return 1; }", "static constexpr int $n() { return 3; }",
	"static inline void $n($P)$X$D", "auto $n($P)$Q -> int$D", "auto $n() const { return 3; }", "auto $n() -> int (*)[3]$D", "static auto $n(int x) -> int (*)(int)$D", "decltype(auto) $n() { return (k3); }", "auto $n() const noexcept -> Ar<int, 3>$D",
	"[[nodiscard]] int $n($P)$Q$D", "[[nodiscard]] constexpr bool $n() const noexcept { return true; }", "__device__ int $n($P)$Q { return 1; }", "__host__ __device__ int $n() const { return 1; }", "HD inline int $n() const { return 1; }",
	"int *__device__ $n();", "const $S & __host__ $n() const { return *this; }", "int &__host__ __device__ $n($P)$Q$D", "int *const __device__ $n() const;", "int *__restrict__ __device__ $n();", "int (*__device__ $n(int))(int);", "int & __device__ operator*();",
	"__forceinline__ __device__ float $n(float x) const { return x; }", "__device__ __forceinline__ static int $n() { return 2; }", "__host__ __device__ __forceinline__ constexpr int $n() const noexcept { return 1; }", "__noinline__ __device__ void $n() { }",
	"__attribute__((noinline)) int $n($P)$Q$D", "int __attribute__((noinline)) $n($P)$Q$D", "int $n($P) __attribute__((noinline));", "int $n [[gnu::noinline]] ($P)$D", "void $n() const __attribute__((cold));", "$A int $n($P)$Q$D",
	"int $n($P)$Q = delete;", "void $n(int) && = delete;", "static int $n(int) = delete;", "template <class U> void $n(U) = delete;", "int $n() noexcept;", "int $n() noexcept { return 3; }", "void $n() noexcept {}", "void $n() const noexcept(true) {}",
	"void $n() const & noexcept(noexcept(cf(3))) $B", "const int $n()$D", "int const volatile *const $n() const$D", "unsigned long long $n()$D", "long unsigned inline $n() $B", "struct Sm $n()$D", "enum E0 $n()$D", "void *$n()$D", "const char *$n() const { return \"};\"; }",
	"int $n() try { return 3; } catch (...) { return 1; }", "void $n() { struct L { int q; double r[3]; }; L l; (void)l; }", "void $n() {};", "void $n() { };;", "$S *$n()$D", "$S $n() const;", "$S &$n(const $S &)$Q$D", "int $n(int), $n(float);", "int $n(), *$n(), &$n();",

	// Results with parentheses.
	"static int (*$n(int x))(int) $B", "int (*$n(int x))(int)$D", "int (&$n(int))[3]$D", "int (*$n())[3]$D", "friend int (&$n$S(int))[3] $B", "friend int (&$n$S(int))[3];", "int (Sm::*$n(int))(int) const$D", "int Sm::*$n()$D", "double (*(*$n(char))(int))[3]$D", "int (&$n(int) const &)[3] = delete;",
	"int (&&$n())[2]$D", "int (*$n() const)(int) $B", "int (*(*$n(int))(char))(double)$D", "template <class U> int (*$n(U x))(int) $B", "template <class U> static int (&$n(U))[3] $B", "int ($n)(int)$D", "int (($n))(int)$D", "void ($n)() const $B", "static void ($n)() $B",
	"int *($n)(int)$D", "int (*($n)(int))[2]$D", "void (*$n(void (*)(int), int))(int);", "Fp $n(int)$D", "F3 *$n()$D", "Fn *$n()$D", "F3 &$n(int) const$D", "const F3 &$n() const noexcept;", "Mf $n()$D", "Mp $n() const $B", "int (*const $n())(int) $B", "int (**$n())[3]$D",
	"auto (*$n(int))(int) -> int$D", "auto $n(int) -> int (&)[3]$D", "auto $n() const -> int (Sm::*)(int)$D", "constexpr int (*$n())(int) { return nullptr; }", "int (Sm::*$n() const)$D", "inline int (&$n(int &x))[2] $B", "__device__ int (*$n())(int) { return nullptr; }",

	// By the name of a function's type.
	"Fn $n;", "Fn $n, $n;", "Fc $n;", "Fv $n;", "static Fn $n;", "friend Fn $n$S;", "Fn $n, *$f;", "Fn *$f, $n;", "Id<Fn> $n;", "Id<int(int)> $n;", "const volatile char $n(), *$f;", "typename Tr<Fn>::type $n;",

	// Together with fields.
	"unsigned $f, $n(int), *$f;", "int $n(), $f;", "int $f, $n();", "int *$f, &$n(int), (*$f)(int), $n(int);", "double $f, (*$n(int))(int), $f;", "short (*$f)(int), (&$n())[2], $f[2];", "int $n(int) const, $f, $n() noexcept, *$f;", "char $f, (*$f), ($n)(int), ($f);",
	"int (Sm::*$f)(int), $n(int), Sm::*$f;", "int $n(int x = 3), $f;", "int $f = 3, $n(int);", "int $f{}, $n(), $f = 1;", "auto $n() -> int;", "int $f[3], $n(int[3]), (*$f)[3];", "const int $f, $n() const, *$n() volatile;", "int $n(int(int)), $f;", "int $n(int (int x)), (*$f)(int (*)(int));",

	// Operators.
	"operator int() const $B", "operator bool() const noexcept { return true; }", "explicit operator bool() const { return true; }", "operator float4() const$D", "operator double *()$D", "operator const char *() const { return \"};\"; }", "operator Ar<char, 3>() const $B", "operator int &()$D",
	"operator Sm *const &() const;", "template <class U> operator U *() const $B", "template <class U> operator Ar<U, 2>() $B", "explicit(true) operator Sm() const$D", "operator ns::Nm() const &$D", "operator unsigned long long() volatile;", "operator Fp() const$D", "operator Mf()$D", "constexpr operator short() const { return 3; }",
	"operator int Sm::*();", "operator const volatile long() const;", "operator struct Al() const;", "__host__ __device__ operator unsigned char() const { return 1; }", "inline operator E1() const $B", "operator decltype(nullptr)() const $B", "operator F3 *() const;",
	"int operator()(int x) const$D", "void operator()() $B", "template <class U> U operator()(U u) const { return u; }", "int &operator[](int i)$D", "const int &operator[](long i) const$D", "void *operator new(decltype(sizeof 1));", "void operator delete(void *) $B", "void *operator new[](decltype(sizeof 1));",
	"void operator delete[](void *);", "$S *operator->()$D", "int operator->*(int) $B", "int operator,(int) const $B", "$S &operator++()$D", "$S operator++(int);", "bool operator!() const $B", "bool operator<(const $S &) const $B", "bool operator>(const $S &) const$D", "$S operator<<(int) const;",
	"$S operator>>(int) const;", "bool operator==(const $S &) const = default;", "int operator<=>(const $S &) const;", "bool operator!=(int) const { return 1 < 2; }", "$S &operator+=(int) &$D", "$S operator-() const;", "friend $S operator+(const $S &, const $S &);", "friend bool operator<=(const $S &, const $S &) $B",
	"int operator&(int) $B", "int *operator&();", "int operator*() const $B", "int operator~() const noexcept $B", "bool operator&&(int) $B", "void operator>>=(int) $B", "void operator<<=(int);", "$S &operator=(int) $B", "int operator()(int, char) && noexcept $B", "friend int operator|(const $S &a, int b) { return b; }",

	// Templates.
	"template <class U> void $n(U u)$D", "template <class U, int M = 3> U $n(U u) const $B", "template <class U> struct Sm $n(U q) const $B", "template <class U> static U *$n(U (&)[3]) $B", "template <int M> int $n() const { return M < 3 ? M : (M > 4); }", "template <class U> auto $n(U u) -> decltype(u + 1)$D",
	"template <class... U> void $n(U... u)$D", "template <class... U> int $n(U &&...) const noexcept(sizeof...(U) > 2) $B", "template <class U, class = void> void $n(U);", "template <class U> requires (sizeof(U) > 1) void $n(U)$D", "template <Any U> void $n(U)$D", "template <class U> void $n(U) requires Any<U>;",
	"template <class U> void $n(U) requires (sizeof(U) < 8) $B", "template <class U> requires requires(U u) { u + 1; } void $n(U);", "template <class U> requires Any<U> && (sizeof(U) > 2) int $n(U) const $B", "void $n(Any auto x);", "auto $n(auto x) const $B", "template <template <class> class CC> void $n(CC<int>);",
	"template <class U> friend int $n$S(U) $B", "template <auto V> void $n() $B", "template <class U = Ar<int, 3>> void $n(U = U());", "template <class U> struct Ar<U, 3> $n(int q) const $B", "template <class U> typename Tr<U>::type $n(U)$D", "template <class U> int (*$n(U))(int);", "template <class U> $A int $n(U);",
	"template <bool B = (3 > 2)> void $n();", "template <class U> static inline constexpr U $n = U(3);", "template <class U> static constexpr int $n = sizeof(U);", "template <int M = sizeof(Ar<int, 2>)> static constexpr int $n() { return M; }", "template <class U> [[nodiscard]] static __device__ U $n(U u) { return u; }", "template <class U> int Sm::*$n(U);",
	"template <class U> union Un $n(int);", "template <class U> enum E0 $n(int) const $B", "template <class U, typename Tr<U>::type * = nullptr> void $n(U) $B", "template <class U> void $n(U) && noexcept(false) $B",

	// Friends.
	"friend struct $n$S;", "friend class Sm;", "friend Sm;", "template <class> friend struct $n$S;", "friend void $n$S() $B", "friend void $n$S($S &);", "friend int (*$n$S(int))(int) $B", "friend Sm $n$S(const $S &) noexcept $B", "friend struct Sm $n$S(int);", "friend auto $n$S($S &) -> int;", "friend union Un;", "friend ns::Nm;",
	"friend struct ns::Nm;", "friend int ns::fn<int>(int);", "friend constexpr int $n$S(int) { return 3; }", "inline friend int $n$S(int) { return 3; }", "int friend $n$S(int);", "friend __device__ int $n$S(int);", "friend class Ar<int, 3>;", "friend typename Tr<Sm>::type;",
}

// special are constructors, destructors and virtual functions: they may change how a
// derived class uses padding. Of a group, which is the text before |, one stands in a class.
var special = []form{
	"c|$S() = default;", "c|$S();", "c|$S() {}", "c|$S() noexcept : $S(3) {}\n$S(int) {}", "c|$S() noexcept = default;", "c|$S() = delete;", "c|explicit $S(int x = 3)$X $B", "c|$S() try { } catch (...) { }", "c|$S(int x, char c = '}') $B", "c|template <class U> $S(U, int) {}", "c|template <class U> explicit $S(U &&, char) noexcept {}",
	"c|__host__ __device__ $S() {}", "c|explicit(true) $S(char, int);", "c|$S(int (*f)(int));", "c|$S(Ar<int, 3> a = Ar<int, 3>{});", "c|inline $S();", "c|constexpr explicit $S(int (&)[3]) {}", "c|template <class U> requires (sizeof(U) > 1) $S(U, int, int) {}", "c|$A $S(float);", "c|__device__ __forceinline__ $S(int a, int b) { (void)a, (void)b; }",
	"c|$S() : $fi(3) {}\nint $i = 3;", "c|$S(int x) : $fi{x} {}\nint $i;", "c|$S(int x) : $fi(x < 3), $fj{x > (4)} {}\nint $i;\nshort $j = 1;", "c|$S() : $fi{[] { return 3; }()} { }\nint $i;", "c|$S(short) noexcept(true) : $fi(vt<Ar<int, 3>>) {}\nint $i;", "c|$S(short) try : $fi(3) { } catch (int) { } catch (...) { }\nint $i;",
	"C|$S(const $S &) = default;", "C|$S(const $S &) = delete;", "C|$S(const $S &);", "C|$S($S &&) noexcept = default;", "C|$S($S &&) = delete;", "C|constexpr $S(const $S &) noexcept {}", "C|$S(const $S &) = default;\n$S($S &&) = default;",
	"a|$S &operator=(const $S &) = default;", "a|$S &operator=(const $S &) = delete;", "a|$S &operator=(const $S &) & $B", "a|$S &operator=($S &&) noexcept = default;", "a|auto operator=(const $S &) -> $S & $B", "a|void operator=(const $S &) {}",
	"d|~$S() = default;", "d|~$S() {}", "d|~$S();", "d|~$S() noexcept(true) {}", "d|~$S() = delete;", "d|constexpr ~$S() = default;", "d|__host__ __device__ ~$S() {}", "d|inline ~$S() noexcept;", "d|~$S() try { } catch (...) { }",
}

// virtuals are virtual functions, with which no class can be a parameter.
var virtuals = []form{"virtual void $n() = 0;", "virtual int $n(int) const $B", "virtual ~$S() = default;", "virtual void $n() final;"}

// others are members that are neither fields nor functions, and fields in unusual forms.
var otherForms = []form{
	// Static and constant data.
	"static int $n;", "static int $n, *$n;", "inline static int $n = 3;", "static constexpr int $n = 3;", "static inline const double $n{3};", "constexpr static int $n = 3 < 4, $n = 1;", "static const int $n = 3;", "inline static thread_local int $n = 3;", "static int (*$n)(int);", "static int $n[];", "static const char $n[];",
	"static constexpr char $n[] = \"};\";", "static constexpr Ar<int, 3> $n = {{1, 2, 3}};", "static constexpr auto $n = [](int x) { return x < 3; };", "int static $n;", "const static int $n = Va<3>::value;", "inline static int $n[3] = {1, 2, 3}, $n{3};", "static int (&$n)[3];", "static int Sm::*$n;", "static constexpr int $n{3}, $n = {4};",
	"static Sm $n;", "static $S *$n;", "static $S $n;", "static constexpr bool $n = 3 > 2;", "static constexpr int (*$n)(int) = nullptr;", "inline static constexpr int $n = sizeof(Ar<int, 3>);", "static struct Sm $n;", "static int ($n);", "static unsigned long const $n = (1, 3);", "alignas(16) static int $n;",

	// Types and aliases.
	"typedef int $N;", "typedef short $N[3];", "using $N = double;", "using $N [[maybe_unused]] = int;", "typedef int (*$N)(int);", "typedef int Sm::*$N;", "typedef int (Sm::*$N)(int) const;", "int typedef $N;", "typedef struct { char t; short u; } $N;", "typedef unsigned char $N, *$N, $N[2];", "template <class U> using $n = U;\n$m<char> $f;",
	"template <class U, int M> using $n = Ar<U, M>;\n$m<char, 3> $f;", "using $N = Ar<short, 3>;", "using $N = int (*)(int);", "using $N = int[3];", "using $N = int Sm::*;", "typedef int $N __attribute__((aligned(16)));", "using $N __attribute__((aligned(16))) = int;", "using $N [[gnu::aligned(8)]] = int;", "using $N = int __attribute__((aligned(16)));",
	"typedef __attribute__((aligned(16))) char $N;", "typedef int __attribute__((aligned(8))) $N;", "typedef struct alignas(8) { char t; } $N;", "typedef struct { char t; } __attribute__((aligned(8))) $N;", "typedef const int $N;", "typedef decltype(k3) $N;", "typedef Fn *$N;", "typedef Ar<char, 3> $N, *$N;", "typedef int $n(int);\n$m $n;", "using $n = int(int) const;\n$m $n;",
	"typedef struct $n { char t; } $N;", "typedef int ($N);", "typedef int ($N)[3];", "typedef enum { $n, $n } $N;", "using $N = struct { char t; short u; };", "using $N = decltype(Sm::c0);", "using $N = typename Tr<short>::type;", "typedef $S *$N;", "typedef int (*$N)(int), $N[2];", "typedef char $N, (*$N)(int), (&$n)[2];",
	"struct $N;\nstruct $m { char q; };", "struct $n;\n$m *$f;", "struct $n;", "union $n;", "class $n *$f;", "struct $n *$f, $S::*$f;", "$S *$f, **$f;", "enum class $n;", "enum $n : short;\n$m $f;", "enum class $N : short { a, b };", "enum $N { $n, $n = 3 };", "enum { $n = 3 };\nchar $f[$m];", "enum { $n, $n } $f;", "enum $N : unsigned char { $n } $f;", "enum class $N { a, b = 3 } $f, *$f;", "enum : short { $n = 4 } $f[2];",
	"enum { $n = sizeof(int) * 2, };\nunsigned $b : $m;", "enum [[maybe_unused]] $n { $n [[maybe_unused]] = (3 > 2), };", "struct alignas(16) $N { char q; };", "struct { char q; } __attribute__((aligned(16))) $f;", "struct $N { int q() const { return 3; } char r; };", "struct $N final { char q; $m(); };", "struct { int q() { return 3; } char r; } $f;", "struct { static int q() { return 3; } char r; } $f;",
	"struct $n { struct $n { char q; } r; } $f;", "class $N { char q; public: short r; };", "struct $N { struct $n *p; };", "struct $N : Em { char q; };", "struct $N { friend void fr(Sm &); char q; };", "union $N { int q; double r; $m() {} };", "template <class U> struct $n { U u; char c; };\n$m<int> $f;", "template <class U, int M = 2> struct $n { U u[M]; };\n$m<char> $f, *$f;\n$m<short, 3> $f;",
	"template <class U> union $n { U u; char c[5]; };\n$m<int> $f;", "template <class U> struct $n;\ntemplate <class U> struct $m { U u; };\n$m<char> $f;", "template <class U> struct $n { int dummy[3]; };\ntemplate <class U> struct $m<U *> { char u; };\n$m<int *> $f;", "template <int M> struct $n { char c[M]; };\n$m<$E> $f;", "template <class... U> struct $n { char c[sizeof...(U)]; };\n$m<int, char> $f;",
	"static_assert(true);", "static_assert(sizeof(int) == 4, \"};\");", "static_assert(3 < 4, \"a\");", "static_assert(sizeof(Ar<int, 3>) > 2);", ";", ";;", "public:", "public: public:",

	// Fields.
	"struct Sm $f;", "::Sm $f;", "class Sm *$f;", "struct $n *$f, **$f;", "enum E0 $f;", "union Un $f, *$f;", "$S *$f;", "$S &$h;", "const $S *$f[2];", "$S *(*$f)($S);", "int $S::*$f;", "int ($S::*$f)(int) const;", "int ($S::*$f)(int), ($S::*$f[2])(int) const;", "int (Sm::*$f);", "int (Sm::*const $f)(int) = nullptr;", "int (Sm::**$f)(int);", "int Sm::*$f[2], Sm::*(*$f)[3];",
	"int (Sm::*$f)(int) const & noexcept;", "double (Sm::*(*$f)(int))(char);", "$S *$S::*$f;", "int (Sm::*(Sm::*$f)(int))(int);", "Ar<int, 2> Tr<int>::*$f;", "int ns::Nm::*$f;", "int (::Sm::*$f)(int);", "int ::ns::Nm::*$f;", "int (Sm::*$f)[3];", "int Tr<int>::*$f;",
	"double ($f);", "double($f), $f;", "int ($f)[2];", "int (($f));", "int ((*$f))(int);", "float (*($f)), $f;", "double (*const $f) = nullptr;", "double *($f[2]), (*$f[2])[3];", "double ($f){3};", "double ($f) = 3;", "int (*(*$f)(int))(int);", "int (*(*$f[2])(int))[3];", "int (*$f)(int(int));", "int (*$f)(int (*)(int), ...);", "int (*volatile $f)(int) noexcept;", "int (&$h)(int);", "int (&$h)[3];",
	"auto (*$f)(int) -> int;", "auto (*$f)(int) -> int (*)[3];", "auto (Sm::*$f)() const -> int;", "Sm ($f);", "Sm($f), *$f;", "Ar<int, 3> ($f);", "I ($f);", "Td ($f)[2];", "unsigned ($f), (*$f);", "char (($f)[2])[3];", "int ((($f))[2]);", "const int (*const $f);", "Fn *$f;", "Fn &$h;", "Fn *const $f, **$f;", "Fn Sm::*$f;", "Fc Sm::*$f;", "void (*$f)();", "void (*$f)(void), *$f;", "void *$f, **$f;",
	"const void *const volatile $f;", "int *__restrict__ $f;", "int *__restrict $f, *const *volatile *$f;", "int const *const *$f;", "char $f[$E][$E];", "char $f[$E], $f;", "unsigned $b : sizeof(int) * 2;", "unsigned $b : int(3);", "unsigned $b : alignof(double);", "unsigned $b : static_cast<int>(3);", "unsigned $b : WIDTH(2), $b : THREE;", "unsigned $b : 3, : 0, $b : 2;", "int : 3;", "int : 0;", "unsigned char : 0;",
	"unsigned $b : Va<3>::value, $f;", "unsigned $b : k3 > 2 ? 3 : 4;", "int $b : 3, *$f, $f[2], (*$f)(int);", "long $b : 33;", "unsigned long long $b : 40, $b : 24, $b : 1;", "bool $b : 1, $b : 1;", "signed char $b : 3;", "E1 $b : 3;", "unsigned $b : sizeof(int) * 8;", "unsigned $b : (sizeof(Sm));", "unsigned $b : cf(2);", "int $b : sizeof(Ar<char, 3>), $f;", "unsigned $b : decltype(3){3};",
	"int $f = 3, $f = 4;", "int $f[2] = {1, 2};", "Ar<int, 3> $f = {{1, 2, 3}};", "Ar<int, 3> $f{{1, 2, 3}}, $f = Ar<int, 3>{};", "int $f = First<int, char>(3), $f = Va<(3 > 2)>::value;", "int (*$f)(int) = [](int x) { return x < 3 ? x : 4; }, $f = 3;", "bool $f = 1 < 2, $f = 3 > 2;", "Sm $f{'}'}, *$f = nullptr;", "const char *$f = \"};\", $f = '}';", "int $f{[] { return 3; }()};",
	"int $f = ns::fn<int>(3), $f;", "int $f = (3, 4), $f{};", "int $f{3}, $f, *$f{nullptr};", "float $f = 1.0f, *$f{}, $f[2]{1, 2};", "const int $f = 3;", "int $f = sizeof(struct Sm);", "struct { char q = '}'; } $f;", "int (*$f)[3] = nullptr;", "int Sm::*$f = nullptr, $f = 3;", "int $f = k3 < k4, $f = (k3 > 2);", "Fp $f = nullptr;", "const char *$f = R\"x(};\")x\";",
	"mutable int $f;", "mutable int $f, *$f;", "int mutable $f;", "mutable Sm $f;", "mutable int $f = 3;", "mutable volatile int $f[2];", "volatile int $f;", "int volatile *volatile $f;", "const volatile int *$f, $f;", "mutable unsigned $b : 3;", "mutable const int *$f;", "mutable int (*$f)(int);", "mutable int ($f), (*$f)[2];",
	"int $f,\n  $f;", "int\n$f;", "float4 $f, *$f;", "struct float3 $f;", "int $f alignas(8);", "decltype(Sm::c0) $f;", "decltype(k3 + 1.0) $f;", "decltype(cf(3)) $f[2];", "__typeof__(3.0) $f;", "typename Tr<char>::type $f;", "Tr<int>::template pair<char> $f;", "ns::in::Nt<Ar<char, 3>> $f;", "Ar<Ar<char, 2>, 3> $f;", "Ar<int (*)(int), 2> $f;", "Ar<char, sizeof(int) * 2> $f;", "Ar<char, (3 > 2)> $f;",
	"Ar<char, (2 < 3)> $f;", "First<char, Ar<int, 3>> $f;", "Id<Id<short>> $f, *$f;", "::Ar<char, ::k3> $f;", "Ar<Sm, Va<2>::value> $f;", "Ar<char, int(3)> $f;", "Pk<int, char, Ar<int, 3>> $f;", "__int128 $f;", "char16_t $f;", "unsigned long int const $f;", "short unsigned volatile int $f;", "int unsigned long const long $f;", "__signed__ char $f;",

	// The preprocessor.
	"#define M$I double\nM$I $f;\n#undef M$I", "#define M$I(t, n) t n;\nM$I(char, $f) M$I(double, $f)\n#undef M$I", "#define L$I(X) X(char, $f) X(double, $f)\n#define X$I(t, n) t n;\nL$I(X$I)\n#undef X$I", "FIELD(char, $f)", "FIELD(unsigned long, $f) FIELD(int *, $f)", "FIELD(Sm, $f[2])", "#ifdef __cplusplus\nchar $f;\n#else\ndouble lost;\n#endif", "#if 0\ndouble lost; }\n#endif",
	"#if defined(__CUDACC__) && 3 > 2\nshort $f;\n#endif", "#pragma GCC diagnostic ignored \"-Wall\"", "A8 $f;", "A16 $f, *$f;", "A8 const $f;", "A8 *$f;", "#pragma nv_diag_suppress 177", "#pragma GCC diagnostic push\nint $f;\n#pragma GCC diagnostic pop", "EMPTY int EMPTY $f EMPTY;", "HD int $n() const { return 1; }", "#define B$I(n) int n() const { return 3; }\nB$I($n)\n#undef B$I", "#define W$I(n) sizeof(int) * n\nunsigned $b : W$I(2);", "#define P$I(x) (x)\nint P$I($f), *P$I($f);",
	"#define T$I Ar<char, 3\nT$I> $f;", "#define C$I ,\nint $f C$I $f;", "#define E$I }\n#undef E$I\nchar $f;", "int $f; // };", "int $f; /* struct { int x; */ int $f;", "int $f \\\n , $f;", "#define ALIGN$I alignas(16)\nALIGN$I char $f;\n#undef ALIGN$I", "#define CAT$I(name) f##name\n#undef CAT$I\nchar $f;", "#define S$I struct Sm\nS$I $f, *$f;",

	// Members that are defined behind the class.
	"operator float4() const;\n/*outside*/\n$S::operator float4() const { return {}; }", "void $n(int) const;\n/*outside*/\nvoid $S::$m(int) const $B", "operator Sm *();\n/*outside*/\n$S::operator Sm *() $B", "int (*$n(int))(int);\n/*outside*/\nint (*$S::$m(int))(int) $B", "static int $n;\n/*outside*/\nint $S::$m = 3;", "static int $n[2];\n/*outside*/\nint $S::$m[2] = {1, 2};",
	"int operator()(int) const;\n/*outside*/\nint $S::operator()(int) const $B", "static int (*$n)(int);\n/*outside*/\nint (*$S::$m)(int) = nullptr;", "int &operator[](int);\n/*outside*/\ninline int &$S::operator[](int) $B", "operator unsigned short() const;\n/*outside*/\ninline $S::operator unsigned short() const $B",
	"struct $n;\n/*outside*/\nstruct $S::$m { int q; };", "int (&$n())[3];\n/*outside*/\nint (&$S::$m())[3] $B", "auto $n() const -> int;\n/*outside*/\nauto $S::$m() const -> int $B", "bool operator<(const $S &) const;\n/*outside*/\nbool $S::operator<(const $S &) const $B", "void $n() noexcept;\n/*outside*/\nvoid $S::$m() noexcept {}",
	"__host__ __device__ operator dim3() const;\n/*outside*/\ninline __host__ __device__ $S::operator dim3() const { return dim3(); }", "static Sm $n;\n/*outside*/\nSm $S::$m{'}'};", "Sm $n();\n/*outside*/\nSm $S::$m() $B",
}

// function returns a member function, or what looks like one.
func (g *sampler) function() string {
	switch n := g.IntN(400); {
	case n == 0 && !g.union && !g.plain:
		return g.use(virtuals)
	case n < 60:
		return g.use(special)
	}
	return g.use(functions)
}

// form returns a member of an unusual form.
func (g *sampler) form() []string { return strings.Split(g.use(otherForms), "\n") }

// use returns a form of list that the class may have.
func (g *sampler) use(list []form) string {
	for range 20 {
		text := string(choose(g, list))
		group, rest, grouped := strings.Cut(text, "|")
		if grouped && len(group) == 1 {
			text = rest
		} else {
			group = text
		}
		constructor := len(group) == 1 && strings.ContainsAny(text, "{B")
		if g.allowed(text) && !g.used[g.class+group] && !(constructor && g.fixed) {
			g.used[g.class+group] = true
			g.constructed = g.constructed || constructor
			return g.fill(text)
		}
	}
	return "char " + g.field(plainField) + ";"
}

// allowed reports whether a member of the form text may stand in the class.
func (g *sampler) allowed(text string) bool {
	has := func(words ...string) bool {
		for _, word := range words {
			if strings.Contains(text, word) {
				return true
			}
		}
		return false
	}
	switch {
	case g.union && has("static", " = ", "{}", "{3}", "{1", "{'", "{[", "{{", "virtual", "&$h", "& $h", "mutable", "no_unique"):
		return false // one initializer at most, no references
	case g.packed && has("aligned", "alignas", "__align__", "$b", " : "):
		return false
	case g.depth > 0 && has("/*outside*/", "thread_local"):
		return false
	case g.params && has("/*outside*/\nstruct", "friend int (", "friend void $n$S() ", "friend int $n", "inline friend", "friend constexpr", "<=>"):
		return false // a friend that each instance would define
	case g.class[0] != 'S' && has("static $S $n;"):
		return false
	case g.used["outside"] && has("/*outside*/"):
		return false
	}
	return true
}

// fill replaces what a form leaves open.
func (g *sampler) fill(text string) string {
	text, outside, _ := strings.Cut(text, "\n/*outside*/\n")
	id := g.name("")
	later := map[byte]string{} // fields, by the letter that declares them
	expand := func(text string) string {
		var b strings.Builder
		for i := 0; i < len(text); i++ {
			if text[i] != '$' || i+1 == len(text) {
				b.WriteByte(text[i])
				continue
			}
			i++
			switch c := text[i]; c {
			case 'f':
				if next := text[i+1:]; strings.HasPrefix(next, "i") || strings.HasPrefix(next, "j") {
					i++
					later[text[i]] = g.name("f")
					b.WriteString(later[text[i]])
					break
				}
				b.WriteString(g.field(plainField))
			case 'i', 'j':
				g.probes = append(g.probes, probe{later[c], plainField})
				b.WriteString(later[c])
			case 'b':
				b.WriteString(g.field(bitField))
			case 'h':
				b.WriteString(g.field(hiddenField))
			case 'n':
				g.last = g.name("m")
				b.WriteString(g.last)
			case 'N':
				g.last = g.name("N")
				b.WriteString(g.last)
				g.types = append(g.types, g.last)
			case 'm':
				b.WriteString(g.last)
			case 'S':
				b.WriteString(g.class)
			case 'I':
				b.WriteString(id)
			case 'o':
				b.WriteString(g.result())
			case 'P':
				b.WriteString(g.parameters())
			case 'Q':
				b.WriteString(g.qualifiers())
			case 'X':
				b.WriteString(g.exception())
			case 'B':
				b.WriteString(g.body())
			case 'D':
				b.WriteString(g.declared())
			case 'E':
				b.WriteString(g.constant(4).text)
			case 'A':
				b.WriteString(choose(g, []string{"[[maybe_unused]]", "__attribute__((unused))", "[[deprecated]]", "__attribute__((deprecated(\"};\")))"}))
			default:
				panic(fmt.Sprintf("form %q has $%c", text, c))
			}
		}
		return b.String()
	}
	made := expand(text)
	if outside == "" {
		return made
	}
	g.used["outside"] = true
	g.behind = append(g.behind, g.qualified(expand(strings.ReplaceAll(outside, "$S", "@"))))
	return made
}

// qualified puts the name of the class, as it is called behind it, in place of @.
func (g *sampler) qualified(text string) string {
	name, head := g.class, ""
	if g.params {
		name, head = g.class+"<T, N>", "template <class T, int N> "
	}
	// An argument of the class's own type is in the scope of the class.
	return head + strings.ReplaceAll(text, "@", name)
}

// result returns the type of a function's result.
func (g *sampler) result() string {
	return choose(g, []string{"int", "void", "const Sm &", "Sm", "float4", "unsigned long", "struct Sm", "Ar<int, 3>", "const char *", "int *", "ns::Nm", "Fp", "typename Tr<int>::type", "::Sm", "D", "enum E0", "bool", "const int *const", "Ar<Ar<int, 2>, 3> &", "long unsigned", "void *", "Td"})
}
