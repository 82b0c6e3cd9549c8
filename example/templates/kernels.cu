// Kernels of the example for templates.

#include <cstdint>

//cudagen:data bench.elements=4096

// Saxpy computes y = a*x + y over n elements.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:threads n
//cudagen:len y=n
//cudagen:infer n=len(x)
//cudagen:data bench.a=2 fuzz.reference=saxpy unit=metres
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __fmaf_rn(a, x[i], y[i]);
}

namespace stats {

// Histogram counts bytes.
//
//cudagen:kernel
//cudagen:block 256
//cudagen:grid (n+4095)/4096
//cudagen:shared 4*bins
//cudagen:len counts=bins
//cudagen:infer n=len(data)
//cudagen:data bench.bins=256 bench.counts=256 fuzz.bins=16 fuzz.counts=16 fuzz.reference=histogram
__global__ void histogram(const unsigned char *data, unsigned int *counts, int bins, unsigned n) {
  extern __shared__ unsigned int local[];
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) local[b] = 0;
  __syncthreads();
  unsigned end = min(n, (blockIdx.x + 1) * 4096u);
  for (unsigned i = blockIdx.x * 4096u + threadIdx.x; i < end; i += blockDim.x) atomicAdd(&local[data[i] % bins], 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) atomicAdd(&counts[b], local[b]);
}

}  // namespace stats

// Mode says how particles move.
//
//cudagen:data json=mode
enum Mode : unsigned char { STILL, FALLING = 3 };

// LIMIT is the largest number of particles.
//
//cudagen:export
const long long LIMIT = 1ll << 31;

// Vec is a vector.
struct Vec {
  float x, y, z;
};

// Word is a number, or its bytes.
union Word {
  uint32_t whole;
  unsigned char bytes[4];
};

// Particle has members of every kind.
//
//cudagen:data table=particles
struct alignas(16) Particle {
  Vec at;             // in metres
  double mass;        // in kilograms
  Mode mode;
  unsigned fixed : 1;
  unsigned group : 7;
  Word tag;
  uint2 cell;
};

// Move moves particles by one step.
//
//cudagen:kernel
//cudagen:block 64
//cudagen:threads count
//cudagen:len forces=count
//cudagen:nullable forces
//cudagen:infer count=len(particles)
extern "C" __global__ void move(Particle *particles, const Vec *forces, float dt, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count || count > LIMIT || particles[i].fixed) return;
  float g = particles[i].mode == FALLING ? -9.81f : 0;
  particles[i].at.z = __fmaf_rn(dt, g, particles[i].at.z);
  if (forces) particles[i].at.x = __fmaf_rn(dt, forces[i].x, particles[i].at.x);
}

// A table refers to memory that nothing checks.
struct Table {
  const float *values;
  int count;
};

// Lookup leaves the launch configuration to its caller.
//
//cudagen:kernel
extern "C" __global__ void lookup(Table table, const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && at[i] >= 0 && at[i] < table.count) out[i] = table.values[at[i]];
}
