// The C side of the benchmark of tensor maps: the same kernel with a tensor map as C makes it. Build:
// cc -O2 -shared -fPIC -pthread -o tensormaps.so tensormaps/c/tensormaps.c -ldl
#include <stdalign.h>

#include "../../race/driver.h"

enum { SIZE = 2048, TILE = 32 };

// CUDA Driver API, CUtensorMap.
static struct {
  alignas(64) uint64_t opaque[16];
} map;

static void *kernel, *stream;
static uint64_t in, out;

int setup(const char *path, const char *image) {
  void *library;
  int r;
  if ((r = open_gpu(path))) return r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "tiles"))) return r;
  if ((r = open_stream(&stream))) return r;
  if ((r = cuMemAllocAsync(&in, SIZE * SIZE * sizeof(float), stream))) return r;
  if ((r = cuMemAllocAsync(&out, SIZE * SIZE * sizeof(float), stream))) return r;
  if ((r = cuMemsetD8Async(in, 1, SIZE * SIZE * sizeof(float), stream))) return r;
  uint64_t dims[] = {SIZE, SIZE}, strides[] = {SIZE * sizeof(float)};
  uint32_t box[] = {TILE, TILE}, steps[] = {1, 1};
  return cuTensorMapEncodeTiled(&map, 7, 2, in, dims, strides, box, steps, 0, 0, 0, 0);  // 7: CU_TENSOR_MAP_DATA_TYPE_FLOAT32
}

// tiles launches the kernel count times, and returns the nanoseconds of one until all have run.
double tiles(int count) {
  int rows = SIZE, columns = SIZE;
  double start = now();
  for (int i = 0; i < count; i++) {
    void *params[] = {&map, &out, &rows, &columns};
    int r = cuLaunchKernel(kernel, SIZE / TILE, SIZE / TILE, 1, TILE, 8, 1, 0, stream, params, 0);
    if (r) return -r;
  }
  int r = cuStreamSynchronize(stream);
  return r ? -r : (now() - start) / count;
}
