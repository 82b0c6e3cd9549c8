// Directives on pointers.

//cudagen:ptr
// ERROR "ptrNone: ptr names no parameter"
extern "C" __global__ void ptrNone(float *x, int n) {}
//cudagen:ptr x, n
//               ^ ERROR "ptr needs a pointer, but parameter n is not a pointer"
extern "C" __global__ void ptrNumber(float *x, int n) {}
//cudagen:nullable xx
//                 ^ ERROR "there is no parameter xx"
extern "C" __global__ void nullUnknown(float *x, int n) {}
//cudagen:nullable x
extern "C" __global__ void nullAlone(float *x, int n) {}
//cudagen:ptr x
//cudagen:len x=n
//            ^ ERROR "x is a plain pointer by //cudagen:ptr, which has no length: remove one of the two"
extern "C" __global__ void ptrLen(float *x, int n) {}
//cudagen:ptr x
//cudagen:infer n=len(x)
//                    ^ ERROR "x is a plain pointer by //cudagen:ptr, which has no length: remove one of the two"
extern "C" __global__ void ptrInfer(float *x, int n) {}
//cudagen:ptr x
//cudagen:nullable x
//                 ^ ERROR "x is both ptr and nullable: a Ptr may always be NULL, so remove nullable"
extern "C" __global__ void ptrNullable(float *x, int n) {}
