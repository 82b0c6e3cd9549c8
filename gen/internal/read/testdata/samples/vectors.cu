// Adding and multiplying in the style of samples, with a launch whose arguments are deduced and one in
// a function template.
#include <stdio.h>

template <typename T>
__global__ void vectorAdd(const T *A, const T *B, T *C, int numElements) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < numElements) C[i] = A[i] + B[i];
}

template <int BLOCK_SIZE>
__global__ void MatrixMulCUDA(float *C, float *A, float *B, int wA, int wB) {
  __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
  As[threadIdx.y][threadIdx.x] = A[wA * threadIdx.y + threadIdx.x];
  __syncthreads();
  C[wB * threadIdx.y + threadIdx.x] = As[threadIdx.x][threadIdx.y] * B[0];
}

template <typename T>
__global__ void neverUsed(T *x) {}

template <typename T>
void addAll(T *a, T *b, T *c, int n) {
  vectorAdd<<<n / 256, 256>>>(a, b, c, n);
}

int MatrixMultiply(int block_size, const dim3 &dimsA, const dim3 &dimsB) {
  float *d_A, *d_B, *d_C;
  cudaMalloc((void **)&d_A, 1024);
  cudaMalloc((void **)&d_B, 1024);
  cudaMalloc((void **)&d_C, 1024);
  dim3 threads(block_size, block_size);
  dim3 grid(dimsB.x / threads.x, dimsA.y / threads.y);
  if (block_size == 16) {
    MatrixMulCUDA<16><<<grid, threads>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  } else {
    MatrixMulCUDA<32><<<grid, threads>>>(d_C, d_A, d_B, dimsA.x, dimsB.x);
  }
  return 0;
}

int main(void) {
  int numElements = 50000;
  double *d_A = NULL;
  cudaMalloc((void **)&d_A, numElements * sizeof(double));
  double *d_B = NULL;
  double *d_C = NULL;
  int threadsPerBlock = 256;
  int blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
  vectorAdd<<<blocksPerGrid, threadsPerBlock>>>(d_A, d_B, d_C, numElements);
  return MatrixMultiply(32, dim3(320, 320, 1), dim3(640, 320, 1));
}
