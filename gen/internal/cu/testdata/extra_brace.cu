__global__ void k(int n) {}
} /* ERROR "unexpected } \(nothing is open here that it closes\)" */
__global__ void l(int n) {}
