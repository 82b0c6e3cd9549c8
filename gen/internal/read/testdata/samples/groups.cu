// Cooperative groups in the style of a sample: a kernel without parameters, and main.
#include <cooperative_groups.h>
#include <stdio.h>

using namespace cooperative_groups;

__device__ int sumReduction(thread_group g, int *x, int val) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    x[lane] = val;
    g.sync();
    if (lane < i) val += x[lane + i];
    g.sync();
  }
  return g.thread_rank() == 0 ? val : -1;
}

__global__ void cgkernel() {
  thread_block threadBlockGroup = this_thread_block();
  extern __shared__ int workspace[];
  int output = sumReduction(threadBlockGroup, workspace, threadBlockGroup.thread_rank());
  if (threadBlockGroup.thread_rank() == 0) printf(" Sum of all ranks is %d\n", output);
  thread_block_tile<16> tile = tiled_partition<16>(threadBlockGroup);
  output = sumReduction(tile, workspace + threadBlockGroup.thread_rank() - tile.thread_rank(), tile.thread_rank());
}

int main() {
  cudaError_t err;
  int blocksPerGrid = 1;
  int threadsPerBlock = 64;
  printf("\nLaunching a single block with %d threads...\n\n", threadsPerBlock);
  cgkernel<<<blocksPerGrid, threadsPerBlock, threadsPerBlock * sizeof(int)>>>();
  err = cudaDeviceSynchronize();
  return err != cudaSuccess;
}
