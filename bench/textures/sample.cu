// Sample adds sixteen filtered elements of a texture for each element of out, at places that
// depend on where that is.
//
//cudagen:kernel
//cudagen:block 16,16
//cudagen:threads width,height
//cudagen:texture in=float
//cudagen:len out=width*height
extern "C" __global__ void sample(cudaTextureObject_t in, float *out, int width, int height) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float sum = 0;
  for (int i = 0; i < 16; i++) sum += tex2D<float>(in, px + 0.37f * i, py + 0.61f * i);
  out[(size_t)py * width + px] = sum;
}
