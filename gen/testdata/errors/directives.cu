// Directives of kernels that are not understood, and expressions in them.
const int kTile = 16;
const long kLeast = -9223372036854775807 - 1;

//cudagen:ignore me
//               ^ ERROR "ignore takes no arguments, found me"
extern "C" __global__ void ignored(int n) {}
//cudagen:kernle
// ERROR "unknown directive .kernle. \(did you mean kernel\?\)"
extern "C" __global__ void misspelled(int n) {}
//cudagen:cooperative
// ERROR "cooperative needs block and threads or grid: without them there is only LaunchWith"
extern "C" __global__ void alone(int n) {}
//cudagen:instantiate T=float
// ERROR "put it directly above one"
extern "C" __global__ void ordinary(int n) {}
//cudagen:block 32
//cudagen:block 64
// ERROR "block is given twice, first in line 17"
//cudagen:threads n
extern "C" __global__ void twice(int n) {}
//cudagen:block
// ERROR "block lacks an expression"
//cudagen:threads n
extern "C" __global__ void empty(int n) {}
//cudagen:block 1,1,1,1
//              ^ ERROR "block takes one to three expressions, found 4"
//cudagen:threads n
extern "C" __global__ void four(int n) {}
//cudagen:block 32 +
//              ^ ERROR ".32 \+. is not a list of Go expressions"
//cudagen:threads n
extern "C" __global__ void open(int n) {}
//cudagen:block n
//              ^ ERROR "remove the directive and use LaunchWith"
//cudagen:threads n
extern "C" __global__ void variable(int n) {}
//cudagen:block 0
//              ^ ERROR "a block has from 1 to 1024 threads, not 0"
//cudagen:threads n
extern "C" __global__ void none(int n) {}
//cudagen:block 64,32
//              ^ ERROR "a block has at most 1024 threads, this one has 2048"
//cudagen:threads n,n
extern "C" __global__ void many(int n) {}
//cudagen:block 256
// ERROR "add //cudagen:threads with the total number of threads"
extern "C" __global__ void lonely(int n) {}
//cudagen:threads n
// ERROR "add //cudagen:block, or __launch_bounds__ to the kernel"
extern "C" __global__ void blockless(int n) {}
//cudagen:shared 4
// ERROR "there is only LaunchWith, which takes it from its caller"
extern "C" __global__ void shared(int n) {}
//cudagen:block 16,16
//cudagen:threads n
//                ^ ERROR "the block has 2 dimensions, threads 1: give every dimension"
extern "C" __global__ void flat(int n) {}
//cudagen:block 1
//cudagen:threads n
//cudagen:grid n
// ERROR "keep one of threads and grid"
extern "C" __global__ void both(int n) {}
//cudagen:block 1
//cudagen:grid 0
//             ^ ERROR "a launch needs at least 1 in every dimension"
extern "C" __global__ void nowhere(int n) {}
//cudagen:block 1
//cudagen:threads n
//cudagen:shared 1,2
//               ^ ERROR "shared takes one expression, found 2"
extern "C" __global__ void two(int n) {}
//cudagen:block 1
//cudagen:threads n
//cudagen:shared -1
//               ^ ERROR "shared memory must be at least 0 bytes"
extern "C" __global__ void negative(int n) {}
//cudagen:block 256
//              ^ ERROR "a block of 256 threads breaks the kernel's __launch_bounds__\(128\)"
//cudagen:threads n
extern "C" __global__ void __launch_bounds__(128) bounds(int n) {}
//cudagen:block 128
//              ^ ERROR "a block of 128 breaks the kernel's __block_size__\(32, 4\)"
//cudagen:threads n
extern "C" __global__ void __block_size__((32, 4)) fixed(int n) {}

//cudagen:len x
//            ^ ERROR "len wants parameter=expression, found .x."
extern "C" __global__ void lenWords(float *x) {}
//cudagen:len x=
//            ^ ERROR "len x= lacks an expression"
extern "C" __global__ void lenEmpty(float *x) {}
//cudagen:len z=n
//            ^ ERROR "there is no parameter z \(there are n, x\)"
extern "C" __global__ void lenUnknown(int n, float *x) {}
//cudagen:len n=1
//            ^ ERROR "len needs a pointer, but parameter n is not a pointer"
extern "C" __global__ void lenNumber(int n) {}
//cudagen:len x=1 x=2
//                ^ ERROR "lenTwice: len of x is given twice"
extern "C" __global__ void lenTwice(float *x) {}
//cudagen:len x="
//              ^ ERROR "string literal not terminated"
extern "C" __global__ void lenString(float *x) {}
//cudagen:len x=n+
//                ^ ERROR "expected operand, found 'EOF'"
extern "C" __global__ void lenOpen(int n, float *x) {}
//cudagen:infer n=len(x) n=len(x)
//                       ^ ERROR "inferTwice: n is inferred twice"
extern "C" __global__ void inferTwice(int n, float *x) {}
//cudagen:infer a=len(x)
//              ^ ERROR "infer needs an integer, but parameter a is not an integer"
extern "C" __global__ void inferFloat(float a, float *x) {}
//cudagen:infer n=m
//                ^ ERROR "an inferred value is made of len\(…\) and constants, m is a parameter"
extern "C" __global__ void inferParameter(int n, int m) {}
//cudagen:infer n=len(x)-1
//                ^ ERROR "len\(x\)-1 can be less than 0, the minimum of n"
extern "C" __global__ void inferBelow(unsigned n, float *x) {}
//cudagen:infer n=len(x)*len(y)-1
//                ^ ERROR "len\(x\)\*len\(y\)-1 can overflow 64 bits, and be negative"
extern "C" __global__ void inferWide(long n, float *x, float *y) {}
//cudagen:infer n=len(x)+256
//                ^ ERROR "len\(x\)\+256 is at least 256, more than 255, the maximum of n"
extern "C" __global__ void inferMuch(unsigned char n, float *x) {}

//cudagen:len x=1.5
//              ^ ERROR "1\.5 is not an integer of 64 bits"
extern "C" __global__ void fraction(float *x) {}
//cudagen:len x=99999999999999999999
//              ^ ERROR "99999999999999999999 is not an integer of 64 bits"
extern "C" __global__ void large(float *x) {}
//cudagen:len x=!n
//              ^ ERROR "the operators are \+ - \* / % << >>"
extern "C" __global__ void negated(int n, float *x) {}
//cudagen:len x=n&1
//              ^ ERROR "the operators are \+ - \* / % << >>"
extern "C" __global__ void masked(int n, float *x) {}
//cudagen:len x=x[0]
//              ^ ERROR "an expression has integers, parameters, constants, len\(x\), min, max and block\.x"
extern "C" __global__ void indexed(float *x) {}
//cudagen:len x=m
//              ^ ERROR "there is no parameter or constant m \(there are n, x, SUM, kLeast, kTile\)"
extern "C" __global__ void unknown(int n, float *x) {}
//cudagen:len x=a
//              ^ ERROR "real: a is not an integer"
extern "C" __global__ void real(float a, float *x) {}
//cudagen:len x=block.w
//              ^ ERROR "there are block\.x, block\.y, block\.z"
extern "C" __global__ void axis(float *x) {}
//cudagen:block grid.x
//              ^ ERROR "early: grid\.x is not known here"
//cudagen:threads n
extern "C" __global__ void early(int n) {}
//cudagen:len x=n.f()
//              ^ ERROR "the functions are len, min, max and sizeof"
extern "C" __global__ void method(int n, float *x) {}
//cudagen:len x=f(n)
//              ^ ERROR "the functions are len, min, max and sizeof"
extern "C" __global__ void called(int n, float *x) {}
//cudagen:len x=len(1)
//              ^ ERROR "len takes the name of a pointer parameter"
extern "C" __global__ void lenOfNumber(float *x) {}
//cudagen:len x=len(y)
//                  ^ ERROR "there is no parameter y \(there are x\)"
extern "C" __global__ void lenOfUnknown(float *x) {}
//cudagen:len x=len(n)
//                  ^ ERROR "len needs a pointer, but parameter n is not a pointer"
extern "C" __global__ void lenOfInteger(int n, float *x) {}
//cudagen:len x=9223372036854775807*2
//              ^ ERROR "9223372036854775807\*2 overflows 64 bits"
extern "C" __global__ void doubled(float *x) {}
//cudagen:len x=(n+2)*9223372036854775807
//              ^ ERROR "\(n\+2\)\*9223372036854775807 always overflows 64 bits"
extern "C" __global__ void always(unsigned n, float *x) {}
//cudagen:len x=(-n-1)/2
//              ^ ERROR "\(-n-1\)/2 divides something that is always negative"
extern "C" __global__ void divided(unsigned n, float *x) {}
//cudagen:len x=-1-n
//              ^ ERROR "-1-n is at most -1: a length must be at least 0"
extern "C" __global__ void below(unsigned n, float *x) {}
//cudagen:len x=n<<63
//              ^ ERROR "n<<63 shifts by something that is not from 0 to 62"
extern "C" __global__ void shifted(int n, float *x) {}
//cudagen:len x=n*kLeast
//                ^ ERROR "kLeast is -9223372036854775808, which is too small"
extern "C" __global__ void least(int n, float *x) {}
//cudagen:len x=n*ns::kTile
//                ^ ERROR "ns::kTile: .*is not a constant that is known here"
extern "C" __global__ void nowhereNamed(int n, float *x) {}
//cudagen:block 32
//cudagen:grid 1,2147483648
//             ^ ERROR "2147483648 is 2147483648, and needs more than 2147483647 blocks"
extern "C" __global__ void largeGrid(int n) {}
//cudagen:block 32
//cudagen:threads n
//cudagen:shared 1<<31
//               ^ ERROR "1<<31 is 2147483648 bytes of shared memory, more than any device has"
extern "C" __global__ void largeShared(int n) {}
//cudagen:len x=n/0
//              ^ ERROR "n/0 divides by something that is not positive"
extern "C" __global__ void ratio(int n, float *x) {}
//cudagen:block 32
//cudagen:threads n
//cudagen:cooperative 2
//                    ^ ERROR "cooperative takes no arguments, found 2"
extern "C" __global__ void twoTogether(int n) {}
//cudagen:cluster 2
// ERROR "cluster needs block and threads or grid: without them there is only LaunchWith"
extern "C" __global__ void clusterAlone(int n) {}
//cudagen:block 32
//cudagen:threads n
//cudagen:cluster n
//                ^ ERROR "the cluster must be constant, n is not"
extern "C" __global__ void variableCluster(int n) {}
//cudagen:block 32
//cudagen:threads n
//cudagen:cluster 0
//                ^ ERROR "a cluster has from 1 to 16 blocks, not 0"
extern "C" __global__ void emptyCluster(int n) {}
//cudagen:block 32
//cudagen:threads n
//cudagen:cluster 4,8
//                ^ ERROR "a cluster has at most 16 blocks, this one has 32"
extern "C" __global__ void largeCluster(int n) {}
//cudagen:block 32
//cudagen:grid 5
//             ^ ERROR "the grid has 5 blocks in dimension 0, must be a multiple of the cluster's 2"
//cudagen:cluster 2
extern "C" __global__ void incompleteCluster(int n) {}
//cudagen:block 32
//cudagen:threads n
//cudagen:cluster 4
//                ^ ERROR "a cluster of 4 breaks the kernel's __cluster_dims__\(2, 1, 1\)"
extern "C" __global__ void __cluster_dims__(2, 1, 1) fixedCluster(int n) {}
//cudagen:threads n
// ERROR "its grid counts clusters: remove threads and use LaunchWith"
extern "C" __global__ void __block_size__((32, 1, 1), (2, 1, 1)) blocksAreClusters(int n) {}

#define AGAIN 16
#define SUM 4+4
//cudagen:len x=AGAIN
//              ^ ERROR "AGAIN: it is defined several times, at last at directives\.cu:\d+, and may have another value here: write the value, or a constexpr of another name"
extern "C" __global__ void again(float *x) {}
#undef AGAIN
#define AGAIN 32
//cudagen:len x=n*SUM
//                ^ ERROR "SUM is 4\+4, which C\+\+ reads in parts in n\*SUM: write \(SUM\)"
extern "C" __global__ void loose(int n, float *x) {}
//cudagen:len x=n+1<<2
//                ^ ERROR "n\+1<<2 is not the same in Go and in C\+\+: put parentheses around the operands of <<"
extern "C" __global__ void shiftedSum(int n, float *x) {}
//cudagen:texture x=float4
//                ^ ERROR "texture needs a cudaTextureObject_t, but parameter x is not one"
extern "C" __global__ void noTexture(float *x) {}
//cudagen:surface t=float4
//                ^ ERROR "surface needs a cudaSurfaceObject_t, but parameter t is not one"
extern "C" __global__ void noSurface(cudaTextureObject_t t) {}
//cudagen:texture t=flaot4
//                  ^ ERROR "flaot4 is not a type of elements of a texture \(did you mean float4\?\)"
extern "C" __global__ void noTexel(cudaTextureObject_t t) {}
struct Shape {
	virtual __device__ float area() const;
	float sides[3];
};
//cudagen:len x=n
//            ^ ERROR "the elements of x have no form in Go, where it is a slice of bytes, so that their number is not known: layout of Shape: it has virtual functions"
extern "C" __global__ void lenOfBytes(Shape *x, int n) {}
//cudagen:infer n=len(x)
//                    ^ ERROR "the elements of x have no form in Go, where it is a slice of bytes"
extern "C" __global__ void lenOfBytesInferred(const Shape (&x)[4], int n) {}
