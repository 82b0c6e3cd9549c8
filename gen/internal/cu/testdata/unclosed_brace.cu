namespace a { /* ERROR "\{ is not closed" */
__global__ void k(int n) { if (n) {
