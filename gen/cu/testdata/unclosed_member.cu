// A bracket that is not closed inside of a class is the class's error, too.
struct Bound { int x[ /* ERROR "\[ is not closed before the \} in line 2" */3; };
struct Parameters { int (*f)(int; };
__global__ void k(Bound /* ERROR "field x has an array bound that is not closed" */ x, Parameters /* ERROR "a field has parameters that are not closed" */ y) {}
