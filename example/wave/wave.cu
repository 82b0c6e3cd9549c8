// A library of C for vibrating strings. The kernel is below it, so that cudagen wraps it for simulated devices, too.
#include "wave.h"
#include <new>

//cudagen:block 256
//cudagen:threads n
//cudagen:len before=n now=n next=n
extern "C" __global__ void advance(int n, const float *before, const float *now, float *next, float speed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n - 1) {
    next[i] = now[i];
    return;
  }
  next[i] = 2 * now[i] - before[i] + speed * speed * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

struct wave_string {
  float speed;
  cudaStream_t stream;
};

extern "C" wave_status wave_create(wave_string_t *string, float speed) {
  if (!(speed > 0 && speed <= 1)) return WAVE_BAD_VALUE;
  *string = new (std::nothrow) wave_string{speed, nullptr};
  return *string ? WAVE_OK : WAVE_BAD_VALUE;
}

extern "C" wave_status wave_destroy(wave_string_t string) {
  delete string;
  return WAVE_OK;
}

extern "C" wave_status wave_set_stream(wave_string_t string, cudaStream_t stream) {
  string->stream = stream;
  return WAVE_OK;
}

extern "C" wave_status wave_step(wave_string_t string, int n, const float *before, const float *now, float *next) {
  if (n < 2) return WAVE_BAD_VALUE;
  advance<<<(n + 255) / 256, 256, 0, string->stream>>>(n, before, now, next, string->speed);
  return cudaGetLastError() == cudaSuccess ? WAVE_OK : WAVE_CUDA;
}

extern "C" const char *wave_text(wave_status status) {
  switch (status) {
    case WAVE_OK: return "done";
    case WAVE_BAD_VALUE: return "a speed is above 0 and at most 1, and a string has at least 2 points";
    default: return "the kernel could not be launched";
  }
}
