// A fake libnccl for tests, with the real ABI: https://docs.nvidia.com/deeplearning/nccl, API. The ranks
// of a communicator are in one process, and device memory is the process's, as in the fake libcuda.
// Calls on a communicator are in progress until all ranks have done theirs, or block so long.
//
// It holds what holds for several GPUs in one process: while an operation waits for a rank, nothing is allocated
// or freed. https://github.com/NVIDIA/nccl/issues/744
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS, CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR, IN_PROGRESS };
enum { ALL_REDUCE, BROADCAST, REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, GATHER, SCATTER, SEND, RECV };

#define MAX_RANKS 16
#define MAX_OPS 256
#define MAGIC 0x6e63636cu
#define EXPORT __attribute__((visibility("default")))

typedef struct { char internal[128]; } unique_id;

struct config {
  size_t size;
  unsigned magic, version;
  int blocking, cga;
};

struct op {
  int kind, type, op, root;
  const char *src;
  char *dst;
  size_t count;
  void *stream;
  uint64_t factor;
};

struct comm {
  unsigned magic;
  struct world *world;
  int rank, busy, error, finalized, blocking, making;
  uint64_t issued, factors[32];
  int factor_count;
};

struct world {
  unique_id id;
  int size, joined, gone;
  uint64_t done;                                            // collectives that were done
  struct comm *comms[MAX_RANKS];
  struct op ops[MAX_RANKS][MAX_OPS];                        // collectives, by rank
  uint64_t queued[MAX_RANKS];
  struct op sends[MAX_RANKS][MAX_RANKS][64], recvs[MAX_RANKS][MAX_RANKS][64];
  uint64_t sent[MAX_RANKS][MAX_RANKS], received[MAX_RANKS][MAX_RANKS], passed[MAX_RANKS][MAX_RANKS];
  int splits, colors[MAX_RANKS], keys[MAX_RANKS], split_number;
  struct comm **into[MAX_RANKS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;  // for calls that block
static struct world *worlds[4096];
static int world_count, live, registered, ids, allocated;
static char violation[256], last_error[256];
static struct { char name[32]; int result; } to_fail;
static char calls[65536][32];
static int call_count;

static __thread int depth;
static __thread struct { struct comm *comm; struct op op; } group[64];
static __thread int group_count;

static void violate(const char *what, const char *where) {
  if (!violation[0]) snprintf(violation, sizeof violation, "%s: %s", where, what);
}

static int entered(const char *name) {
  snprintf(calls[call_count++ % 65536], sizeof calls[0], "%s", name);
  if (!strcmp(to_fail.name, name)) {
    to_fail.name[0] = 0;
    snprintf(last_error, sizeof last_error, "%s was told to fail", name);
    return to_fail.result;
  }
  return 0;
}

#define ENTER(name)                     \
  pthread_mutex_lock(&lock);            \
  do {                                  \
    int told = entered(name);           \
    if (told) return leave(told);       \
  } while (0)

static int leave(int result) {
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
  return result;
}

static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};

// add does dst = dst op src, or dst = src * factor for the first one of a pre-multiplied sum.
#define DEFINE(NAME, T)                                                                                  \
  static void NAME(T *dst, const T *src, size_t n, int op, int first, int scaled, uint64_t factor) {     \
    T f = 1;                                                                                             \
    if (scaled) memcpy(&f, &factor, sizeof f);                                                           \
    for (size_t i = 0; i < n; i++) {                                                                     \
      T v = src[i] * f;                                                                                  \
      if (first) dst[i] = v;                                                                             \
      else if (op == 1) dst[i] *= v;                                                                     \
      else if (op == 2) dst[i] = v > dst[i] ? v : dst[i];                                                \
      else if (op == 3) dst[i] = v < dst[i] ? v : dst[i];                                                \
      else dst[i] += v;                                                                                  \
    }                                                                                                    \
  }
DEFINE(add_i8, int8_t)
DEFINE(add_u8, uint8_t)
DEFINE(add_i32, int32_t)
DEFINE(add_u32, uint32_t)
DEFINE(add_i64, int64_t)
DEFINE(add_u64, uint64_t)
DEFINE(add_f32, float)
DEFINE(add_f64, double)

static void combine(int type, void *dst, const void *src, size_t n, int op, int first, int scaled, uint64_t factor) {
  switch (type) {
  case 0: add_i8(dst, src, n, op, first, scaled, factor); break;
  case 1: add_u8(dst, src, n, op, first, scaled, factor); break;
  case 2: add_i32(dst, src, n, op, first, scaled, factor); break;
  case 3: add_u32(dst, src, n, op, first, scaled, factor); break;
  case 4: add_i64(dst, src, n, op, first, scaled, factor); break;
  case 5: add_u64(dst, src, n, op, first, scaled, factor); break;
  case 7: add_f32(dst, src, n, op, first, scaled, factor); break;
  case 8: add_f64(dst, src, n, op, first, scaled, factor); break;
  }
}

// perform does a collective that all ranks have queued.
static void perform(struct world *w) {
  struct op *of[MAX_RANKS] = {0};
  int n = w->size;
  for (int r = 0; r < n; r++) of[r] = &w->ops[r][w->done % MAX_OPS];
  struct op *o = of[0];
  for (int r = 1; r < n; r++)
    if (of[r]->kind != o->kind || of[r]->count != o->count || of[r]->type != o->type || of[r]->root != o->root) violate("the ranks differ", "a collective");
  size_t bytes = o->count * sizes[o->type], parts = o->kind == REDUCE_SCATTER ? n : 1;
  char *sum = NULL;
  if (o->kind == ALL_REDUCE || o->kind == REDUCE || o->kind == REDUCE_SCATTER) {
    sum = malloc(bytes * parts + 1);
    for (int r = 0; r < n; r++) combine(o->type, sum, of[r]->src, o->count * parts, o->op, r == 0, of[r]->op >= 16, of[r]->factor);
  }
  char *copies[MAX_RANKS];  // operations may be in place
  for (int r = 0; r < n; r++) {
    size_t size = bytes * (o->kind == ALL_TO_ALL || (o->kind == SCATTER && r == o->root) ? n : 1);
    int reads = o->kind == ALL_TO_ALL || o->kind == ALL_GATHER || o->kind == GATHER || ((o->kind == BROADCAST || o->kind == SCATTER) && r == o->root);
    copies[r] = reads ? memcpy(malloc(size + 1), of[r]->src, size) : NULL;
  }
  for (int r = 0; r < n; r++) {
    char *dst = of[r]->dst;
    switch (o->kind) {
    case ALL_REDUCE: memcpy(dst, sum, bytes); break;
    case REDUCE:
      if (r == o->root) memcpy(dst, sum, bytes);
      break;
    case REDUCE_SCATTER: memcpy(dst, sum + r * bytes, bytes); break;
    case BROADCAST: memcpy(dst, copies[o->root], bytes); break;
    case SCATTER: memcpy(dst, copies[o->root] + r * bytes, bytes); break;
    case GATHER:
      if (r != o->root) break;  // fallthrough
    case ALL_GATHER:
      for (int from = 0; from < n; from++) memcpy(dst + from * bytes, copies[from], bytes);
      break;
    case ALL_TO_ALL:
      for (int from = 0; from < n; from++) memcpy(dst + from * bytes, copies[from] + r * bytes, bytes);
    }
  }
  for (int r = 0; r < n; r++) free(copies[r]);
  free(sum);
  w->done++;
}

static void progress(struct world *w) {
  for (;;) {
    int ready = w->joined == w->size;
    for (int r = 0; r < w->size; r++) ready &= w->queued[r] > w->done;
    if (!ready) break;
    perform(w);
  }
  for (int from = 0; from < w->size; from++)
    for (int to = 0; to < w->size; to++)
      while (w->passed[from][to] < w->sent[from][to] && w->passed[from][to] < w->received[to][from]) {
        uint64_t i = w->passed[from][to]++ % 64;
        struct op *s = &w->sends[from][to][i], *r = &w->recvs[to][from][i];
        if (s->count != r->count || s->type != r->type) violate("send and receive differ", "ncclSend");
        memcpy(r->dst, s->src, s->count * sizes[s->type]);
      }
}

static int check(struct comm *c, const char *where, int idle) {
  if (!c || c->magic != MAGIC) {
    violate("this is no communicator, or one that is gone", where);
    return INVALID_ARGUMENT;
  }
  if (idle && c->busy) {
    violate("the communicator is in progress", where);
    return INVALID_USAGE;
  }
  return SUCCESS;
}

// pending reports whether c waits for other ranks.
static int pending(struct comm *c) {
  struct world *w = c->world;
  if (w->joined < w->size || w->queued[c->rank] > w->done) return 1;
  for (int r = 0; r < w->size; r++)
    if (w->sent[c->rank][r] > w->passed[c->rank][r] || w->received[c->rank][r] > w->passed[r][c->rank]) return 1;
  return 0;
}

// settle blocks until c waits for no rank, if its calls block.
static int settle(struct comm *c) {
  if (!c->blocking) return IN_PROGRESS;
  pthread_cond_broadcast(&changed);
  while (c->magic == MAGIC && !c->error && pending(c)) pthread_cond_wait(&changed, &lock);
  c->busy = c->making = 0;
  return c->magic == MAGIC ? c->error : INVALID_USAGE;
}

// quiet notes a violation if an operation of the process waits for a rank.
static void quiet(const char *where) {
  for (int i = 0; i < world_count; i++) {
    struct world *w = worlds[i];
    for (int r = 0; r < w->size && w->joined == w->size && !w->gone; r++)
      if (!w->comms[r]->error && pending(w->comms[r])) violate("an operation waits for a rank of this process, while memory is allocated or freed", where);
  }
}

// steady notes a violation if c waits for a rank while another communicator is being made.
static void steady(struct comm *c, const char *where) {
  if (!pending(c)) return;
  for (int i = 0; i < world_count; i++)
    for (int r = 0; r < worlds[i]->size && !worlds[i]->gone; r++)
      if (worlds[i]->comms[r] && worlds[i]->comms[r]->making) violate("it waits for a rank of this process, while a communicator is made", where);
}

static void add(struct comm *c, struct op *o) {
  struct world *w = c->world;
  if (o->kind == SEND)
    w->sends[c->rank][o->root][w->sent[c->rank][o->root]++ % 64] = *o;
  else if (o->kind == RECV)
    w->recvs[c->rank][o->root][w->received[c->rank][o->root]++ % 64] = *o;
  else
    w->ops[c->rank][w->queued[c->rank]++ % MAX_OPS] = *o;
  c->issued++;
  c->busy = c->blocking ? 0 : 1 + c->issued % 3;
  progress(w);
}

static int queue(struct comm *c, const char *name, struct op o) {
  ENTER(name);
  int wrong = check(c, name, depth == 0);
  if (wrong) return leave(wrong);
  int one_way = o.kind == SEND || o.kind == RECV;
  if (o.type < 0 || o.type > 9 || o.root < 0 || o.root >= c->world->size || !o.stream || o.count > 1u << 28) {
    violate("an argument is wrong", name);
    return leave(INVALID_ARGUMENT);
  }
  if (o.op >= 16 && !one_way) {
    if (o.op - 16 >= c->factor_count) {
      violate("there is no such reduction", name);
      return leave(INVALID_ARGUMENT);
    }
    o.factor = c->factors[o.op - 16];
  }
  if (depth) {
    group[group_count].comm = c;
    group[group_count++].op = o;
    return leave(SUCCESS);
  }
  add(c, &o);
  steady(c, name);
  return leave(settle(c));
}

EXPORT int ncclGetVersion(int *version) {
  *version = FAKE_VERSION;
  return SUCCESS;
}

EXPORT int ncclGetUniqueId(unique_id *id) {
  ENTER("ncclGetUniqueId");
  for (int i = 0; i < 128; i++) id->internal[i] = (char)(i * 7 + ids);
  memcpy(id->internal, &ids, sizeof ids);
  ids++;
  return leave(SUCCESS);
}

EXPORT const char *ncclGetErrorString(int result) { return result ? "an error" : "no error"; }

EXPORT const char *ncclGetLastError(struct comm *c) {
  (void)c;
  return last_error;
}

static struct world *world_of(const unique_id *id, int size) {
  for (int i = 0; i < world_count; i++)
    if (!memcmp(&worlds[i]->id, id, sizeof *id)) return worlds[i];
  struct world *w = calloc(1, sizeof *w);
  w->id = *id;
  w->size = size;
  return worlds[world_count++] = w;
}

static int join(struct comm **into, int size, int rank, const unique_id *id, const struct config *cfg, const char *where) {
  if (!into || !id || !cfg || size < 1 || size > MAX_RANKS || rank < 0 || rank >= size) {
    violate("an argument is wrong", where);
    return INVALID_ARGUMENT;
  }
  int number;
  memcpy(&number, id->internal, sizeof number);
  for (int i = sizeof number; i < 128; i++)
    if (id->internal[i] != (char)(i * 7 + number)) violate("the id is not one that was made", where);
  if (cfg->size < 24 || cfg->magic != 0xcafebeef || cfg->blocking < 0 || cfg->blocking > 1 || cfg->cga != (int)0x80000000) {
    violate("the configuration is wrong", where);
    return INVALID_ARGUMENT;
  }
  struct world *w = world_of(id, size);
  if (w->size != size || w->comms[rank]) {
    violate("the ranks differ", where);
    return INVALID_USAGE;
  }
  quiet(where);
  struct comm *c = calloc(1, sizeof *c);
  *c = (struct comm){.magic = MAGIC, .world = w, .rank = rank, .busy = 3, .blocking = cfg->blocking, .making = 1};
  w->comms[rank] = c;
  w->joined++;
  live++;
  *into = c;
  return settle(c);
}

#if FAKE_VERSION >= 22304
EXPORT int ncclCommInitRankScalable(struct comm **into, int size, int rank, int ids, unique_id *id, struct config *cfg) {
  ENTER("ncclCommInitRankScalable");
  if (ids != 1) violate("there is more than one id", "ncclCommInitRankScalable");
  return leave(join(into, size, rank, id, cfg, "ncclCommInitRankScalable"));
}
#endif

EXPORT int ncclCommInitRankConfig(struct comm **into, int size, unique_id id, int rank, struct config *cfg) {
  ENTER("ncclCommInitRankConfig");
  return leave(join(into, size, rank, &id, cfg, "ncclCommInitRankConfig"));
}

EXPORT int ncclCommGetAsyncError(struct comm *c, int *result) {
  pthread_mutex_lock(&lock);
  int wrong = check(c, "ncclCommGetAsyncError", 0);
  if (wrong) return leave(wrong);
  if (c->error)
    *result = c->error;
  else if (c->blocking)
    *result = SUCCESS;
  else if (pending(c))
    *result = IN_PROGRESS;
  else
    *result = c->busy && --c->busy ? IN_PROGRESS : SUCCESS;
  if (*result == SUCCESS) c->making = 0;
  return leave(SUCCESS);
}

EXPORT int ncclCommFinalize(struct comm *c) {
  ENTER("ncclCommFinalize");
  int wrong = check(c, "ncclCommFinalize", 1);
  if (wrong) return leave(wrong);
  quiet("ncclCommFinalize");
  c->finalized = 1;
  if (c->blocking) return leave(SUCCESS);
  c->busy = 2;
  return leave(IN_PROGRESS);
}

static void end(struct comm *c) {
  c->magic = c->making = 0;  // and never freed, so that a later use is noticed
  c->world->gone++;
  live--;
}

EXPORT int ncclCommDestroy(struct comm *c) {
  pthread_mutex_lock(&lock);
  int told = entered("ncclCommDestroy");
  int wrong = check(c, "ncclCommDestroy", 1);
  if (wrong) return leave(wrong);
  if (!c->finalized) violate("it was not finalized", "ncclCommDestroy");
  quiet("ncclCommDestroy");
  end(c);
  return leave(told);
}

EXPORT int ncclCommAbort(struct comm *c) {
  ENTER("ncclCommAbort");
  int wrong = check(c, "ncclCommAbort", 0);
  if (wrong) return leave(wrong);
  end(c);
  return leave(SUCCESS);
}

EXPORT int ncclCommSplit(struct comm *c, int color, int key, struct comm **into, struct config *cfg) {
  ENTER("ncclCommSplit");
  int wrong = check(c, "ncclCommSplit", 1);
  if (wrong) return leave(wrong);
  if (!cfg || cfg->magic != 0xcafebeef || cfg->blocking != c->blocking) violate("the configuration is wrong", "ncclCommSplit");
  quiet("ncclCommSplit");
  struct world *w = c->world;
  int number = w->split_number;
  w->colors[c->rank] = color, w->keys[c->rank] = key, w->into[c->rank] = into;
  *into = NULL;
  if (++w->splits < w->size) {
    while (c->blocking && c->magic == MAGIC && !c->error && w->split_number == number) pthread_cond_wait(&changed, &lock);
    if (c->blocking) return leave(c->magic == MAGIC ? c->error : INVALID_USAGE);
    return leave(IN_PROGRESS);
  }
  w->splits = 0;
  w->split_number++;
  for (int r = 0; r < w->size; r++) {
    if (w->colors[r] < 0) continue;
    int rank = 0, size = 0;
    for (int o = 0; o < w->size; o++)
      if (w->colors[o] == w->colors[r]) {
        size++;
        rank += w->keys[o] < w->keys[r] || (w->keys[o] == w->keys[r] && o < r);
      }
    unique_id id;
    memset(&id, 0xff, sizeof id);
    int name[3] = {w->split_number, w->colors[r], 0};
    memcpy(id.internal, name, sizeof name);
    memcpy(id.internal + 16, &w, sizeof w);
    struct world *child = world_of(&id, size);
    struct comm *made = calloc(1, sizeof *made);
    int blocking = w->comms[r]->blocking;
    *made = (struct comm){.magic = MAGIC, .world = child, .rank = rank, .busy = blocking ? 0 : 2, .blocking = blocking, .making = !blocking};
    child->comms[rank] = made;
    child->joined++;
    live++;
    *w->into[r] = made;
  }
  return leave(SUCCESS);
}

EXPORT int ncclAllReduce(const void *src, void *dst, size_t count, int type, int op, struct comm *c, void *stream) {
  return queue(c, "ncclAllReduce", (struct op){ALL_REDUCE, type, op, 0, src, dst, count, stream, 0});
}

EXPORT int ncclBroadcast(const void *src, void *dst, size_t count, int type, int root, struct comm *c, void *stream) {
  return queue(c, "ncclBroadcast", (struct op){BROADCAST, type, 0, root, src, dst, count, stream, 0});
}

EXPORT int ncclReduce(const void *src, void *dst, size_t count, int type, int op, int root, struct comm *c, void *stream) {
  return queue(c, "ncclReduce", (struct op){REDUCE, type, op, root, src, dst, count, stream, 0});
}

EXPORT int ncclAllGather(const void *src, void *dst, size_t count, int type, struct comm *c, void *stream) {
  return queue(c, "ncclAllGather", (struct op){ALL_GATHER, type, 0, 0, src, dst, count, stream, 0});
}

EXPORT int ncclReduceScatter(const void *src, void *dst, size_t count, int type, int op, struct comm *c, void *stream) {
  return queue(c, "ncclReduceScatter", (struct op){REDUCE_SCATTER, type, op, 0, src, dst, count, stream, 0});
}

#if FAKE_VERSION >= 22803
EXPORT int ncclAlltoAll(const void *src, void *dst, size_t count, int type, struct comm *c, void *stream) {
  return queue(c, "ncclAlltoAll", (struct op){ALL_TO_ALL, type, 0, 0, src, dst, count, stream, 0});
}

EXPORT int ncclGather(const void *src, void *dst, size_t count, int type, int root, struct comm *c, void *stream) {
  return queue(c, "ncclGather", (struct op){GATHER, type, 0, root, src, dst, count, stream, 0});
}

EXPORT int ncclScatter(const void *src, void *dst, size_t count, int type, int root, struct comm *c, void *stream) {
  return queue(c, "ncclScatter", (struct op){SCATTER, type, 0, root, src, dst, count, stream, 0});
}
#endif

EXPORT int ncclSend(const void *src, size_t count, int type, int to, struct comm *c, void *stream) {
  return queue(c, "ncclSend", (struct op){SEND, type, 0, to, src, NULL, count, stream, 0});
}

EXPORT int ncclRecv(void *dst, size_t count, int type, int from, struct comm *c, void *stream) {
  return queue(c, "ncclRecv", (struct op){RECV, type, 0, from, NULL, dst, count, stream, 0});
}

EXPORT int ncclGroupStart(void) {
  depth++;
  return SUCCESS;
}

EXPORT int ncclGroupEnd(void) {
  ENTER("ncclGroupEnd");
  if (!depth) {
    violate("this thread has begun no group", "ncclGroupEnd");
    return leave(INVALID_USAGE);
  }
  if (--depth) return leave(SUCCESS);
  int result = SUCCESS;
  for (int i = 0; i < group_count; i++) {
    int wrong = check(group[i].comm, "ncclGroupEnd", i == 0);
    if (wrong) result = wrong;
    else if (result == SUCCESS) add(group[i].comm, &group[i].op);
  }
  if (group_count && result == SUCCESS) {
    steady(group[0].comm, "ncclGroupEnd");
    result = settle(group[0].comm);
  }
  group_count = 0;
  return leave(result);
}

EXPORT int ncclRedOpCreatePreMulSum(int *op, void *scalar, int type, int residence, struct comm *c) {
  ENTER("ncclRedOpCreatePreMulSum");
  int wrong = check(c, "ncclRedOpCreatePreMulSum", 1);
  if (wrong) return leave(wrong);
  if (!op || !scalar || residence != 1 || type < 0 || type > 9 || c->factor_count == 32) {
    violate("an argument is wrong", "ncclRedOpCreatePreMulSum");
    return leave(INVALID_ARGUMENT);
  }
  memcpy(&c->factors[c->factor_count], scalar, sizes[type]);
  *op = 16 + c->factor_count++;
  return leave(SUCCESS);
}

EXPORT int ncclRedOpDestroy(int op, struct comm *c) {
  ENTER("ncclRedOpDestroy");
  int wrong = check(c, "ncclRedOpDestroy", 1);
  if (wrong) return leave(wrong);
  if (op < 16 || op >= 16 + c->factor_count) violate("there is no such reduction", "ncclRedOpDestroy");
  return leave(SUCCESS);
}

#if FAKE_VERSION >= 21903
EXPORT int ncclCommRegister(struct comm *c, void *address, size_t size, void **handle) {
  ENTER("ncclCommRegister");
  int wrong = check(c, "ncclCommRegister", 1);
  if (wrong) return leave(wrong);
  if (!address || !size || !handle) violate("an argument is wrong", "ncclCommRegister");
  registered++;
  *handle = (char *)address + 1;
  return leave(SUCCESS);
}

EXPORT int ncclCommDeregister(struct comm *c, void *handle) {
  ENTER("ncclCommDeregister");
  int wrong = check(c, "ncclCommDeregister", 1);
  if (wrong) return leave(wrong);
  if (!handle) violate("an argument is wrong", "ncclCommDeregister");
  registered--;
  return leave(SUCCESS);
}

EXPORT int ncclMemAlloc(void **address, size_t size) {
  ENTER("ncclMemAlloc");
  *address = malloc(size);
  allocated++;
  return leave(SUCCESS);
}

EXPORT int ncclMemFree(void *address) {
  ENTER("ncclMemFree");
  free(address);
  allocated--;
  return leave(SUCCESS);
}
#endif

// What tests call.

EXPORT const char *fake_violation(void) { return violation; }

EXPORT int fake_live(void) { return live + registered + allocated; }

EXPORT void fake_fail(const char *name, int result) {
  pthread_mutex_lock(&lock);
  snprintf(to_fail.name, sizeof to_fail.name, "%s", name);
  to_fail.result = result;
  pthread_mutex_unlock(&lock);
}

// fake_break has all communicators report an error that came by itself.
EXPORT void fake_break(int result) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < world_count; i++)
    for (int r = 0; r < worlds[i]->size; r++)
      if (worlds[i]->comms[r]) worlds[i]->comms[r]->error = result;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&lock);
}

// fake_waiting returns how many communicators have operations that wait for other ranks.
EXPORT int fake_waiting(void) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < world_count; i++)
    for (int r = 0; r < worlds[i]->size && worlds[i]->joined == worlds[i]->size && !worlds[i]->gone; r++) n += pending(worlds[i]->comms[r]);
  pthread_mutex_unlock(&lock);
  return n;
}

EXPORT int fake_count(const char *name) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < call_count && i < 65536; i++) n += !strcmp(calls[i], name);
  pthread_mutex_unlock(&lock);
  return n;
}
