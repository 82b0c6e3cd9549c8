// What is open at the end of the file.
struct Holder { /* ERROR "\{ is not closed" */ int x;
__global__ void k(Holder /* ERROR "parameter x has unknown type Holder, declared in more than one way" */ x) {}
