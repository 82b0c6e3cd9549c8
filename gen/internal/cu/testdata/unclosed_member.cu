// A bracket that is not closed inside of a class is the class's error, too.
struct Bound { int x[ /* ERROR "\[ is not closed before the \} in line 2" */3; };
struct Parameters { int (*f)(int; };
__global__ void k(Bound /* ERROR "it has a member that is not understood \(unexpected \[\)" */ x, Parameters /* ERROR "it has a member that is not understood \(unexpected \(\)" */ y) {}
__global__ void bound(int x[ /* ERROR "parameter x has an array bound that is not closed" */3) {}
