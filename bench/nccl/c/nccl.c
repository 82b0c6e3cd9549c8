// The C side of the NCCL benchmark: a rank that calls NCCL as cudagen does, with a communicator whose
// calls do not block, or, with the argument "blocking", as most programs do.
// Build, in bench: cc -O2 -o nccl-c nccl/c/nccl.c -ldl
//
// It reads lines and answers each, as ../rank does: "id" prints a communicator's id; "join ID RANK SIZE
// BYTES" joins, with a buffer of that many bytes, and does one all-reduce; "run BYTES COUNT" does COUNT
// all-reduces and prints the nanoseconds that one took.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../race/driver.h"

typedef struct { char internal[128]; } id;
typedef struct {
  size_t size;
  unsigned magic, version;
  int blocking, cga;
} config;

static int (*get_id)(id *), (*join)(void **, int, id, int, config *), (*state)(void *, int *);
static int (*all_reduce)(const void *, void *, size_t, int, int, void *, void *);
static void *comm, *stream;
static uint64_t buffer;

// settle waits until nothing is in progress.
static int settle(int r) {
  while (r == 7) {
    int asked = state(comm, &r);
    if (asked) return asked;
  }
  return r;
}

static int reduce(size_t bytes) { return settle(all_reduce((void *)buffer, (void *)buffer, bytes / 4, 7, 0, comm, stream)); }

int main(int argc, char **argv) {
  const char *driver = getenv("CUDAGEN_LIBCUDA"), *library = getenv("CUDAGEN_LIBNCCL");
  void *nccl = dlopen(library && *library ? library : "libnccl.so.2", RTLD_NOW);
  if (!nccl) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  get_id = dlsym(nccl, "ncclGetUniqueId"), join = dlsym(nccl, "ncclCommInitRankConfig"), state = dlsym(nccl, "ncclCommGetAsyncError");
  all_reduce = dlsym(nccl, "ncclAllReduce");
  if (!get_id || !join || !state || !all_reduce) return 1;
  config c = {sizeof c, 0xcafebeef, 21400, argc > 1 && !strcmp(argv[1], "blocking"), (int)0x80000000};
  char line[1024], text[512];
  int rank, size, count, r = 0;
  size_t bytes;
  id made;
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(line, "id\n")) {
      if ((r = get_id(&made))) break;
      for (int i = 0; i < 128; i++) printf("%02x", (unsigned char)made.internal[i]);
      puts("");
    } else if (sscanf(line, "join %511s %d %d %zu", text, &rank, &size, &bytes) == 4) {
      for (int i = 0; i < 128; i++) {
        unsigned v;
        sscanf(text + 2 * i, "%2x", &v);
        made.internal[i] = (char)v;
      }
      if ((r = open_gpu(driver && *driver ? driver : "libcuda.so.1"))) break;
      if ((r = open_stream(&stream))) break;
      if ((r = cuMemAllocAsync(&buffer, bytes, stream))) break;
      if ((r = cuMemsetD8Async(buffer, 0, bytes, stream))) break;
      r = join(&comm, size, made, rank, &c);
      if ((r = settle(r))) break;
      if ((r = reduce(4)) || (r = cuStreamSynchronize(stream))) break;
      puts("ready");
    } else if (sscanf(line, "run %zu %d", &bytes, &count) == 2) {
      if ((r = reduce(4)) || (r = cuStreamSynchronize(stream))) break;  // so that the ranks begin together
      double start = now();
      for (int i = 0; i < count && !r; i++) r = reduce(bytes);
      if (!r) r = cuStreamSynchronize(stream);
      if (r) break;
      printf("%.1f 0\n", (now() - start) / count);
    }
    fflush(stdout);
  }
  if (r) fprintf(stderr, "nccl-c: %d\n", r);
  fflush(stdout);
  _exit(r != 0);  // what is queued is done; the other rank need not come
}
