// Arithmetic of 128 bits, which nvcc makes of carries.
typedef unsigned __int128 u128;

extern "C" __global__ void wide(u128 *out, const u128 *in, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u128 a = in[2 * i], b = in[2 * i + 1];
  out += 6 * i;
  out[0] = a / b;
  out[1] = a % b;
  out[2] = (__int128)a / (__int128)b;
  out[3] = (__int128)a % (__int128)b;
  out[4] = a * b;
  out[5] = a - b;
}
