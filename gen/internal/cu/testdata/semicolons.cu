// Semicolons that are missing before a kernel. The kernels behind them are found.
struct Point { float x; } /* ERROR "a ; is missing behind this \}" */
__global__ void first(Point p) {}
enum class Mode { A, B } /* ERROR "a ; is missing behind this \}" */
__global__ void second(Mode m) {}
constexpr int N = 4 /* ERROR "a ; is missing behind this 4" */
__global__ void third(int n) {}
__constant__ float taps[2] = {1, 2} /* ERROR "a ; is missing behind this \}" */
extern "C" __global__ void fourth(int n) {}
typedef struct { int x; } Pair /* ERROR "a ; is missing behind this Pair" */
__global__ void fifth(int n) {}
__global__ void fine(Point *p, int n) {}
template <class T = int>
__global__ void typed(T *x) {}
struct Late { int x; };
__global__ void last(Late l) {}
