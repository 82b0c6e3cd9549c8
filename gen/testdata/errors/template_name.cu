//cudagen:kernel OneOfTwo
// ERROR "twoInstances: the Go name OneOfTwo is that of one kernel, and this template has several, such as .* above each explicit instantiation instead"
template <class T> __global__ void twoInstances(T *x, T v) { x[0] = v; }
template __global__ void twoInstances<float>(float *, float);
template __global__ void twoInstances<int>(int *, int);
