// Julia paints width × height pixels of a Julia set, row by row: for each the number of steps until
// z = z*z + c leaves the circle of radius 2, at most limit. Every operation names its rounding, so
// that each device paints the very same numbers.
//
//cudagen:kernel
//cudagen:block 16,16
//cudagen:threads width,height
//cudagen:len steps=width*height
extern "C" __global__ void julia(unsigned short *steps, int width, int height, double2 c, double span, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  double x = __dmul_rn(span, __ddiv_rn(px + 0.5 - 0.5 * width, width));
  double y = __dmul_rn(span, __ddiv_rn(py + 0.5 - 0.5 * height, width));
  int n = 0;
  while (n < limit) {
    double xx = __dmul_rn(x, x), yy = __dmul_rn(y, y);
    if (__dadd_rn(xx, yy) > 4.0) break;
    y = __dadd_rn(__dmul_rn(__dmul_rn(2.0, x), y), c.y);
    x = __dadd_rn(__dadd_rn(xx, -yy), c.x);
    n++;
  }
  steps[py * width + px] = n;
}
