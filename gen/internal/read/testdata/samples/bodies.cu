// Gravity in the style of a sample: templates over the type of numbers, with traits for vectors of
// them, launched by a function template that is instantiated at the end.
template <typename T>
struct vec3 {
  typedef float Type;
};
template <>
struct vec3<float> {
  typedef float3 Type;
};
template <>
struct vec3<double> {
  typedef double3 Type;
};
template <typename T>
struct vec4 {
  typedef float Type;
};
template <>
struct vec4<float> {
  typedef float4 Type;
};
template <>
struct vec4<double> {
  typedef double4 Type;
};

__constant__ float softeningSquared;
__constant__ double softeningSquared_fp64;

template <class T>
__device__ T getSofteningSquared() {
  return softeningSquared;
}
template <>
__device__ double getSofteningSquared<double>() {
  return softeningSquared_fp64;
}

template <typename T>
__global__ void integrateBodies(typename vec4<T>::Type *__restrict__ newPos, typename vec4<T>::Type *__restrict__ oldPos,
                                typename vec4<T>::Type *vel, unsigned int deviceOffset, unsigned int deviceNumBodies, float deltaTime,
                                float damping, int numTiles) {
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= deviceNumBodies) return;
  typename vec4<T>::Type p = oldPos[deviceOffset + i];
  typename vec3<T>::Type a = {getSofteningSquared<T>(), 0, 0};
  p.x += a.x * deltaTime + vel[i].x * damping * numTiles;
  newPos[deviceOffset + i] = p;
}

template <typename T>
void integrateNbodySystem(T *pos[2], T *vel, int blockSize, unsigned int n, float deltaTime, float damping) {
  int numBlocks = (n + blockSize - 1) / blockSize;
  integrateBodies<T><<<numBlocks, blockSize>>>((typename vec4<T>::Type *)pos[1], (typename vec4<T>::Type *)pos[0],
                                               (typename vec4<T>::Type *)vel, 0, n, deltaTime, damping, numBlocks);
}

template void integrateNbodySystem<float>(float *pos[2], float *vel, int blockSize, unsigned int n, float deltaTime, float damping);
template void integrateNbodySystem<double>(double *pos[2], double *vel, int blockSize, unsigned int n, float deltaTime, float damping);
