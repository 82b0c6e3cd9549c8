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

// Slices1 has 1 pointer, which are slices in Go.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
extern "C" __global__ void slices1(float *p0) {
  p0[0] = 0;
}

// Plain1 has 1 pointer, which are cuda.Ptr in Go.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
//cudagen:ptr p0
extern "C" __global__ void plain1(float *p0) {
  p0[0] = 0;
}

// Slices4 has 4 pointers, which are slices in Go.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
extern "C" __global__ void slices4(float *p0, float *p1, float *p2, float *p3) {
  p0[0] = 0;
}

// Plain4 has 4 pointers, which are cuda.Ptr in Go.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
//cudagen:ptr p0 p1 p2 p3
extern "C" __global__ void plain4(float *p0, float *p1, float *p2, float *p3) {
  p0[0] = 0;
}

// Slices12 has 12 pointers, which are slices in Go.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
extern "C" __global__ void slices12(float *p0, float *p1, float *p2, float *p3, float *p4, float *p5,
                                    float *p6, float *p7, float *p8, float *p9, float *p10, float *p11) {
  p0[0] = 0;
}

// Plain12 has 12 pointers, which are cuda.Ptr in Go.
//
//cudagen:kernel
//cudagen:block 32
//cudagen:grid 1
//cudagen:ptr p0 p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11
extern "C" __global__ void plain12(float *p0, float *p1, float *p2, float *p3, float *p4, float *p5,
                                   float *p6, float *p7, float *p8, float *p9, float *p10, float *p11) {
  p0[0] = 0;
}
