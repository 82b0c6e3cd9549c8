struct Size { int width, height; };
//cudagen:block 8,8
//cudagen:threads size.width,size.height
//                ^ ERROR "k: size.width is not understood: directives read no fields of parameters: make width a parameter of its own, or launch with LaunchWith"
//cudagen:len x=other.width
//              ^ ERROR "other.width is not understood: there are block.x, block.y, block.z"
extern "C" __global__ void k(Size size, float *x) {}
