// Kernels of the launch benchmarks: how their parameters get there is what is measured.

// Twelve has twelve parameters of 72 bytes.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
//cudagen:len out=1
extern "C" __global__ void twelve(float *out, const float *a, const float *b, const float *c, int i, int j, int m, int n,
                                  float f, float g, double d, double e) {
  if (i + j + m + n < 0) out[0] = a[0] + b[0] + c[0] + f + g + (float)(d + e);
}

// Wide is 256 bytes.
struct Wide {
  double values[32];
};

// Large has a struct of 256 bytes by value.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
//cudagen:len out=1
extern "C" __global__ void large(float *out, Wide wide) {
  if (wide.values[31] < 0) out[0] = (float)wide.values[0];
}
