__global__ void k(int n) {}
} /* ERROR "unexpected } \(no \{ is open here\)" */
__global__ void l(int n) {}
