// Five kernels that transpose a matrix, from naive to good: docs/profiling.md says what the profiler finds in each.

constexpr int tile = 32;  // rows and columns that a block transposes
constexpr int rows = 8;   // of threads, where each copies several elements

// Naive lets each thread copy an element.
//
//cudagen:kernel
//cudagen:block 32,32
//cudagen:grid (width+31)/32, (height+31)/32
//cudagen:len in=width*height out=width*height
extern "C" __global__ void naive(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  if (x < width && y < height) {
    out[x * height + y] = in[y * width + x];
  }
}

// Tiled turns a tile in shared memory, so that both matrices are accessed along their rows.
//
//cudagen:kernel
//cudagen:block 32,32
//cudagen:grid (width+31)/32, (height+31)/32
//cudagen:len in=width*height out=width*height
extern "C" __global__ void tiled(const float *in, float *out, int width, int height) {
  __shared__ float turned[tile][tile];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  if (x < width && y < height) {
    turned[threadIdx.y][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  if (x < height && y < width) {
    out[y * height + x] = turned[threadIdx.x][threadIdx.y];
  }
}

// Padded gives the rows of the tile a word more, so that a column lies in different banks.
//
//cudagen:kernel
//cudagen:block 32,32
//cudagen:grid (width+31)/32, (height+31)/32
//cudagen:len in=width*height out=width*height
extern "C" __global__ void padded(const float *in, float *out, int width, int height) {
  __shared__ float turned[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  if (x < width && y < height) {
    turned[threadIdx.y][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  if (x < height && y < width) {
    out[y * height + x] = turned[threadIdx.x][threadIdx.y];
  }
}

// Several lets a thread copy four elements, which share the arithmetic of their addresses.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:grid (width+31)/32, (height+31)/32
//cudagen:len in=width*height out=width*height
extern "C" __global__ void several(const float *in, float *out, int width, int height) {
  __shared__ float turned[tile][tile + 1];
  int x = blockIdx.x * tile + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
#pragma unroll
  for (int n = 0; n < tile; n += rows) {
    if (x < width && y + n < height) {
      turned[threadIdx.y + n][threadIdx.x] = in[(y + n) * width + x];
    }
  }
  __syncthreads();
  x = blockIdx.y * tile + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
#pragma unroll
  for (int n = 0; n < tile; n += rows) {
    if (x < height && y + n < width) {
      out[(y + n) * height + x] = turned[threadIdx.x][threadIdx.y + n];
    }
  }
}

// Vectors copies four elements at once. Width and height are multiples of 32.
//
//cudagen:kernel
//cudagen:block 8,32
//cudagen:grid width/32, height/32
//cudagen:len in=width*height/4 out=width*height/4
extern "C" __global__ void vectors(const float4 *in, float4 *out, int width, int height) {
  __shared__ float turned[tile][tile + 1];
  int x = blockIdx.x * (tile / 4) + threadIdx.x;
  int y = blockIdx.y * tile + threadIdx.y;
  float4 v = in[y * (width / 4) + x];
  turned[4 * threadIdx.x + 0][threadIdx.y] = v.x;
  turned[4 * threadIdx.x + 1][threadIdx.y] = v.y;
  turned[4 * threadIdx.x + 2][threadIdx.y] = v.z;
  turned[4 * threadIdx.x + 3][threadIdx.y] = v.w;
  __syncthreads();
  const float *row = turned[threadIdx.y];
  x = blockIdx.y * (tile / 4) + threadIdx.x;
  y = blockIdx.x * tile + threadIdx.y;
  out[y * (height / 4) + x] = make_float4(row[4 * threadIdx.x], row[4 * threadIdx.x + 1], row[4 * threadIdx.x + 2], row[4 * threadIdx.x + 3]);
}
