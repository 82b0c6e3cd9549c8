void f( /* ERROR "\( is not closed before the } in line 1" */ int n }
__global__ void k(int n) {}
