//cudagen:block 32
// ERROR "there is no kernel \(a __global__ function\) in this file"
// ERROR "directive block is not attached to a declaration: k in line 5 is not a kernel: write __global__ in front of it"
//cudagen:threads n
template <class T> __launch_bounds__(32) void k(T *y, int n) { if (n) *y = 1; }
