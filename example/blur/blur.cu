// Blur writes to out the rounded mean of the pixels of in at most radius away in both directions,
// within the picture. A pixel is red, green, blue and alpha, premultiplied.
//
//cudagen:kernel
//cudagen:block 16,16
//cudagen:threads width,height
//cudagen:len in=width*height out=width*height
extern "C" __global__ void blur(const uchar4 *in, uchar4 *out, int width, int height, int radius) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  unsigned r = 0, g = 0, b = 0, a = 0, n = 0;
  for (int y = max(py - radius, 0); y <= min(py + radius, height - 1); y++) {
    for (int x = max(px - radius, 0); x <= min(px + radius, width - 1); x++) {
      uchar4 p = in[(size_t)y * width + x];
      r += p.x;
      g += p.y;
      b += p.z;
      a += p.w;
      n++;
    }
  }
  out[(size_t)py * width + px] = make_uchar4((r + n / 2) / n, (g + n / 2) / n, (b + n / 2) / n, (a + n / 2) / n);
}
