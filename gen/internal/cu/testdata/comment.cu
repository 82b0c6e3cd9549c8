// A comment that is not closed hides the rest.
__global__ void k(int n) {}
/* open
__global__ void hidden(mystery_t n) {}
 /* ERROR "comment is not closed" */