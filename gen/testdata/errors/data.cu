// Data directives that are not understood.

//cudagen:data elements=1000 "odd"
//                           ^ ERROR "data: .odd. is not key=value \(a key has letters, digits, and \. - _ between them"

//cudagen:data
// ERROR "lost: data wants key=value, found nothing"
extern "C" __global__ void lost(int n) {}
//cudagen:data elements = 1000
//             ^ ERROR "spaced: data: elements is not key=value \(a key has letters.*; there is no blank beside the equals sign\)"
extern "C" __global__ void spaced(int n) {}
//cudagen:data a=1 b=
//                 ^ ERROR "empty: data: b= has no value: write b=\"\" for an empty one"
extern "C" __global__ void empty(int n) {}
//cudagen:data title=two"words"
//             ^ ERROR "quotes: data: title=two\"words\": quotes go around a whole value, as in Go: title=\"two words\""
extern "C" __global__ void quotes(int n) {}
//cudagen:data title="two words" n=1 n=2
//                                   ^ ERROR "twice: data: n is given twice"
extern "C" __global__ void twice(int n) {}
//cudagen:data n=1
//cudagen:data n=2
//             ^ ERROR "again: data: n is given twice"
extern "C" __global__ void again(int n) {}
//cudagen:data 1=one
//             ^ ERROR "1=one is not key=value"
extern "C" __global__ void digit(int n) {}

//cudagen:data unit=K
// ERROR "data is directly above something that Go does not have: put it above a kernel, a struct, an enum or an exported variable, or leave the line below it empty"
__device__ float helper(float x) { return 2 * x; }

//cudagen:data unit=K
// ERROR "data belongs to what Go has, and taps is not exported: add //cudagen:export"
__constant__ float taps[5];

//cudagen:export
//cudagen:data unit
//             ^ ERROR "data: unit is not key=value"
__constant__ float weights[5];

//cudagen:data x=1 x=2
//                 ^ ERROR "data: x is given twice"
struct Point {
  float x, y;
};
