// A separable convolution in the style of a sample: its taps are in constant memory, and C functions
// copy them there and launch.
#include <cooperative_groups.h>
#include <assert.h>

namespace cg = cooperative_groups;

#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)

__constant__ float c_Kernel[KERNEL_LENGTH];

extern "C" void setConvolutionKernel(float *h_Kernel) {
  cudaMemcpyToSymbol(c_Kernel, h_Kernel, KERNEL_LENGTH * sizeof(float));
}

#define ROWS_BLOCKDIM_X 16
#define ROWS_BLOCKDIM_Y 4
#define ROWS_RESULT_STEPS 8

__global__ void convolutionRowsKernel(float *d_Dst, float *d_Src, int imageW, int imageH, int pitch) {
  cg::thread_block cta = cg::this_thread_block();
  __shared__ float s_Data[ROWS_BLOCKDIM_Y][ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X];
  const int x = blockIdx.x * ROWS_BLOCKDIM_X + threadIdx.x, y = blockIdx.y * ROWS_BLOCKDIM_Y + threadIdx.y;
  s_Data[threadIdx.y][threadIdx.x] = (x < imageW && y < imageH) ? d_Src[y * pitch + x] : 0;
  cg::sync(cta);
  float sum = 0;
#pragma unroll
  for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++) sum += c_Kernel[KERNEL_RADIUS - j] * s_Data[threadIdx.y][threadIdx.x];
  if (x < imageW && y < imageH) d_Dst[y * pitch + x] = sum;
}

extern "C" void convolutionRowsGPU(float *d_Dst, float *d_Src, int imageW, int imageH) {
  assert(ROWS_BLOCKDIM_X * ROWS_RESULT_STEPS >= KERNEL_RADIUS);
  dim3 blocks(imageW / (ROWS_RESULT_STEPS * ROWS_BLOCKDIM_X), imageH / ROWS_BLOCKDIM_Y);
  dim3 threads(ROWS_BLOCKDIM_X, ROWS_BLOCKDIM_Y);
  convolutionRowsKernel<<<blocks, threads>>>(d_Dst, d_Src, imageW, imageH, imageW);
}
