// A library with nvJitLink's functions. It links inputs by joining them. Data that begins with "bad" is
// refused when it is added, "undefined" when the link completes, and "broken" ends without a result. A
// link waits while fakeHold(1) holds. VERSION is CUDA's, 1000*major + 10*minor; OLD has no version and no
// versioned names, as 12.0.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifndef VERSION
#define VERSION 13000
#endif
#ifdef OLD
#define NAME(f) f
#else
#define NAME(f) __##f##_13_0
int nvJitLinkVersion(unsigned *major, unsigned *minor) { *major = VERSION / 1000; *minor = VERSION % 1000 / 10; return 0; }
#endif
static int held, waiting;
void fakeHold(int on) { __atomic_store_n(&held, on, __ATOMIC_SEQ_CST); }
int fakeWaiting(void) { return __atomic_load_n(&waiting, __ATOMIC_SEQ_CST); }
struct link { char code[4096], log[4096]; size_t size; int undefined, broken; };
int NAME(nvJitLinkCreate)(struct link **l, unsigned n, const char **options) {
  *l = calloc(1, sizeof **l);
  for (unsigned i = 0; i < n; i++) {
    if (!strcmp(options[i], "-wrong")) return free(*l), *l = NULL, 1;
    strcat((*l)->log, options[i]);
    strcat((*l)->log, " ");
  }
  return 0;
}
int NAME(nvJitLinkDestroy)(struct link **l) { free(*l); *l = NULL; return 0; }
int NAME(nvJitLinkAddData)(struct link *l, int kind, const void *data, size_t size, const char *name) {
  if (!strncmp(data, "bad", 3)) { strcpy(l->log, "error   : it is bad\n"); return 3; }
  l->undefined |= !strncmp(data, "undefined", 9);
  l->broken |= !strncmp(data, "broken", 6);
  l->size += sprintf(l->code + l->size, "%d %s %zu:%s;", kind, name, size, (const char *)data);
  return 0;
}
int NAME(nvJitLinkComplete)(struct link *l) {
  __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&held, __ATOMIC_SEQ_CST)) nanosleep(&(struct timespec){0, 1000000}, NULL);
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
  if (l->undefined) { strcpy(l->log, "error   : Undefined reference to 'f'\n"); return 6; }
  return 0;
}
static int get(const char *from, size_t size, char *to) { memcpy(to, from, size); return 0; }
int NAME(nvJitLinkGetLinkedCubinSize)(struct link *l, size_t *size) { *size = l->size; return l->broken ? 99 : 0; }
int NAME(nvJitLinkGetLinkedCubin)(struct link *l, char *out) { return get(l->code, l->size, out); }
int NAME(nvJitLinkGetLinkedPtxSize)(struct link *l, size_t *size) { *size = l->size + 1; return 0; }
int NAME(nvJitLinkGetLinkedPtx)(struct link *l, char *out) { return get(l->code, l->size + 1, out); }
int NAME(nvJitLinkGetErrorLogSize)(struct link *l, size_t *size) { *size = strncmp(l->log, "error", 5) ? 0 : strlen(l->log) + 1; return 0; }
int NAME(nvJitLinkGetErrorLog)(struct link *l, char *out) { return get(l->log, strlen(l->log) + 1, out); }
int NAME(nvJitLinkGetInfoLogSize)(struct link *l, size_t *size) { *size = strlen(l->log) + 1; return 0; }
#ifndef INCOMPLETE
int NAME(nvJitLinkGetInfoLog)(struct link *l, char *out) { return get(l->log, strlen(l->log) + 1, out); }
#endif
