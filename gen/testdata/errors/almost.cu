// A keyword is misspelled, and so there is no kernel.
// ERROR "there is no kernel \(a __global__ function\) in this file: write __global__ in place of _global_ in line 3"
extern "C" _global_ void declared(int n) {}
