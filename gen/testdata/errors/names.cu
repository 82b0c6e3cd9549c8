// Directives of the file, and names that collide.
struct Named { int x; };
union Either { int a; float b; };
struct Bits { int a : 3; };
struct Hollow { union { int a; float b; }; };
//cudagen:type Named
//             ^ ERROR "type wants CName=import/path\.GoType, found .Named."
//cudagen:type Named=image.point
//             ^ ERROR ".point. is not an exported Go name"
//cudagen:type Named=/image.Point
//             ^ ERROR "./image. is not an import path"
//cudagen:type Named=image.Point
//cudagen:type Named=image.Point
// ERROR "Named is given twice, first in line 12"
//cudagen:type Either=image.Point
// ERROR "it is a union, or its layout is not known"
//cudagen:type Bits=image.Point
// ERROR "a bit-field, or one without a name"
//cudagen:type Nobody=image.Point
// ERROR "no kernel that is generated uses a struct Nobody: check its name, with its namespace"
//cudagen:kernel Same
extern "C" __global__ void one(Named a, Either b, Bits c) {}
//cudagen:kernel Same
extern "C" __global__ void other(int n) {}
//                         ^ ERROR "is taken already: give another with //cudagen:kernel GoName"

//cudagen:export lower
//               ^ ERROR "lower is not an exported Go name"
#define ONE 1
//cudagen:export
// ERROR "directly below stands no struct, no enum, no variable in the memory of a device, and no integer constant that is understood and fits an int64"
#define TWO f(2)
//cudagen:export Third
#define THREE 3
//cudagen:export Third
// ERROR "is taken already: give another with //cudagen:export GoName"
#define FOUR 4
//cudagen:export
// ERROR "the value of First is not known, and decides its size"
enum Unsized { First = FOUR + unknown };
//cudagen:export
// ERROR "it has a member that has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)"
struct Unknown { mystery_t x; };
//cudagen:export Third
//               ^ ERROR "the Go name Third is taken already"
struct Known { int x; };
//cudagen:export
// ERROR "the declaration below has several types or constants: give each a declaration of its own"
const int five = 5, six = 6;
// It has no value that an int64 holds.
//cudagen:export
// ERROR "directly below stands no struct, no enum, no variable in the memory of a device, and no integer constant that is understood and fits an int64"
#define LARGEST 0xffffffffffffffff
// A variable is beside the kernels.
//cudagen:export Same
//               ^ ERROR "export: the Go name Same is taken already"
__device__ int same;
// Identifiers with a $ have the spellings of others.
//cudagen:export
struct Dollars { int a$b, a_b, A_B; };
//     ^ ERROR "struct Dollars: the members a\$b and a_b have the same Go name: rename one of them"
//     ^ ERROR "struct Dollars: the members a_b and a\$b have the same Go name: rename one of them"
