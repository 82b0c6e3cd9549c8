// What is open at the end of the file.
struct Holder { /* ERROR "\{ is not closed" */ int x;
__global__ void k(Holder /* ERROR "has type Holder, whose layout is not understood: its \{ is not closed" */ x) {}
