// The fake libcuda with the entry points that the peers in Rust call and cudagen does not. A
// module is a library, and a function a kernel.
#include "../../internal/fakecuda/src/libcuda.c"

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  (void)flags;
  return is_device(device) ? SUCCESS : INVALID_DEVICE;
}

int cuGetErrorString(int error, const char **text) {
  (void)error;
  *text = "an error of the fake driver";
  return SUCCESS;
}

int cuGetErrorName(int error, const char **text) { return cuGetErrorString(error, text); }

int cuModuleLoadDataEx(struct library **module, const void *image, unsigned count, int *options, void **values) {
  (void)count, (void)options, (void)values;
  return cuLibraryLoadData(module, image, 0, 0, 0, 0, 0, 0);
}

int cuModuleLoadData(struct library **module, const void *image) { return cuModuleLoadDataEx(module, image, 0, 0, 0); }

int cuModuleLoad(struct library **module, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) return NOT_FOUND;
  char *text = allocate(1 << 20);
  size_t size = fread(text, 1, (1 << 20) - 1, file);
  fclose(file);
  int result = size ? cuModuleLoadDataEx(module, text, 0, 0, 0) : INVALID_IMAGE;
  free(text);
  return result;
}

int cuModuleUnload(struct library *module) { return cuLibraryUnload(module); }

int cuModuleGetFunction(struct kernel **function, struct library *module, const char *name) {
  return cuLibraryGetKernel(function, module, name);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) {
  memcpy((void *)(uintptr_t)to, from, size);
  return SUCCESS;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) {
  memcpy(to, (void *)(uintptr_t)from, size);
  return SUCCESS;
}

int cuGraphInstantiateWithFlags(struct exec **exec, struct graph *graph, unsigned long long flags) {
  struct instantiate_params params = {.flags = flags};
  return cuGraphInstantiateWithParams(exec, graph, &params);
}
