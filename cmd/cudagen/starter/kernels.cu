// The kernels of this program. After a change run: go generate

// Saxpy computes y = a*x + y over n elements.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:threads n
//cudagen:len y=n
//cudagen:infer n=len(x)
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
