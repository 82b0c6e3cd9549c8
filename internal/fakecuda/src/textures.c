// Arrays, textures and surfaces of the fake libcuda. libcuda.c includes this file.

// CUDA Driver API, CUDA_ARRAY3D_DESCRIPTOR.
struct array_descriptor {
  size_t width, height, depth;
  unsigned format, channels, flags;
};

enum { LAYERED = 1, SURFACE_LDST = 2, CUBEMAP = 4, TEXTURE_GATHER = 8 };

// An array's elements lie in rows without gaps. A level of a mipmapped array is part of it.
struct array {
  struct object object;
  struct context *context;
  struct array_descriptor is;
  size_t pitch, rows, planes;  // pitch in bytes
  unsigned char *bytes;
  struct mipmapped *part_of;
};

struct mipmapped {
  struct object object;
  struct context *context;
  unsigned count;
  struct array *levels[32];
};

// A view is a texture or a surface object. Its address is its handle.
struct view {
  struct object object;
  struct context *context;
};

// channel_bytes returns the size of a channel of CUarray_format, or 0.
static size_t channel_bytes(unsigned format) {
  switch (format) {
    case 0x01: case 0x08: return 1;
    case 0x02: case 0x09: case 0x10: return 2;
    case 0x03: case 0x0a: case 0x20: return 4;
  }
  return 0;
}

static size_t element_bytes(unsigned format, unsigned channels) {
  return channels == 1 || channels == 2 || channels == 4 ? channel_bytes(format) * channels : 0;
}

// is_array says whether there are arrays of that description. CUDA Driver API, cuArray3DCreate.
static int is_array(const struct array_descriptor *a) {
  int layered = a->flags & LAYERED, cube = a->flags & CUBEMAP;
  if (!element_bytes(a->format, a->channels) || a->flags & ~15u || !a->width) return 0;
  if (a->flags & TEXTURE_GATHER && (layered || cube || a->depth || !a->height)) return 0;
  if (cube) return a->width == a->height && a->width <= 32768 && a->depth && (layered ? a->depth % 6 == 0 && a->depth <= 2046 : a->depth == 6);
  if (layered) return a->depth && a->depth <= 2048 && a->width <= 32768 && a->height <= 32768;
  if (!a->height) return !a->depth && a->width <= 131072;
  if (!a->depth) return a->width <= 131072 && a->height <= 65536;
  return a->width <= 16384 && a->height <= 16384 && a->depth <= 16384;
}

static struct array *new_array(const struct array_descriptor *is, struct mipmapped *part_of) {
  size_t pitch = is->width * element_bytes(is->format, is->channels);
  size_t rows = is->height ? is->height : 1, planes = is->depth ? is->depth : 1;
  unsigned char *bytes = malloc(pitch * rows * planes);
  if (!bytes) return NULL;
  memset(bytes, 0xcd, pitch * rows * planes);
  struct array *a = add(ARRAY, sizeof *a);
  a->context = current[current_count - 1];
  a->is = *is, a->pitch = pitch, a->rows = rows, a->planes = planes, a->bytes = bytes, a->part_of = part_of;
  return a;
}

static void free_array(struct array *a) {
  take(ARRAY, a);
  free(a->bytes), free(a);
}

int cuArray3DCreate_v2(struct array **array, const struct array_descriptor *is) {
  ENTER("cuArray3DCreate");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(array && is && is_array(is), INVALID_VALUE);
  struct array *a = new_array(is, NULL);
  REQUIRE(a, OUT_OF_MEMORY);
  *array = a;
  return leave(SUCCESS);
}

int cuArrayDestroy(struct array *array) {
  ENTER("cuArrayDestroy");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(ARRAY, array) && !array->part_of, INVALID_HANDLE);
  free_array(array);
  return leave(SUCCESS);
}

static size_t halved(size_t n, unsigned level) { return n && !(n >> level) ? 1 : n >> level; }

int cuMipmappedArrayCreate(struct mipmapped **mipmapped, const struct array_descriptor *is, unsigned levels) {
  ENTER("cuMipmappedArrayCreate");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(mipmapped && is && is_array(is) && levels, INVALID_VALUE);
  int volume = !(is->flags & (LAYERED | CUBEMAP));
  size_t largest = is->width > is->height ? is->width : is->height;
  if (volume && is->depth > largest) largest = is->depth;
  struct mipmapped *m = add(MIPMAPPED, sizeof *m);
  m->context = current[current_count - 1];
  for (; m->count < levels && (m->count == 0 || largest >> m->count); m->count++) {
    struct array_descriptor level = *is;
    level.width = halved(is->width, m->count), level.height = halved(is->height, m->count);
    if (volume) level.depth = halved(is->depth, m->count);
    m->levels[m->count] = new_array(&level, m);
    if (!m->levels[m->count]) abort();
  }
  *mipmapped = m;
  return leave(SUCCESS);
}

int cuMipmappedArrayGetLevel(struct array **array, struct mipmapped *mipmapped, unsigned level) {
  ENTER("cuMipmappedArrayGetLevel");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(MIPMAPPED, mipmapped), INVALID_HANDLE);
  REQUIRE(array && level < mipmapped->count, INVALID_VALUE);
  *array = mipmapped->levels[level];
  return leave(SUCCESS);
}

static void free_mipmapped(struct mipmapped *m) {
  take(MIPMAPPED, m);
  for (unsigned i = 0; i < m->count; i++) free_array(m->levels[i]);
  free(m);
}

int cuMipmappedArrayDestroy(struct mipmapped *mipmapped) {
  ENTER("cuMipmappedArrayDestroy");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(exists(MIPMAPPED, mipmapped), INVALID_HANDLE);
  free_mipmapped(mipmapped);
  return leave(SUCCESS);
}

// CUDA Driver API, CUDA_RESOURCE_DESC.
struct resource {
  unsigned type;  // 0 is an array, 1 a mipmapped array, 2 linear memory, 3 pitched memory
  union {
    void *handle;
    struct {
      uint64_t device;
      unsigned format, channels;
      size_t bytes_or_width, height, pitch;
    } memory;
    int reserved[32];
  } is;
  unsigned flags;
};

// CUDA Driver API, CUDA_TEXTURE_DESC.
struct texture {
  unsigned address[3], filter, flags, max_anisotropy, mipmap_filter;
  float bias, min_level, max_level, border[4];
  int reserved[12];
};

_Static_assert(sizeof(struct array_descriptor) == 40, "CUDA_ARRAY3D_DESCRIPTOR");
_Static_assert(sizeof(struct resource) == 144, "CUDA_RESOURCE_DESC");
_Static_assert(sizeof(struct texture) == 104, "CUDA_TEXTURE_DESC");

// format_of returns the format of a resource's channels and whether the resource is there.
static int format_of(const struct resource *r, unsigned *format) {
  if (r->flags) return 0;
  switch (r->type) {
    case 0:
      if (!exists(ARRAY, r->is.handle)) return 0;
      *format = ((struct array *)r->is.handle)->is.format;
      return 1;
    case 1:
      if (!exists(MIPMAPPED, r->is.handle)) return 0;
      *format = ((struct mipmapped *)r->is.handle)->levels[0]->is.format;
      return 1;
    case 2: case 3: {
      size_t size = element_bytes(r->is.memory.format, r->is.memory.channels), n = r->is.memory.bytes_or_width;
      *format = r->is.memory.format;
      if (!size || !n || r->is.memory.device % 512) return 0;
      if (r->type == 2) return n / size && n / size <= 1u << 28 && memory_at(r->is.memory.device, n / size * size);
      if (n > 131072 || !r->is.memory.height || r->is.memory.height > 65000 || r->is.memory.pitch % 32 ||
          r->is.memory.pitch > 2097120 || r->is.memory.pitch < n * size)
        return 0;
      return memory_at(r->is.memory.device, r->is.memory.pitch * (r->is.memory.height - 1) + n * size) != NULL;
    }
  }
  return 0;
}

int cuTexObjectCreate(uint64_t *object, const struct resource *resource, const struct texture *texture, const void *view) {
  unsigned format = 0;
  ENTER("cuTexObjectCreate");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(object && resource && texture && format_of(resource, &format), INVALID_VALUE);
  REQUIRE(!view, NOT_SUPPORTED);  // no test makes one
  for (int i = 0; i < 3; i++) REQUIRE(texture->address[i] <= 3, INVALID_VALUE);
  for (int i = 0; i < 12; i++) REQUIRE(!texture->reserved[i], INVALID_VALUE);
  int floating = format == 0x10 || format == 0x20 || (!(texture->flags & 1) && channel_bytes(format) < 4);
  REQUIRE(texture->filter <= 1 && texture->mipmap_filter <= 1 && texture->max_anisotropy <= 16, INVALID_VALUE);
  REQUIRE(!(texture->flags & ~0x73u), INVALID_VALUE);
  REQUIRE(floating || !texture->filter, INVALID_VALUE);
  REQUIRE(resource->type != 1 || texture->flags & 2, INVALID_VALUE);
  struct view *v = add(TEXTURE, sizeof *v);
  v->context = current[current_count - 1];
  *object = (uintptr_t)v;
  return leave(SUCCESS);
}

int cuTexObjectDestroy(uint64_t object) {
  ENTER("cuTexObjectDestroy");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(take(TEXTURE, (void *)(uintptr_t)object), INVALID_HANDLE);
  free((void *)(uintptr_t)object);
  return leave(SUCCESS);
}

int cuSurfObjectCreate(uint64_t *object, const struct resource *resource) {
  ENTER("cuSurfObjectCreate");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(object && resource && resource->type == 0 && !resource->flags, INVALID_VALUE);
  REQUIRE(exists(ARRAY, resource->is.handle), INVALID_HANDLE);
  REQUIRE(((struct array *)resource->is.handle)->is.flags & SURFACE_LDST, INVALID_VALUE);
  struct view *v = add(SURFACE, sizeof *v);
  v->context = current[current_count - 1];
  *object = (uintptr_t)v;
  return leave(SUCCESS);
}

int cuSurfObjectDestroy(uint64_t object) {
  ENTER("cuSurfObjectDestroy");
  REQUIRE(has_context(), INVALID_CONTEXT);
  REQUIRE(take(SURFACE, (void *)(uintptr_t)object), INVALID_HANDLE);
  free((void *)(uintptr_t)object);
  return leave(SUCCESS);
}

// destroy_textures ends what a context has of arrays, textures and surfaces.
static void destroy_textures(struct context *c) {
  for (int kind = TEXTURE; kind <= SURFACE; kind++)
    for (struct object *o = objects[kind], *next; o; o = next) {
      next = o->next;
      if (((struct view *)o)->context == c) take(kind, o), free(o);
    }
  for (struct object *o = objects[MIPMAPPED], *next; o; o = next) {
    next = o->next;
    if (((struct mipmapped *)o)->context == c) free_mipmapped((struct mipmapped *)o);
  }
  for (struct object *o = objects[ARRAY], *next; o; o = next) {
    next = o->next;
    if (((struct array *)o)->context == c) free_array((struct array *)o);
  }
}
