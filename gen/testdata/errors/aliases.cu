// Types that a typedef or alias aligns, where compilers differ.
struct Point { int x, y; };
typedef int A16 __attribute__((aligned(16)));
typedef double Lowered __attribute__((aligned(2)));
typedef Point P16 __attribute__((aligned(16)));
typedef char C2[4] __attribute__((aligned(2)));
struct Bits { char a; A16 x : 3; };
struct Lower { char a; Lowered x; };
struct Elements { char a; A16 x[2]; };
struct Arrays { char a; C2 x[3]; };

extern "C" __global__ void a(P16 x) {}
//                         ^ ERROR "a typedef aligns P16, whose alignment as a parameter compilers decide in different ways"
extern "C" __global__ void b(Bits x) {}
//                         ^ ERROR "field x is packed, aligned or a bit-field, and a typedef aligns its type, which compilers understand in different ways"
extern "C" __global__ void c(Lower x) {}
//                         ^ ERROR "a typedef lowers the alignment of field x, and nvcc itself has two opinions on the size of such a parameter"
extern "C" __global__ void d(Elements x) {}
//                         ^ ERROR "the elements of A16\[2\] are aligned to 16 bytes, and have 4"
extern "C" __global__ void e(Arrays x) {}
//                         ^ ERROR "is an array of arrays that a typedef aligns, which compilers lay out in different ways"
