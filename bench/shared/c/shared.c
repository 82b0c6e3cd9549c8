// The C side of the benchmark of shared memory: threads with a stream each launch saxpy with
// one x and a y of their own. Build:
// cc -O2 -shared -fPIC -pthread -o shared.so shared/c/shared.c -ldl
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../../race/driver.h"

enum { THREADS = 16, ELEMENTS = 256 };

static void *kernel, *own[THREADS];  // a stream for each thread

// setup loads saxpy from image with the driver at path. It returns a CUresult, or -1 for a
// missing symbol.
int setup(const char *path, const char *image) {
  void *library;
  int r;
  if ((r = open_gpu(path))) return r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "saxpy"))) return r;
  for (int i = 0; i < THREADS && !r; i++) r = open_stream(&own[i]);
  return r;
}

// A worker launches from a thread of its own on a stream of its own.
struct worker {
  pthread_t thread;
  int number, count, result;
  uint64_t x, y;
  double start, end;
};

static atomic_int missing;  // workers that are not ready

static int launch_from(const struct worker *w) { return launch_saxpy(kernel, own[w->number], ELEMENTS, 2, w->x, w->y); }

// work begins with a launch that is not timed, for what the driver does once for a thread.
static void *work(void *argument) {
  struct worker *w = argument;
  if (!(w->result = cuCtxPushCurrent_v2(context)) && !(w->result = launch_from(w))) w->result = cuStreamSynchronize(own[w->number]);
  atomic_fetch_sub(&missing, 1);
  while (atomic_load(&missing)) sched_yield();
  w->start = now();
  for (int i = 0; i < w->count && !w->result; i++) w->result = launch_from(w);
  w->end = now();
  if (!w->result) w->result = cuStreamSynchronize(own[w->number]);
  return NULL;
}

// parallel launches count times from each thread at once, with y at ys, one for each. It
// returns the nanoseconds from the first launch to the last, divided by the number of all
// launches; negative for a CUresult.
double parallel(int count, uint64_t x, const uint64_t *ys) {
  struct worker workers[THREADS];
  int started = 0, result = 0;
  atomic_store(&missing, THREADS);
  for (; started < THREADS; started++) {
    workers[started] = (struct worker){.number = started, .count = count, .x = x, .y = ys[started]};
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started])) break;
  }
  atomic_fetch_sub(&missing, THREADS - started);
  double start = 0, end = 0;
  for (int i = 0; i < started; i++) {
    pthread_join(workers[i].thread, NULL);
    if (workers[i].result) result = workers[i].result;
    if (!i || workers[i].start < start) start = workers[i].start;
    if (workers[i].end > end) end = workers[i].end;
  }
  if (started < THREADS) result = 304;  // CUDA_ERROR_OPERATING_SYSTEM
  return result ? -result : (end - start) / (THREADS * count);
}
