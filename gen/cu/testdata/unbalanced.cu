void f() {
# /* ERROR "conditional compilation" */ if A
  {
#endif
}
