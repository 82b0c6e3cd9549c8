// The kernels of texture_test.go. textures.ptx is made of them by
//
//	nvcc -ptx -arch=compute_75 -o textures.ptx textures.cu
//
// Each thread reads at one place, x, y, z, w, and writes the bits of what it got.

#define READ(name, fetch)                                                                            \
  extern "C" __global__ void name(cudaTextureObject_t t, const float4 *at, float4 *out, int n) {     \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
    if (i >= n) return;                                                                              \
    float4 p = at[i];                                                                                \
    out[i] = fetch;                                                                                  \
  }

#define READ_BITS(name, fetch)                                                                       \
  extern "C" __global__ void name(cudaTextureObject_t t, const float4 *at, uint4 *out, int n) {      \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
    if (i >= n) return;                                                                              \
    float4 p = at[i];                                                                                \
    out[i] = fetch;                                                                                  \
  }

READ(fetch1D, tex1Dfetch<float4>(t, (int)p.x))
READ(read1D, tex1D<float4>(t, p.x))
READ(read2D, tex2D<float4>(t, p.x, p.y))
READ(read3D, tex3D<float4>(t, p.x, p.y, p.z))
READ(layered1D, tex1DLayered<float4>(t, p.x, (int)p.z))
READ(layered2D, tex2DLayered<float4>(t, p.x, p.y, (int)p.z))
READ(cube, texCubemap<float4>(t, p.x, p.y, p.z))
READ(layeredCube, texCubemapLayered<float4>(t, p.x, p.y, p.z, (int)p.w))
READ(level1D, tex1DLod<float4>(t, p.x, p.w))
READ(level2D, tex2DLod<float4>(t, p.x, p.y, p.w))
READ(level3D, tex3DLod<float4>(t, p.x, p.y, p.z, p.w))
READ(gradient2D, tex2DGrad<float4>(t, p.x, p.y, make_float2(p.z, 0), make_float2(0, p.w)))
READ(slanted2D, tex2DGrad<float4>(t, p.x, p.y, make_float2(p.z, p.w), make_float2(0, 0)))
READ(gatherX, tex2Dgather<float4>(t, p.x, p.y, 0))
READ(gatherW, tex2Dgather<float4>(t, p.x, p.y, 3))

READ_BITS(fetch1DBits, tex1Dfetch<uint4>(t, (int)p.x))
READ_BITS(read1DBits, tex1D<uint4>(t, p.x))
READ_BITS(read2DBits, tex2D<uint4>(t, p.x, p.y))

// Each thread copies an element, at places that may lie outside.
#define COPY(mode, name)                                                                             \
  extern "C" __global__ void name(cudaSurfaceObject_t from, cudaSurfaceObject_t to, const int4 *at,  \
                                  int4 *out, int n) {                                                \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                                                   \
    if (i >= n) return;                                                                              \
    int4 p = at[i];                                                                                  \
    int4 v;                                                                                          \
    surf2Dread(&v, from, p.x * 16, p.y, mode);                                                       \
    out[i] = v;                                                                                      \
    v.w += 100;                                                                                      \
    surf2Dwrite(v, to, p.z * 16, p.w, mode);                                                         \
  }

COPY(cudaBoundaryModeTrap, copyTrap)
COPY(cudaBoundaryModeClamp, copyClamp)
COPY(cudaBoundaryModeZero, copyZero)

extern "C" __global__ void shapes(cudaSurfaceObject_t line, cudaSurfaceObject_t volume, cudaSurfaceObject_t layers,
                                  cudaSurfaceObject_t cube) {
  int i = threadIdx.x;
  surf1Dwrite((unsigned char)(surf1Dread<unsigned char>(line, i) + 1), line, i);
  short2 v = surf3Dread<short2>(volume, i * 4, 1, 2);
  surf3Dwrite(make_short2(v.y, v.x), volume, i * 4, 1, 2);
  surf1DLayeredwrite(surf1DLayeredread<unsigned>(layers, i * 4, 0) * 2, layers, i * 4, 1);
  surfCubemapwrite((unsigned char)(10 * i), cube, i, 1, 5);
}
