// types.ptx is made of this file, in /src: nvcc -G -ptx -arch compute_75 types.cu
namespace geo {
enum Color { RED, GREEN = 5, BLUE };
enum class Mode : unsigned char { Off, On = 200 };
enum class Level : unsigned short { Low = 1, High = 2 };
enum class Step : signed char { Back = -1, Forth = 1 };
}

namespace { enum Hidden { SEEN = 7 }; }

enum class High : unsigned short { Top = 0xfff0 };
enum class Wide : unsigned long long { A = 1, Z = 0xffffffffffffffffull };
enum Plain { MINUS = -1, PLUS = 1 };
enum class Word : unsigned { All = 0xffffffffu };

namespace geo { struct Base { int base; }; }
struct Outer : geo::Base {
  union { float f; unsigned bits; };
  struct { short s; struct { char deep; }; };
  enum Inner { IN, OUT = 3 } inner : 3;
  Plain sign : 2;
};

__device__ High high = High::Top;
__device__ Wide wide = Wide::Z;
__device__ Plain plain = MINUS;
__device__ Word every = Word::All;
__device__ geo::Level level = geo::Level::High;
__device__ geo::Step back = geo::Step::Back;
__device__ Hidden hidden = SEEN;
__device__ Outer outer;

__device__ __noinline__ int callee(int i) {
  __shared__ float acc[4][8];
  extern __shared__ double dynamic[];
  acc[i / 8][i % 8] = i * 0.5f;
  dynamic[i] = i;
  __syncthreads();
  return (int)acc[3 - i / 8][i % 8] + (int)dynamic[31 - i];
}

extern "C" __global__ void types(int *out, geo::Color color) {
  {
    __shared__ geo::Mode modes[32];
    modes[threadIdx.x] = geo::Mode::On;
    __syncthreads();
    out[threadIdx.x] = (int)modes[31 - threadIdx.x];
  }
  enum class Local { X = 4, Y } local = out[0] > 4 ? Local::X : Local::Y;
  out[threadIdx.x] += (int)local + hidden + callee(threadIdx.x) + color + (int)high + (int)wide + plain + (int)level + (int)back + (int)outer.f + outer.inner + (int)every;
}
