// Constant expressions that have no value, or none that is understood.
template <int... N> struct Count { int x; };
enum class Scoped : int { A };
struct Holder { int x; };
typedef unsigned char Byte;
constexpr int none = 1.5;
constexpr int typed(int n) { return n; }
constexpr unsigned char narrow(unsigned n) { return n; }
constexpr int loop(int n) { for ( /* ERROR "unexpected \( in a constant expression" */int m : {1, 2}) n = m; return n; }
constexpr Holder holder(int n) { return {n}; }
const float real = 1;
const int unset = f();
extern const int later;
const int missing;
struct Pointed { int *x; };
constexpr Pointed wide = {variable};
const Byte chain = unset;
int variable;
enum Unknown { first = variable };
namespace one { constexpr int twice = 1; }
namespace two { constexpr int twice = 2; }
using namespace one;
using namespace two;
struct alignas(unset) Aligned { int x; };
struct alignas(Missing) AlignedAsUnknown { int x; };
struct alignas(Declared) AlignedLikeUnknown { int x; };
struct Declared;
struct alignas(Declared) AlignedLikeDeclared { int x; };
struct __attribute__((aligned)) Widest { int x; };

__global__ void suffix(float (*x)[18446744073709551616 /* ERROR "18446744073709551616 is not an integer that fits 64 bits" */]);
__global__ void literal(float (*x)[9223372036854775808 /* ERROR "9223372036854775808 does not fit a signed type" */]);
__global__ void strange(float (*x)[12abc /* ERROR "12abc is not an integer that fits 64 bits" */]);
__global__ void behind(float (*x)[1 2 /* ERROR "unexpected 2 in a constant expression" */]);
__global__ void colon(float (*x)[1 ? 2] /* ERROR "a constant expression lacks the : of its \?" */);
__global__ void sum(float (*x)[2147483647 + /* ERROR "a constant expression overflows" */ 1]);
__global__ void quotient(float (*x)[(-2147483647 - 1) / /* ERROR "a constant expression overflows" */ -1]);
__global__ void shift(float (*x)[1 << /* ERROR "a constant expression shifts by more than its type has bits" */ 32]);
__global__ void shifted(float (*x)[2 << /* ERROR "a constant expression overflows" */ 31]);
__global__ void negated(float (*x)[- /* ERROR "a constant expression overflows" */(-2147483647 - 1)]);
__global__ void remainder(float (*x)[1 % /* ERROR "a constant expression divides by zero" */ 0]);
__global__ void operatorless(float (*x)[+] /* ERROR "unexpected \] in a constant expression" */);
__global__ void string(float (*x)["a" /* ERROR "a string is not an integer constant" */]);
__global__ void parenthesis(float (*x)[(1 2 /* ERROR "a constant expression lacks a closing parenthesis" */)]);
__global__ void casting(float (*x)[static_cast /* ERROR "a cast lacks its type" */(1)]);
__global__ void castType(float (*x)[static_cast /* ERROR "the type of a cast has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)" */<mystery_t>(1)]);
__global__ void castTo(float (*x)[static_cast /* ERROR "it is not an integer, but has type float" */<float>(1)]);
__global__ void conversion(float (*x)[static_cast<int>(1 2 /* ERROR "unexpected 2 in a constant expression" */)]);
__global__ void operandless(float (*x)[static_cast /* ERROR "a constant expression lacks a closing parenthesis" */<int>]);
__global__ void castToEnum(float (*x)[int(Scoped::A) + 3]);
__global__ void pack(float (*x)[sizeof...(N /* ERROR "N is not a pack that is known here" */)]);
__global__ void expression(float (*x)[alignof /* ERROR "alignof of an expression is not understood \(write its type\)" */(variable)]);
__global__ void operand(float (*x)[sizeof(mystery_t *) /* ERROR "unexpected \) in a constant expression" */]);
__global__ void rest(float (*x)[sizeof /* ERROR "the operand of sizeof has type int int, which is not understood" */(int int)]);
__global__ void left(float (*x)[sizeof /* ERROR "the operand of sizeof is not understood \(unexpected \+\)" */(int +)]);
__global__ void size(float (*x)[sizeof /* ERROR "the size of Holder is not known here" */(Holder)]);
__global__ void longDouble(float (*x)[sizeof /* ERROR "sizeof: long double has 16 bytes in constant expressions, and 8 in device code" */(long double [2])]);
__global__ void large(float (*x)[sizeof /* ERROR "int\[1099511627776\]\[1099511627776\] is too large" */(int [1L << 40][1L << 40])]);
__global__ void character(float (*x)['abcde' /* ERROR "character 'abcde' is not understood in a constant expression" */]);
__global__ void functional(float (*x)[unsigned(1 2 /* ERROR "unexpected 2 in a constant expression" */)]);
__global__ void conversionType(float (*x)[__int64 /* ERROR "a conversion has type __int64, which is not understood" */(1)]);
__global__ void functionalType(float (*x)[float /* ERROR "it is not an integer, but has type float" */(1)]);
__global__ void two(float (*x)[wide /* ERROR "a constant whose value is not known" */]);
__global__ void real_(float (*x)[real /* ERROR "only constexpr makes one of type const float\)" */]);
__global__ void unset_(float (*x)[unset /* ERROR "f is not a constant that is known here\)" */]);
__global__ void missing_(float (*x)[missing /* ERROR "it has no initializer here\)" */]);
__global__ void later_(float (*x)[later /* ERROR "later is not an integer constant that is understood \(a variable\)" */]);
__global__ void condition(float (*x)[ /* ERROR "parameter x has an array of no elements" */1 ? 0 : 1 / 0]);
__global__ void templates(float (*x)[Count /* ERROR "mystery is not a constant that is known here" */<mystery>::x]);
__global__ void enumerator(float (*x)[first /* ERROR "first is not an integer constant that is understood \(an enumerator whose value is not known\)" */]);
__global__ void ambiguous(float (*x)[twice /* ERROR "twice is not an integer constant that is understood \(an ambiguous name\)" */]);
__global__ void holderOf(float (*x)[holder /* ERROR "it has type Holder, and is not an integer constant that is understood" */(1)]);
__global__ void loops(float (*x)[loop(1)]);
__global__ void argument(float (*x)[typed /* ERROR "argument 1 of typed has another type than int" */(Scoped::A)]);
__global__ void result(float (*x)[narrow(300)]);
__global__ void count(float (*x)[typed /* ERROR "the value of function typed is not known here" */(1, 2)]);
__global__ void member(float (*x)[Count /* ERROR "Count<1>::y is not a constant that is known here" */<1>::y]);
__global__ void scope(float (*x)[:: /* ERROR "in a constant expression" */]);
__global__ void used(Aligned /* ERROR "f is not a constant that is known here\)" */ a, AlignedAsUnknown /* ERROR "Missing is not a constant that is known here" */ b, AlignedLikeDeclared /* ERROR "the size of Declared is not known here" */ c, Widest d);
__global__ void none(float (*x)[sizeof /* ERROR "is an array without a bound that is understood: it is 0" */ (int[0])]);
