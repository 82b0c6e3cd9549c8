// What is wrong with the file does not hide what is wrong with its kernels.
#if 1 / 0
//    ^ ERROR "a constant expression divides by zero"
#endif
extern "C" __global__ void first(mystery_t n) {}
//                               ^ ERROR "parameter n has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)"
#endif
// ERROR "#endif without #if"
extern "C" __global__ void second(int n, mystery_t m) {}
//                                       ^ ERROR "parameter m has unknown type mystery_t \(include its header, or leave the kernel out with //cudagen:ignore\)"
