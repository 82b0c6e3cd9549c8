// A library with NVRTC's functions, whose compilations take as many milliseconds as the
// source says. VERSION is CUDA's, 1000*major + 10*minor.
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef VERSION
#define VERSION 13000
#endif
static const char ptx[] = "ptx";
const char *nvrtcGetErrorString(int r) { return r == 5 ? "FAKE_INVALID_OPTION" : "FAKE_ERROR"; }
int nvrtcVersion(int *major, int *minor) { *major = VERSION / 1000; *minor = VERSION % 1000 / 10; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int *a) { a[0] = 90; a[1] = 75; return 0; }
int nvrtcCreateProgram(char **p, const char *src, const char *name, int n, const char *const *h, const char *const *i) {
  *p = strdup(src);
  return 0;
}
int nvrtcDestroyProgram(char **p) { free(*p); *p = 0; return 0; }
int nvrtcAddNameExpression(char *p, const char *e) { return 0; }
static int running;
int nvrtcCompileProgram(char *p, int n, const char *const *o) {
  long ms = atol(p);
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  if (__atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST) != 1) return 11; // two at once
  nanosleep(&t, 0);
  __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
  return n > 1 ? 5 : 0; // -I for the standard headers is always there
}
int nvrtcGetLoweredName(char *p, const char *e, const char **l) { *l = "lowered"; return 0; }
int nvrtcGetProgramLogSize(char *p, size_t *n) { *n = 1; return 0; }
int nvrtcGetProgramLog(char *p, char *l) { *l = 0; return 0; }
int nvrtcGetPTXSize(char *p, size_t *n) { *n = sizeof ptx; return 0; }
int nvrtcGetPTX(char *p, char *x) { memcpy(x, ptx, sizeof ptx); return 0; }
int nvrtcGetCUBINSize(char *p, size_t *n) { *n = 0; return 0; }
#ifndef INCOMPLETE
int nvrtcGetCUBIN(char *p, char *x) { return 0; }
#endif
