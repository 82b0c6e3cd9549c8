// The directive instantiate names template parameters that are there.
//cudagen:instantiate T=float,N=4
//cudagen:instantiate T=unsigned int, N=1<<3 Eight
template <typename T, int N = 2> __global__ void k(T (&x)[N], T y) {}
