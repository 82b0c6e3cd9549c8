// The C side of the launch benchmark: the same kernels, launched by C in both forms
// that the driver takes. Build: cc -O2 -shared -fPIC -o launch.so launch/c/launch.c -ldl
#include "../../race/driver.h"

static void *kernel, *twelve, *large;

// setup loads saxpy from image with the driver at path, in the primary context of device 0, with streams of
// its own. It returns a CUresult, or -1 for a missing symbol.
int setup(const char *path, const char *image) {
  void *library;
  int r;
  if ((r = open_gpu(path))) return r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "saxpy"))) return r;
  return open_streams();
}

// load_own loads twelve and large from the benchmarks' own image. It returns a CUresult.
int load_own(const char *image) {
  void *library;
  int r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&twelve, library, "twelve"))) return r;
  return cuLibraryGetKernel(&large, library, "large");
}

// run launches saxpy count times over n elements on the stream of that number, and returns the nanoseconds that a
// launch took, without the synchronization behind them; negative for a CUresult.
// packed chooses the form: one buffer through extra, or kernelParams.
double run(int packed, int number, int count, int n, float a, uint64_t x, uint64_t y) {
  void *stream = streams[number % STREAMS];
  double start = now();
  for (int i = 0; i < count; i++) {
    struct {
      int n;
      float a;
      uint64_t x, y;
    } block = {n, a, x, y};
    size_t size = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &size, 0};
    void *params[] = {&block.n, &block.a, &block.x, &block.y};
    unsigned grid = (n + 255) / 256;
    int r = cuLaunchKernel(kernel, grid, 1, 1, 256, 1, 1, 0, stream, packed ? 0 : params, packed ? extra : 0);
    if (r) return -r;
  }
  double elapsed = now() - start;
  int r = cuStreamSynchronize(stream);
  return r ? -r : elapsed / count;
}

struct twelve_block {
  uint64_t out, a, b, c;
  int i, j, m, n;
  float f, g;
  double d, e;
};
#define TWELVE_BLOCK(out) {out, out, out, out, 1, 2, 3, 4, 5, 6, 7, 8}
#define TWELVE_PARAMS(block)                                                                                    \
  {&block.out, &block.a, &block.b, &block.c, &block.i, &block.j, &block.m, &block.n, &block.f, &block.g, &block.d, &block.e}

// run_twelve and run_large are run for the kernels of those names, which touch nothing.
double run_twelve(int packed, int number, int count, uint64_t out) {
  void *stream = streams[number % STREAMS];
  double start = now();
  for (int i = 0; i < count; i++) {
    struct twelve_block block = TWELVE_BLOCK(out);
    size_t size = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &size, 0};
    void *params[] = TWELVE_PARAMS(block);
    int r = cuLaunchKernel(twelve, 1, 1, 1, 32, 1, 1, 0, stream, packed ? 0 : params, packed ? extra : 0);
    if (r) return -r;
  }
  double elapsed = now() - start;
  int r = cuStreamSynchronize(stream);
  return r ? -r : elapsed / count;
}

double run_large(int packed, int number, int count, uint64_t out) {
  void *stream = streams[number % STREAMS];
  double start = now();
  for (int i = 0; i < count; i++) {
    struct {
      uint64_t out;
      double values[32];
    } block = {out, {i}};
    size_t size = sizeof block;
    void *extra[] = {(void *)1, &block, (void *)2, &size, 0};
    void *params[] = {&block.out, &block.values};
    int r = cuLaunchKernel(large, 1, 1, 1, 32, 1, 1, 0, stream, packed ? 0 : params, packed ? extra : 0);
    if (r) return -r;
  }
  double elapsed = now() - start;
  int r = cuStreamSynchronize(stream);
  return r ? -r : elapsed / count;
}

// one_saxpy and one_twelve launch once, with kernelParams, as prepare_one says. Go calls them
// through runtime.cgocall: the least that a launch from Go can cost.
static struct {
  void *stream;
  int n;
  float a;
  uint64_t x, y;
} last;

void prepare_one(int number, int n, float a, uint64_t x, uint64_t y) {
  last.stream = streams[number % STREAMS];
  last.n = n, last.a = a, last.x = x, last.y = y;
}

int one_saxpy(void *unused) {
  (void)unused;
  void *params[] = {&last.n, &last.a, &last.x, &last.y};
  return cuLaunchKernel(kernel, (last.n + 255) / 256, 1, 1, 256, 1, 1, 0, last.stream, params, 0);
}

int one_twelve(void *unused) {
  (void)unused;
  struct twelve_block block = TWELVE_BLOCK(last.y);
  void *params[] = TWELVE_PARAMS(block);
  return cuLaunchKernel(twelve, 1, 1, 1, 32, 1, 1, 0, last.stream, params, 0);
}
