// Calls of cuBLAS and cuFFT as a C program makes them. gcc -O2 -shared -fPIC -o loops.so loops.c
#include <stdint.h>
#include <time.h>

typedef int (*saxpy)(void *, int64_t, const float *, const float *, int64_t, float *, int64_t);
typedef int (*sgemm)(void *, int, int, int64_t, int64_t, int64_t, const float *, const float *, int64_t, const float *, int64_t, const float *, float *, int64_t);
typedef int (*c2c)(int, void *, void *, int);

typedef int (*with)(void *);
typedef int (*where)(void **);

// A call of one of the functions.
struct call {
  void *function;
  uintptr_t handle, x, y, z, kind;
  void *context, *push, *pop; // push is 0 if no context is made current
};

static const float two = 2, one = 1, zero = 0;

// once makes a call.
int once(struct call *c) {
  float *x = (float *)c->x, *y = (float *)c->y, *z = (float *)c->z;
  void *handle = (void *)c->handle, *other;
  int status = 1;
  if (c->push && ((with)c->push)(c->context)) return 1;
  switch (c->kind) {
  case 0: status = ((saxpy)c->function)(handle, 1024, &two, x, 1, y, 1); break;
  case 1: status = ((sgemm)c->function)(handle, 0, 0, 64, 64, 64, &one, x, 64, y, 64, &zero, z, 64); break;
  case 2: status = ((c2c)c->function)((int)c->handle, x, x, -1); break;
  case 3: status = ((sgemm)c->function)(handle, 0, 0, 4096, 4096, 4096, &one, x, 4096, y, 4096, &zero, z, 4096); break;
  }
  if (c->push) status |= ((where)c->pop)(&other);
  return status;
}

// many returns the nanoseconds of one of count calls.
double many(struct call *c, uintptr_t count) {
  struct timespec a, b;
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (uintptr_t i = 0; i < count; i++) if (once(c)) return -1;
  clock_gettime(CLOCK_MONOTONIC, &b);
  return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}

// contexts returns the nanoseconds of asking for the current context (kind 0), setting it (1), and pushing and popping it (2).
double contexts(void *get, void *set, void *push, void *pop, int kind, uintptr_t count) {
  struct timespec a, b;
  void *context, *other;
  ((where)get)(&context);
  clock_gettime(CLOCK_MONOTONIC, &a);
  for (uintptr_t i = 0; i < count; i++) switch (kind) {
    case 0: ((where)get)(&other); break;
    case 1: ((with)set)(context); break;
    case 2: ((with)push)(context); ((where)pop)(&other); break;
    }
  clock_gettime(CLOCK_MONOTONIC, &b);
  return ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / count;
}
