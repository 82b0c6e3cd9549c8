#include "reduction.cuh"

// Sums blocks of numbers.
//
//cudagen:block 256
//cudagen:grid (n+511)/512
//cudagen:shared 256*4
template __global__ void reduce<float, 256, true>(float *, float *, unsigned int);

template __global__ void reduce<int, 512, false>(int *, int *, unsigned int);
template void reduceOnDevice<int>(int, int, int, int *, int *);
