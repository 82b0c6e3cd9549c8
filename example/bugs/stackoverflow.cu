// Deep adds up the numbers from 1 to n, each in a frame of its own.
__device__ __noinline__ int deep(int n) {
  volatile int frame[64];
  frame[n % 64] = n;
  if (n == 0) return 0;
  return deep(n - 1) + frame[n % 64];
}

// StackOverflow adds up the numbers from 1 to each by recursion, which takes more local memory than a thread has.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void stackOverflow(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = deep(in[i] * 16);
}

// StackOverflowMended needs no recursion.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads n
//cudagen:infer n=len(in)
extern "C" __global__ void stackOverflowMended(int *out, const int *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = 0;
  for (int k = 1; k <= in[i] * 16; k++) sum += k;
  out[i] = sum;
}
