#include "bodies.cu"

//cudagen:block 256
//cudagen:threads deviceNumBodies
//cudagen:instantiate IntegrateSingle
template __global__ decltype(integrateBodies<float>) integrateBodies<float>;

//cudagen:instantiate IntegrateDouble
template __global__ decltype(integrateBodies<double>) integrateBodies<double>;
