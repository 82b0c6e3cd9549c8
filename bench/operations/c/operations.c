// The C side of the benchmark of stream operations: each one as C calls it, and launches
// from several threads. Build:
// cc -O2 -shared -fPIC -pthread -o operations.so operations/c/operations.c -ldl
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../../race/driver.h"

// What a copy, a memset and an allocation have.
enum { BYTES = 4096 };

enum { ELEMENTS = 256 };  // that saxpy works on

// CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING, and CU_MEMHOSTALLOC_PORTABLE |
// CU_MEMHOSTALLOC_DEVICEMAP, as Go has them.
enum { EVENT_FLAGS = 3, HOST_FLAGS = 3 };

static void *kernel, *event, *host;
static uint64_t memory[STREAMS], x[STREAMS], y[STREAMS];  // each allocated on the stream of its number

// setup loads saxpy from image with the driver at path. It returns a CUresult, or -1 for a
// missing symbol.
int setup(const char *path, const char *image) {
  void *library;
  int r;
  if ((r = open_gpu(path))) return r;
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "saxpy"))) return r;
  if ((r = open_streams())) return r;
  if ((r = cuEventCreate(&event, EVENT_FLAGS))) return r;
  if ((r = cuMemHostAlloc(&host, BYTES, HOST_FLAGS))) return r;
  for (int i = 0; i < STREAMS; i++) {
    if ((r = cuMemAllocAsync(&memory[i], BYTES, streams[i]))) return r;
    if ((r = cuMemAllocAsync(&x[i], ELEMENTS * sizeof(float), streams[i]))) return r;
    if ((r = cuMemAllocAsync(&y[i], ELEMENTS * sizeof(float), streams[i]))) return r;
    if ((r = cuStreamSynchronize(streams[i]))) return r;
  }
  return 0;
}

static inline int allocate_and_free(void *stream) {
  uint64_t address;
  int r = cuMemAllocAsync(&address, BYTES, stream);
  return r ? r : cuMemFreeAsync(address, stream);
}

static int one_number;  // of the stream that the functions one_… use

// prepare_one chooses the stream that the functions one_… use.
void prepare_one(int number) { one_number = number; }

// OPERATION defines a function that does call count times on the stream of that number, and
// returns the nanoseconds that one took, without the synchronization behind them; negative
// for a CUresult. And it defines a function that does call once, for runtime.cgocall.
#define OPERATION(name, call)                      \
  double name(int number, int count) {             \
    void *stream = streams[number];                \
    uint64_t device = memory[number];              \
    (void)device;                                  \
    double start = now();                          \
    for (int i = 0; i < count; i++) {              \
      int r = call;                                \
      if (r) return -r;                            \
    }                                              \
    double elapsed = now() - start;                \
    int r = cuStreamSynchronize(stream);           \
    return r ? -r : elapsed / count;               \
  }                                                \
  int one_##name(void *unused) {                   \
    void *stream = streams[one_number];            \
    uint64_t device = memory[one_number];          \
    (void)device, (void)unused;                    \
    return call;                                   \
  }

OPERATION(record, cuEventRecord(event, stream))
OPERATION(copy_in, cuMemcpyHtoDAsync_v2(device, host, BYTES, stream))
OPERATION(copy_out, cuMemcpyDtoHAsync_v2(host, device, BYTES, stream))
OPERATION(set, cuMemsetD8Async(device, 1, BYTES, stream))
OPERATION(allocate, allocate_and_free(stream))

// nothing is what a call from Go costs at the least.
int nothing(void *unused) {
  (void)unused;
  return 0;
}

// A worker launches from a thread of its own on a stream of its own.
struct worker {
  pthread_t thread;
  int number, count, result;
  double start, end;
};

static atomic_int missing;  // workers that are not ready

static int launch_from(const struct worker *w) {
  return launch_saxpy(kernel, streams[w->number], ELEMENTS, 2, x[w->number], y[w->number]);
}

// work begins with a launch that is not timed, for what the driver does once for a thread.
static void *work(void *argument) {
  struct worker *w = argument;
  if (!(w->result = cuCtxPushCurrent_v2(context)) && !(w->result = launch_from(w))) w->result = cuStreamSynchronize(streams[w->number]);
  atomic_fetch_sub(&missing, 1);
  while (atomic_load(&missing)) sched_yield();
  w->start = now();
  for (int i = 0; i < w->count && !w->result; i++) w->result = launch_from(w);
  w->end = now();
  if (!w->result) w->result = cuStreamSynchronize(streams[w->number]);
  return NULL;
}

// parallel launches count times from each of STREAMS threads at once. It returns the
// nanoseconds from the first launch to the last, divided by the number of all launches;
// negative for a CUresult.
double parallel(int count) {
  struct worker workers[STREAMS];
  int started = 0, result = 0;
  atomic_store(&missing, STREAMS);
  for (; started < STREAMS; started++) {
    workers[started] = (struct worker){.number = started, .count = count};
    if (pthread_create(&workers[started].thread, NULL, work, &workers[started])) break;
  }
  atomic_fetch_sub(&missing, STREAMS - started);
  double start = 0, end = 0;
  for (int i = 0; i < started; i++) {
    pthread_join(workers[i].thread, NULL);
    if (workers[i].result) result = workers[i].result;
    if (!i || workers[i].start < start) start = workers[i].start;
    if (workers[i].end > end) end = workers[i].end;
  }
  if (started < STREAMS) result = 304;  // CUDA_ERROR_OPERATING_SYSTEM
  return result ? -result : (end - start) / (STREAMS * count);
}
