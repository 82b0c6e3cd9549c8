// What the C sides of the benchmarks share: the driver, opened at run time, a context, and
// streams. CUDA Driver API.
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// ENTRY_POINTS calls X with the name and the parameters of each one that some C side calls.
#define ENTRY_POINTS(X)                                                                               \
  X(cuInit, (unsigned flags))                                                                         \
  X(cuDevicePrimaryCtxRetain, (void **context, int device))                                           \
  X(cuCtxPushCurrent_v2, (void *context))                                                             \
  X(cuLibraryLoadData, (void **library, const void *code, void *, void *, unsigned, void *, void *, unsigned)) \
  X(cuLibraryGetKernel, (void **kernel, void *library, const char *name))                             \
  X(cuStreamCreate, (void **stream, unsigned flags))                                                  \
  X(cuStreamSynchronize, (void *stream))                                                              \
  X(cuEventCreate, (void **event, unsigned flags))                                                    \
  X(cuEventRecord, (void *event, void *stream))                                                       \
  X(cuMemAllocAsync, (uint64_t *address, size_t bytes, void *stream))                                 \
  X(cuMemFreeAsync, (uint64_t address, void *stream))                                                 \
  X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags))                                    \
  X(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, void *stream))                \
  X(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, void *stream))                      \
  X(cuMemsetD8Async, (uint64_t address, unsigned char value, size_t count, void *stream))             \
  X(cuMemcpy3DAsync_v2, (const void *copy, void *stream))                                             \
  X(cuArray3DCreate_v2, (void **array, const void *description))                                      \
  X(cuTexObjectCreate, (uint64_t *object, const void *resource, const void *texture, const void *view)) \
  X(cuTensorMapEncodeTiled, (void *map, int type, uint32_t rank, uint64_t address, const uint64_t *dims, const uint64_t *strides, \
                             const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill)) \
  X(cuLaunchKernel, (void *kernel, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,   \
                     unsigned bz, unsigned shared, void *stream, void **params, void **extra))

#define DECLARE(name, parameters) static int(*name) parameters;
ENTRY_POINTS(DECLARE)
#undef DECLARE

enum { STREAMS = 8 };
static void *context, *streams[STREAMS];

// open_gpu makes the primary context of device 0 current, by the driver at path. It and the
// functions below return a CUresult; it returns -1 for a missing symbol.
static inline int open_gpu(const char *path) {
  void *driver = dlopen(path, RTLD_NOW);
  if (!driver) return -1;
#define FIND(name, parameters) \
  if (!(name = (int(*) parameters)dlsym(driver, #name))) return -1;
  ENTRY_POINTS(FIND)
#undef FIND
  int r;
  if ((r = cuInit(0))) return r;
  if ((r = cuDevicePrimaryCtxRetain(&context, 0))) return r;
  return cuCtxPushCurrent_v2(context);
}

// open_stream makes a stream that is independent of the null stream.
static inline int open_stream(void **stream) { return cuStreamCreate(stream, 1); }

static inline int open_streams(void) {
  int r = 0;
  for (int i = 0; i < STREAMS && !r; i++) r = open_stream(&streams[i]);
  return r;
}

// load loads image.
static inline int load(void **library, const void *image) { return cuLibraryLoadData(library, image, 0, 0, 0, 0, 0, 0); }

// launch_saxpy launches the kernel saxpy over n elements.
static inline int launch_saxpy(void *kernel, void *stream, int n, float a, uint64_t x, uint64_t y) {
  void *params[] = {&n, &a, &x, &y};
  return cuLaunchKernel(kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, params, 0);
}

// now returns nanoseconds.
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}
