// The C interface of wave.cu, for programs in C, C++ and, by wavelib.h, Go.
#ifndef WAVE_H
#define WAVE_H
#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

enum wave_status { WAVE_OK, WAVE_BAD_VALUE, WAVE_CUDA };

// A string moves at a speed of 0 to 1 points a step. Its ends stay where they are.
typedef struct wave_string *wave_string_t;

enum wave_status wave_create(wave_string_t *string, float speed);
enum wave_status wave_destroy(wave_string_t string);
enum wave_status wave_set_stream(wave_string_t string, cudaStream_t stream);

// wave_step makes, of n points now and one step before, those of the next step.
enum wave_status wave_step(wave_string_t string, int n, const float *before, const float *now, float *next);

const char *wave_text(enum wave_status status);

#ifdef __cplusplus
}
#endif
#endif
