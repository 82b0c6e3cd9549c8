// Kernels of the programs that show graphs.

// AddTwo adds 2 to the first element of a.
//
//cudagen:kernel
//cudagen:len a=1
extern "C" __global__ void add_two(int *a) { a[0] += 2; }

// Triple multiplies the first element of a by 3.
//
//cudagen:kernel
//cudagen:len a=1
extern "C" __global__ void triple(int *a) { a[0] *= 3; }

// React advances the reaction of Gray and Scott by one step of time: u feeds v, and both
// spread. The grid is columns wide, and its edges are joined.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:grid (columns+31)/32,(rows+7)/8
//cudagen:len u=columns*rows v=columns*rows nextU=columns*rows nextV=columns*rows
extern "C" __global__ void react(const float *u, const float *v, float *nextU, float *nextV, int columns, int rows, float feed,
                                 float kill) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= columns || y >= rows) return;
  int left = x > 0 ? x - 1 : columns - 1, right = x + 1 < columns ? x + 1 : 0;
  int up = y > 0 ? y - 1 : rows - 1, down = y + 1 < rows ? y + 1 : 0;
  int at = y * columns + x;
  float a = u[at], b = v[at];
  float spreadA = u[y * columns + left] + u[y * columns + right] + u[up * columns + x] + u[down * columns + x] - 4.0f * a;
  float spreadB = v[y * columns + left] + v[y * columns + right] + v[up * columns + x] + v[down * columns + x] - 4.0f * b;
  float reaction = a * b * b;
  nextU[at] = a + 0.2f * spreadA - reaction + feed * (1.0f - a);
  nextV[at] = b + 0.1f * spreadB + reaction - (feed + kill) * b;
}

extern "C" __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);

// Countdown takes 1 off a, and sets the conditional to 1 as long as a is greater than stop.
//
//cudagen:kernel
//cudagen:len a=1
extern "C" __global__ void countdown(cudaGraphConditionalHandle conditional, int *a, int stop) {
  a[0] -= 1;
  cudaGraphSetConditional(conditional, a[0] > stop);
}
