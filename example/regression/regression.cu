// Kernels of example/regression, beside cuBLAS and cuRAND. Matrices are stored by columns, as cuBLAS has them.

// Place makes points of noise: around the center of their class, which is one of several on a circle. Their third coordinate is 1.
//
//cudagen:block 256
//cudagen:threads n
//cudagen:len points=3*n
extern "C" __global__ void place(float *points, int n, int classes, float radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float angle = 6.2831853f * (i % classes) / classes;
  points[i] += radius * cosf(angle);
  points[n + i] += radius * sinf(angle);
  points[2 * n + i] = 1;
}

// Errors makes errors of scores, of which each class has one for each point: the probability of the class, by softmax, less 1 for the
// one of the point. losses are -log of the probability of that.
//
//cudagen:block 256
//cudagen:threads n
//cudagen:len scores=n*classes losses=n right=n
extern "C" __global__ void errors(float *scores, float *losses, float *right, int n, int classes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0;
  for (int c = 1; c < classes; c++)
    if (scores[c * n + i] > scores[best * n + i]) best = c;
  float highest = scores[best * n + i], sum = 0;
  for (int c = 0; c < classes; c++) sum += expf(scores[c * n + i] - highest);
  int mine = i % classes;
  losses[i] = logf(sum) - (scores[mine * n + i] - highest);
  right[i] = best == mine;
  for (int c = 0; c < classes; c++) scores[c * n + i] = expf(scores[c * n + i] - highest) / sum - (c == mine);
}
