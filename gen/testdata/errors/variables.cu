// Variables that Go cannot have.
//cudagen:export
__constant__ const float weight = 1;
//                       ^ ERROR "weight: is const, so the compiler puts its value into the kernels, and setting it would not change them: leave out the const"
typedef const float fixed;
//cudagen:export
__device__ fixed table[2][2] = {};
//               ^ ERROR "table: is const"
//cudagen:export
__device__ constexpr int lanes = 32;
//                       ^ ERROR "lanes: is const"
//cudagen:export
template <class T> __device__ T held;
//                              ^ ERROR "held: is a template of variables, which cannot be exported"
//cudagen:export
extern __constant__ float elsewhere;
//                        ^ ERROR "elsewhere: is declared here but not defined: put the directive above the definition, or include the file that has it"
//cudagen:export
__constant__ float unbounded[] = {unknown(), 2};
//                           ^ ERROR "unbounded: has an array bound that is not understood"
//cudagen:export
__constant__ Strange strange;
//           ^ ERROR "strange: has unknown type Strange"
struct Virtual { virtual int f(); };
//cudagen:export
__device__ Virtual object;
//                 ^ ERROR "object: layout of Virtual: it has virtual functions"
//cudagen:export
__device__ float &alias = *(float *)0;
//                ^ ERROR "alias: is a reference: export the variable that it refers to"
//cudagen:export
// ERROR "export: the declaration below has several variables: give each a declaration of its own"
__device__ int one, two;
//cudagen:export lower
//               ^ ERROR "export: lower is not an exported Go name"
__device__ int named;
//cudagen:export
//cudagen:export Again
// ERROR "export is given twice, first in line 37"
__device__ int twice;
//cudagen:export
//cudagen:block 64
// ERROR "directive block belongs to kernels, and blocked is a variable: write //cudagen:export, or nothing"
__device__ int blocked;
//cudagen:kernel
// ERROR "directive kernel belongs to kernels, and called is a variable"
__device__ int called;
//cudagen:exprot
// ERROR "unknown directive .exprot. \(did you mean export\?\)"
__device__ int misspelled;

//cudagen:ignore
// ERROR "directive ignore belongs to kernels"
__device__ int ignored;

extern "C" __global__ void k(int n) {}
