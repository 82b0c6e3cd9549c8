// React advances the reaction of Gray and Scott by one step of time: u feeds v, and both spread.
// The edges of the picture are joined.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:threads width,height
//cudagen:len u=width*height v=width*height nextU=width*height nextV=width*height
extern "C" __global__ void react(const float *u, const float *v, float *nextU, float *nextV, int width, int height, float feed,
                                 float kill) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int left = x > 0 ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
  int up = y > 0 ? y - 1 : height - 1, down = y + 1 < height ? y + 1 : 0;
  int at = y * width + x;
  float a = u[at], b = v[at];
  float spreadA = u[y * width + left] + u[y * width + right] + u[up * width + x] + u[down * width + x] - 4.0f * a;
  float spreadB = v[y * width + left] + v[y * width + right] + v[up * width + x] + v[down * width + x] - 4.0f * b;
  float reaction = a * b * b;
  nextU[at] = a + 0.2f * spreadA - reaction + feed * (1.0f - a);
  nextV[at] = b + 0.1f * spreadB + reaction - (feed + kill) * b;
}

// Shade writes the index of a color for each v.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:threads n
//cudagen:len pixels=n
//cudagen:infer n=len(v)
extern "C" __global__ void shade(const float *v, unsigned char *pixels, int n, int colors) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) pixels[i] = (unsigned char)(fminf(fmaxf(v[i] * 2.5f, 0.0f), 1.0f) * (colors - 1));
}
