// variables.ptx is made of this file: nvcc -G -ptx -arch compute_75 variables.cu
enum Colour { red = 1, green = 2 };

struct Base { short kind; };

struct Pair : Base {
  float x;
  int y[3];
  unsigned low : 3, high : 5;
  Pair *next;
};

typedef const unsigned char byte;

__constant__ int table[4];
__device__ int counter;

__device__ __noinline__ int twice(int v) {
  int w = v * 2;
  return w + 1;
}

extern "C" __global__ void variables(int *out, const Pair *in, int n, Pair given) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int tile[8][8];
  extern __shared__ float dynamic[];
  Pair local;
  local.x = given.x;
  local.y[1] = n;
  Colour colour = i > 3 ? red : green;
  for (int j = 0; j < 5; j++) {
    int square = j * j;
    tile[j][threadIdx.x] = square + i;
  }
  {
    long long i = 5;
    local.y[0] = i;
  }
  double d = 2.5;
  byte b = n;
  const int &reference = n;
  dynamic[threadIdx.x] = local.x + d;
  if (i < n)
    out[i] = tile[1][2] + twice(local.y[0]) + table[1] + counter + colour + b + reference + in[i].low;
}

extern "C" __global__ void constant(int *out, const __grid_constant__ Pair given) {
  const Pair *address = &given;
  out[0] = address->y[1];
}
