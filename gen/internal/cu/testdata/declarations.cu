// Declarations whose parts are not understood.
struct Known { int x; };
namespace spaces { int x; }
union Pair { int a; float b; };
typedef int open_t[];
typedef int __attribute__((mystery)) aligned_t;
using AlignedAlias = int __attribute__((aligned(16)));
using Bad = int +;
using Runtime = int[variable];
struct Below { struct { mystery_t a; }; };
struct Members { int a b; };
struct Nameless { int *; };
struct Narrow { int a : -1; };
struct Empty { int a; int : ; }; struct Brace { int a; };
struct __attribute__((aligned(16))) Right { int x; };
__attribute__((aligned(16))) struct Left { int x; };
typedef struct { int x; } Behind __attribute__((aligned(16)));
struct FromInt : int { int x; };
typedef int Int;
struct FromAlias : Int { int x; };
struct FromRest : Known + { int x; };
struct Unknown::Inner { int x; };
enum Unknown::Values : int { A };
enum Fractions : float { B };
enum Fractional : Int * { C };
struct References { int &x[2]; };
struct Functions { int (*f[2])(int); Int g[2](int); };
typedef void Callback(int);
struct Qualified { int Known::*member; int (Known::*method)(int); };
struct First : Known { int x; };
struct Second : Known { int x; };
struct Third : First, Second { typedef spaces::missing T; };
namespace a { struct Same { int x; }; }
namespace b { struct Same { int x; }; }
using namespace a;
using namespace b;
typedef struct Unknown::Inner { int x; } inner_t;
struct Behind16 { int *[[gnu::aligned(16)]] x; };
struct Before16 { int (__attribute__((aligned /* ERROR "attribute aligned begins a declarator in parentheses, which nvcc gives to the type before it, everywhere behind it \(write it before the type\)" */ (16))) *x); };
typedef enum Unknown::Values : int { A } values_t;
struct HasClass { struct Unknown::Inner { int x; } y; };
struct HasEnum { enum Unknown::Values : int { A } y; };

__global__ void ns(spaces /* ERROR "parameter x has type spaces, which is a namespace" */ x);
__global__ void open(open_t /* ERROR "parameter x has unknown type open_t, a typedef of an array without a bound that is understood" */ x, aligned_t /* ERROR "parameter y has unknown type aligned_t, a typedef that has attribute mystery, which is not understood" */ y, AlignedAlias /* ERROR "it has an alignment or attribute of its own, which is not understood" */ z);
__global__ void bad(Bad /* ERROR "it is not understood \(unexpected \+\)" */ x, Runtime /* ERROR "variable is not a constant that is known here" */ y);
__global__ void below(Below /* ERROR "it has a member that has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)" */ x, Members /* ERROR "unexpected a" */ y, Nameless /* ERROR "it has a member that is not understood \(unexpected ;\)" */ z, Narrow /* ERROR "field a is a bit-field whose width is not positive" */ w, Brace v);
__global__ void sides(Right a, Left /* ERROR "attribute aligned does not stand where it belongs to the class \(write it behind the word struct\)" */ b, Behind /* ERROR "attribute aligned does not stand where it belongs to the class \(write it behind the word struct\)" */ c);
__global__ void bases(FromInt /* ERROR "a base class has unknown type int \(include its header, or leave the kernel out with //cudagen:ignore\)" */ a, FromAlias /* ERROR "its base class Int is not understood" */ b, FromRest /* ERROR "a base class is not understood \(unexpected \+\)" */ c);
__global__ void qualifiers(Unknown /* ERROR "parameter a has unknown type Unknown::Inner \(include its header, or leave the kernel out with //cudagen:ignore\)" */::Inner a, struct Unknown::Inner /* ERROR "parameter b has unknown type Unknown::Inner \(include its header, or leave the kernel out with //cudagen:ignore\)" */ b, enum Unknown::Values /* ERROR "parameter c has unknown type Unknown::Values \(include its header, or leave the kernel out with //cudagen:ignore\)" */ c);
__global__ void enums(Empty /* ERROR "an expression is missing" */ e, Fractions /* ERROR "it has underlying type float, which is not an integer type" */ a, Fractional b);
__global__ void arrays(References /* ERROR "field x is an array of references" */ a, Functions /* ERROR "field g is not understood \(unexpected \(\)" */ b);
__global__ void arrayOfReferences(int &x[ /* ERROR "parameter x is an array of references" */2]);
__global__ void arrayOfFunctions(Callback x[ /* ERROR "parameter x is an array of functions" */2]);
enum Letters { letter };
__global__ void pointerToMember(int (Letters /* ERROR "parameter x is a pointer to a member of Letters, which is not a class" */::*x)(int), int (Known::*y)(int), void (*variable)(int) noexcept(count /* ERROR "parameter count has noexcept with a condition that is not understood: count is not a constant that is known here" */), float (*w)(int) -> /* ERROR "parameter w has a trailing type, and is not auto" */ int);
__global__ void types(int (*x)(Known:: /* ERROR "parameter Known has no type that is understood \(unexpected \*\)" */*), float (*y)(int + /* ERROR "parameter y is not understood \(unexpected \+\)" */), int (Known /* ERROR "parameter Known has unknown type Known::z \(include its header, or leave the kernel out with //cudagen:ignore\)" */::z)(int));
__global__ void casts(std /* ERROR "parameter x has unknown type std::complex<int\[\]> \(include its header, which only the compiler reads, and generate to ask it, or leave the kernel out with //cudagen:ignore\)" */::complex<int[]> x, std /* ERROR "parameter y has unknown type std::complex<alignas\(16\) int> \(include its header, which only the compiler reads, and generate to ask it, or leave the kernel out with //cudagen:ignore\)" */::complex<alignas(16) int> y);
__global__ void same(Same /* ERROR "parameter x has unknown type Same, an ambiguous name" */ x);
__global__ void elsewhere(inner_t /* ERROR "parameter a has unknown type inner_t, a typedef that is not understood: it has a class whose qualifiers are not known here" */ a, values_t /* ERROR "parameter b has unknown type values_t \(include its header, or leave the kernel out with //cudagen:ignore\)" */ b, HasClass /* ERROR "it has a member that has a class whose qualifiers are not known here" */ c, HasEnum /* ERROR "it has a member that is an enumeration whose qualifiers are not known here" */ d);
__global__ void aligned(Behind16 /* ERROR "field x has attribute aligned behind a \*, where compilers understand it differently \(write it before the type\)" */ a, Before16 b);
__global__ void placeholders(auto *x, auto (*y)(int) -> float *);
__global__ void qualified(int Known /* ERROR "parameter Known has a qualified name, which is not understood" */::z);
__global__ void packs(int ... /* ERROR "packs: a parameter is an expansion of a pack that is not known here" */ x);
int /* ERROR "a kernel returns void, not int" */ before /* ERROR "one of them is a macro that is not known" */(int n) __global__ void swallowed(int n) {}
__global__ void first(int n) second __global__ /* ERROR "kernel inside of a declaration that is not understood \(is a ; missing before it, or a macro not defined\?\)" */ void third(int n) {}
struct Outer { template <class T> struct Inner; };
template <class T> template <class U> __global__ /* ERROR "kernel inside of a declaration that is not understood \(move it to a namespace\)" */ void nested(T x, U y) {}
