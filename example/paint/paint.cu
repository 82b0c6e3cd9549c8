// Kernels that paint. A kernel becomes a command of the program paint, its parameters become flags:
// paint.tmpl writes that. A kernel that is added here needs no line of Go.

// Rings paints waves around two places.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:threads width,height
//cudagen:len pixels=width*height
//cudagen:data frequency=40 distance=0.5
extern "C" __global__ void rings(uchar4 *pixels, int width, int height, float frequency, float distance) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float x = (px - 0.5f * width) / width, y = (py - 0.5f * height) / width;
  float a = sinf(frequency * hypotf(x - distance / 2, y)), b = sinf(frequency * hypotf(x + distance / 2, y));
  pixels[py * width + px] = make_uchar4(127 + 120 * a, 127 + 60 * (a + b), 127 + 120 * b, 255);
}

// Checker paints a board that goes to the horizon.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:threads width,height
//cudagen:len pixels=width*height
//cudagen:data fields=8
extern "C" __global__ void checker(uchar4 *pixels, int width, int height, int fields) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float depth = 1.0f / (py + 1.0f) * height, x = (px - 0.5f * width) / width * depth;
  bool dark = ((int)floorf(x * fields) + (int)floorf(depth * fields)) & 1;
  unsigned char light = (dark ? 60 : 230) * fminf(1.0f, 2.0f / depth);
  pixels[py * width + px] = make_uchar4(light, light, light * 0.8f, 255);
}

// Triangles paints the triangle of Sierpinski, by the bits of the place.
//
//cudagen:kernel
//cudagen:block 32,8
//cudagen:threads width,height
//cudagen:len pixels=width*height
//cudagen:data shift=0
extern "C" __global__ void triangles(uchar4 *pixels, int width, int height, unsigned shift) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  bool lit = ((px >> (shift & 31)) & (py >> (shift & 31))) == 0;
  pixels[py * width + px] = lit ? make_uchar4(255, 200 - 200 * py / height, 60, 255) : make_uchar4(20, 20, 40, 255);
}
