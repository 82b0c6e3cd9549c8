// The C side of the benchmark of textures: the same kernel over an array and a texture object as
// C makes them. Build:
// cc -O2 -shared -fPIC -pthread -o textures.so textures/c/textures.c -ldl
#include <stdlib.h>

#include "../../race/driver.h"

enum { SIZE = 1024 };

// CUDA Driver API, CUDA_ARRAY3D_DESCRIPTOR.
struct array {
  size_t width, height, depth;
  unsigned format, channels, flags;
};

// CUDA Driver API, CUDA_MEMCPY3D.
struct side {
  size_t x, y, z, lod;
  int type;
  const void *host;
  uint64_t device;
  void *array, *reserved;
  size_t pitch, height;
};

struct copy {
  struct side from, to;
  size_t width, height, depth;
};

// CUDA Driver API, CUDA_RESOURCE_DESC and CUDA_TEXTURE_DESC.
struct resource {
  uint64_t type;
  void *array;
  unsigned char reserved[120];
  uint64_t flags;
};

struct texture {
  unsigned address[3], filter, flags, anisotropy, mipmap;
  float bias, least, most, border[4];
  int reserved[12];
};

static void *kernel, *stream;
static uint64_t texture, out;

int setup(const char *path, const char *image) {
  void *library, *array;
  int r;
  if ((r = open_gpu(path))) return r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "sample"))) return r;
  if ((r = open_stream(&stream))) return r;
  if ((r = cuMemAllocAsync(&out, SIZE * SIZE * sizeof(float), stream))) return r;
  struct array is = {.width = SIZE, .height = SIZE, .format = 0x20, .channels = 1};
  if ((r = cuArray3DCreate_v2(&array, &is))) return r;
  float *elements = malloc(SIZE * SIZE * sizeof(float));
  if (!elements) return 2;  // CUDA_ERROR_OUT_OF_MEMORY
  for (int i = 0; i < SIZE * SIZE; i++) elements[i] = (float)(i % 251);
  struct copy copy = {.from = {.type = 1, .host = elements, .pitch = SIZE * sizeof(float), .height = SIZE},
                      .to = {.type = 3, .array = array},
                      .width = SIZE * sizeof(float), .height = SIZE, .depth = 1};
  r = cuMemcpy3DAsync_v2(&copy, stream);
  if (!r) r = cuStreamSynchronize(stream);
  free(elements);
  if (r) return r;
  struct resource resource = {.array = array};
  struct texture read = {.address = {1, 1, 1}, .filter = 1};
  return cuTexObjectCreate(&texture, &resource, &read, 0);
}

// sample launches the kernel count times, and returns the nanoseconds of one until all have run.
double sample(int count) {
  int width = SIZE, height = SIZE;
  double start = now();
  for (int i = 0; i < count; i++) {
    void *params[] = {&texture, &out, &width, &height};
    int r = cuLaunchKernel(kernel, SIZE / 16, SIZE / 16, 1, 16, 16, 1, 0, stream, params, 0);
    if (r) return -r;
  }
  int r = cuStreamSynchronize(stream);
  return r ? -r : (now() - start) / count;
}
