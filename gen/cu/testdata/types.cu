// Types of parameters that are not understood.
#include "elsewhere.h"
#define REAL float
#define PTR(T) T *
typedef float real;
typedef int (*callback)(int);
using index = int;
enum Colour { Red };
enum class Mode : int { Fast };
template <typename T> struct Box { T x; };
constexpr int kCount = 3;
namespace ns { typedef int number; }
struct Later;
union Bits { int i; float f; };

__global__ void unknown(int n, index_t /* ERROR "^unknown: parameter m has unknown type index_t \(include its header, or map it with //cudagen:type\)$" */ m);
__global__ void two(foo /* ERROR "parameter a has unknown type foo" */ a, int n, bar /* ERROR "parameter 3 has unknown type bar" */ *);
__global__ void typedefs(real /* ERROR "parameter x has unknown type real, a typedef \(testdata/types.cu:5\)" */ x, ns /* ERROR "type ns::number, a typedef" */ ::number y);
__global__ void callbacks(callback /* ERROR "a typedef" */ f, int ( /* ERROR "parameter g is a function pointer" */ *g)(int));
__global__ void alias(index /* ERROR "an alias" */ i);
__global__ void enums(Colour /* ERROR "an enum" */ c, Mode /* ERROR "an enum" */ m, enum Colour /* ERROR "an enum" */ d);
__global__ void templates(Box /* ERROR "has type Box<float>, and templates" */ <float> b, std /* ERROR "std::pair<int, float>" */ ::pair<int, float> p);
__global__ void constant(kCount /* ERROR "is a constant" */ n);
__global__ void macros(REAL /* ERROR "parameter x uses macro REAL" */ x, PTR /* ERROR "uses macro PTR" */ (int) y, const float *REAL /* ERROR "uses macro REAL" */);
__global__ void wide(long /* ERROR "has type long double" */ double d, unsigned /* ERROR "has type unsigned float" */ float f, int /* ERROR "has type int int" */ int i);
__global__ void twice(float2 int /* ERROR "two types" */ x);
__global__ void declared(Later /* ERROR "has type Later, which is declared but not defined here" */ l, Later *p);
__global__ void nothing(void /* ERROR "has type void" */ x, int n);
__global__ void unions(Bits /* ERROR "whose layout is not understood: it is a union \(testdata/types.cu:14:1\)" */ b, Bits *p);
__global__ void ellipsis(int n, ... /* ERROR "ellipsis" */ );
__global__ void reference(int & * /* ERROR "reference to a reference" */ p);
__global__ void member(int Later /* ERROR "pointer to a member" */ ::*p);
__global__ void arrays(float ( /* ERROR "parentheses in its declaration" */ *p)[3], float q[2][n /* ERROR "array bound that is not understood: n is not a constant" */ ]);
__global__ void bounds(float q[2][ /* ERROR "not positive" */ 0], float r[][ /* ERROR "not positive" */ -3]);
__global__ void aligned(alignas(32) int x /* ERROR "alignment of its own" */ );
__global__ void attribute([[vendor::strange /* ERROR "attribute strange" */ ]] int x, [[maybe_unused]] int y, __grid_constant__ const int z);
__global__ void restricted(int /* ERROR "restrict on a type that is no pointer" */ __restrict__ x);
__global__ void rest(int x y /* ERROR "unexpected y" */ );
__global__ void compared(int x = 1 < /* ERROR "default argument with <" */ 2, int y = (3 < 4));
