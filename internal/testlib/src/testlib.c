// The library of testlib.h. It writes down what it is called with, touches no memory of a device and needs no CUDA.
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <stddef.h>

typedef void *cudaStream_t;
typedef struct { double x, y; } __attribute__((aligned(16))) cuDoubleComplex;
enum tl_status { TL_OK = 0, TL_BAD_VALUE = 1, TL_MISALIGNED = 2, TL_LOST = 7 };
enum tl_mode { TL_HOST = 3, TL_DEVICE = 5 };
typedef enum { TL_UP, TL_DOWN = -2 } tl_way;
struct tl_config { char letter; double size; short counts[3]; tl_way way; };

static char text[1 << 16], said[1 << 16];
static size_t used;

static void note(const char *format, ...) {
  va_list args;
  va_start(args, format);
  used += vsnprintf(text + used, sizeof text - used, format, args);
  va_end(args);
  if (used > sizeof text - 4096) used = 0;
}

struct tl_context { cudaStream_t stream; enum tl_mode mode; char name[32]; struct tl_config config; };
struct tl_vector { int n; float *values; };

const char *tl_log(void) {
  memcpy(said, text, used);
  said[used] = 0;
  used = 0;
  return said;
}

const char *tl_status_text(enum tl_status status) {
  static char buffer[64];
  snprintf(buffer, sizeof buffer, "the library says %d", (int)status);
  return buffer;
}

static const char *mode(struct tl_context *c) { return c->mode == TL_DEVICE ? "device" : "host"; }
#define AT(p) (unsigned long long)(uintptr_t)(p)

enum tl_status tl_create(struct tl_context **context, int flags, const char *name) {
  note("create %d %s;", flags, name);
  if (flags > 9) return TL_BAD_VALUE;
  *context = calloc(1, sizeof **context);
  (*context)->mode = TL_HOST;
  strncpy((*context)->name, name, sizeof (*context)->name - 1);
  return TL_OK;
}
enum tl_status tl_destroy(struct tl_context *c) { note("destroy %s;", c->name); free(c); return TL_OK; }
enum tl_status tl_set_stream(struct tl_context *c, cudaStream_t s) { note("stream %d;", s != NULL); c->stream = s; return TL_OK; }
enum tl_status tl_set_mode(struct tl_context *c, enum tl_mode m) { note("mode %d;", m); c->mode = m; return TL_OK; }
enum tl_status tl_plan(int *plan, int64_t n) { *plan = (int)(n % 1000) + 1; note("plan %" PRId64 ";", n); return TL_OK; }
enum tl_status tl_plan_destroy(int plan) { note("destroy plan %d;", plan); return TL_OK; }
enum tl_status tl_run(int plan, tl_way way) { note("run %d %d;", plan, way); return TL_OK; }
enum tl_status tl_vector(struct tl_vector **v, int n, float *values) {
  note("vector %d %llx;", n, AT(values));
  *v = malloc(sizeof **v);
  (*v)->n = n, (*v)->values = values;
  return TL_OK;
}
enum tl_status tl_vector_destroy(struct tl_vector *v) { note("destroy vector %d;", v->n); free(v); return TL_OK; }
enum tl_status tl_axpy(struct tl_context *c, int n, const float *alpha, const float *x, int incx, float *y, int incy) {
  note("axpy %s %d", mode(c), n);
  if (c->mode == TL_HOST) note(" %g", *alpha); else note(" %llx", AT(alpha));
  note(" %llx %d %llx %d;", AT(x), incx, AT(y), incy);
  return n < 0 ? TL_BAD_VALUE : TL_OK;
}
enum tl_status tl_sum(struct tl_context *c, int n, const float *x, float *result) {
  note("sum %s %d %llx", mode(c), n, AT(x));
  if (c->mode == TL_HOST) *result = n + 0.5f; else note(" %llx", AT(result));
  note(";");
  return TL_OK;
}
enum tl_status tl_zscale(struct tl_context *c, int rows, int columns, const cuDoubleComplex *alpha, cuDoubleComplex *a, int ld, cuDoubleComplex *sum) {
  if ((uintptr_t)sum % 16 || c->mode == TL_HOST && (uintptr_t)alpha % 16) return TL_MISALIGNED;
  note("zscale %d %d", rows, columns);
  if (c->mode == TL_HOST) note(" %g+%gi", alpha->x, alpha->y); else note(" %llx", AT(alpha));
  note(" %llx %d;", AT(a), ld);
  sum->x = rows, sum->y = -columns;
  return TL_OK;
}
enum tl_status tl_many(struct tl_context *ctx, signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long long g,
                       unsigned long long h, bool i, float j, double k, tl_way l, float m, double n, double o, float p, double q,
                       float r, double s, float t, int8_t u, uint64_t v) {
  note("many %d %u %d %u %d %u %lld %llu %d %g %g %d %g %g %g %g %g %g %g %g %d %" PRIu64 ";", a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  return TL_OK;
}
enum tl_status tl_host(struct tl_context *c, unsigned n, const cuDoubleComplex *in, int *out) {
  if ((uintptr_t)in % 16) return TL_MISALIGNED;
  for (unsigned i = 0; i < n; i++) out[2 * i] = (int)in[i].x, out[2 * i + 1] = (int)in[i].y;
  note("host %u;", n);
  return TL_OK;
}
enum tl_status tl_configure(struct tl_context *c, const struct tl_config *config) { c->config = *config; note("configure;"); return TL_OK; }
enum tl_status tl_config_of(struct tl_context *c, int *count, struct tl_config *config, tl_way *way) {
  *count += 1;
  *config = c->config;
  *way = c->config.way;
  return TL_OK;
}
enum tl_status tl_count(struct tl_context *c, const int *count) { note("count %d;", count ? *count : -1); return TL_OK; }
size_t tl_used(struct tl_context *c) { return SIZE_MAX - 1; }
const char *tl_name(struct tl_context *c) { return c->name; }
bool tl_is_open(struct tl_context *c) { return c->name[0] != 0; }
void tl_reset(struct tl_context *c) { note("reset;"); }
enum tl_status tl_dot(struct tl_context *c, struct tl_vector *a, struct tl_vector *b) { note("dot %d %d;", a->n, b->n); return TL_OK; }
enum tl_status tl_seed(struct tl_context *c, unsigned long long seed) { note("seed %llu %d;", seed, c->stream != NULL); return TL_OK; }
enum tl_status tl_fill(float *x, size_t n, const float *y, float value, cudaStream_t s) {
  note("fill %llx %zu %llx %g %d;", AT(x), n, AT(y), value, s != NULL);
  return TL_OK;
}
enum tl_status tl_at(struct tl_context *c, const double *where, size_t bytes) { note("at %llx %zu;", AT(where), bytes); return TL_LOST; }
enum tl_status tl_zbatched(struct tl_context *c, const cuDoubleComplex *const rows[], int n) { note("zbatched %llx %d;", AT(rows), n); return TL_OK; }
enum tl_status tl_lend(struct tl_context *c, float *memory, int n) { note("lend %llx %d;", AT(memory), n); return n == 0 ? TL_BAD_VALUE : TL_OK; }
enum tl_status tl_weigh(struct tl_context *c, const float *weights, const float *x, int n) {
  note("weigh %s", mode(c));
  if (c->mode == TL_HOST) note(" %g %g %g", weights[0], weights[1], weights[2]); else note(" %llx", AT(weights));
  note(" %llx %d;", AT(x), n);
  return TL_OK;
}
enum tl_status tl_turn(struct tl_context *c, float *a, float *b) {
  note("turn %s", mode(c));
  if (c->mode == TL_HOST) note(" %g", *a), *b = *a + 1, *a = -*a; else note(" %llx %llx", AT(a), AT(b));
  note(";");
  return TL_OK;
}
enum tl_status tl_groups(struct tl_context *c, const int *counts, int groups, int stride, const void *x, int type) {
  note("groups %s %d %d %d %llx %d;", mode(c), groups ? counts[0] : -1, groups, stride, AT(x), type);
  return TL_OK;
}
enum tl_status tl_batched(struct tl_context *c, float *const rows[], int n) { note("batched %llx %d;", AT(rows), n); return TL_OK; }
enum tl_status tl_replan(int plan, const int *n, int count) { note("replan %d %d;", plan, count); return count == 3 ? TL_BAD_VALUE : TL_OK; }
enum tl_status tl_transform(int plan, float *x, float *y, cudaStream_t s) { note("transform %d;", plan); return TL_OK; }
enum tl_status tl_set_area(struct tl_context *c, void *area, size_t bytes) { note("area %llx %zu;", AT(area), bytes); return TL_OK; }
enum tl_status tl_nothing(struct tl_context *c, int n, const float *alpha, const float *x, int incx, float *y, int incy) { return TL_OK; }
enum tl_status tl_property(int type, int *value) { *value = (int[]){6, 9, 2}[type]; return TL_OK; }
enum tl_status tl_vector_set(struct tl_vector *v, float *values) { note("vector set %llx;", AT(values)); v->values = values; return TL_OK; }
enum tl_status tl_scan_size(struct tl_context *c, struct tl_vector *v, size_t *bytes) { note("scan size;"); *bytes = v->n * 8; return v->n == 5 ? TL_BAD_VALUE : TL_OK; }
enum tl_status tl_scan(struct tl_context *c, struct tl_vector *v, void *buffer) { note("scan %d %llx;", v->n, AT(buffer)); return TL_OK; }
enum tl_status tl_prepare(struct tl_context *c, struct tl_vector *v, float *table) { note("prepare %llx;", AT(table)); return TL_OK; }
enum tl_status tl_vector_get(struct tl_vector *v, int *n, float **values) { *n = v->n; *values = v->values; return TL_OK; }
struct tl_tape { int length; };
struct tl_tape *tl_tape_open(int length) {
  note("open %d;", length);
  if (length < 0) return NULL;
  struct tl_tape *t = malloc(sizeof *t);
  t->length = length;
  return t;
}
int tl_tape_length(const struct tl_tape *t) { return t->length; }
int tl_tape_close(struct tl_tape *t) { int length = t->length; note("close %d;", length); free(t); return length > 100 ? length : 0; }
enum tl_status tl_table(struct tl_vector *v, const short (**table)[3]) { static const short all[2][3] = {{1, 2, 3}, {4, 5, 6}}; *table = v->n == 5 ? NULL : all; return TL_OK; }
