// There is nothing to generate from.
// ERROR "there is no kernel \(a __global__ function\) in this file"
__global__ void declared(int n);
