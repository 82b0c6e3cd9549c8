// Kernels of example/heat, beside cuFFT and cuBLAS.

// Decay lets the waves of a transform of real numbers fade, as heat does in a time: each by exp(-time*k*k).
//
//cudagen:block 256
//cudagen:threads (width/2+1)*height
//cudagen:len waves=(width/2+1)*height
extern "C" __global__ void decay(float2 *waves, int width, int height, float time) {
  int half = width / 2 + 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= half * height) return;
  int x = i % half, y = i / half;
  if (y > height / 2) y -= height;
  const float turn = 6.2831853f;
  float kx = turn * x / width, ky = turn * y / height;
  float scale = expf(-time * (kx * kx + ky * ky)) / (width * height);
  waves[i].x *= scale;
  waves[i].y *= scale;
}

// Shade makes pixels of temperatures from 0 to the highest.
//
//cudagen:block 256
//cudagen:threads n
//cudagen:len temperatures=n pixels=n
extern "C" __global__ void shade(const float *temperatures, unsigned char *pixels, int n, float highest, int colors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = temperatures[i] / highest * colors;
  pixels[i] = (unsigned char)fminf(fmaxf(t, 0), colors - 1);
}
