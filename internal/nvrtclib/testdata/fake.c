// A library with NVRTC's functions. A compilation takes as many milliseconds as the source says,
// the front end's and then the back end's: "20 700". Two at once are an error; with PARALLEL one
// front end runs at a time, and back ends beside each other, as in NVRTC 13.0. With FLOW
// there is nvrtcSetFlowCallback, which the back end asks. With SIGNALS the front end takes signals and puts them
// back as NVRTC 13.0 does. VERSION is CUDA's, 1000*major + 10*minor.
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifndef VERSION
#define VERSION 13000
#endif
static const char ptx[] = "ptx";
const char *nvrtcGetErrorString(int r) { return r == 5 ? "FAKE_INVALID_OPTION" : "FAKE_ERROR"; }
int nvrtcVersion(int *major, int *minor) { *major = VERSION / 1000; *minor = VERSION % 1000 / 10; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int *a) { a[0] = 90; a[1] = 75; return 0; }
struct program {
  char *source;
  int (*flow)(void *, void *);
  void *payload;
};
int nvrtcCreateProgram(struct program **p, const char *src, const char *name, int n, const char *const *h, const char *const *i) {
  *p = calloc(1, sizeof **p);
  (*p)->source = strdup(src);
  return 0;
}
int nvrtcDestroyProgram(struct program **p) { free((*p)->source); free(*p); *p = 0; return 0; }
int nvrtcAddNameExpression(char *p, const char *e) { return 0; }
static int running;
static pthread_mutex_t front = PTHREAD_MUTEX_INITIALIZER;
static void caught(int signal) { _exit(99); }
static void pass(long ms) {
  struct timespec t = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&t, 0);
}
#ifdef FLOW
int nvrtcSetFlowCallback(struct program *p, int (*callback)(void *, void *), void *payload) {
  p->flow = callback;
  p->payload = payload;
  return 0;
}
#endif
int nvrtcCompileProgram(struct program *p, int n, const char *const *o) {
  char *end;
  long ms = strtol(p->source, &end, 10), behind = strtol(end, 0, 10);
#ifdef PARALLEL
  pthread_mutex_lock(&front);
  pass(ms);
  pthread_mutex_unlock(&front);
#elif defined SIGNALS
  void (*old[])(int) = {signal(SIGINT, caught), signal(SIGTERM, caught)};
  for (; ms > 0; ms -= 10) pass(10);
  signal(SIGINT, old[0]);
  signal(SIGTERM, old[1]);
#else
  if (__atomic_add_fetch(&running, 1, __ATOMIC_SEQ_CST) != 1) return 11; // two at once
  pass(ms);
#endif
  for (; behind > 0; behind -= 10) {
    if (p->flow && p->flow(p->payload, 0)) return 16; // NVRTC_ERROR_CANCELLED
    pass(10);
  }
  if (running) __atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
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
