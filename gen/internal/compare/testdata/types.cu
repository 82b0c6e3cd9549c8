// Types whose layout compilers and cudagen have to see alike. It needs no header, so that
// nvcc, NVRTC and clang can read it.
#if defined(__clang__) && defined(__CUDA__) && !defined(__NVCC__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#endif

typedef float real;
typedef struct { int a; real b; } Untagged;
enum Plain { FIRST, SECOND = 7 };
enum class Small : unsigned char { NONE, ALL = 255 };
enum class Wide : unsigned long long { BIG = 0xffffffffffffffffull };
enum Negative { BELOW = -5, ABOVE = 5 };

struct Empty {};
struct Base { int id; char tag; };
struct Bits { unsigned a : 3, b : 5; unsigned long long c : 40; int : 0; int d : 7; bool e : 1; char tail; };
struct alignas(32) Aligned { float v[3]; short s; };
union Number { double d; float f[3]; unsigned char bytes[12]; };
struct Node { Node *next; struct Forward *forward; int value; };

namespace phys {
struct Vec { float x, y, z; };
class Private { int secret; double weight; public: short open; };
struct Particle : Base, Empty {
  Vec pos[2];
  double mass;
  union { int i; float f; struct { short lo, hi; }; };
  struct Inner { char c; long long l; } inner;
  Number number;
  Small small;
  Plain plain;
  int matrix[2][3];
  const real *weights;
  Particle *next;
  void (*callback)(int);
  Private secret;
  bool alive;
};
template <class T, int N> struct Fixed { T v[N]; struct Mark { short s; } mark; };
namespace { struct Hidden { int q; Vec v; }; __global__ void hidden(Hidden h, float *o) { o[0] = h.q; } }

//cudagen:instantiate T=double
template <class T> __global__ void fixed(Fixed<T, 3> a, typename Fixed<T, 3>::Mark m, T *o) { o[0] = a.v[0] + m.s; }
template __global__ void fixed<double>(Fixed<double, 3>, Fixed<double, 3>::Mark, double *);

__global__ void step(Particle p, const Particle *__restrict__ in, Vec v, Bits b, real dt, Private secret) { *p.next = in[b.a]; p.next->mass = v.x + dt; }
}

__global__ void scalars(bool b, char c, signed char sc, unsigned char uc, short s, unsigned short us, int i, unsigned u, long l,
                        unsigned long ul, long long ll, unsigned long long ull, float f, double d, char16_t c16, wchar_t w) {}
__global__ void enums(Plain p, Small s, Wide w, Negative n, Plain *o) { *o = p; }
__global__ void pointers(void *v, void *const *vv, const int (*rows)[4], void (*f)(float), Node n, Node *list, int numbers[], struct Forward *fw, const Bits &bits) { list->next = n.next; }
extern "C" __global__ void aligned(float *o, Aligned a, int n) { o[n] = a.v[n]; }
__global__ void others(Untagged t, Untagged *p, Number n, Empty e, int last) { p->a = t.a + (int)n.d + last; }
static __global__ void quiet(int *o) { *o = 1; }
__global__ void over(int *o) { *o = 1; }
__global__ void over(float *o) { *o = 1; }
__global__ void nothing() {}
