// The C program that bench/start measures: it does what ../first does, with the same
// image in it. Build, in bench: cc -O2 -o first-c start/c/first.c -ldl
#include <stdio.h>
#include <stdlib.h>

#include "../../race/driver.h"

__asm__(
    ".section .rodata\n"
    ".balign 8\n"
    "image: .incbin \"../example/kernels.ptx\"\n"
    ".byte 0\n"
    ".previous\n");
extern const char image[] __attribute__((visibility("hidden")));

// elements is what ../first has, too.
enum { ELEMENTS = 256 };

static int run(void) {
  const char *path = getenv("CUDAGEN_LIBCUDA");
  void *library, *kernel, *stream;
  uint64_t x, y;
  int r;
  if ((r = open_gpu(path && *path ? path : "libcuda.so.1"))) return r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "saxpy"))) return r;
  if ((r = open_stream(&stream))) return r;
  if ((r = cuMemAllocAsync(&x, ELEMENTS * sizeof(float), stream))) return r;
  if ((r = cuMemAllocAsync(&y, ELEMENTS * sizeof(float), stream))) return r;
  if ((r = launch_saxpy(kernel, stream, ELEMENTS, 2, x, y))) return r;
  return cuStreamSynchronize(stream);
}

int main(void) {
  int r = run();
  if (r) {
    fprintf(stderr, "first-c: %d\n", r);
    return 1;
  }
  puts("done");
  fflush(stdout);
  return 0;
}
