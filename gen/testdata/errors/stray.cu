// Directives above code that is not a kernel.
//cudagen:block 32
// ERROR "directive block is not attached to a declaration: put it directly above a kernel, such as fine in line 9 \(helper in line 6 is not one\)"
//cudagen:grid 1
//cudagen:shared 4
__device__ __attribute__((noinline)) void helper(float *y) { *y = 1; }

//cudagen:kernel
extern "C" __global__ void fine(float *y) {}

//cudagen:block 32
// ERROR "directive block is not attached to a declaration: put it directly above a kernel, such as fine in line 9$"
#define X 1

//cudagen:cluster 1
// ERROR "directive cluster is not attached to a declaration: put it directly above a kernel, such as fine in line 9$"
static int x;

//cudagen:grid 1
// ERROR "directive grid is not attached to a declaration: put it directly above a kernel, such as hidden in line 27$"

// No word of the next line ends a declaration.
__device__ void g() {} stray words
//cudagen:block 32
// ERROR "directive block is not attached to a declaration: it is inside of one that begins above it: put a ; behind words in line 23, or what else ends that"
//cudagen:grid 1
__global__ void hidden(float *y) {}

template <typename T>
//cudagen:block 32
// ERROR "directive block is not attached to a declaration: it is inside of one: put it above the template<…> that ends in line 29"
__global__ void tk(T *y) {}
