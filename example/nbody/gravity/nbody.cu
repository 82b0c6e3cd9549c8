constexpr int TILE = 64; // bodies in shared memory

// Step moves bodies, of which x, y, z are the place and w the mass, with their velocities for the
// time dt, and writes them to next. The squared distance of two bodies is enlarged by softening, so
// that close ones do not fly away. A block loads one tile of bodies after another.
//
//cudagen:kernel
//cudagen:block TILE
//cudagen:threads n
//cudagen:len next=n velocities=n
//cudagen:infer n=len(bodies)
extern "C" __global__ void step(const float4 *bodies, float4 *next, float4 *velocities, int n, float dt, float softening) {
  __shared__ float4 tile[TILE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
  float ax = 0, ay = 0, az = 0;
  for (int first = 0; first < n; first += TILE) {
    int j = first + threadIdx.x;
    tile[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0); // without a mass
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
      float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
      float d2 = dx * dx + dy * dy + dz * dz + softening;
      float pull = tile[k].w / (d2 * sqrtf(d2));
      ax += pull * dx;
      ay += pull * dy;
      az += pull * dz;
    }
    __syncthreads();
  }
  if (i >= n) return;
  float4 v = velocities[i];
  v.x += dt * ax;
  v.y += dt * ay;
  v.z += dt * az;
  velocities[i] = v;
  next[i] = make_float4(own.x + dt * v.x, own.y + dt * v.y, own.z + dt * v.z, own.w);
}
