void f() {
# /* ERROR "conditional compilation" */ if A
  } __global__ void k(int n) {
#endif
}
