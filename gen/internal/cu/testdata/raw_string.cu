// A raw string that is not closed hides the rest.
__global__ void k(int n) {}
const char *raw = R"x(;
//                ^ ERROR "raw string is not closed"
__global__ void hidden(mystery_t n) {}
