// Kernels of the cudagen example: each shows one thing that a Go wrapper has to get right.

#include <cstdint>
#include <cuda_runtime.h>

// Saxpy computes y = a*x + y over n elements.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:threads n
//cudagen:len y=n
//cudagen:infer n=len(x)
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// Sum adds n integers into partial sums, one for each block: a warp reduces by shuffling,
// the warps of a block through shared memory. Each block takes 1024 elements.
//
//cudagen:kernel
//cudagen:threads (n+3)/4
//cudagen:len partial=(n+1023)/1024
//cudagen:infer n=len(in)
extern "C" __global__ void __launch_bounds__(256) sum(const int32_t *in, long long *partial, unsigned n) {
  __shared__ long long warps[8];
  unsigned base = blockIdx.x * 1024u + threadIdx.x;
  long long v = 0;
  for (unsigned k = 0; k < 4; k++) {
    unsigned i = base + k * 256u;
    if (i < n) v += in[i];
  }
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffffu, v, offset);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 8) {
    v = warps[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2) v += __shfl_down_sync(0xffu, v, offset);
    if (threadIdx.x == 0) partial[blockIdx.x] = v;
  }
}

// Mandelbrot paints width × height pixels, row by row, of a rectangle span wide around centre.
// Every operation names its rounding, so that each device paints the very same bytes.
//
//cudagen:kernel
//cudagen:block 16,16
//cudagen:threads width,height
//cudagen:len image=width*height
extern "C" __global__ void mandelbrot(uchar4 *image, int width, int height, double2 centre, double span, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  double cx = __fma_rn(span, __ddiv_rn(px + 0.5, width) - 0.5, centre.x);
  double cy = __fma_rn(span, __ddiv_rn(py + 0.5 - 0.5 * height, width), centre.y);
  double x = 0, y = 0;
  int n = 0;
  while (n < limit) {
    double xx = __dmul_rn(x, x), yy = __dmul_rn(y, y);
    if (__dadd_rn(xx, yy) > 4.0) break;
    y = __fma_rn(2.0 * x, y, cy);
    x = __dadd_rn(__dsub_rn(xx, yy), cx);
    n++;
  }
  unsigned char shade = n == limit ? 0 : (unsigned char)(n * 7 & 255);
  image[py * width + px] = make_uchar4(shade, (unsigned char)(shade * 3), (unsigned char)(255 - shade), 255);
}

// Plate describes the grid of a heat equation: a vector member, a double behind an int, an array.
struct Plate {
  uint2 size;        // columns and rows
  int periodic;      // whether the edges are joined
  double dt;         // time step, in units of the stability limit
  float conduct[3];  // conductivity: centre, horizontal, vertical
};

// HeatStep advances the temperature by one explicit time step.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:grid (columns+31)/32,(rows+7)/8
//cudagen:len out=columns*rows in=columns*rows
extern "C" __global__ void heat_step(float *out, const float *in, Plate plate, unsigned columns, unsigned rows) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows || plate.size.x != columns || plate.size.y != rows) return;
  unsigned left = x > 0 ? x - 1 : plate.periodic ? columns - 1 : x;
  unsigned right = x + 1 < columns ? x + 1 : plate.periodic ? 0 : x;
  unsigned up = y > 0 ? y - 1 : plate.periodic ? rows - 1 : y;
  unsigned down = y + 1 < rows ? y + 1 : plate.periodic ? 0 : y;
  float here = in[y * columns + x];
  float flow = plate.conduct[1] * (in[y * columns + left] + in[y * columns + right] - 2.0f * here) +
               plate.conduct[2] * (in[up * columns + x] + in[down * columns + x] - 2.0f * here);
  out[y * columns + x] = plate.conduct[0] * here + (float)plate.dt * flow;
}

namespace stats {

// Histogram counts bytes. It is an ordinary C++ function in a namespace: its symbol is mangled.
// shared holds one counter for each bin and block.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:grid (n+4095)/4096
//cudagen:shared 4*bins
//cudagen:len counts=bins
//cudagen:infer n=len(data)
__global__ void histogram(const unsigned char *data, unsigned int *counts, int bins, unsigned n) {
  extern __shared__ unsigned int local[];
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  unsigned end = min(n, (blockIdx.x + 1) * 4096u);
  for (unsigned i = blockIdx.x * 4096u + threadIdx.x; i < end; i += blockDim.x) atomicAdd(&local[data[i] % bins], 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}

}  // namespace stats

// AddDelta adds delta to every element. Its last parameter is an int behind a pointer, so the
// parameters end at 20 bytes, not at 24.
//
//cudagen:kernel AddDelta
//cudagen:block 128
//cudagen:threads n
//cudagen:infer n=len(data)
extern "C" __global__ void add_delta(int n, int *data, int delta) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += delta;
}

// Affine is a 2 × 3 matrix, aligned to 32 bytes.
struct alignas(32) Affine {
  float m[6];
};

// Transform applies an affine map to n points.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:len to=n
//cudagen:infer n=len(from)
extern "C" __global__ void transform(const float2 *from, float2 *to, Affine map, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = from[i];
  to[i] = make_float2(map.m[0] * p.x + map.m[1] * p.y + map.m[2], map.m[3] * p.x + map.m[4] * p.y + map.m[5]);
}

// Taps weigh a sample, in the middle, and its neighbours: LoadKernels puts them into the
// field Taps, which programs set before they launch Smooth.
//
//cudagen:export
__constant__ float taps[5];

// Smooth filters a signal with taps. Beyond its ends the signal is 0.
//
//cudagen:kernel
//cudagen:block 128
//cudagen:threads n
//cudagen:len out=n
//cudagen:infer n=len(in)
extern "C" __global__ void smooth(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int t = 0; t < 5; t++) {
    int at = i + t - 2;
    if (at >= 0 && at < n) sum += taps[t] * in[at];
  }
  out[i] = sum;
}

// Scratch is left out: it is not for Go.
//
//cudagen:ignore
__global__ void scratch(float *x) { x[0] = 0; }
