// A C library for tests, with functions of every form that cudagen library wraps. src/testlib.c is the library.
#include <cuComplex.h>
#include <cuda_runtime_api.h>
#include <library_types.h>
#include <stddef.h>
#include <stdint.h>

//cudagen:library testlib linux=libtestlib.so windows=testlib.dll
//cudagen:trim tl_ TL_ _t
//cudagen:version TL_MAJOR TL_MINOR property=tl_property
//cudagen:status tl_status text=tl_status_text
//cudagen:handle tl_context_t destroy=tl_destroy stream=tl_set_stream mode=tl_set_mode,TL_HOST,TL_DEVICE
//cudagen:handle tl_plan_t destroy=tl_plan_destroy
//cudagen:handle tl_vector_t const=tl_const_vector_t destroy=tl_vector_destroy
//cudagen:handle struct tl_tape* destroy=tl_tape_close
//cudagen:makes tl_create tl_plan tl_vector tl_tape_open

#ifdef __cplusplus
extern "C" {
#endif

#define TL_MAJOR 7
#define TL_MINOR 1

enum tl_status { TL_OK = 0, TL_BAD_VALUE = 1, TL_MISALIGNED = 2, TL_LOST = 7 };
enum tl_mode { TL_HOST = 3, TL_DEVICE = 5 };
enum tl_type { TL_R_32F = 0, TL_R_16BF = 14, TL_R_8F_E4M3 = 28, TL_TF32 = 99 };
typedef enum { TL_UP, TL_DOWN = -2 } tl_way;

typedef struct tl_context *tl_context_t;
typedef struct tl_vector *tl_vector_t;
typedef const struct tl_vector *tl_const_vector_t;
typedef int tl_plan_t;

struct tl_config {
  char letter;
  double size;
  short counts[3];
  tl_way way;
};

const char *tl_status_text(enum tl_status status);
//cudagen:out value
enum tl_status tl_property(libraryPropertyType type, int *value);
enum tl_status tl_set_stream(tl_context_t context, cudaStream_t stream);
enum tl_status tl_set_mode(tl_context_t context, enum tl_mode mode);
enum tl_status tl_destroy(tl_context_t context);
enum tl_status tl_plan_destroy(tl_plan_t plan);
enum tl_status tl_vector_destroy(tl_const_vector_t vector);

// The flags are a number from 0 to 9.
//
//cudagen:name NewContext
//cudagen:text name
//cudagen:doc makes a context
enum tl_status tl_create(tl_context_t *context, int flags, const char *name);

//cudagen:name NewPlan
//cudagen:keep points=2*n
enum tl_status tl_plan(tl_plan_t *plan, int64_t n);

//cudagen:name NewVector
//cudagen:len values=n
//cudagen:keep n=n
enum tl_status tl_vector(tl_vector_t *vector, int n, float *values);

//cudagen:len values=vector.n
//cudagen:hold values
enum tl_status tl_vector_set(tl_vector_t vector, float *values);

//cudagen:out n values=ptr
enum tl_status tl_vector_get(tl_const_vector_t vector, int *n, float **values);

//cudagen:out table=host(2)
enum tl_status tl_table(tl_vector_t vector, const short (**table)[3]);

//cudagen:out bytes
enum tl_status tl_scan_size(tl_context_t context, tl_vector_t vector, size_t *bytes);

//cudagen:len buffer=asked(_size)
enum tl_status tl_scan(tl_context_t context, tl_vector_t vector, void *buffer);

//cudagen:len table=3
//cudagen:hold table=vector.table
enum tl_status tl_prepare(tl_context_t context, tl_vector_t vector, float *table);

//cudagen:mode alpha
//cudagen:require incx!=0 every element has a place of its own
//cudagen:len x=vector(n,incx) y=vector(n,incy)
enum tl_status tl_axpy(tl_context_t context, int n, const float *alpha, const float *x, int incx, float *y, int incy);

//cudagen:mode result
//cudagen:len x=vector(n,1)
enum tl_status tl_sum(tl_context_t context, int n, const float *x, float *result);

//cudagen:mode alpha
//cudagen:len a=matrix(rows,columns,ld)
//cudagen:out sum
enum tl_status tl_zscale(tl_context_t context, int rows, int columns, const cuDoubleComplex *alpha, cuDoubleComplex *a, int ld, cuDoubleComplex *sum);

enum tl_status tl_many(tl_context_t context, signed char a, unsigned char b, short c, unsigned short d, int e, unsigned f, long long g,
                       unsigned long long h, bool i, float j, double k, tl_way l, float m, double n, double o, float p, double q,
                       float r, double s, float t, int8_t u, uint64_t v);

//cudagen:host in=n out=2*n
enum tl_status tl_host(tl_context_t context, unsigned n, const cuDoubleComplex *in, int *out);

//cudagen:value config
enum tl_status tl_configure(tl_context_t context, const struct tl_config *config);

//cudagen:value count
//cudagen:out config way
enum tl_status tl_config_of(tl_context_t context, int *count, struct tl_config *config, tl_way *way);

//cudagen:value count
//cudagen:nullable count
enum tl_status tl_count(tl_context_t context, const int *count);

// The result is no status.
size_t tl_used(tl_context_t context);
const char *tl_name(tl_context_t context);
bool tl_is_open(tl_context_t context);
void tl_reset(tl_context_t context);

enum tl_status tl_dot(tl_context_t context, tl_vector_t a, tl_vector_t b);
enum tl_status tl_run(tl_plan_t plan, tl_way way);

//cudagen:stream
enum tl_status tl_seed(tl_context_t context, unsigned long long seed);

// Fill takes a stream, and no handle.
//
//cudagen:len x=n
//cudagen:nullable y
//cudagen:len y=n>10?n-10:0
enum tl_status tl_fill(float *x, size_t n, const float *y, float value, cudaStream_t stream);

//cudagen:ptr where
enum tl_status tl_at(tl_context_t context, const double *where, size_t bytes);

//cudagen:len rows=n
enum tl_status tl_batched(tl_context_t context, float *const rows[], int n);

//cudagen:len rows=n
enum tl_status tl_zbatched(tl_context_t context, const cuDoubleComplex *const rows[], int n);

//cudagen:len memory=n
//cudagen:hold memory
enum tl_status tl_lend(tl_context_t context, float *memory, int n);

//cudagen:mode weights=3
//cudagen:len x=n
enum tl_status tl_weigh(tl_context_t context, const float *weights, const float *x, int n);

//cudagen:update a
//cudagen:mode b
enum tl_status tl_turn(tl_context_t context, float *a, float *b);

//cudagen:host counts=groups
//cudagen:len x=bytes(batch(sum(counts),stride,3),type)
enum tl_status tl_groups(tl_context_t context, const int *counts, int groups, int stride, const void *x, enum tl_type type);

// It does nothing, for benchmarks.
//
//cudagen:mode alpha
//cudagen:len x=vector(n,incx) y=vector(n,incy)
enum tl_status tl_nothing(tl_context_t context, int n, const float *alpha, const float *x, int incx, float *y, int incy);

enum tl_status tl_missing(tl_context_t context);

// What the library was called with since the last time.
const char *tl_log(void);

//cudagen:keep points=go.sum(n,count) other=count
//cudagen:host n=count
enum tl_status tl_replan(tl_plan_t plan, const int *n, int count);

//cudagen:len x=plan.points y=plan.other
enum tl_status tl_transform(tl_plan_t plan, float *x, float *y, cudaStream_t stream);

//cudagen:len area=bytes
//cudagen:hold area
//cudagen:nullable area
enum tl_status tl_set_area(tl_context_t context, void *area, size_t bytes);

//cudagen:name OpenTape
struct tl_tape *tl_tape_open(int length);
//cudagen:name Length
int tl_tape_length(const struct tl_tape *tape);
int tl_tape_close(struct tl_tape *tape);

//cudagen:ignore
void tl_callback(void (*f)(int));

#ifdef __cplusplus
}
#endif
