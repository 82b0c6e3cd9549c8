// Instances of templates whose arguments are functions, variables and members.
// function args
__device__ float add(float a, float b) { return a+b; }
__device__ double add(double a, double b) { return a+b; }
static __device__ float sadd(float a, float b) { return a+b; }
namespace ns { template<int N> __device__ float f(float a, float b) { return a+N; }
template<class T> __device__ T g(T a, T b) { return a; }
template<int N, class T> __device__ T h(T a, T b) { return a; }
namespace { __device__ float anon(float a, float b) { return a; } }
__device__ int gv; 
//cudagen:instantiate <anon>
//cudagen:instantiate <add>
//cudagen:instantiate <f<3>>
template<float (*op)(float, float)> __global__ void kns(float *x) { *x = op(x[0], x[1]); }
}
struct S { static __device__ float sm(float a, float b) { return a; } int m; __device__ float mf(float a, float b) {return m;} };
template<class T> struct TS { template<class U> static __device__ T sm(T a, U b) { return a; } };
//cudagen:instantiate <add>
//cudagen:instantiate <sadd>
//cudagen:instantiate <ns::f<4>>
//cudagen:instantiate <ns::g<float>>
//cudagen:instantiate <ns::h<4>>
//cudagen:instantiate <&S::sm>
//cudagen:instantiate <&TS<float>::sm<float>>
//cudagen:instantiate <nullptr>
template<float (*op)(float, float)> __global__ void k(float *x) { *x = op(x[0], x[1]); }
//cudagen:instantiate <add>
template<float (&op)(float, float)> __global__ void kr(float *x) { *x = op(x[0], x[1]); }
//cudagen:instantiate <add>
template<float op(float, float)> __global__ void kfn(float *x) { *x = op(x[0], x[1]); }
//cudagen:instantiate <sadd>
//cudagen:instantiate <&glob>
//cudagen:instantiate <&S::mf>
//cudagen:instantiate <&S::m>
template<auto op> __global__ void ka(float *x) { }
//cudagen:instantiate <float(*)(float,float), add>
template<class F, F f> __global__ void kf(float *x, F g) { }
typedef void (*dequantize_kernel_t)(const void * vx, const int ib, const int iqs, float2 & v);
__device__ void dq(const void * vx, const int ib, const int iqs, float2 & v) {}
//cudagen:instantiate <4, 2, dq, float>
template <int qk, int qr, dequantize_kernel_t dequantize_kernel, typename dst_t> __global__ void kd(const void *x, dst_t *y) {}
//cudagen:instantiate <&glob>
//cudagen:instantiate <nullptr>
//cudagen:instantiate <&ns::gv>
template<int *p> __global__ void kp(int n) {}
//cudagen:instantiate <&S::m>
//cudagen:instantiate <nullptr>
template<int S::*p> __global__ void kmp(int n) {}
//cudagen:instantiate <&S::mf>
template<float (S::*p)(float, float)> __global__ void kmf(int n) {}
//cudagen:instantiate <glob>
template<const int &r> __global__ void kref(int n) {}
template<float (*op)(float, float)> struct Fn { char c[3]; };
template<> struct Fn<sadd> { double d; };
//cudagen:instantiate <add>
//cudagen:instantiate <sadd>
template<float (*op)(float, float)> __global__ void kst(Fn<op> f, char e) {}
//cudagen:instantiate <float, add>
//cudagen:instantiate <double, add, 3>
template<class T, T (*op)(T, T), int N = 4> __global__ void kt(T *x, T (*p)[N]) {}
//cudagen:instantiate <add, sadd>
template<float (*...ops)(float, float)> __global__ void kpk(Fn<ops>... f, char e) {}
//cudagen:instantiate <char, 3, float>
template<class, int, class T> __global__ void kun(T *x) {}
__device__ int glob;
