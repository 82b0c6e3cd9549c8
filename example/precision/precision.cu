#include <cuda_fp16.h>

// Harmonic writes to sums the sum of 1/i for i from 1 to n, added up in numbers of type T: sums[0]
// begins with the largest, sums[1] with the smallest.
//
//cudagen:kernel
//cudagen:block 2
//cudagen:grid 1
//cudagen:len sums=2
//cudagen:instantiate T=__half Half
//cudagen:instantiate T=float Float
//cudagen:instantiate T=double Double
template <typename T>
__global__ void harmonic(T *sums, int n) {
  T sum = T(0.0f);
  for (int i = 1; i <= n; i++) sum = sum + T(1.0f) / T(float(threadIdx.x == 0 ? i : n + 1 - i));
  sums[threadIdx.x] = sum;
}
