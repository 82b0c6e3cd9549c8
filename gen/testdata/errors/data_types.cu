// Data of types that Go does not have.

//cudagen:data unit=K
// ERROR "data: no kernel that is generated uses Unused: add //cudagen:export, or remove the directive"
struct Unused {
  int x;
};

//cudagen:data unit=m
struct Point {
  float x, y;
};

//cudagen:data unit=km
// ERROR "data: Point has data above another declaration already"
typedef Point Place;

extern "C" __global__ void use(Point *p) {}
