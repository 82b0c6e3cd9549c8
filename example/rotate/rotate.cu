// Rotate writes to out the picture in, turned by an angle and scaled about its middle: (c, s) is
// the cosine and the sine of the angle, divided by the scale. Between pixels it interpolates;
// beyond the picture there is the border's colour. Colours are premultiplied.
//
//cudagen:kernel
//cudagen:block 16,16
//cudagen:threads width,height
//cudagen:texture in=float4
//cudagen:surface out=uchar4
extern "C" __global__ void rotate(cudaTextureObject_t in, float2 middle, cudaSurfaceObject_t out, int width, int height, float c, float s) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  // The middle of the pixel, seen from the middle of the picture.
  float dx = px + 0.5f - 0.5f * width, dy = py + 0.5f - 0.5f * height;
  float x = __fadd_rn(middle.x, __fadd_rn(__fmul_rn(c, dx), __fmul_rn(s, dy)));
  float y = __fadd_rn(middle.y, __fadd_rn(__fmul_rn(-s, dx), __fmul_rn(c, dy)));
  float4 p = tex2D<float4>(in, x, y);
  uchar4 pixel = make_uchar4(__float2uint_rn(p.x * 255), __float2uint_rn(p.y * 255), __float2uint_rn(p.z * 255), __float2uint_rn(p.w * 255));
  surf2Dwrite(pixel, out, px * (int)sizeof(uchar4), py);
}
