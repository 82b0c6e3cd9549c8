#include "rule.h"

// Number is the rule's number after Wolfram, which Go sets.
//
//cudagen:export
__constant__ unsigned char number = 90;

// Step computes the next row of cells, each 0 or 1. The row is a ring.
//
//cudagen:kernel
//cudagen:block 128
//cudagen:threads n
//cudagen:len row=n next=n
//cudagen:infer n=len(row)
extern "C" __global__ void step(const unsigned char *row, unsigned char *next, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  next[i] = rule(row[i == 0 ? n - 1 : i - 1], row[i], row[i == n - 1 ? 0 : i + 1]);
}
