// The C side of the benchmark of graphs. Build:
// cc -O2 -shared -fPIC -o graphs.so graphs/c/graphs.c -ldl
#include <string.h>

#include "../../race/driver.h"

// CUDA_KERNEL_NODE_PARAMS_v2.
struct kernel_node {
  void *function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  void *kernel, *context;
};

// CUDA_GRAPH_INSTANTIATE_PARAMS.
struct instantiate_params {
  uint64_t flags;
  void *stream, *at;
  int outcome;
};

#define GRAPH_ENTRY_POINTS(X)                                                                                            \
  X(cuGraphCreate, (void **graph, unsigned flags))                                                                      \
  X(cuGraphDestroy, (void *graph))                                                                                      \
  X(cuGraphAddKernelNode_v2, (void **node, void *graph, void *const *from, size_t count, const struct kernel_node *))   \
  X(cuGraphInstantiateWithParams, (void **exec, void *graph, struct instantiate_params *params))                        \
  X(cuGraphExecDestroy, (void *exec))                                                                                   \
  X(cuGraphExecKernelNodeSetParams_v2, (void *exec, void *node, const struct kernel_node *))                            \
  X(cuGraphLaunch, (void *exec, void *stream))

#define DECLARE(name, parameters) static int(*name) parameters;
GRAPH_ENTRY_POINTS(DECLARE)
#undef DECLARE

enum { ELEMENTS = 256, NODES = 20, MANY = 1000, BATCH = 16 };

static void *kernel;
static uint64_t x[STREAMS], y[STREAMS];  // each allocated on the stream of its number
static void *execs[STREAMS], *graphs[STREAMS], *nodes[STREAMS][NODES];

static int elements = ELEMENTS;
static float factor = 2;

// node_of fills p and params, which p points to, with a launch on the buffers of a stream.
static void node_of(struct kernel_node *p, void **params, int number) {
  memset(p, 0, sizeof *p);
  params[0] = &elements, params[1] = &factor, params[2] = &x[number], params[3] = &y[number];
  p->grid[0] = p->grid[1] = p->grid[2] = 1;
  p->block[0] = 256, p->block[1] = p->block[2] = 1;
  p->params = params, p->kernel = kernel, p->context = context;
}

// chain makes a graph of count launches, one after the other.
static int chain(void **graph, void **made, int count, int number) {
  struct kernel_node p;
  void *params[4];
  node_of(&p, params, number);
  int r = cuGraphCreate(graph, 0);
  for (int i = 0; i < count && !r; i++) r = cuGraphAddKernelNode_v2(&made[i], *graph, i ? &made[i - 1] : 0, i > 0, &p);
  return r;
}

static int instantiate(void **exec, void *graph) {
  struct instantiate_params p = {0};
  return cuGraphInstantiateWithParams(exec, graph, &p);
}

// setup loads saxpy from image with the driver at path. It returns a CUresult, or -1 for a
// missing symbol.
int setup(const char *path, const char *image) {
  void *library, *driver;
  int r;
  if ((r = open_gpu(path))) return r;
  if (!(driver = dlopen(path, RTLD_NOW))) return -1;
#define FIND(name, parameters) \
  if (!(name = (int(*) parameters)dlsym(driver, #name))) return -1;
  GRAPH_ENTRY_POINTS(FIND)
#undef FIND
  if ((r = load(&library, image))) return r;
  if ((r = cuLibraryGetKernel(&kernel, library, "saxpy"))) return r;
  if ((r = open_streams())) return r;
  for (int i = 0; i < STREAMS; i++) {
    if ((r = cuMemAllocAsync(&x[i], ELEMENTS * sizeof(float), streams[i]))) return r;
    if ((r = cuMemAllocAsync(&y[i], ELEMENTS * sizeof(float), streams[i]))) return r;
    if ((r = cuStreamSynchronize(streams[i]))) return r;
    if ((r = chain(&graphs[i], nodes[i], NODES, i))) return r;
    if ((r = instantiate(&execs[i], graphs[i]))) return r;
    if ((r = cuGraphLaunch(execs[i], streams[i]))) return r;
    if ((r = cuStreamSynchronize(streams[i]))) return r;
  }
  return 0;
}

// MEASURED defines a function that does call count times on the stream of that number, and
// returns the nanoseconds that one took, without the synchronization behind them; negative for
// a CUresult.
#define MEASURED(name, call)                \
  double name(int number, int count) {      \
    void *stream = streams[number];         \
    (void)stream;                           \
    double start = now();                   \
    for (int i = 0; i < count; i++) {       \
      int r = call;                         \
      if (r) return -r;                     \
    }                                       \
    double elapsed = now() - start;         \
    int r = cuStreamSynchronize(stream);    \
    return r ? -r : elapsed / count;        \
  }

static inline int update_one(int number, int i) {
  struct kernel_node p;
  void *params[4];
  node_of(&p, params, number);
  factor = i;
  return cuGraphExecKernelNodeSetParams_v2(execs[number], nodes[number][7], &p);
}

static inline int launch_batch(int number) {
  int r = 0;
  for (int i = 0; i < BATCH && !r; i++) r = launch_saxpy(kernel, streams[number], ELEMENTS, 2, x[number], y[number]);
  return r;
}

MEASURED(launch, cuGraphLaunch(execs[number], stream))
MEASURED(update, update_one(number, i))
MEASURED(batch, launch_batch(number))

// build returns the nanoseconds that adding and instantiating a chain of 1,000 launches takes.
double build(int number) {
  static void *made[MANY];
  void *graph, *exec;
  double start = now();
  int r = chain(&graph, made, MANY, number);
  if (!r) r = instantiate(&exec, graph);
  double elapsed = now() - start;
  if (!r) r = cuGraphExecDestroy(exec);
  if (!r) r = cuGraphDestroy(graph);
  return r ? -r : elapsed;
}
