// A fake libcuda: the entry points that runtime/internal/driver lists, with the real
// ABI and no GPU. It checks arguments and handles as the driver does, keeps a log of
// the calls, and runs no kernel: a launch copies the argument bytes to the log.
//
// -DFAKE_VERSION=12040 makes it a driver for CUDA 12.4, without what came later:
// entrypoints.h, which is generated, says what that is.
//
// Functions that begin with fake_ are the test's. All functions may be called from
// any thread.

// FAKE_EMPTY_LAUNCH makes cuLaunchKernel do nothing, for measurements.
#ifdef FAKE_EMPTY_LAUNCH
#define cuLaunchKernel fake_full_launch
#endif

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif

// FAKE_DEMANDS_CONTEXT makes it a driver that does nothing without a current context.
#ifndef FAKE_DEMANDS_CONTEXT
#define FAKE_DEMANDS_CONTEXT 0
#endif

// FAKE_NEW_PTX makes its compiler take PTX that is newer than the driver, up to 9.9.
#ifndef FAKE_NEW_PTX
#define FAKE_NEW_PTX 0
#endif

// Results. CUDA Driver API, CUresult.
enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  INVALID_PTX = 218,
  UNSUPPORTED_PTX_VERSION = 222,
  INVALID_HANDLE = 400,
  ILLEGAL_STATE = 401,
  NOT_FOUND = 500,
  NOT_READY = 600,
  PEER_ACCESS_ALREADY_ENABLED = 704,
  PEER_ACCESS_NOT_ENABLED = 705,
  HOST_MEMORY_ALREADY_REGISTERED = 712,
  HOST_MEMORY_NOT_REGISTERED = 713,
  COOPERATIVE_LAUNCH_TOO_LARGE = 720,
  NOT_SUPPORTED = 801,
  STREAM_CAPTURE_UNSUPPORTED = 900,
  STREAM_CAPTURE_INVALIDATED = 901,
  STREAM_CAPTURE_MERGE = 902,
  STREAM_CAPTURE_UNMATCHED = 903,
  STREAM_CAPTURE_ISOLATION = 905,
  CAPTURED_EVENT = 907,
  GRAPH_EXEC_UPDATE_FAILURE = 910,
  INVALID_CLUSTER_SIZE = 912,
};

// Options of the compiler in the driver. CUDA Driver API, CUjit_option.
enum {
  JIT_INFO_LOG_BUFFER = 3,
  JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  JIT_ERROR_LOG_BUFFER = 5,
  JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

#define MAX_DEVICES 8
#define MAX_CONTEXTS 16                // that a thread can push
#define MEMORY_BYTES (1ull << 37)      // of a device
#define MAX_SHARED_BYTES 232448        // of a block that opts in
#define PLAIN_SHARED_BYTES 49152       // of a block that does not
#define MAX_THREADS 1024               // of a block
#define MULTIPROCESSORS 132
#define REGISTERS 32                   // of a thread of any kernel
#define MAX_JIT_OPTIONS 32

// ---- Objects ---------------------------------------------------------------------

enum kind { CONTEXT, LIBRARY, KERNEL, STREAM, MEMORY, EVENT, POOL, VARIABLE, GRAPH, NODE, EXEC, ARRAY, MIPMAPPED, TEXTURE, SURFACE, KINDS };

// An object is anything that the driver hands out. Its address is its handle, except
// for memory, whose address is its bytes'.
struct object {
  enum kind kind;
  struct object *next;
};

struct context {
  struct object object;
  int device, retained;
};

struct library {
  struct object object;
  char *text;  // the PTX, comments and strings blanked out
  int compiled;
  char *errors, *info;  // the caller's buffers
  size_t errors_size, info_size;
};

struct kernel {
  struct object object;
  struct library *library;
  char *name;
  int count;
  size_t *offsets, *sizes;
  int max_dynamic_shared, carveout, non_portable_cluster;  // what cuKernelSetAttribute sets
};

// A host_function is one that is queued on a stream.
struct host_function {
  void (*function)(void *);
  void *data;
  struct host_function *next;
};

// Streams, events and memory are gone with the context that they belong to.
struct stream {
  struct object object;
  struct context *context;
  struct host_function *first, **last;
  uint64_t queued, done;  // host functions
  int running;            // a thread runs them
  struct capture *capture;  // NULL unless it captures
  struct node **last_nodes;  // that what is captured next comes after
  size_t last_count;
};

// Where memory came from decides who frees it.
enum origin { POOLED, HOST, MANAGED, OF_LIBRARY, REGISTERED, PLAIN, FOREIGN };

struct memory {
  struct object object;
  struct context *context;
  unsigned char *bytes;
  size_t size;
  enum origin origin;
  struct pool *pool;  // NULL when the pool is gone
};

// An event refers to the place in a stream where it was recorded last.
struct event {
  struct object object;
  struct context *context;
  unsigned flags;
  int recorded;
  struct stream *stream;
  uint64_t after;  // host functions of the stream
  struct timespec at;
  struct capture *capture;  // where it was recorded last, or capture_over
  struct node **last_nodes;
  size_t last_count;
};

struct pool {
  struct object object;
  int device;
  uint64_t max_size;  // 0 for none
  uint64_t threshold, reserved, reserved_high, used, used_high;
};

// A variable is a .global or .const one of a library.
struct variable {
  struct object object;
  struct library *library;
  char *name;
  int managed;
  struct memory *memory;
};

// A launch is what cuLaunchKernel was called with. fake_launch copies its first part
// to the test.
struct launch {
  struct {
    uint64_t kernel, stream;
    uint32_t grid[3], block[3], shared_bytes, size, misaligned;
    uint32_t attributes, cluster[3], cooperative, programmatic, has_priority;  // attributes: how many there were
    int32_t priority;
  } facts;
  unsigned char *bytes;  // of the parameters, one after the other, without padding
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // guards everything below
static struct object *objects[KINDS];
static int device_count = 1, initialized;
static struct context *primary[MAX_DEVICES];

static const char **calls;
static size_t call_count, call_room;

static struct launch *launches;
static size_t launch_count, launch_room;

static char fail_name[64];  // "" is every call
static uint64_t memory_limit = MEMORY_BYTES;  // of what pools take from the devices
static int fail_countdown, fail_result, fail_late;
static int stuck;  // the result of every call that needs the context, once a kernel has ended it
static unsigned slow_microseconds;
static int held;     // nothing that is queued comes to an end
static int stalled;  // calls that read the caller's memory wait
static struct pool *default_pools[MAX_DEVICES];
static int peers[MAX_DEVICES][MAX_DEVICES];
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;  // a host function has run, or nothing is held any more

static __thread struct context *current[MAX_CONTEXTS];
static __thread int current_count;

static void *allocate(size_t size) {
  void *p = calloc(1, size ? size : 1);
  if (!p) abort();
  return p;
}

// room makes room for one element more in the array *p of n elements.
static void room(void *p, size_t n, size_t *capacity, size_t size) {
  if (n < *capacity) return;
  *capacity = *capacity ? 2 * *capacity : 64;
  void *grown = realloc(*(void **)p, *capacity * size);
  if (!grown) abort();
  *(void **)p = grown;
}

static void *add(enum kind kind, size_t size) {
  struct object *o = allocate(size);
  o->kind = kind;
  o->next = objects[kind];
  objects[kind] = o;
  return o;
}

static int exists(enum kind kind, const void *handle) {
  for (struct object *o = objects[kind]; o; o = o->next)
    if (o == handle) return 1;
  return 0;
}

// take removes handle from its list; the caller frees it.
static int take(enum kind kind, const void *handle) {
  for (struct object **p = &objects[kind]; *p; p = &(*p)->next)
    if (*p == handle) {
      *p = (*p)->next;
      return 1;
    }
  return 0;
}

// memory_at returns the memory that holds all of the size bytes at address.
static struct memory *memory_at(uint64_t address, size_t size) {
  for (struct object *o = objects[MEMORY]; o; o = o->next) {
    struct memory *m = (struct memory *)o;
    uint64_t start = (uintptr_t)m->bytes;
    if (address >= start && address - start <= m->size && size <= m->size - (address - start)) return m;
  }
  return NULL;
}

static int has_context(void) { return current_count > 0; }

static int current_device(void) { return current[current_count - 1]->device; }

static int break_capture(struct capture *c);

// stream_result says whether work can be queued on stream, and breaks its capture. The null stream is the
// current context's.
static int stream_result(const void *stream) {
  if (!stream) return has_context() ? SUCCESS : INVALID_CONTEXT;
  if (!exists(STREAM, stream)) return INVALID_HANDLE;
  return ((const struct stream *)stream)->capture ? break_capture(((const struct stream *)stream)->capture) : SUCCESS;
}

static int is_busy(const struct stream *s) { return s && (held || s->done < s->queued); }

// turn is stream_result for work that the fake does at once: it waits until the host
// functions queued before have run.
static int turn(struct stream *stream) {
  int result = stream_result(stream);
  while (result == SUCCESS && stream && stream->done < stream->queued) {
    pthread_cond_wait(&progress, &mutex);
    result = stream_result(stream);
  }
  return result;
}

// destroy_stream waits for the host functions of s.
static void destroy_stream(struct stream *s) {
  while (s->running) pthread_cond_wait(&progress, &mutex);
  take(STREAM, s);
  for (struct object *o = objects[EVENT]; o; o = o->next)
    if (((struct event *)o)->stream == s) ((struct event *)o)->stream = NULL;
  if (s->capture) break_capture(s->capture);
  free(s->last_nodes), free(s);
}

static void release(struct memory *m) {
  take(MEMORY, m);
  if (m->pool) m->pool->used -= m->size;
  if (m->origin != REGISTERED) memset(m->bytes, 0xdf, m->size), free(m->bytes);
  free(m);
}

// POOL_PIECE is what a pool takes from the device at a time, as the H200's does.
#define POOL_PIECE (32ull << 20)

// pieces returns bytes rounded up to whole pieces.
static uint64_t pieces(uint64_t bytes) { return (bytes + POOL_PIECE - 1) / POOL_PIECE * POOL_PIECE; }

// trim gives back what a pool has reserved beyond keep and does not use.
static void trim(struct pool *p, uint64_t keep) {
  if (p->reserved > keep) p->reserved = keep / POOL_PIECE * POOL_PIECE;
  if (p->reserved < p->used) p->reserved = pieces(p->used);
}

// ---- Every call ------------------------------------------------------------------

// A driver for FAKE_VERSION does not export what came later.
#define STRING(x) #x
#define VALUE(x) STRING(x)
#define ENTRY_POINT(name, symbol, since, global) \
  __asm__(".if " VALUE(FAKE_VERSION) " < " #since "\n.hidden " #symbol "\n.endif");
#include "entrypoints.h"
#undef ENTRY_POINT

// entry_points is the table of runtime/internal/driver. Those that are global concern the
// driver, a device or contexts themselves.
static const struct {
  const char *name;
  int global;
} entry_points[] = {
#define ENTRY_POINT(name, symbol, since, global) {#name, global},
#include "entrypoints.h"
#undef ENTRY_POINT
};

// works_without_context says whether the call name does not look at the context's
// state.
static int works_without_context(const char *name) {
  for (size_t i = 0; i < sizeof entry_points / sizeof *entry_points; i++)
    if (!strcmp(name, entry_points[i].name)) return entry_points[i].global || !strcmp(name, "cuLibraryUnload");
  abort();  // the name is wrong
}

// enter begins the call name: it takes the mutex, writes the log, and returns the
// result that the call fails with, or SUCCESS.
static int enter(const char *name) {
  pthread_mutex_lock(&mutex);
  room(&calls, call_count, &call_room, sizeof *calls);
  calls[call_count++] = name;
  if (stuck && !works_without_context(name)) return stuck;
  if (fail_countdown > 0 && (!fail_name[0] || !strcmp(fail_name, name)) && --fail_countdown == 0) {
    if (!fail_late) return fail_result;
    if (!works_without_context(name)) stuck = fail_result;
  }
  if (FAKE_DEMANDS_CONTEXT && !has_context() && !works_without_context(name)) return INVALID_CONTEXT;
  if (!initialized && strcmp(name, "cuInit") && strcmp(name, "cuDriverGetVersion")) return NOT_INITIALIZED;
  return SUCCESS;
}

static int leave(int result) {
  pthread_mutex_unlock(&mutex);
  return result;
}

// ENTER begins an entry point and ends it when it is to fail; REQUIRE ends it with
// result when condition does not hold.
#define ENTER(name)                                \
  do {                                             \
    int failed_ = enter(name);                     \
    if (failed_ != SUCCESS) return leave(failed_); \
  } while (0)
#define REQUIRE(condition, result)           \
  do {                                       \
    if (!(condition)) return leave(result);  \
  } while (0)

// pause_if_slow lets other threads run while a call is about to answer.
static void pause_if_slow(void) {
  unsigned t = slow_microseconds;
  if (!t) return;
  pthread_mutex_unlock(&mutex);
  usleep(t);
  pthread_mutex_lock(&mutex);
}

// pause_before_reading lets other threads run while a call is about to read its arguments'
// memory.
static void pause_before_reading(void) {
  while (stalled) pthread_cond_wait(&progress, &mutex);
  pause_if_slow();
}

// ---- Initialization, devices, contexts -------------------------------------------

int cuInit(unsigned flags) {
  ENTER("cuInit");
  REQUIRE(flags == 0, INVALID_VALUE);
  REQUIRE(device_count > 0, NO_DEVICE);
  initialized = 1;
  return leave(SUCCESS);
}

int cuDriverGetVersion(int *version) {
  ENTER("cuDriverGetVersion");
  REQUIRE(version, INVALID_VALUE);
  *version = FAKE_VERSION;
  return leave(SUCCESS);
}

static int is_device(int device) { return device >= 0 && device < device_count; }

int cuDeviceGetCount(int *count) {
  ENTER("cuDeviceGetCount");
  REQUIRE(count, INVALID_VALUE);
  *count = device_count;
  return leave(SUCCESS);
}

int cuDeviceGet(int *device, int ordinal) {
  ENTER("cuDeviceGet");
  REQUIRE(device, INVALID_VALUE);
  REQUIRE(is_device(ordinal), INVALID_DEVICE);
  *device = ordinal;
  return leave(SUCCESS);
}

int cuDeviceGetName(char *name, int size, int device) {
  ENTER("cuDeviceGetName");
  REQUIRE(name && size > 0, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  snprintf(name, size, "Fake GPU %d", device);
  return leave(SUCCESS);
}

int cuDeviceGetUuid_v2(unsigned char uuid[16], int device) {
  ENTER("cuDeviceGetUuid");
  REQUIRE(uuid, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  for (int i = 0; i < 16; i++) uuid[i] = 16 * device + i;
  return leave(SUCCESS);
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
  // CUDA Driver API, CUdevice_attribute; the values are an H200's.
  static const struct {
    int attribute, value;
  } attributes[] = {
      {1, MAX_THREADS}, {2, 1024},  {3, 1024}, {4, 64}, {5, 2147483647},         {6, 65535}, {7, 65535},
      {8, 49152},       {10, 32},   {12, 65536}, {16, MULTIPROCESSORS}, {39, 2048}, {75, 9}, {95, 1}, {97, MAX_SHARED_BYTES},
      {76, 0},          {115, 1},   {120, 1},
      {41, 1},          {83, 1},    {89, 1},
      {14, 512},        {51, 32},   {21, 131072}, {22, 131072}, {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384},
      {27, 32768},      {28, 32768}, {29, 2048}, {42, 32768}, {43, 2048}, {45, 32768}, {46, 32768}, {52, 32768},
      {53, 32768},      {54, 2046}, {55, 32768}, {56, 131072}, {57, 65536}, {58, 16384}, {59, 16384}, {60, 16384},
      {61, 32768},      {62, 2048}, {63, 32768}, {64, 32768}, {65, 2048}, {66, 32768}, {67, 32768}, {68, 2046},
      {69, 1 << 28},    {70, 131072}, {71, 65000}, {72, 2097120}, {73, 32768}, {74, 32768}, {77, 16384},
  };
  ENTER("cuDeviceGetAttribute");
  REQUIRE(value, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (attributes[i].attribute == attribute) {
      *value = attributes[i].value;
      return leave(SUCCESS);
    }
  return leave(INVALID_VALUE);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER("cuDeviceTotalMem");
  REQUIRE(bytes, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  *bytes = MEMORY_BYTES;
  return leave(SUCCESS);
}

int cuDevicePrimaryCtxRetain(struct context **context, int device) {
  ENTER("cuDevicePrimaryCtxRetain");
  REQUIRE(context, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  REQUIRE(!stuck, stuck);
  if (!primary[device]) {
    primary[device] = add(CONTEXT, sizeof(struct context));
    primary[device]->device = device;
  }
  primary[device]->retained++;
  *context = primary[device];
  return leave(SUCCESS);
}

// destroy_context takes all that belongs to c with it, but not an error that stuck: that
// ends CUDA for the process.
static void destroy_graphs(struct context *c);
static void destroy_textures(struct context *c);

static void destroy_context(struct context *c) {
  destroy_graphs(c);
  destroy_textures(c);
  for (struct object *o = objects[STREAM]; o;) {
    struct stream *s = (struct stream *)o;
    if (s->context != c) o = o->next;
    else destroy_stream(s), o = objects[STREAM];
  }
  for (struct object **p = &objects[EVENT]; *p;) {
    struct event *e = (struct event *)*p;
    if (e->context == c) *p = e->object.next, free(e);
    else p = &(*p)->next;
  }
  for (struct object *o = objects[MEMORY], *next; o; o = next) {
    next = o->next;
    if (((struct memory *)o)->context == c) release((struct memory *)o);
  }
  for (int i = 0; i < MAX_DEVICES; i++) peers[c->device][i] = peers[i][c->device] = 0;
  primary[c->device] = NULL;
  take(CONTEXT, c);
  free(c);
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  int failed = enter("cuDevicePrimaryCtxRelease");
  if (failed != SUCCESS && !(is_device(device) && primary[device])) return leave(failed);
  REQUIRE(is_device(device), INVALID_DEVICE);
  struct context *c = primary[device];
  REQUIRE(c, INVALID_CONTEXT);
  if (--c->retained == 0) destroy_context(c);
  return leave(failed);  // the error is one of earlier work
}

int cuCtxPushCurrent_v2(struct context *context) {
  ENTER("cuCtxPushCurrent");
  REQUIRE(exists(CONTEXT, context), INVALID_CONTEXT);
  REQUIRE(current_count < MAX_CONTEXTS, OUT_OF_MEMORY);
  current[current_count++] = context;
  return leave(SUCCESS);
}

int cuCtxPopCurrent_v2(struct context **context) {
  int failed = enter("cuCtxPopCurrent");
  if (failed != SUCCESS && has_context()) current_count--;  // the error is one of earlier work
  REQUIRE(failed == SUCCESS, failed);
  REQUIRE(has_context(), INVALID_CONTEXT);
  current_count--;
  if (context) *context = current[current_count];
  return leave(SUCCESS);
}

int cuCtxGetCurrent(struct context **context) {
  ENTER("cuCtxGetCurrent");
  REQUIRE(context, INVALID_VALUE);
  *context = has_context() ? current[current_count - 1] : NULL;
  return leave(SUCCESS);
}

// cuCtxSetCurrent replaces the context on top, or removes it.
int cuCtxSetCurrent(struct context *context) {
  ENTER("cuCtxSetCurrent");
  REQUIRE(!context || exists(CONTEXT, context), INVALID_CONTEXT);
  if (has_context()) current_count--;
  if (context) current[current_count++] = context;
  return leave(SUCCESS);
}

int cuProfilerStart(void) {
  ENTER("cuProfilerStart");
  REQUIRE(has_context(), INVALID_CONTEXT);
  return leave(SUCCESS);
}

int cuProfilerStop(void) {
  ENTER("cuProfilerStop");
  REQUIRE(has_context(), INVALID_CONTEXT);
  return leave(SUCCESS);
}

static int any_busy(void) {
  for (struct object *o = objects[STREAM]; o; o = o->next)
    if (is_busy((struct stream *)o)) return 1;
  return 0;
}

int cuCtxSynchronize(void) {
  ENTER("cuCtxSynchronize");
  REQUIRE(has_context(), INVALID_CONTEXT);
  while (any_busy()) pthread_cond_wait(&progress, &mutex);
  return leave(SUCCESS);
}

int cuDeviceGetPCIBusId(char *id, int size, int device) {
  ENTER("cuDeviceGetPCIBusId");
  REQUIRE(id && size >= 13, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  snprintf(id, size, "0000:%02X:00.0", device + 1);
  return leave(SUCCESS);
}

int cuDeviceGetByPCIBusId(int *device, const char *id) {
  ENTER("cuDeviceGetByPCIBusId");
  REQUIRE(device && id, INVALID_VALUE);
  unsigned domain, bus, slot;
  int end = 0;
  REQUIRE(sscanf(id, "%x:%x:%x.0%n", &domain, &bus, &slot, &end) == 3 && end && !id[end], INVALID_VALUE);
  REQUIRE(domain == 0 && slot == 0 && bus > 0 && is_device(bus - 1), INVALID_DEVICE);
  *device = bus - 1;
  return leave(SUCCESS);
}

int cuDeviceCanAccessPeer(int *can, int device, int peer) {
  ENTER("cuDeviceCanAccessPeer");
  REQUIRE(can, INVALID_VALUE);
  REQUIRE(is_device(device) && is_device(peer), INVALID_DEVICE);
  *can = device != peer;
  return leave(SUCCESS);
}

int cuCtxEnablePeerAccess(struct context *peer, unsigned flags) {
  ENTER("cuCtxEnablePeerAccess");
  REQUIRE(has_context() && exists(CONTEXT, peer) && peer->device != current_device(), INVALID_CONTEXT);
  REQUIRE(flags == 0, INVALID_VALUE);
  int *enabled = &peers[current_device()][peer->device];
  REQUIRE(!*enabled, PEER_ACCESS_ALREADY_ENABLED);
  *enabled = 1;
  return leave(SUCCESS);
}

int cuCtxDisablePeerAccess(struct context *peer) {
  ENTER("cuCtxDisablePeerAccess");
  REQUIRE(has_context() && exists(CONTEXT, peer), INVALID_CONTEXT);
  int *enabled = &peers[current_device()][peer->device];
  REQUIRE(*enabled, PEER_ACCESS_NOT_ENABLED);
  *enabled = 0;
  return leave(SUCCESS);
}

// resident returns how many blocks of any kernel a multiprocessor of an H200 holds.
static int resident(int threads, size_t shared_bytes) {
  int warps = (threads + 31) / 32, blocks = 32;
  if (threads > MAX_THREADS || shared_bytes > MAX_SHARED_BYTES) return 0;
  if (blocks > 64 / warps) blocks = 64 / warps;
  if (blocks > 65536 / (REGISTERS * 32 * warps)) blocks = 65536 / (REGISTERS * 32 * warps);
  size_t by_shared = 233472 / (shared_bytes + 1024);  // the driver keeps 1 KiB of each block's
  return (size_t)blocks > by_shared ? (int)by_shared : blocks;
}

// ---- PTX, libraries and kernels --------------------------------------------------

// blank replaces the comments and strings of PTX text by spaces, and keeps its lines.
static void blank(char *s) {
  while (*s) {
    const char *end = NULL;
    if (s[0] == '/' && s[1] == '/') end = strchr(s, '\n');
    else if (s[0] == '/' && s[1] == '*') end = strstr(s + 2, "*/") ? strstr(s + 2, "*/") + 2 : NULL;
    else if (s[0] == '"') end = strchr(s + 1, '"') ? strchr(s + 1, '"') + 1 : NULL;
    else {
      s++;
      continue;
    }
    if (!end) end = s + strlen(s);
    for (; s < end; s++)
      if (*s != '\n') *s = ' ';
  }
}

static const char *skip_space(const char *s) { return s + strspn(s, " \t\r\n"); }

static size_t word_length(const char *s) {
  return strspn(s, "._$%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
}

// type_size returns the bytes of the PTX type s, as .u32 or .f16x2, or 0.
static size_t type_size(const char *s, size_t length) {
  if (length < 3 || !strchr("bsuf", s[1])) return 0;
  char *end;
  size_t bits = strtoul(s + 2, &end, 10);
  if (end[0] == 'x') bits *= strtoul(end + 1, &end, 10);
  return end == s + length && (bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128) ? bits / 8 : 0;
}

// parse_params reads a kernel's parameters, from after the parenthesis on. PTX ISA,
// Kernel Function Parameters: a parameter lies at the next multiple of its alignment.
static int parse_params(struct kernel *k, const char *s) {
  size_t offset = 0, capacity = 0, sizes_capacity = 0;
  for (s = skip_space(s); *s != ')'; s = skip_space(s)) {
    size_t align = 0, size = 0, elements = 1;
    int pointee = 0;
    for (;; s = skip_space(s)) {
      size_t n = word_length(s);
      if (n == 0) return 0;
      if (s[0] != '.') {  // the name ends the parameter
        s = skip_space(s + n);
        break;
      }
      if (n == 4 && !strncmp(s, ".ptr", n)) pointee = 1;
      if (n == 6 && !strncmp(s, ".align", n)) {
        char *end;
        size_t a = strtoul(s + n, &end, 10);
        if (!a || a & (a - 1)) return 0;
        if (!pointee) align = a;  // else it is what the pointer points to that is aligned
        s = end;
        continue;
      }
      if (type_size(s, n)) size = type_size(s, n);
      s += n;
    }
    if (*s == '[') {
      char *end;
      elements = strtoul(s + 1, &end, 10);
      s = skip_space(end);
      if (*s++ != ']') return 0;
      s = skip_space(s);
    }
    if (!size || !elements) return 0;
    if (!align) align = size;
    offset = (offset + align - 1) & ~(align - 1);
    room(&k->offsets, k->count, &capacity, sizeof *k->offsets);
    room(&k->sizes, k->count, &sizes_capacity, sizeof *k->sizes);
    k->offsets[k->count] = offset;
    k->sizes[k->count++] = size * elements;
    offset += size * elements;
    if (*s == ',') s++;
    else if (*s != ')') return 0;
  }
  return 1;
}

// say writes a message of the compiler to the caller's buffer, if there is one.
__attribute__((format(printf, 3, 4))) static void say(char *buffer, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  if (buffer && size) vsnprintf(buffer, size, format, arguments);
  va_end(arguments);
}

// ptx_version writes the PTX ISA version that the driver's compiler takes. PTX ISA,
// Release Notes.
static void ptx_version(int *major, int *minor) {
  static const int minors12[] = {0, 1, 2, 3, 4, 5, 5, 6, 7, 8};
  *major = FAKE_VERSION / 1000 - 4;
  *minor = FAKE_VERSION % 1000 / 10;
  if (*major == 8) *minor = minors12[*minor];
  if (FAKE_NEW_PTX) *major = *minor = 9;
}

// compile finds the kernels in the library's text, as the driver does when one is
// asked for.
static int compile(struct library *l) {
  if (l->compiled) return SUCCESS;
  const char *version = strstr(l->text, ".version");
  int major, minor, newest_major, newest_minor, line = 1;
  if (sscanf(version, ".version %d.%d", &major, &minor) != 2) return INVALID_PTX;
  for (const char *s = l->text; s < version; s++) line += *s == '\n';
  ptx_version(&newest_major, &newest_minor);
  if (major > newest_major || (major == newest_major && minor > newest_minor)) {
    say(l->errors, l->errors_size,
        "ptxas application ptx input, line %d; fatal   : Unsupported .version %d.%d; current version is '%d.%d'\n", line,
        major, minor, newest_major, newest_minor);
    return UNSUPPORTED_PTX_VERSION;
  }
  for (const char *s = l->text; (s = strstr(s, ".entry"));) {
    s = skip_space(s + strlen(".entry"));
    size_t n = word_length(s);
    struct kernel *k = add(KERNEL, sizeof *k);
    k->library = l;
    k->max_dynamic_shared = PLAIN_SHARED_BYTES, k->carveout = -1;
    k->name = allocate(n + 1);
    memcpy(k->name, s, n);
    s = skip_space(s + n);
    if (!n || (*s == '(' && !parse_params(k, s + 1))) {
      say(l->errors, l->errors_size, "ptxas fatal   : the parameters of kernel %s cannot be read\n", k->name);
      return INVALID_PTX;
    }
  }
  l->compiled = 1;
  say(l->info, l->info_size, "ptxas info    : 0 bytes gmem\n");
  return SUCCESS;
}

int cuLibraryLoadData(struct library **library, const void *code, int *options, void **values, unsigned count,
                      int *library_options, void **library_values, unsigned library_count) {
  ENTER("cuLibraryLoadData");
  pause_before_reading();
  REQUIRE(library && code && count <= MAX_JIT_OPTIONS && (count == 0 || (options && values)), INVALID_VALUE);
  REQUIRE(library_count == 0 && !library_options && !library_values, INVALID_VALUE);
  struct library log = {0};
  for (unsigned i = 0; i < count; i++) switch (options[i]) {
      case JIT_INFO_LOG_BUFFER: log.info = values[i]; break;
      case JIT_INFO_LOG_BUFFER_SIZE_BYTES: log.info_size = (size_t)values[i]; break;
      case JIT_ERROR_LOG_BUFFER: log.errors = values[i]; break;
      case JIT_ERROR_LOG_BUFFER_SIZE_BYTES: log.errors_size = (size_t)values[i]; break;
      default: return leave(INVALID_VALUE);
    }
  char *text = strdup(code);
  blank(text);
  if (!strstr(text, ".version")) {
    say(log.errors, log.errors_size, "ptxas fatal   : the image is no PTX text\n");
    free(text);
    return leave(INVALID_IMAGE);
  }
  struct library *l = add(LIBRARY, sizeof *l);
  l->text = text;
  l->errors = log.errors, l->errors_size = log.errors_size;
  l->info = log.info, l->info_size = log.info_size;
  *library = l;
  return leave(SUCCESS);
}

// drop_kernels frees the kernels of l.
static void drop_kernels(struct library *l) {
  for (struct object **p = &objects[KERNEL]; *p;) {
    struct kernel *k = (struct kernel *)*p;
    if (k->library != l) {
      p = &(*p)->next;
      continue;
    }
    *p = k->object.next;
    free(k->name), free(k->offsets), free(k->sizes), free(k);
  }
}

// drop_variables frees the variables of l.
static void drop_variables(struct library *l) {
  for (struct object **p = &objects[VARIABLE]; *p;) {
    struct variable *v = (struct variable *)*p;
    if (v->library != l) {
      p = &(*p)->next;
      continue;
    }
    *p = v->object.next;
    release(v->memory);
    free(v->name), free(v);
  }
}

// variable finds a variable of a module in its text, once: .global .align 4 .b8 name[16],
// .const .f32 name. PTX ISA, Variables.
static struct variable *variable(struct library *l, const char *name) {
  for (struct object *o = objects[VARIABLE]; o; o = o->next)
    if (((struct variable *)o)->library == l && !strcmp(((struct variable *)o)->name, name)) return (struct variable *)o;
  for (const char *s = l->text; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL) {
    const char *p = skip_space(s);
    int space = 0, managed = 0;
    size_t size = 0, n;
    for (; *p == '.' && (n = word_length(p)); p = skip_space(p + n)) {
      if (!space && strncmp(p, ".visible", n) && strncmp(p, ".weak", n) && strncmp(p, ".global", n) &&
          strncmp(p, ".const", n))
        break;
      if (!strncmp(p, ".global", n) || !strncmp(p, ".const", n)) space = 1;
      if (type_size(p, n)) size = type_size(p, n);
      if (!strncmp(p, ".align", n)) p = skip_space(p + n), n = strspn(p, "0123456789");
      if (!strncmp(p, ".attribute", n)) managed = strstr(p, "managed") != NULL, n = strcspn(p, ")") + 1;
    }
    n = word_length(p);
    if (!space || !size || n != strlen(name) || strncmp(p, name, n)) continue;
    for (p = skip_space(p + n); *p == '['; p = skip_space(strchr(p, ']') + 1)) size *= strtoul(p + 1, NULL, 10);
    void *bytes = NULL;
    if (!size || posix_memalign(&bytes, 512, size)) return NULL;
    memset(bytes, 0, size);
    struct variable *v = add(VARIABLE, sizeof *v);
    v->library = l, v->name = strdup(name), v->managed = managed;
    v->memory = add(MEMORY, sizeof *v->memory);
    v->memory->bytes = bytes, v->memory->size = size, v->memory->origin = OF_LIBRARY;
    return v;
  }
  return NULL;
}

static int get_variable(uint64_t *address, size_t *size, struct library *library, const char *name, int managed) {
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(name && (address || size), INVALID_VALUE);
  REQUIRE(exists(LIBRARY, library), INVALID_HANDLE);
  struct variable *v = variable(library, name);
  REQUIRE(v && (!managed || v->managed), NOT_FOUND);
  if (address) *address = (uintptr_t)v->memory->bytes;
  if (size) *size = v->memory->size;
  return leave(SUCCESS);
}

int cuLibraryGetGlobal(uint64_t *address, size_t *size, struct library *library, const char *name) {
  ENTER("cuLibraryGetGlobal");
  return get_variable(address, size, library, name, 0);
}

int cuLibraryGetManaged(uint64_t *address, size_t *size, struct library *library, const char *name) {
  ENTER("cuLibraryGetManaged");
  return get_variable(address, size, library, name, 1);
}

int cuLibraryUnload(struct library *library) {
  ENTER("cuLibraryUnload");
  REQUIRE(take(LIBRARY, library), INVALID_HANDLE);
  drop_kernels(library);
  drop_variables(library);
  free(library->text), free(library);
  return leave(SUCCESS);
}

int cuLibraryGetKernel(struct kernel **kernel, struct library *library, const char *name) {
  ENTER("cuLibraryGetKernel");
  pause_before_reading();
  REQUIRE(kernel && name, INVALID_VALUE);
  REQUIRE(exists(LIBRARY, library), INVALID_HANDLE);
  int result = compile(library);
  if (result != SUCCESS) drop_kernels(library);
  REQUIRE(result == SUCCESS, result);
  for (struct object *o = objects[KERNEL]; o; o = o->next) {
    struct kernel *k = (struct kernel *)o;
    if (k->library != library || strcmp(k->name, name)) continue;
    *kernel = k;
    return leave(SUCCESS);
  }
  return leave(NOT_FOUND);
}

int cuKernelGetParamInfo(struct kernel *kernel, size_t index, size_t *offset, size_t *size) {
  ENTER("cuKernelGetParamInfo");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(KERNEL, kernel), INVALID_HANDLE);
  REQUIRE(offset && index < (size_t)kernel->count, INVALID_VALUE);
  *offset = kernel->offsets[index];
  if (size) *size = kernel->sizes[index];
  return leave(SUCCESS);
}

// settable returns where the attribute's value lies, if it can be set.
static int *settable(struct kernel *kernel, int attribute) {
  switch (attribute) {
    case 8: return &kernel->max_dynamic_shared;
    case 9: return &kernel->carveout;
    case 14: return &kernel->non_portable_cluster;
  }
  return NULL;
}

int cuKernelGetAttribute(int *value, int attribute, struct kernel *kernel, int device) {
  // CUDA Driver API, CUfunction_attribute.
  static const int values[] = {MAX_THREADS, 0, 0, 0, REGISTERS, 75, 90, 0, 0, 0, 0, 0, 0, 0, 0};
  ENTER("cuKernelGetAttribute");
  REQUIRE(value && attribute >= 0 && (size_t)attribute < sizeof values / sizeof *values, INVALID_VALUE);
  REQUIRE(exists(KERNEL, kernel), INVALID_HANDLE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  int *set = settable(kernel, attribute);
  *value = set ? *set : values[attribute];
  return leave(SUCCESS);
}

int cuKernelSetAttribute(int attribute, int value, struct kernel *kernel, int device) {
  ENTER("cuKernelSetAttribute");
  REQUIRE(exists(KERNEL, kernel), INVALID_HANDLE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  int *set = settable(kernel, attribute);
  REQUIRE(set, INVALID_VALUE);
  REQUIRE(set != &kernel->max_dynamic_shared || (value >= 0 && value <= MAX_SHARED_BYTES), INVALID_VALUE);
  REQUIRE(set != &kernel->carveout || (value >= -1 && value <= 100), INVALID_VALUE);
  *set = value;
  return leave(SUCCESS);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct kernel *kernel, int threads, size_t shared_bytes) {
  ENTER("cuOccupancyMaxActiveBlocksPerMultiprocessor");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(KERNEL, kernel), INVALID_HANDLE);
  REQUIRE(blocks && threads > 0, INVALID_VALUE);
  *blocks = resident(threads, shared_bytes);
  return leave(SUCCESS);
}

int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, struct kernel *kernel, size_t (*shared_of)(int),
                                     size_t shared_bytes, int limit) {
  ENTER("cuOccupancyMaxPotentialBlockSize");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(KERNEL, kernel), INVALID_HANDLE);
  REQUIRE(grid && block && !shared_of && limit >= 0, INVALID_VALUE);
  int best = 0;
  if (!limit || limit > MAX_THREADS) limit = MAX_THREADS;
  for (int threads = limit; threads > 0; threads = (threads - 1) / 32 * 32)
    if (threads * resident(threads, shared_bytes) > best) {
      best = threads * resident(threads, shared_bytes);
      *block = threads, *grid = resident(threads, shared_bytes) * MULTIPROCESSORS;
    }
  return leave(best ? SUCCESS : INVALID_VALUE);
}

// ---- Streams and memory ----------------------------------------------------------

static int create_stream(struct stream **stream, unsigned flags) {
  REQUIRE(stream && flags <= 1, INVALID_VALUE);
  REQUIRE(has_context(), INVALID_CONTEXT);
  *stream = add(STREAM, sizeof **stream);
  (*stream)->context = current[current_count - 1];
  (*stream)->last = &(*stream)->first;
  return leave(SUCCESS);
}

int cuStreamCreate(struct stream **stream, unsigned flags) {
  ENTER("cuStreamCreate");
  return create_stream(stream, flags);
}

int cuStreamCreateWithPriority(struct stream **stream, unsigned flags, int priority) {
  ENTER("cuStreamCreateWithPriority");
  (void)priority;  // the driver moves it into the range
  return create_stream(stream, flags);
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  ENTER("cuCtxGetStreamPriorityRange");
  REQUIRE(has_context(), INVALID_CONTEXT);
  if (least) *least = 0;
  if (greatest) *greatest = -5;
  return leave(SUCCESS);
}

int cuStreamDestroy_v2(struct stream *stream) {
  ENTER("cuStreamDestroy");
  REQUIRE(exists(STREAM, stream), INVALID_HANDLE);
  destroy_stream(stream);
  return leave(SUCCESS);
}

int cuStreamSynchronize(struct stream *stream) {
  ENTER("cuStreamSynchronize");
  int result = stream_result(stream);
  while (result == SUCCESS && is_busy(stream)) {
    pthread_cond_wait(&progress, &mutex);
    result = stream_result(stream);
  }
  for (struct object *o = objects[POOL]; o; o = o->next) trim((struct pool *)o, ((struct pool *)o)->threshold);
  return leave(result);
}

int cuStreamGetCtx(struct stream *stream, struct context **context) {
  ENTER("cuStreamGetCtx");
  REQUIRE(context, INVALID_VALUE);
  REQUIRE(exists(STREAM, stream), INVALID_HANDLE);
  *context = stream->context;
  return leave(SUCCESS);
}

int cuStreamQuery(struct stream *stream) {
  ENTER("cuStreamQuery");
  pause_if_slow();
  int result = stream_result(stream);
  return leave(result == SUCCESS && is_busy(stream) ? NOT_READY : result);
}

static int wait_captured(struct stream *stream, struct event *event);

int cuStreamWaitEvent(struct stream *stream, struct event *event, unsigned flags) {
  ENTER("cuStreamWaitEvent");
  REQUIRE(exists(EVENT, event), INVALID_HANDLE);
  REQUIRE(flags <= 1, INVALID_VALUE);
  if (exists(STREAM, stream) && (stream->capture || event->capture)) return leave(wait_captured(stream, event));
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  while (exists(EVENT, event) && event->stream && event->stream->done < event->after)
    pthread_cond_wait(&progress, &mutex);
  return leave(SUCCESS);
}

// run_host_functions is the thread that runs what is queued on a stream.
static void *run_host_functions(void *argument) {
  struct stream *s = argument;
  pthread_mutex_lock(&mutex);
  for (struct host_function *f; (f = s->first);) {
    if (!(s->first = f->next)) s->last = &s->first;
    pthread_mutex_unlock(&mutex);
    f->function(f->data);
    free(f);
    pthread_mutex_lock(&mutex);
    s->done++;
    pthread_cond_broadcast(&progress);
  }
  s->running = 0;
  pthread_cond_broadcast(&progress);
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void queue_host_function(struct stream *stream, void (*function)(void *), void *data) {
  struct host_function *f = allocate(sizeof *f);
  f->function = function, f->data = data;
  *stream->last = f;
  stream->last = &f->next;
  stream->queued++;
  if (!stream->running) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_host_functions, stream)) abort();
    pthread_detach(thread);
    stream->running = 1;
  }
}

int cuLaunchHostFunc(struct stream *stream, void (*function)(void *), void *data) {
  ENTER("cuLaunchHostFunc");
  int result = stream_result(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(function && stream, INVALID_VALUE);
  queue_host_function(stream, function, data);
  return leave(SUCCESS);
}

int cuEventCreate(struct event **event, unsigned flags) {
  ENTER("cuEventCreate");
  REQUIRE(event && flags <= 7 && (!(flags & 4) || flags & 2), INVALID_VALUE);
  REQUIRE(has_context(), INVALID_CONTEXT);
  *event = add(EVENT, sizeof **event);
  (*event)->context = current[current_count - 1];
  (*event)->flags = flags;
  return leave(SUCCESS);
}

int cuEventDestroy_v2(struct event *event) {
  ENTER("cuEventDestroy");
  REQUIRE(take(EVENT, event), INVALID_HANDLE);
  free(event->last_nodes), free(event);
  return leave(SUCCESS);
}

static void record_event(struct event *event, struct stream *stream) {
  event->recorded = 1;
  event->stream = stream;
  event->after = stream ? stream->queued : 0;
  event->capture = NULL;
  clock_gettime(CLOCK_MONOTONIC, &event->at);
}

static int record_captured(struct event *event, struct stream *stream);

int cuEventRecord(struct event *event, struct stream *stream) {
  ENTER("cuEventRecord");
  REQUIRE(exists(EVENT, event), INVALID_HANDLE);
  if (exists(STREAM, stream) && stream->capture) return leave(record_captured(event, stream));
  int result = stream_result(stream);
  REQUIRE(result == SUCCESS, result);
  record_event(event, stream);
  return leave(SUCCESS);
}

// capture_over stands for a capture that has ended.
static struct capture capture_over;

// event_result says whether event has come by, if it was recorded. An event that is captured
// breaks the capture.
static int event_result(const struct event *event) {
  if (!exists(EVENT, event)) return INVALID_HANDLE;
  if (event->capture) {
    if (event->capture != &capture_over) break_capture(event->capture);
    return CAPTURED_EVENT;
  }
  if (event->recorded && event->stream && (held || event->stream->done < event->after)) return NOT_READY;
  return SUCCESS;
}

int cuEventQuery(struct event *event) {
  ENTER("cuEventQuery");
  return leave(event_result(event));
}

int cuEventSynchronize(struct event *event) {
  ENTER("cuEventSynchronize");
  int result;
  while ((result = event_result(event)) == NOT_READY) pthread_cond_wait(&progress, &mutex);
  return leave(result);
}

int cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end) {
  ENTER("cuEventElapsedTime");
  REQUIRE(milliseconds, INVALID_VALUE);
  struct event *both[] = {start, end};
  for (int i = 0; i < 2; i++) {
    int result = event_result(both[i]);
    REQUIRE(result == SUCCESS, result);
    REQUIRE(both[i]->recorded && !(both[i]->flags & 2), INVALID_HANDLE);
  }
  *milliseconds = (end->at.tv_sec - start->at.tv_sec) * 1e3f + (end->at.tv_nsec - start->at.tv_nsec) / 1e6f;
  return leave(SUCCESS);
}

// ---- Memory ----------------------------------------------------------------------

static struct memory *obtain(struct context *context, size_t size, enum origin origin) {
  void *bytes = NULL;
  if (size > MEMORY_BYTES || posix_memalign(&bytes, 512, size)) return NULL;
  struct memory *m = add(MEMORY, sizeof *m);
  m->context = context, m->bytes = bytes, m->size = size, m->origin = origin;
  return m;
}

static struct pool *default_pool(int device) {
  if (!default_pools[device]) {
    default_pools[device] = allocate(sizeof(struct pool));  // not in the list: it is not handed out to be destroyed
    default_pools[device]->device = device;
  }
  return default_pools[device];
}

static int is_pool(const struct pool *p) {
  for (int i = 0; i < device_count; i++)
    if (p && default_pools[i] == p) return 1;
  return exists(POOL, p);
}

// in_use returns the device memory that nobody else can have: what pools reserve, and what is from
// no pool.
static uint64_t in_use(void) {
  uint64_t bytes = 0;
  for (struct object *o = objects[MEMORY]; o; o = o->next)
    if (!((struct memory *)o)->pool && ((struct memory *)o)->origin != HOST) bytes += ((struct memory *)o)->size;
  for (struct object *o = objects[POOL]; o; o = o->next) bytes += ((struct pool *)o)->reserved;
  for (int i = 0; i < device_count; i++)
    if (default_pools[i]) bytes += default_pools[i]->reserved;
  return bytes;
}

static int allocate_from(uint64_t *address, size_t size, struct pool *pool, struct stream *stream) {
  int result = stream_result(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(address && size > 0 && is_pool(pool), INVALID_VALUE);
  uint64_t used = pool->used + size;
  REQUIRE(!pool->max_size || used <= pool->max_size, OUT_OF_MEMORY);
  REQUIRE(used <= pool->reserved || in_use() + pieces(used) - pool->reserved <= memory_limit, OUT_OF_MEMORY);
  struct memory *m = obtain(stream ? stream->context : current[current_count - 1], size, POOLED);
  REQUIRE(m, OUT_OF_MEMORY);
  m->pool = pool;
  pool->used += size;
  if (pool->used > pool->used_high) pool->used_high = pool->used;
  if (pool->used > pool->reserved) pool->reserved = pieces(pool->used);
  if (pool->reserved > pool->reserved_high) pool->reserved_high = pool->reserved;
  *address = (uintptr_t)m->bytes;
  return leave(SUCCESS);
}

int cuMemAllocAsync(uint64_t *address, size_t size, struct stream *stream) {
  ENTER("cuMemAllocAsync");
  return allocate_from(address, size, default_pool(0), stream);
}

int cuMemAllocFromPoolAsync(uint64_t *address, size_t size, struct pool *pool, struct stream *stream) {
  ENTER("cuMemAllocFromPoolAsync");
  return allocate_from(address, size, pool, stream);
}

int cuDeviceGetDefaultMemPool(struct pool **pool, int device) {
  ENTER("cuDeviceGetDefaultMemPool");
  REQUIRE(pool, INVALID_VALUE);
  REQUIRE(is_device(device), INVALID_DEVICE);
  *pool = default_pool(device);
  return leave(SUCCESS);
}

// CUDA Driver API, CUmemPoolProps.
struct pool_props {
  int allocation_type, handle_types, location_type, location_id;
  void *security;
  size_t max_size;
  unsigned short usage;
  unsigned char reserved[54];
};

int cuMemPoolCreate(struct pool **pool, const struct pool_props *props) {
  static const unsigned char zero[54];
  ENTER("cuMemPoolCreate");
  REQUIRE(pool && props && props->allocation_type == 1 && props->location_type == 1, INVALID_VALUE);
  REQUIRE(!props->handle_types && !props->security && !props->usage, INVALID_VALUE);
  REQUIRE(!memcmp(props->reserved, zero, sizeof zero), INVALID_VALUE);
  REQUIRE(FAKE_VERSION >= 12020 || !props->max_size, INVALID_VALUE);  // it was reserved
  REQUIRE(is_device(props->location_id), INVALID_DEVICE);
  *pool = add(POOL, sizeof **pool);
  (*pool)->device = props->location_id;
  (*pool)->max_size = props->max_size;
  return leave(SUCCESS);
}

int cuMemPoolDestroy(struct pool *pool) {
  ENTER("cuMemPoolDestroy");
  REQUIRE(take(POOL, pool), INVALID_VALUE);
  for (struct object *o = objects[MEMORY]; o; o = o->next)
    if (((struct memory *)o)->pool == pool) ((struct memory *)o)->pool = NULL;
  free(pool);
  return leave(SUCCESS);
}

// pool_value returns where an attribute of 64 bits is. CUDA Driver API,
// CUmemPool_attribute.
static uint64_t *pool_value(struct pool *p, int attribute) {
  switch (attribute) {
    case 4: return &p->threshold;
    case 5: return &p->reserved;
    case 6: return &p->reserved_high;
    case 7: return &p->used;
    case 8: return &p->used_high;
  }
  return NULL;
}

int cuMemPoolGetAttribute(struct pool *pool, int attribute, uint64_t *value) {
  ENTER("cuMemPoolGetAttribute");
  REQUIRE(value && is_pool(pool) && pool_value(pool, attribute), INVALID_VALUE);
  *value = *pool_value(pool, attribute);
  return leave(SUCCESS);
}

int cuMemPoolSetAttribute(struct pool *pool, int attribute, const uint64_t *value) {
  ENTER("cuMemPoolSetAttribute");
  REQUIRE(value && is_pool(pool), INVALID_VALUE);
  switch (attribute) {
    case 4: pool->threshold = *value; return leave(SUCCESS);
    case 6:
    case 8:  // 0 alone resets them
      REQUIRE(*value == 0, INVALID_VALUE);
      *pool_value(pool, attribute) = *pool_value(pool, attribute - 1);
      return leave(SUCCESS);
  }
  return leave(INVALID_VALUE);
}

int cuMemPoolTrimTo(struct pool *pool, size_t keep) {
  ENTER("cuMemPoolTrimTo");
  REQUIRE(is_pool(pool), INVALID_VALUE);
  trim(pool, keep);
  return leave(SUCCESS);
}

int cuMemPoolSetAccess(struct pool *pool, const int *access, size_t count) {
  ENTER("cuMemPoolSetAccess");
  REQUIRE(is_pool(pool) && access && count == 1 && access[0] == 1, INVALID_VALUE);
  REQUIRE(is_device(access[1]), INVALID_DEVICE);
  REQUIRE(access[2] == 3 || (access[2] == 0 && access[1] != pool->device), INVALID_DEVICE);
  return leave(SUCCESS);
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  ENTER("cuMemGetInfo");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(free_bytes && total, INVALID_VALUE);
  *free_bytes = *total = MEMORY_BYTES;
  for (struct object *o = objects[MEMORY]; o; o = o->next) *free_bytes -= ((struct memory *)o)->size;
  return leave(SUCCESS);
}

int cuMemHostAlloc(void **p, size_t size, unsigned flags) {
  ENTER("cuMemHostAlloc");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(p && size && flags <= 7, INVALID_VALUE);
  struct memory *m = obtain(current[current_count - 1], size, HOST);
  REQUIRE(m, OUT_OF_MEMORY);
  *p = m->bytes;
  return leave(SUCCESS);
}

int cuMemFreeHost(void *p) {
  ENTER("cuMemFreeHost");
  struct memory *m = memory_at((uintptr_t)p, 0);
  REQUIRE(m && m->bytes == p && m->origin == HOST, INVALID_VALUE);
  release(m);
  return leave(SUCCESS);
}

int cuMemHostRegister_v2(void *p, size_t size, unsigned flags) {
  ENTER("cuMemHostRegister");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(p && size && flags <= 3, INVALID_VALUE);
  REQUIRE(!memory_at((uintptr_t)p, 0) && !memory_at((uintptr_t)p + size - 1, 0), HOST_MEMORY_ALREADY_REGISTERED);
  struct memory *m = add(MEMORY, sizeof *m);
  m->context = current[current_count - 1], m->bytes = p, m->size = size, m->origin = REGISTERED;
  return leave(SUCCESS);
}

int cuMemHostUnregister(void *p) {
  ENTER("cuMemHostUnregister");
  REQUIRE(has_context(), INVALID_CONTEXT);
  struct memory *m = memory_at((uintptr_t)p, 0);
  REQUIRE(m && m->bytes == p && m->origin == REGISTERED, HOST_MEMORY_NOT_REGISTERED);
  release(m);
  return leave(SUCCESS);
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *p, unsigned flags) {
  ENTER("cuMemHostGetDevicePointer");
  REQUIRE(has_context(), INVALID_CONTEXT);
  struct memory *m = memory_at((uintptr_t)p, 0);
  REQUIRE(address && flags == 0 && m && (m->origin == HOST || m->origin == REGISTERED), INVALID_VALUE);
  *address = (uintptr_t)p;
  return leave(SUCCESS);
}

int cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags) {
  ENTER("cuMemAllocManaged");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(address && size && (flags == 1 || flags == 2), INVALID_VALUE);
  struct memory *m = obtain(current[current_count - 1], size, MANAGED);
  REQUIRE(m, OUT_OF_MEMORY);
  *address = (uintptr_t)m->bytes;
  return leave(SUCCESS);
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
  ENTER("cuMemAlloc");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(address && size, INVALID_VALUE);
  struct memory *m = obtain(current[current_count - 1], size, PLAIN);
  REQUIRE(m, OUT_OF_MEMORY);
  *address = (uintptr_t)m->bytes;
  return leave(SUCCESS);
}

int cuMemFree_v2(uint64_t address) {
  ENTER("cuMemFree");
  REQUIRE(has_context(), INVALID_CONTEXT);
  struct memory *m = memory_at(address, 0);
  REQUIRE(m && address == (uintptr_t)m->bytes && (m->origin == MANAGED || m->origin == PLAIN), INVALID_VALUE);
  release(m);
  return leave(SUCCESS);
}

// ---- Other processes -------------------------------------------------------------

// An ipc_handle is passed by value. In this fake it has the size of memory of another process, whose
// contents nobody here sees, between words that must arrive as they were.
typedef struct {
  uint64_t magic, process, size, words[5];
} ipc_handle;

_Static_assert(sizeof(ipc_handle) == 64, "CUipcMemHandle");

enum { IPC_MEMORY = 0x6d656d, IPC_EVENT = 0x657674 };

static ipc_handle ipc_handle_of(uint64_t magic, uint64_t size) {
  ipc_handle h = {magic, (uint64_t)getpid(), size, {0}};
  for (uint64_t i = 0; i < 5; i++) h.words[i] = ~(i << 40) ^ size;
  return h;
}

// is_whole says whether h is what another process's ipc_handle_of returned.
static int is_whole(ipc_handle h, uint64_t magic) {
  for (uint64_t i = 0; i < 5; i++)
    if (h.words[i] != (~(i << 40) ^ h.size)) return 0;
  return h.magic == magic;
}

int cuIpcGetMemHandle(ipc_handle *handle, uint64_t address) {
  ENTER("cuIpcGetMemHandle");
  REQUIRE(has_context(), INVALID_CONTEXT);
  struct memory *m = memory_at(address, 0);
  REQUIRE(handle && m && m->origin == PLAIN, INVALID_VALUE);  // that of a pool has none
  *handle = ipc_handle_of(IPC_MEMORY, m->size);
  return leave(SUCCESS);
}

int cuIpcOpenMemHandle_v2(uint64_t *address, ipc_handle handle, unsigned flags) {
  ENTER("cuIpcOpenMemHandle");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(address && flags == 1 && is_whole(handle, IPC_MEMORY), INVALID_VALUE);
  REQUIRE(handle.process != (uint64_t)getpid(), INVALID_CONTEXT);
  struct memory *m = obtain(current[current_count - 1], handle.size, FOREIGN);
  REQUIRE(m, OUT_OF_MEMORY);
  *address = (uintptr_t)m->bytes;
  return leave(SUCCESS);
}

int cuIpcCloseMemHandle(uint64_t address) {
  ENTER("cuIpcCloseMemHandle");
  REQUIRE(has_context(), INVALID_CONTEXT);
  struct memory *m = memory_at(address, 0);
  REQUIRE(m && address == (uintptr_t)m->bytes && m->origin == FOREIGN, INVALID_VALUE);
  release(m);
  return leave(SUCCESS);
}

int cuIpcGetEventHandle(ipc_handle *handle, struct event *event) {
  ENTER("cuIpcGetEventHandle");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(EVENT, event), INVALID_HANDLE);
  REQUIRE(handle && event->flags & 4, INVALID_VALUE);
  *handle = ipc_handle_of(IPC_EVENT, 0);
  return leave(SUCCESS);
}

int cuIpcOpenEventHandle(struct event **event, ipc_handle handle) {
  ENTER("cuIpcOpenEventHandle");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(event && is_whole(handle, IPC_EVENT), INVALID_VALUE);
  REQUIRE(handle.process != (uint64_t)getpid(), INVALID_CONTEXT);
  *event = add(EVENT, sizeof **event);
  (*event)->context = current[current_count - 1];
  (*event)->flags = 2 | 4;
  return leave(SUCCESS);
}

static int is_managed(uint64_t address, size_t size) {
  struct memory *m = memory_at(address, size);
  return m && m->origin == MANAGED && size > 0;
}

int cuMemPrefetchAsync(uint64_t address, size_t size, int device, struct stream *stream) {
  ENTER("cuMemPrefetchAsync");
  REQUIRE(is_device(device) || device == -1, INVALID_DEVICE);
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(is_managed(address, size), INVALID_VALUE);
  return leave(SUCCESS);
}

int cuMemAdvise(uint64_t address, size_t size, int advice, int device) {
  ENTER("cuMemAdvise");
  REQUIRE(advice <= 2 || is_device(device) || device == -1, INVALID_DEVICE);
  REQUIRE(advice >= 1 && advice <= 6 && is_managed(address, size), INVALID_VALUE);
  return leave(SUCCESS);
}

int cuMemFreeAsync(uint64_t address, struct stream *stream) {
  ENTER("cuMemFreeAsync");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  struct memory *m = memory_at(address, 0);
  REQUIRE(m && address == (uintptr_t)m->bytes && m->origin == POOLED, INVALID_VALUE);
  release(m);
  return leave(SUCCESS);
}

// strange says whether driver 580 refuses copies of the memory on this thread: its current context
// is another device's than that of the pool.
static int strange(const struct memory *m) { return m->origin == POOLED && has_context() && m->context != current[current_count - 1]; }
// A later_copy is one that is queued: between a device and page-locked memory.
struct later_copy {
  void *to;
  const void *from;
  size_t size;
};

static void copy_later(void *argument) {
  struct later_copy *c = argument;
  memcpy(c->to, c->from, c->size);
  free(c);
}

// copies_later queues a copy on a stream that has host functions to run, if host is page-locked memory and
// device memory of the device.
static int copies_later(struct stream *stream, const void *host, uint64_t device, void *to, const void *from, size_t size) {
  if (!exists(STREAM, stream) || stream->capture || stream->done == stream->queued) return 0;
  struct memory *m = memory_at((uintptr_t)host, size);
  if (!size || !m || m->origin != HOST || !memory_at(device, size) || strange(memory_at(device, size))) return 0;
  struct later_copy *c = allocate(sizeof *c);
  c->to = to, c->from = from, c->size = size;
  queue_host_function(stream, copy_later, c);
  return 1;
}

int cuMemcpyHtoDAsync_v2(uint64_t destination, const void *source, size_t size, struct stream *stream) {
  ENTER("cuMemcpyHtoDAsync");
  pause_before_reading();
  if (copies_later(stream, source, destination, (void *)(uintptr_t)destination, source, size)) return leave(SUCCESS);
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  struct memory *m = memory_at(destination, size);
  REQUIRE((source || !size) && m && !strange(m), INVALID_VALUE);
  if (size) memcpy((void *)(uintptr_t)destination, source, size);
  return leave(SUCCESS);
}

int cuMemcpyDtoHAsync_v2(void *destination, uint64_t source, size_t size, struct stream *stream) {
  ENTER("cuMemcpyDtoHAsync");
  pause_before_reading();
  if (copies_later(stream, destination, source, destination, (void *)(uintptr_t)source, size)) return leave(SUCCESS);
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  struct memory *m = memory_at(source, size);
  REQUIRE((destination || !size) && m && !strange(m), INVALID_VALUE);
  if (size) memcpy(destination, (void *)(uintptr_t)source, size);
  return leave(SUCCESS);
}

int cuMemcpyDtoDAsync_v2(uint64_t destination, uint64_t source, size_t size, struct stream *stream) {
  ENTER("cuMemcpyDtoDAsync");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  struct memory *to = memory_at(destination, size), *from = memory_at(source, size);
  REQUIRE(to && from, INVALID_VALUE);
  // Driver 580 crashes then.
  if (!has_context() && to->origin == POOLED && from->origin == POOLED && to->context != from->context) abort();
  REQUIRE(!strange(to) && !strange(from), INVALID_VALUE);
  memmove((void *)(uintptr_t)destination, (void *)(uintptr_t)source, size);
  return leave(SUCCESS);
}

int cuMemsetD8Async(uint64_t destination, unsigned char value, size_t count, struct stream *stream) {
  ENTER("cuMemsetD8Async");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(memory_at(destination, count), INVALID_VALUE);
  memset((void *)(uintptr_t)destination, value, count);
  return leave(SUCCESS);
}

int cuMemsetD16Async(uint64_t destination, unsigned short value, size_t count, struct stream *stream) {
  ENTER("cuMemsetD16Async");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(destination % 2 == 0 && count <= MEMORY_BYTES && memory_at(destination, 2 * count), INVALID_VALUE);
  for (size_t i = 0; i < count; i++) ((unsigned short *)(uintptr_t)destination)[i] = value;
  return leave(SUCCESS);
}

int cuMemsetD32Async(uint64_t destination, unsigned value, size_t count, struct stream *stream) {
  ENTER("cuMemsetD32Async");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(destination % 4 == 0 && count <= MEMORY_BYTES && memory_at(destination, 4 * count), INVALID_VALUE);
  for (size_t i = 0; i < count; i++) ((unsigned *)(uintptr_t)destination)[i] = value;
  return leave(SUCCESS);
}

int cuMemcpyPeerAsync(uint64_t destination, struct context *to, uint64_t source, struct context *from, size_t size,
                      struct stream *stream) {
  ENTER("cuMemcpyPeerAsync");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(exists(CONTEXT, to) && exists(CONTEXT, from), INVALID_CONTEXT);
  REQUIRE(memory_at(destination, size) && memory_at(source, size), INVALID_VALUE);
  memmove((void *)(uintptr_t)destination, (void *)(uintptr_t)source, size);
  return leave(SUCCESS);
}

#include "textures.c"
#include "tensormaps.c"

// CUDA Driver API, CUDA_MEMCPY3D, and the half of it that is there twice.
struct side {
  size_t x, y, z, lod;
  int type;  // 1 is the host, 2 the device, 3 an array
  unsigned char *host;
  uint64_t device;
  struct array *array;
  void *reserved;
  size_t pitch, height;
};

struct copy3d {
  struct side source, destination;
  size_t width, height, depth;
};

// side_bytes returns where a copy begins on one side, or NULL when it cannot lie there.
static unsigned char *side_bytes(const struct copy3d *c, const struct side *s) {
  if (s->type == 3) {
    const struct array *a = s->array;
    if (s->lod || s->reserved || s->host || s->device || !exists(ARRAY, a)) return NULL;
    size_t element = element_bytes(a->is.format, a->is.channels);
    if (s->x % element || c->width % element || s->x > a->pitch || c->width > a->pitch - s->x) return NULL;
    if (s->y > a->rows || c->height > a->rows - s->y || s->z > a->planes || c->depth > a->planes - s->z) return NULL;
    return a->bytes + (s->z * a->rows + s->y) * a->pitch + s->x;
  }
  if (s->x || s->y || s->z || s->lod || s->array || s->reserved) return NULL;
  if ((c->height > 1 && s->pitch < c->width) || (c->depth > 1 && s->height < c->height)) return NULL;
  if (c->width > MEMORY_BYTES || c->height > MEMORY_BYTES || c->depth > MEMORY_BYTES || s->pitch > MEMORY_BYTES)
    return NULL;
  __uint128_t size = (__uint128_t)(c->depth - 1) * s->height * s->pitch + (c->height - 1) * s->pitch + c->width;
  if (s->type == 1) return s->host;
  if (s->type != 2 || size > MEMORY_BYTES || !memory_at(s->device, size)) return NULL;
  return (unsigned char *)(uintptr_t)s->device;
}

static size_t side_pitch(const struct side *s) { return s->type == 3 ? s->array->pitch : s->pitch; }

static size_t side_rows(const struct side *s) { return s->type == 3 ? s->array->rows : s->height; }

// copy3d copies; both sides are there.
static void copy3d(const struct copy3d *c) {
  const unsigned char *from = side_bytes(c, &c->source);
  unsigned char *to = side_bytes(c, &c->destination);
  for (size_t z = 0; z < c->depth; z++)
    for (size_t y = 0; y < c->height; y++)
      memmove(to + (z * side_rows(&c->destination) + y) * side_pitch(&c->destination),
              from + (z * side_rows(&c->source) + y) * side_pitch(&c->source), c->width);
}

int cuMemcpy3DAsync_v2(const struct copy3d *c, struct stream *stream) {
  ENTER("cuMemcpy3DAsync");
  int result = turn(stream);
  REQUIRE(result == SUCCESS, result);
  REQUIRE(c, INVALID_VALUE);
  if (!c->width || !c->height || !c->depth) return leave(SUCCESS);
  REQUIRE(side_bytes(c, &c->source) && side_bytes(c, &c->destination), INVALID_VALUE);
  REQUIRE(c->source.type != 2 || !strange(memory_at(c->source.device, 1)), INVALID_VALUE);
  REQUIRE(c->destination.type != 2 || !strange(memory_at(c->destination.device, 1)), INVALID_VALUE);
  copy3d(c);
  return leave(SUCCESS);
}

// ---- Launches --------------------------------------------------------------------

// launch adds l, whose facts and parameters are complete but for the bytes, to the log,
// if the driver would launch it.
static int launch(struct launch l, struct kernel *kernel, struct stream *stream, void **params, void **extra) {
  const uint32_t *grid = l.facts.grid, *block = l.facts.block, *cluster = l.facts.cluster;
  if (!exists(KERNEL, kernel)) return INVALID_HANDLE;
  int result = turn(stream);
  if (result != SUCCESS) return result;
  for (int i = 0; i < 3; i++)
    if (!grid[i] || !block[i] || grid[i] > (i ? 65535 : 2147483647) || block[i] > (i < 2 ? 1024 : 64))
      return INVALID_VALUE;
  uint64_t threads = (uint64_t)block[0] * block[1] * block[2], blocks = (uint64_t)grid[0] * grid[1] * grid[2];
  if (threads > MAX_THREADS || l.facts.shared_bytes > (uint32_t)kernel->max_dynamic_shared) return INVALID_VALUE;
  if (extra || (!params && kernel->count)) return INVALID_VALUE;
  if (l.facts.cooperative && blocks > (uint64_t)MULTIPROCESSORS * resident(threads, l.facts.shared_bytes))
    return COOPERATIVE_LAUNCH_TOO_LARGE;
  if (cluster[0] | cluster[1] | cluster[2]) {
    for (int i = 0; i < 3; i++)
      if (!cluster[i] || grid[i] % cluster[i]) return INVALID_VALUE;
    if ((uint64_t)cluster[0] * cluster[1] * cluster[2] > (kernel->non_portable_cluster ? 16 : 8)) return INVALID_CLUSTER_SIZE;
  }
  l.facts.kernel = (uintptr_t)kernel, l.facts.stream = (uintptr_t)stream;
  for (int i = 0; i < kernel->count; i++) l.facts.size += kernel->sizes[i];
  unsigned char *to = l.bytes = allocate(l.facts.size);
  for (int i = 0; i < kernel->count; to += kernel->sizes[i++]) memcpy(to, params[i], kernel->sizes[i]);
  room(&launches, launch_count, &launch_room, sizeof *launches);
  launches[launch_count++] = l;
  return SUCCESS;
}

int cuLaunchKernel(struct kernel *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, struct stream *stream, void **params,
                   void **extra) {
  ENTER("cuLaunchKernel");
  pause_before_reading();
  struct launch l = {
      .facts = {.grid = {grid_x, grid_y, grid_z},
                .block = {block_x, block_y, block_z},
                .shared_bytes = shared_bytes,
                .misaligned = (uintptr_t)__builtin_frame_address(0) % 16 != 0},
  };
  return leave(launch(l, kernel, stream, params, extra));
}

// CUDA Driver API, CUlaunchConfig and CUlaunchAttribute.
struct launch_config {
  unsigned grid[3], block[3], shared_bytes;
  struct stream *stream;
  const struct {
    int id;
    union {
      char size[64];
      void *align;
      uint32_t cluster[3];
      int number;
    } value;
  } *attributes;
  unsigned attribute_count;
};

int cuLaunchKernelEx(const struct launch_config *config, struct kernel *kernel, void **params, void **extra) {
  ENTER("cuLaunchKernelEx");
  pause_before_reading();
  REQUIRE(config && (config->attributes || !config->attribute_count), INVALID_VALUE);
  struct launch l = {
      .facts = {.shared_bytes = config->shared_bytes,
                .attributes = config->attribute_count,
                .misaligned = (uintptr_t)__builtin_frame_address(0) % 16 != 0},
  };
  memcpy(l.facts.grid, config->grid, sizeof config->grid);
  memcpy(l.facts.block, config->block, sizeof config->block);
  for (unsigned i = 0; i < config->attribute_count; i++) switch (config->attributes[i].id) {
      case 2: l.facts.cooperative = config->attributes[i].value.number; break;
      case 4: memcpy(l.facts.cluster, config->attributes[i].value.cluster, sizeof l.facts.cluster); break;
      case 6: l.facts.programmatic = config->attributes[i].value.number; break;
      case 8: l.facts.has_priority = 1, l.facts.priority = config->attributes[i].value.number; break;
      default: return leave(INVALID_VALUE);
    }
  return leave(launch(l, kernel, config->stream, params, extra));
}

// ---- Graphs ----------------------------------------------------------------------

#include "graphs.c"

// break_capture makes a capture useless, and returns why.
static int break_capture(struct capture *c) {
  if (c->invalid) return STREAM_CAPTURE_INVALIDATED;
  c->invalid = 1;
  return STREAM_CAPTURE_UNSUPPORTED;
}

// ---- What tests call -------------------------------------------------------------

// fake_reset forgets the logs, the failure ordered or stuck, the slowness and the stall; objects
// stay.
void fake_reset(void) {
  pthread_mutex_lock(&mutex);
  while (launch_count) free(launches[--launch_count].bytes);
  call_count = 0, fail_countdown = 0, slow_microseconds = 0, held = 0, stalled = 0, stuck = SUCCESS;
  memory_limit = MEMORY_BYTES;
  pthread_cond_broadcast(&progress);
  pthread_mutex_unlock(&mutex);
}

// fake_hold makes what is queued on streams not come to an end, until it is called with
// 0.
void fake_hold(int hold) {
  pthread_mutex_lock(&mutex);
  held = hold;
  pthread_cond_broadcast(&progress);
  pthread_mutex_unlock(&mutex);
}

// fake_stall makes calls that read the caller's memory wait until it is called with 0.
void fake_stall(int stall) {
  pthread_mutex_lock(&mutex);
  stalled = stall;
  pthread_cond_broadcast(&progress);
  pthread_mutex_unlock(&mutex);
}

// fake_fail makes the nth call of the entry point name, or with "" of any, fail with
// result. nth counts from 1, beginning now.
void fake_fail(const char *name, int nth, int result) {
  pthread_mutex_lock(&mutex);
  snprintf(fail_name, sizeof fail_name, "%s", name);
  fail_countdown = nth, fail_result = result, fail_late = 0;
  pthread_mutex_unlock(&mutex);
}

// fake_fail_late lets the nth call pass and makes all later ones that need the context
// fail with result, until the context is destroyed: so fails a kernel.
void fake_fail_late(int nth, int result) {
  fake_fail("", nth, result);
  pthread_mutex_lock(&mutex);
  fail_late = 1;
  pthread_mutex_unlock(&mutex);
}

// fake_slow makes calls that read the caller's memory, and cuStreamQuery, wait first.
void fake_slow(unsigned microseconds) {
  pthread_mutex_lock(&mutex);
  slow_microseconds = microseconds;
  pthread_mutex_unlock(&mutex);
}

// fake_set_memory sets the bytes that pools can take from the devices together.
void fake_set_memory(uint64_t bytes) {
  pthread_mutex_lock(&mutex);
  memory_limit = bytes;
  pthread_mutex_unlock(&mutex);
}

// fake_set_devices says how many devices there are; it is meant for before cuInit.
void fake_set_devices(int count) {
  pthread_mutex_lock(&mutex);
  device_count = count > MAX_DEVICES ? MAX_DEVICES : count;
  pthread_mutex_unlock(&mutex);
}

// fake_live returns how many objects of kind exist.
int fake_live(int kind) {
  int n = 0;
  pthread_mutex_lock(&mutex);
  for (struct object *o = objects[kind]; o; o = o->next) n++;
  pthread_mutex_unlock(&mutex);
  return n;
}

size_t fake_call_count(void) {
  pthread_mutex_lock(&mutex);
  size_t n = call_count;
  pthread_mutex_unlock(&mutex);
  return n;
}

// fake_call copies the name of call i, ended with NUL, to name.
void fake_call(size_t i, char *name, size_t size) {
  pthread_mutex_lock(&mutex);
  snprintf(name, size, "%s", i < call_count ? calls[i] : "");
  pthread_mutex_unlock(&mutex);
}

size_t fake_launch_count(void) {
  pthread_mutex_lock(&mutex);
  size_t n = launch_count;
  pthread_mutex_unlock(&mutex);
  return n;
}

// fake_launch copies what is known of launch i to facts, and size of its parameters'
// bytes to bytes.
void fake_launch(size_t i, void *facts, void *bytes, size_t size) {
  pthread_mutex_lock(&mutex);
  if (i < launch_count) {
    memcpy(facts, &launches[i].facts, sizeof launches[i].facts);
    if (size <= launches[i].facts.size) memcpy(bytes, launches[i].bytes, size);
  }
  pthread_mutex_unlock(&mutex);
}

// fake_empty and fake_empty_launch do nothing: the floor of a call and of a launch.
int fake_empty(void *argument) {
  (void)argument;
  return SUCCESS;
}

int fake_empty_launch(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream, void **params,
                      void **extra) {
  (void)kernel, (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
  (void)shared_bytes, (void)stream, (void)params, (void)extra;
  return SUCCESS;
}

#ifdef FAKE_EMPTY_LAUNCH
#undef cuLaunchKernel
int cuLaunchKernel(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared_bytes, void *stream, void **params, void **extra)
    __attribute__((alias("fake_empty_launch")));
#endif

// fake_time_launches launches n times from C, with count parameters of 8 bytes, 64 at
// most, and returns the nanoseconds it took.
uint64_t fake_time_launches(uint64_t n, int count) {
  int (*volatile launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                         void **) = fake_empty_launch;
  struct timespec begin, end;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t values[64];
    void *params[64];
    for (int j = 0; j < count && j < 64; j++) {
      values[j] = i;
      params[j] = &values[j];
    }
    launch(NULL, 1, 1, 1, 256, 1, 1, 0, NULL, params, NULL);
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (end.tv_sec - begin.tv_sec) * 1000000000ull + end.tv_nsec - begin.tv_nsec;
}

// int fake_clobbered(int (*fn)(void *), void *argument) calls fn and returns which of
// the registers that it must preserve it did not: a bit for each. It is 1 << 30 when
// the stack pointer is wrong.
//
// int fake_clobber(void *argument) breaks the rule, to show that the check works.
#if defined(__x86_64__)
#define CHECK(reg, value, bit) "cmp $" #value ", %" #reg "; je 1f; or $" #bit ", %eax; 1:"
__asm__(
    ".text; .globl fake_clobbered, fake_clobber; .type fake_clobbered, @function; .type fake_clobber, @function;"
    "fake_clobbered: push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15; sub $24, %rsp;"
    "mov %rsp, 8(%rsp); mov %rdi, %rax; mov %rsi, %rdi;"
    "mov $0x11111, %rbx; mov $0x22222, %r12; mov $0x33333, %r13; mov $0x44444, %r14; mov $0x55555, %r15;"
    "mov $0x66666, %rbp; call *%rax; xor %eax, %eax;"
    CHECK(rbx, 0x11111, 1) CHECK(r12, 0x22222, 2) CHECK(r13, 0x33333, 4) CHECK(r14, 0x44444, 8)
    CHECK(r15, 0x55555, 16) CHECK(rbp, 0x66666, 32)
    "cmp %rsp, 8(%rsp); je 1f; or $0x40000000, %eax; 1:"
    "add $24, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret;"
    "fake_clobber: xor %ebx, %ebx; xor %r15d, %r15d; xor %eax, %eax; ret");
#elif defined(__aarch64__)
#define CHECK(reg, value, bit) "mov x9, #" #value "; cmp " #reg ", x9; b.eq 1f; orr w0, w0, #" #bit "; 1:"
__asm__(
    ".text; .globl fake_clobbered, fake_clobber; .type fake_clobbered, @function; .type fake_clobber, @function;"
    "fake_clobbered: stp x29, x30, [sp, #-112]!; stp x19, x20, [sp, #16]; stp x21, x22, [sp, #32];"
    "stp x23, x24, [sp, #48]; stp x25, x26, [sp, #64]; stp x27, x28, [sp, #80]; mov x9, sp; str x9, [sp, #96];"
    "mov x9, x0; mov x0, x1;"
    "mov x19, #0x1111; mov x20, #0x2222; mov x21, #0x3333; mov x22, #0x4444; mov x23, #0x5555; mov x24, #0x6666;"
    "mov x25, #0x7777; mov x26, #0x8888; mov x27, #0x9999; mov x28, #0xaaaa; mov x29, #0xbbbb;"
    "blr x9; mov w0, #0;"
    CHECK(x19, 0x1111, 1) CHECK(x20, 0x2222, 2) CHECK(x21, 0x3333, 4) CHECK(x22, 0x4444, 8) CHECK(x23, 0x5555, 16)
    CHECK(x24, 0x6666, 32) CHECK(x25, 0x7777, 64) CHECK(x26, 0x8888, 128) CHECK(x27, 0x9999, 256)
    CHECK(x28, 0xaaaa, 512) CHECK(x29, 0xbbbb, 1024)
    "mov x9, sp; ldr x10, [sp, #96]; cmp x9, x10; b.eq 1f; orr w0, w0, #0x40000000; 1:"
    "ldp x19, x20, [sp, #16]; ldp x21, x22, [sp, #32]; ldp x23, x24, [sp, #48]; ldp x25, x26, [sp, #64];"
    "ldp x27, x28, [sp, #80]; ldp x29, x30, [sp], #112; ret;"
    "fake_clobber: mov x19, #0; mov x27, #0; mov w0, #0; ret");
#else
#error "the fake driver runs on x86-64 and arm64"
#endif
