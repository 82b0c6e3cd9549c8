// Kernels whose generated Go is kept as it is: see doc.go.

#include <cuda_runtime.h>

//cudagen:export
__constant__ float factor;

// Links is a struct with a pointer, which nothing checks.
struct Links {
  const float *first;
  int count;
};

//cudagen:export
enum class Mode : unsigned char { add, multiply };

// Scale multiplies by factor.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(x)
extern "C" __global__ void scale(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

// Apply combines x with y, where there is one.
//
//cudagen:kernel
//cudagen:block 16,4
//cudagen:threads columns,rows
//cudagen:len x=columns*rows y=columns*rows
//cudagen:nullable y
extern "C" __global__ void apply(float *x, const float *y, unsigned columns, unsigned rows, Mode mode) {
  unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= columns || row >= rows || !y) return;
  unsigned i = row * columns + column;
  x[i] = mode == Mode::add ? x[i] + y[i] : x[i] * y[i];
}

// Follow reads memory through a struct and through a plain pointer.
//
//cudagen:kernel
//cudagen:ptr plain
extern "C" __global__ void follow(Links links, const float *plain, void *out) {
  float sum = plain[0];
  for (int i = 0; i < links.count; i++) sum += links.first[i];
  *(float *)out = sum;
}

// Seven has seven arguments and dynamic shared memory.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid (n+31)/32
//cudagen:shared 4*block.x
//cudagen:len out=n
extern "C" __global__ void seven(float *out, int n, float a, float b, float c, float d, float **unused) {
  extern __shared__ float row[];
  row[threadIdx.x] = a + b + c + d;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = row[31 - threadIdx.x];
}

// Wide multiplies sizes of 64 bits, which saturate.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:threads n*m
//cudagen:len x=n*m+1
extern "C" __global__ void wide(float *x, unsigned long long n, unsigned long long m) { x[n * m] = 1; }

// Decide has a handle that only a graph gives a value.
//
//cudagen:kernel
//cudagen:block 1
//cudagen:grid 1
extern "C" __global__ void decide(cudaGraphConditionalHandle handle, float *x) { x[0] = (float)handle; }

// Grouped is launched in clusters.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:threads n
//cudagen:cluster 2
//cudagen:infer n=len(x)
extern "C" __global__ void grouped(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
