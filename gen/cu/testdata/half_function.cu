# /* ERROR "conditional compilation" */ if A
void f() {
#else
void g() {
#endif
}
