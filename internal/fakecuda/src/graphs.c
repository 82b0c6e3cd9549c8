// Graphs of the fake driver; libcuda.c includes this file. A graph that is launched does its
// nodes' work in the order in which they were added, which their dependencies allow. Kernels
// are not run, so a conditional node sees the initial value of its handle.

// CUDA Driver API, CUgraphNodeType.
enum { KERNEL_NODE = 0, MEMCPY_NODE, MEMSET_NODE, HOST_NODE, CHILD_NODE, EMPTY_NODE, WAIT_NODE, RECORD_NODE,
       ALLOC_NODE = 10, FREE_NODE = 11, CONDITIONAL_NODE = 13 };

// The members of the union in CUgraphNodeParams.
struct kernel_node {
  void *function;
  unsigned grid[3], block[3], shared_bytes;
  void **params, **extra;
  struct kernel *kernel;
  struct context *context;
};
struct memcpy_node {
  int flags, reserved;
  struct context *context;
  struct copy3d copy;
};
struct memset_node {
  uint64_t destination;
  size_t pitch;
  unsigned value, element_size;
  size_t width, height;
  struct context *context;
};
struct host_node {
  void (*function)(void *);
  void *data;
};
struct alloc_node {
  struct pool_props props;
  const void *access;
  size_t access_count, size;
  uint64_t address;
};
struct conditional_node {
  uint64_t handle;
  int kind;
  unsigned size;
  struct graph **graphs;
  struct context *context;
};
struct node_params {
  int type, reserved0[3];
  union {
    unsigned char bytes[232];
    struct kernel_node kernel;
    struct memcpy_node memcpy;
    struct memset_node memset;
    struct host_node host;
    struct graph *child;
    struct event *event;
    struct alloc_node alloc;
    uint64_t free;
    struct conditional_node conditional;
  };
  long long reserved2;
};
_Static_assert(sizeof(struct node_params) == 256 && sizeof(struct kernel_node) == 72 && sizeof(struct memcpy_node) == 216 &&
                   sizeof(struct memset_node) == 48 && sizeof(struct alloc_node) == 120 && sizeof(struct conditional_node) == 32,
               "layouts of cuda.h");

struct edge_data {
  unsigned char from_port, to_port, type, reserved[5];
};

#define MAX_BODIES 32

struct node {
  struct object object;
  struct graph *graph;
  struct node *next, *origin;  // origin: what a clone was made of
  struct node_params params;
  unsigned char *bytes;  // of a kernel's parameters
  size_t dependency_count;
  struct node **dependencies;
  unsigned char *programmatic;
  uint32_t attributes, cluster[3], cooperative, has_priority;
  int32_t priority;
  int disabled;
  struct graph *child, *bodies[MAX_BODIES];
};

struct handle {
  struct handle *next;
  struct graph *graph;
  unsigned initial;
  int used;
};

struct graph {
  struct object object;
  struct node *first, **last, *body_of;
  struct handle *handles;
};

struct exec {
  struct object object;
  struct context *context;
  struct graph *graph;  // a clone
  uint64_t flags;
};

// A capture ends with the stream that began it.
struct capture {
  struct graph *graph;
  struct stream *origin;
  uint64_t id;
  int invalid;
};

static struct graph *new_graph(void) {
  struct graph *g = add(GRAPH, sizeof *g);
  g->last = &g->first;
  return g;
}

static size_t kernel_size(const struct kernel *k) {
  size_t size = 0;
  for (int i = 0; i < k->count; i++) size += k->sizes[i];
  return size;
}

static void destroy_graph(struct graph *g);

static void destroy_nodes(struct node *n) {
  for (struct node *next; n; n = next) {
    next = n->next;
    take(NODE, n);
    if (n->child) destroy_graph(n->child);
    for (int i = 0; i < MAX_BODIES; i++)
      if (n->bodies[i]) destroy_graph(n->bodies[i]);
    struct memory *m = n->params.type == ALLOC_NODE && !n->origin ? memory_at(n->params.alloc.address, 0) : NULL;
    if (m) release(m);
    free(n->bytes), free(n->dependencies), free(n->programmatic), free(n);
  }
}

static void destroy_graph(struct graph *g) {
  destroy_nodes(g->first);
  for (struct handle *h = g->handles, *next; h; h = next) next = h->next, free(h);
  take(GRAPH, g);
  free(g);
}

static struct graph *clone_graph(const struct graph *g);

// attach adds a copy of n, which is not in a list, to g.
static struct node *attach(struct graph *g, const struct node *n) {
  struct node *copy = add(NODE, sizeof *copy);
  struct object object = copy->object;
  *copy = *n;
  copy->object = object, copy->graph = g, copy->next = NULL;
  *g->last = copy;
  g->last = &copy->next;
  return copy;
}

static struct node *in_clone(const struct graph *clone, const struct node *origin) {
  for (struct node *n = clone->first; n; n = n->next) {
    if (n->origin == origin) return n;
    struct node *found = n->child ? in_clone(n->child, origin) : NULL;
    for (int i = 0; i < MAX_BODIES && !found; i++)
      if (n->bodies[i]) found = in_clone(n->bodies[i], origin);
    if (found) return found;
  }
  return NULL;
}

static void *copy_of(const void *p, size_t size) { return p ? memcpy(allocate(size), p, size) : NULL; }

static struct graph *clone_graph(const struct graph *g) {
  struct graph *clone = new_graph();
  for (struct node *n = g->first; n; n = n->next) {
    struct node *copy = attach(clone, n);
    copy->origin = n;
    copy->bytes = n->bytes ? copy_of(n->bytes, kernel_size(n->params.kernel.kernel)) : NULL;
    copy->programmatic = copy_of(n->programmatic, n->dependency_count);
    copy->dependencies = copy_of(n->dependencies, n->dependency_count * sizeof *n->dependencies);
    for (size_t i = 0; i < n->dependency_count; i++) copy->dependencies[i] = in_clone(clone, n->dependencies[i]);
    if (n->child) copy->child = clone_graph(n->child), copy->child->body_of = copy;
    for (int i = 0; i < MAX_BODIES; i++)
      if (n->bodies[i]) copy->bodies[i] = clone_graph(n->bodies[i]), copy->bodies[i]->body_of = copy;
  }
  return clone;
}

// is_blank says whether what is behind the member of the union is zero.
static int is_blank(const struct node_params *p, size_t member) {
  for (size_t i = member; i < sizeof p->bytes; i++)
    if (p->bytes[i]) return 0;
  return !p->reserved0[0] && !p->reserved0[1] && !p->reserved0[2] && !p->reserved2;
}

static struct handle *handle_at(uint64_t number) {
  for (struct object *o = objects[GRAPH]; o; o = o->next)
    for (struct handle *h = ((struct graph *)o)->handles; h; h = h->next)
      if ((uintptr_t)h == number) return h;
  return NULL;
}

// node_result says whether the driver takes a node with these parameters.
static int node_result(const struct node_params *p) {
  switch (p->type) {
    case KERNEL_NODE: {
      const struct kernel_node *k = &p->kernel;
      if (!is_blank(p, sizeof *k) || k->function || k->extra || !exists(KERNEL, k->kernel) || (!k->params && k->kernel->count))
        return INVALID_VALUE;
      if (!exists(CONTEXT, k->context)) return INVALID_CONTEXT;
      for (int i = 0; i < 3; i++)
        if (!k->grid[i] || !k->block[i] || k->grid[i] > (i ? 65535 : 2147483647) || k->block[i] > (i < 2 ? 1024 : 64))
          return INVALID_VALUE;
      uint64_t threads = (uint64_t)k->block[0] * k->block[1] * k->block[2];
      return threads > MAX_THREADS || k->shared_bytes > (uint32_t)k->kernel->max_dynamic_shared ? INVALID_VALUE : SUCCESS;
    }
    case MEMCPY_NODE: {
      const struct copy3d *c = &p->memcpy.copy;
      if (!is_blank(p, sizeof p->memcpy) || p->memcpy.flags || p->memcpy.reserved) return INVALID_VALUE;
      if (!exists(CONTEXT, p->memcpy.context)) return INVALID_CONTEXT;
      int empty = !c->width || !c->height || !c->depth;
      return empty || !side_bytes(c, &c->source) || !side_bytes(c, &c->destination) ? INVALID_VALUE : SUCCESS;
    }
    case MEMSET_NODE: {
      const struct memset_node *m = &p->memset;
      if (!is_blank(p, sizeof *m)) return INVALID_VALUE;
      if (!exists(CONTEXT, m->context)) return INVALID_CONTEXT;
      size_t e = m->element_size;
      if ((e != 1 && e != 2 && e != 4) || m->destination % e || !m->width || !m->height || m->width > MEMORY_BYTES) return INVALID_VALUE;
      if (m->height > 1 && m->pitch < m->width * e) return INVALID_VALUE;
      return memory_at(m->destination, (m->height - 1) * m->pitch + m->width * e) ? SUCCESS : INVALID_VALUE;
    }
    case HOST_NODE: return is_blank(p, sizeof p->host) && p->host.function ? SUCCESS : INVALID_VALUE;
    case CHILD_NODE: return is_blank(p, sizeof p->child) && exists(GRAPH, p->child) ? SUCCESS : INVALID_VALUE;
    case EMPTY_NODE: return is_blank(p, 0) ? SUCCESS : INVALID_VALUE;
    case RECORD_NODE:
    case WAIT_NODE: return is_blank(p, sizeof p->event) && exists(EVENT, p->event) ? SUCCESS : INVALID_VALUE;
    case ALLOC_NODE: {
      const struct alloc_node *a = &p->alloc;
      const struct pool_props *props = &a->props;
      if (!is_blank(p, sizeof *a) || a->access || a->access_count || a->address || !a->size) return INVALID_VALUE;
      if (props->allocation_type != 1 || props->handle_types || props->location_type != 1 || !is_device(props->location_id))
        return INVALID_VALUE;
      return SUCCESS;
    }
    case FREE_NODE: return is_blank(p, sizeof p->free) && memory_at(p->free, 0) ? SUCCESS : INVALID_VALUE;
    case CONDITIONAL_NODE: {
      const struct conditional_node *c = &p->conditional;
      if (!is_blank(p, sizeof *c) || c->graphs || !handle_at(c->handle) || handle_at(c->handle)->used) return INVALID_VALUE;
      if (!exists(CONTEXT, c->context)) return INVALID_CONTEXT;
      // An else and a switch came between 12.4 and 12.9.
      int most = c->kind == 0 ? (FAKE_VERSION < 12080 ? 1 : 2) : c->kind == 1 ? 1 : c->kind == 2 && FAKE_VERSION >= 12080 ? MAX_BODIES : 0;
      return c->size < 1 || c->size > (unsigned)most ? INVALID_VALUE : SUCCESS;
    }
  }
  return INVALID_VALUE;
}

// adopt copies what the parameters of n refer to.
static void adopt(struct node *n) {
  if (n->params.type == KERNEL_NODE) {
    struct kernel *k = n->params.kernel.kernel;
    unsigned char *to = n->bytes = allocate(kernel_size(k));
    for (int i = 0; i < k->count; to += k->sizes[i++]) memcpy(to, n->params.kernel.params[i], k->sizes[i]);
    n->params.kernel.params = NULL;
  }
  if (n->params.type == CHILD_NODE) n->child = clone_graph(n->params.child), n->child->body_of = n;
}

static int add_node(struct node **node, struct graph *g, struct node *const *dependencies, const struct edge_data *edges,
                    size_t count, struct node_params *p) {
  static const struct edge_data plain, programmatic = {.from_port = 1, .type = 1};
  REQUIRE(node && p && exists(GRAPH, g) && (dependencies || !count), INVALID_VALUE);
  int result = node_result(p);
  REQUIRE(result == SUCCESS, result);
  struct node n = {.params = *p, .dependency_count = count};
  for (size_t i = 0; i < count; i++) {
    REQUIRE(exists(NODE, dependencies[i]) && dependencies[i]->graph == g, INVALID_VALUE);
    if (!edges || !memcmp(&edges[i], &plain, sizeof plain)) continue;
    int kernels = p->type == KERNEL_NODE && dependencies[i]->params.type == KERNEL_NODE;
    REQUIRE(kernels && !memcmp(&edges[i], &programmatic, sizeof plain), INVALID_VALUE);
  }
  pause_before_reading();
  adopt(&n);
  n.dependencies = copy_of(dependencies, count * sizeof *dependencies);
  n.programmatic = allocate(count);
  for (size_t i = 0; i < count; i++) n.programmatic[i] = edges && edges[i].type;
  if (p->type == ALLOC_NODE) {
    struct memory *m = obtain(primary[p->alloc.props.location_id], p->alloc.size, POOLED);
    REQUIRE(m, OUT_OF_MEMORY);
    n.params.alloc.address = p->alloc.address = (uintptr_t)m->bytes;
  }
  *node = attach(g, &n);
  if (n.child) n.child->body_of = *node;
  if (p->type == CONDITIONAL_NODE) {
    handle_at(p->conditional.handle)->used = 1;
    for (unsigned i = 0; i < p->conditional.size; i++) (*node)->bodies[i] = new_graph(), (*node)->bodies[i]->body_of = *node;
    p->conditional.graphs = (*node)->bodies;
  }
  return leave(SUCCESS);
}

int cuGraphCreate(struct graph **graph, unsigned flags) {
  ENTER("cuGraphCreate");
  REQUIRE(graph && !flags, INVALID_VALUE);
  *graph = new_graph();
  return leave(SUCCESS);
}

int cuGraphDestroy(struct graph *graph) {
  ENTER("cuGraphDestroy");
  REQUIRE(exists(GRAPH, graph) && !graph->body_of, INVALID_VALUE);
  destroy_graph(graph);
  return leave(SUCCESS);
}

int cuGraphClone(struct graph **clone, struct graph *graph) {
  ENTER("cuGraphClone");
  REQUIRE(clone && exists(GRAPH, graph), INVALID_VALUE);
  *clone = clone_graph(graph);
  return leave(SUCCESS);
}

int cuGraphGetNodes(struct graph *graph, struct node **nodes, size_t *count) {
  ENTER("cuGraphGetNodes");
  REQUIRE(exists(GRAPH, graph) && count, INVALID_VALUE);
  size_t n = 0;
  for (struct node *at = graph->first; at; at = at->next, n++)
    if (nodes && n < *count) nodes[n] = at;
  if (!nodes || n < *count) *count = n;
  return leave(SUCCESS);
}

int cuGraphNodeFindInClone(struct node **node, struct node *original, struct graph *clone) {
  ENTER("cuGraphNodeFindInClone");
  REQUIRE(node && exists(NODE, original) && exists(GRAPH, clone) && in_clone(clone, original), INVALID_VALUE);
  *node = in_clone(clone, original);
  return leave(SUCCESS);
}

int cuGraphNodeGetType(struct node *node, int *type) {
  ENTER("cuGraphNodeGetType");
  REQUIRE(exists(NODE, node) && type, INVALID_VALUE);
  *type = node->params.type;
  return leave(SUCCESS);
}

int cuGraphNodeGetDependencies(struct node *node, struct node **nodes, size_t *count) {
  ENTER("cuGraphNodeGetDependencies");
  REQUIRE(exists(NODE, node) && count, INVALID_VALUE);
  for (size_t i = 0; nodes && i < *count && i < node->dependency_count; i++) nodes[i] = node->dependencies[i];
  if (!nodes || node->dependency_count < *count) *count = node->dependency_count;
  return leave(SUCCESS);
}

int cuGraphDestroyNode(struct node *node) {
  ENTER("cuGraphDestroyNode");
  REQUIRE(exists(NODE, node), INVALID_VALUE);
  struct graph *g = node->graph;
  struct node **at = &g->first;
  while (*at != node) at = &(*at)->next;
  *at = node->next;
  if (g->last == &node->next) g->last = at;
  for (struct node *n = g->first; n; n = n->next) {
    size_t kept = 0;
    for (size_t i = 0; i < n->dependency_count; i++)
      if (n->dependencies[i] != node) n->programmatic[kept] = n->programmatic[i], n->dependencies[kept++] = n->dependencies[i];
    n->dependency_count = kept;
  }
  node->next = NULL;
  destroy_nodes(node);
  return leave(SUCCESS);
}

int cuGraphAddNode_v2(struct node **node, struct graph *graph, struct node *const *dependencies, const struct edge_data *edges,
                      size_t count, struct node_params *params) {
  ENTER("cuGraphAddNode");
  return add_node(node, graph, dependencies, edges, count, params);
}

// ADD is an entry point for one kind of node.
#define ADD(name, kind, statement)                                        \
  ENTER(name);                                                            \
  struct node_params p = {.type = kind};                                  \
  statement;                                                              \
  return add_node(node, graph, dependencies, NULL, count, &p)

int cuGraphAddKernelNode_v2(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                            const struct kernel_node *params) {
  ADD("cuGraphAddKernelNode", KERNEL_NODE, p.kernel = *params);
}

int cuGraphAddMemcpyNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                         const struct copy3d *copy, struct context *context) {
  ADD("cuGraphAddMemcpyNode", MEMCPY_NODE, p.memcpy = ((struct memcpy_node){.context = context, .copy = *copy}));
}

// memset_v1 reads CUDA_MEMSET_NODE_PARAMS_v1, which lacks the context.
static struct memset_node memset_v1(const void *params, struct context *context) {
  struct memset_node m;
  memcpy(&m, params, 40);
  m.context = context;
  return m;
}

int cuGraphAddMemsetNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                         const void *params, struct context *context) {
  ADD("cuGraphAddMemsetNode", MEMSET_NODE, p.memset = memset_v1(params, context));
}

int cuGraphAddHostNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                       const struct host_node *params) {
  ADD("cuGraphAddHostNode", HOST_NODE, p.host = *params);
}

int cuGraphAddChildGraphNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                             struct graph *child) {
  ADD("cuGraphAddChildGraphNode", CHILD_NODE, p.child = child);
}

int cuGraphAddEmptyNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count) {
  ADD("cuGraphAddEmptyNode", EMPTY_NODE, );
}

int cuGraphAddEventRecordNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                              struct event *event) {
  ADD("cuGraphAddEventRecordNode", RECORD_NODE, p.event = event);
}

int cuGraphAddEventWaitNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                            struct event *event) {
  ADD("cuGraphAddEventWaitNode", WAIT_NODE, p.event = event);
}

int cuGraphAddMemAllocNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                           struct alloc_node *params) {
  ENTER("cuGraphAddMemAllocNode");
  struct node_params p = {.type = ALLOC_NODE, .alloc = *params};
  int result = add_node(node, graph, dependencies, NULL, count, &p);
  params->address = p.alloc.address;
  return result;
}

int cuGraphAddMemFreeNode(struct node **node, struct graph *graph, struct node *const *dependencies, size_t count,
                          uint64_t address) {
  ADD("cuGraphAddMemFreeNode", FREE_NODE, p.free = address);
}

int cuGraphKernelNodeSetAttribute(struct node *node, int attribute, const void *value) {
  ENTER("cuGraphKernelNodeSetAttribute");
  REQUIRE(exists(NODE, node) && node->params.type == KERNEL_NODE && value, INVALID_VALUE);
  const uint32_t *numbers = value;
  switch (attribute) {
    case 2: node->cooperative = numbers[0]; break;
    case 4: memcpy(node->cluster, value, sizeof node->cluster); break;
    case 8: node->has_priority = 1, node->priority = *(const int32_t *)value; break;
    default: return leave(INVALID_VALUE);
  }
  node->attributes++;
  return leave(SUCCESS);
}

int cuGraphConditionalHandleCreate(uint64_t *handle, struct graph *graph, struct context *context, unsigned initial,
                                   unsigned flags) {
  ENTER("cuGraphConditionalHandleCreate");
  REQUIRE(handle && exists(GRAPH, graph) && flags <= 1, INVALID_VALUE);
  REQUIRE(exists(CONTEXT, context), INVALID_CONTEXT);
  struct handle *h = allocate(sizeof *h);
  h->graph = graph, h->initial = initial, h->next = graph->handles;
  graph->handles = h;
  *handle = (uintptr_t)h;
  return leave(SUCCESS);
}

struct instantiate_params {
  uint64_t flags;
  struct stream *upload;
  struct node *at;
  int outcome;
};

// misfit returns a node that cannot be instantiated, or NULL.
static struct node *misfit(const struct graph *g, int in_body) {
  for (struct node *n = g->first; n; n = n->next) {
    int type = n->params.type;
    if (in_body && (type == HOST_NODE || type == RECORD_NODE || type == WAIT_NODE || type == ALLOC_NODE || type == FREE_NODE)) return n;
    struct node *found = n->child ? misfit(n->child, in_body) : NULL;
    for (int i = 0; i < MAX_BODIES && !found; i++)
      if (n->bodies[i]) found = misfit(n->bodies[i], 1);
    if (found) return found;
  }
  return NULL;
}

int cuGraphInstantiateWithParams(struct exec **exec, struct graph *graph, struct instantiate_params *params) {
  ENTER("cuGraphInstantiateWithParams");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exec && exists(GRAPH, graph) && !graph->body_of && params && params->flags <= 15, INVALID_VALUE);
  params->outcome = 3;
  REQUIRE(!(params->at = misfit(graph, 0)), INVALID_VALUE);
  params->outcome = 5;
  for (struct handle *h = graph->handles; h; h = h->next) REQUIRE(h->used, INVALID_VALUE);
  params->outcome = 0;
  *exec = add(EXEC, sizeof **exec);
  (*exec)->context = current[current_count - 1], (*exec)->graph = clone_graph(graph), (*exec)->flags = params->flags;
  return leave(SUCCESS);
}

static void destroy_exec(struct exec *e) {
  take(EXEC, e);
  destroy_graph(e->graph);
  free(e);
}

// destroy_graphs takes away the execs of a context that goes, and with the last context all
// graphs.
static void destroy_graphs(struct context *c) {
  for (struct object *o = objects[EXEC]; o;) {
    struct exec *e = (struct exec *)o;
    if (e->context != c) o = o->next;
    else destroy_exec(e), o = objects[EXEC];
  }
  for (struct object *o = objects[GRAPH]; o && objects[CONTEXT] == &c->object && !c->object.next;) {
    struct graph *g = (struct graph *)o;
    while (g->body_of) g = g->body_of->graph;
    destroy_graph(g), o = objects[GRAPH];
  }
}

int cuGraphExecDestroy(struct exec *exec) {
  ENTER("cuGraphExecDestroy");
  REQUIRE(exists(EXEC, exec), INVALID_VALUE);
  destroy_exec(exec);
  return leave(SUCCESS);
}

int cuGraphUpload(struct exec *exec, struct stream *stream) {
  ENTER("cuGraphUpload");
  REQUIRE(exists(EXEC, exec), INVALID_VALUE);
  return leave(turn(stream));
}

static void queue_host_function(struct stream *stream, void (*function)(void *), void *data);

static void do_memset(const struct memset_node *m) {
  for (size_t y = 0; y < m->height; y++)
    for (size_t x = 0; x < m->width; x++)
      memcpy((unsigned char *)(uintptr_t)m->destination + y * m->pitch + x * m->element_size, &m->value, m->element_size);
}

static int run_graph(struct graph *g, struct stream *stream) {
  for (struct node *n = g->first; n; n = n->next) {
    const struct node_params *p = &n->params;
    int result = n->disabled || p->type == HOST_NODE ? SUCCESS : turn(stream);
    if (result != SUCCESS || n->disabled) {
      if (result != SUCCESS) return result;
      continue;
    }
    switch (p->type) {
      case KERNEL_NODE: {
        const struct kernel_node *k = &p->kernel;
        struct launch l = {.facts = {.shared_bytes = k->shared_bytes, .attributes = n->attributes, .cooperative = n->cooperative,
                                     .has_priority = n->has_priority, .priority = n->priority}};
        memcpy(l.facts.grid, k->grid, sizeof k->grid), memcpy(l.facts.block, k->block, sizeof k->block);
        memcpy(l.facts.cluster, n->cluster, sizeof n->cluster);
        for (size_t i = 0; i < n->dependency_count; i++) l.facts.programmatic |= n->programmatic[i];
        if (!exists(KERNEL, k->kernel)) break;  // the library is unloaded: the driver still has its code
        void **params = allocate((k->kernel->count + 1) * sizeof *params);
        unsigned char *from = n->bytes;
        for (int i = 0; i < k->kernel->count; from += k->kernel->sizes[i++]) params[i] = from;
        result = launch(l, k->kernel, stream, params, NULL);
        free(params);
        break;
      }
      case MEMCPY_NODE:
        if (!side_bytes(&p->memcpy.copy, &p->memcpy.copy.source) || !side_bytes(&p->memcpy.copy, &p->memcpy.copy.destination)) return INVALID_VALUE;
        copy3d(&p->memcpy.copy);
        break;
      case MEMSET_NODE:
        if (node_result(p) != SUCCESS) return INVALID_VALUE;  // its memory is gone
        do_memset(&p->memset);
        break;
      case HOST_NODE: queue_host_function(stream, p->host.function, p->host.data); break;
      case CHILD_NODE: result = run_graph(n->child, stream); break;
      case RECORD_NODE:
        if (exists(EVENT, p->event)) record_event(p->event, stream);
        break;
      case CONDITIONAL_NODE: {
        struct handle *h = handle_at(p->conditional.handle);
        unsigned value = h ? h->initial : 0;
        unsigned body = p->conditional.kind == 2 ? value : !value;
        if (body < p->conditional.size) result = run_graph(n->bodies[body], stream);
        break;
      }
    }
    if (result != SUCCESS) return result;
  }
  return SUCCESS;
}

int cuGraphLaunch(struct exec *exec, struct stream *stream) {
  ENTER("cuGraphLaunch");
  pause_before_reading();
  REQUIRE(exists(EXEC, exec), INVALID_VALUE);
  int result = stream_result(stream);
  REQUIRE(result == SUCCESS, result);
  return leave(run_graph(exec->graph, stream));
}

static int is_line(const struct copy3d *c) { return c->height == 1 && c->depth == 1 && c->width > 0; }

static int position(const struct node *n) {
  int i = 0;
  for (struct node *at = n->graph->first; at != n; at = at->next) i++;
  return i;
}

// difference says why is cannot take the place of was, as a CUgraphExecUpdateResult, and at which
// node; 0 if it can.
static int difference(const struct graph *was_graph, const struct graph *is_graph, struct node **at) {
  struct node *was = was_graph->first, *is = is_graph->first;
  for (; was && is; was = was->next, is = is->next) {
    *at = is;
    if (was->dependency_count != is->dependency_count) return 2;
    for (size_t i = 0; i < is->dependency_count; i++)
      if (position(was->dependencies[i]) != position(is->dependencies[i])) return 2;
    if (was->params.type != is->params.type) return 3;
  }
  return was || is ? 2 : 0;
}

static int set_node(struct exec *exec, struct node *node, const struct node_params *p) {
  REQUIRE(exists(EXEC, exec) && exists(NODE, node) && p, INVALID_VALUE);
  struct node *n = in_clone(exec->graph, node);
  REQUIRE(n && n->params.type == p->type, INVALID_VALUE);
  int result = node_result(p);
  REQUIRE(result == SUCCESS, result);
  switch (p->type) {
    case KERNEL_NODE: REQUIRE(p->kernel.context == n->params.kernel.context, INVALID_VALUE); break;
    case MEMCPY_NODE: {
      const struct copy3d *was = &n->params.memcpy.copy, *is = &p->memcpy.copy;
      REQUIRE(is_line(was) && is_line(is) && was->source.type == is->source.type && was->destination.type == is->destination.type, INVALID_VALUE);
      break;
    }
    case MEMSET_NODE: REQUIRE(n->params.memset.height == 1 && p->memset.height == 1, INVALID_VALUE); break;
    case CHILD_NODE: {
      struct node *at;
      REQUIRE(!difference(n->child, p->child, &at), GRAPH_EXEC_UPDATE_FAILURE);
      break;
    }
    case HOST_NODE:
    case RECORD_NODE:
    case WAIT_NODE: break;
    default: return leave(NOT_SUPPORTED);
  }
  pause_before_reading();
  free(n->bytes), n->bytes = NULL;
  if (n->child) destroy_graph(n->child), n->child = NULL;
  n->params = *p;
  adopt(n);
  return leave(SUCCESS);
}

int cuGraphExecNodeSetParams(struct exec *exec, struct node *node, struct node_params *params) {
  ENTER("cuGraphExecNodeSetParams");
  return set_node(exec, node, params);
}

// SET is an entry point for one kind of node.
#define SET(name, kind, statement)        \
  ENTER(name);                            \
  struct node_params p = {.type = kind};  \
  statement;                              \
  return set_node(exec, node, &p)

int cuGraphExecKernelNodeSetParams_v2(struct exec *exec, struct node *node, const struct kernel_node *params) {
  SET("cuGraphExecKernelNodeSetParams", KERNEL_NODE, p.kernel = *params);
}

int cuGraphExecMemcpyNodeSetParams(struct exec *exec, struct node *node, const struct copy3d *copy, struct context *context) {
  SET("cuGraphExecMemcpyNodeSetParams", MEMCPY_NODE, p.memcpy = ((struct memcpy_node){.context = context, .copy = *copy}));
}

int cuGraphExecMemsetNodeSetParams(struct exec *exec, struct node *node, const void *params, struct context *context) {
  SET("cuGraphExecMemsetNodeSetParams", MEMSET_NODE, p.memset = memset_v1(params, context));
}

int cuGraphExecHostNodeSetParams(struct exec *exec, struct node *node, const struct host_node *params) {
  SET("cuGraphExecHostNodeSetParams", HOST_NODE, p.host = *params);
}

int cuGraphExecChildGraphNodeSetParams(struct exec *exec, struct node *node, struct graph *child) {
  SET("cuGraphExecChildGraphNodeSetParams", CHILD_NODE, p.child = child);
}

int cuGraphExecEventRecordNodeSetEvent(struct exec *exec, struct node *node, struct event *event) {
  SET("cuGraphExecEventRecordNodeSetEvent", RECORD_NODE, p.event = event);
}

int cuGraphExecEventWaitNodeSetEvent(struct exec *exec, struct node *node, struct event *event) {
  SET("cuGraphExecEventWaitNodeSetEvent", WAIT_NODE, p.event = event);
}

int cuGraphNodeSetEnabled(struct exec *exec, struct node *node, unsigned enabled) {
  ENTER("cuGraphNodeSetEnabled");
  REQUIRE(exists(EXEC, exec) && exists(NODE, node), INVALID_VALUE);
  struct node *n = in_clone(exec->graph, node);
  REQUIRE(n && n->params.type <= MEMSET_NODE, INVALID_VALUE);
  n->disabled = !enabled;
  return leave(SUCCESS);
}

struct update_info {
  int result;
  struct node *at, *from;
};

int cuGraphExecUpdate_v2(struct exec *exec, struct graph *graph, struct update_info *info) {
  ENTER("cuGraphExecUpdate");
  REQUIRE(exists(EXEC, exec) && exists(GRAPH, graph) && info, INVALID_VALUE);
  info->at = info->from = NULL;
  info->result = difference(exec->graph, graph, &info->at);
  REQUIRE(!info->result, GRAPH_EXEC_UPDATE_FAILURE);
  info->at = NULL;
  // The exec keeps knowing its nodes by those of the graph that it was made of.
  for (struct node *was = exec->graph->first, *is = graph->first; is; was = was->next, is = is->next) {
    free(was->bytes);
    was->bytes = is->bytes ? copy_of(is->bytes, kernel_size(is->params.kernel.kernel)) : NULL;
    if (was->child) destroy_graph(was->child);
    if ((was->child = is->child ? clone_graph(is->child) : NULL)) was->child->body_of = was;
    was->params = is->params;
  }
  return leave(SUCCESS);
}

// ---- Capture ---------------------------------------------------------------------

// The fake captures nothing that is queued: cudagen adds nodes to the graph of a capture.
// Events that are recorded and waited for carry a capture from stream to stream. As driver 580, it
// does not tell of nodes that cuStreamUpdateCaptureDependencies put behind a stream and that were
// not joined.

static uint64_t captures;

static void leave_capture(struct stream *s) {
  free(s->last_nodes);
  s->capture = NULL, s->last_nodes = NULL, s->last_count = 0;
}

static void set_last(struct stream *s, struct node *const *nodes, size_t count) {
  struct node **copy = copy_of(nodes, count * sizeof *nodes);
  free(s->last_nodes);
  s->last_nodes = copy, s->last_count = count;
}

int cuStreamBeginCapture_v2(struct stream *stream, int mode) {
  ENTER("cuStreamBeginCapture");
  REQUIRE(exists(STREAM, stream), INVALID_HANDLE);
  REQUIRE(mode >= 0 && mode <= 2, INVALID_VALUE);
  REQUIRE(!stream->capture, ILLEGAL_STATE);
  struct capture *c = allocate(sizeof *c);
  c->graph = new_graph(), c->origin = stream, c->id = ++captures;
  stream->capture = c;
  return leave(SUCCESS);
}

int cuStreamEndCapture(struct stream *stream, struct graph **graph) {
  ENTER("cuStreamEndCapture");
  REQUIRE(exists(STREAM, stream) && graph, INVALID_VALUE);
  struct capture *c = stream->capture;
  REQUIRE(c, ILLEGAL_STATE);
  REQUIRE(c->origin == stream, STREAM_CAPTURE_UNMATCHED);
  for (struct object *o = objects[STREAM]; o; o = o->next)
    if (((struct stream *)o)->capture == c) leave_capture((struct stream *)o);
  int result = c->invalid ? STREAM_CAPTURE_INVALIDATED : SUCCESS;
  *graph = c->graph;
  if (result != SUCCESS) destroy_graph(c->graph), *graph = NULL;
  for (struct object *o = objects[EVENT]; o; o = o->next)
    if (((struct event *)o)->capture == c) ((struct event *)o)->capture = &capture_over;
  free(c);
  return leave(result);
}

int cuStreamGetCaptureInfo_v2(struct stream *stream, int *status, uint64_t *id, struct graph **graph, struct node *const **nodes,
                              size_t *count) {
  ENTER("cuStreamGetCaptureInfo");
  REQUIRE(exists(STREAM, stream) && status, INVALID_VALUE);
  struct capture *c = stream->capture;
  *status = !c ? 0 : c->invalid ? 2 : 1;
  if (*status != 1) return leave(SUCCESS);
  if (id) *id = c->id;
  if (graph) *graph = c->graph;
  if (nodes) *nodes = stream->last_nodes;
  if (count) *count = stream->last_count;
  return leave(SUCCESS);
}

int cuStreamUpdateCaptureDependencies(struct stream *stream, struct node **nodes, size_t count, unsigned flags) {
  ENTER("cuStreamUpdateCaptureDependencies");
  REQUIRE(exists(STREAM, stream), INVALID_HANDLE);
  REQUIRE(stream->capture, ILLEGAL_STATE);
  REQUIRE(!stream->capture->invalid, STREAM_CAPTURE_INVALIDATED);
  REQUIRE(flags == 1, INVALID_VALUE);
  for (size_t i = 0; i < count; i++)
    REQUIRE(exists(NODE, nodes[i]) && nodes[i]->graph == stream->capture->graph, INVALID_VALUE);
  set_last(stream, nodes, count);
  return leave(SUCCESS);
}

// record_captured is cuEventRecord on a stream that captures.
static int record_captured(struct event *event, struct stream *stream) {
  if (stream->capture->invalid) return STREAM_CAPTURE_INVALIDATED;
  free(event->last_nodes);
  event->capture = stream->capture;
  event->last_nodes = copy_of(stream->last_nodes, stream->last_count * sizeof *stream->last_nodes);
  event->last_count = stream->last_count;
  return SUCCESS;
}

// wait_captured is cuStreamWaitEvent where the stream captures or the event is captured.
static int wait_captured(struct stream *stream, struct event *event) {
  if (stream->capture && stream->capture->invalid) return STREAM_CAPTURE_INVALIDATED;
  if (event->capture == &capture_over) return CAPTURED_EVENT;
  if (!event->capture) {
    stream->capture->invalid = 1;
    return STREAM_CAPTURE_ISOLATION;
  }
  if (stream->capture && stream->capture != event->capture) {
    stream->capture->invalid = event->capture->invalid = 1;
    return STREAM_CAPTURE_MERGE;
  }
  stream->capture = event->capture;
  struct node **all = allocate((stream->last_count + event->last_count) * sizeof *all);
  size_t count = 0;
  for (size_t i = 0; i < stream->last_count; i++) all[count++] = stream->last_nodes[i];
  for (size_t i = 0; i < event->last_count; i++) {
    int there = 0;
    for (size_t j = 0; j < count; j++) there |= all[j] == event->last_nodes[i];
    if (!there) all[count++] = event->last_nodes[i];
  }
  set_last(stream, all, count);
  free(all);
  return SUCCESS;
}

// ---- What tests call -------------------------------------------------------------

// fake_node copies what is known of a node to the test: its type, the members of its
// parameters as numbers, and how many nodes it comes after.
struct node_facts {
  int64_t type, dependencies;
  uint64_t numbers[24];
};

int fake_node(struct node *n, struct node_facts *facts) {
  pthread_mutex_lock(&mutex);
  int there = exists(NODE, n);
  memset(facts, 0, sizeof *facts);
  if (there) {
    const struct node_params *p = &n->params;
    uint64_t *to = facts->numbers;
    facts->type = p->type, facts->dependencies = n->dependency_count;
#define NUMBER(x) *to++ = (uint64_t)(x)
    switch (p->type) {
      case KERNEL_NODE:
        NUMBER((uintptr_t)p->kernel.kernel);
        for (int i = 0; i < 3; i++) NUMBER(p->kernel.grid[i]);
        for (int i = 0; i < 3; i++) NUMBER(p->kernel.block[i]);
        NUMBER(p->kernel.shared_bytes);
        NUMBER((uintptr_t)p->kernel.context);
        break;
      case MEMCPY_NODE:
        for (int i = 0; i < 2; i++) {
          const struct side *s = i ? &p->memcpy.copy.destination : &p->memcpy.copy.source;
          NUMBER(s->type), NUMBER((uintptr_t)s->host), NUMBER(s->device), NUMBER(s->pitch), NUMBER(s->height);
        }
        NUMBER(p->memcpy.copy.width), NUMBER(p->memcpy.copy.height), NUMBER(p->memcpy.copy.depth);
        NUMBER((uintptr_t)p->memcpy.context);
        break;
      case MEMSET_NODE:
        NUMBER(p->memset.destination), NUMBER(p->memset.pitch), NUMBER(p->memset.value), NUMBER(p->memset.element_size);
        NUMBER(p->memset.width), NUMBER(p->memset.height), NUMBER((uintptr_t)p->memset.context);
        break;
      case HOST_NODE: NUMBER((uintptr_t)p->host.data); break;
      case RECORD_NODE:
      case WAIT_NODE: NUMBER((uintptr_t)p->event); break;
      case ALLOC_NODE: NUMBER(p->alloc.props.location_id), NUMBER(p->alloc.size), NUMBER(p->alloc.address); break;
      case FREE_NODE: NUMBER(p->free); break;
      case CONDITIONAL_NODE:
        NUMBER(p->conditional.handle), NUMBER(p->conditional.kind), NUMBER(p->conditional.size);
        NUMBER((uintptr_t)p->conditional.context);
        break;
    }
  }
  pthread_mutex_unlock(&mutex);
  return there;
}
