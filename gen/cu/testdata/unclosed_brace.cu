namespace a {
__global__ void k(int n) { /* ERROR "\{ is not closed" */ if (n) {
