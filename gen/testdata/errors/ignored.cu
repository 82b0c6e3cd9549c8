// Nothing is left to generate from.
// ERROR "every kernel in this file is ignored"
//cudagen:ignore
extern "C" __global__ void k(int n) {}
