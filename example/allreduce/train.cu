// A network with one hidden layer of rectified linear units, which tells points within a ring from
// others.

//cudagen:export
enum Shape { Hidden = 16, Weights = 4 * Hidden + 1, Sums = Weights + 2 };

// A gradient is summed in units of 1/fixedPoint: whole numbers have the same sum in any order, so how
// many GPUs there are, and how they add, does not change a bit.
__device__ const float fixedPoint = 1 << 24;

__device__ void add(long long *sum, float value) {
  atomicAdd((unsigned long long *)sum, (unsigned long long)__float2ll_rn(fmaxf(-1e6f, fminf(1e6f, value)) * fixedPoint));
}

// Gradient adds to sums the gradient of the squared error of n points by each weight, the error itself,
// and how many points are told right.
//
//cudagen:kernel
//cudagen:block 128
//cudagen:threads n
//cudagen:infer n=len(points)
//cudagen:len label=n weights=65 sums=67
extern "C" __global__ void gradient(const float2 *points, const float *label, const float *weights, long long *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = points[i];
  const float *wx = weights, *wy = wx + Hidden, *bias = wy + Hidden, *out = bias + Hidden;
  float hidden[Hidden], score = out[Hidden];
  for (int h = 0; h < Hidden; h++) {
    hidden[h] = fmaxf(0, __fmaf_rn(wx[h], p.x, __fmaf_rn(wy[h], p.y, bias[h])));
    score = __fmaf_rn(out[h], hidden[h], score);
  }
  float error = score - label[i];
  for (int h = 0; h < Hidden; h++) {
    float back = hidden[h] > 0 ? __fmul_rn(error, out[h]) : 0;
    add(sums + h, __fmul_rn(back, p.x));
    add(sums + Hidden + h, __fmul_rn(back, p.y));
    add(sums + 2 * Hidden + h, back);
    add(sums + 3 * Hidden + h, __fmul_rn(error, hidden[h]));
  }
  add(sums + 4 * Hidden, error);
  add(sums + Weights, __fmul_rn(error, error));
  add(sums + Weights + 1, (score > 0) == (label[i] > 0));
}

// Descend changes each weight by its gradient, times rate.
//
//cudagen:kernel
//cudagen:block 128
//cudagen:threads 65
//cudagen:len weights=65 sums=65
extern "C" __global__ void descend(float *weights, const long long *sums, float rate) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Weights) return;
  weights[i] = __fmaf_rn(-rate, __fmul_rn(__ll2float_rn(sums[i]), 1 / fixedPoint), weights[i]);
}
