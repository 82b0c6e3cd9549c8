// Classes whose layout is refused.
struct Empty {};
struct Plain { int x; char c; };
struct Defaulted { Defaulted() = default; int x; char c; };
struct Private { Private(); int x; char c; };
struct __attribute__((packed)) Packed { char c; int i; };
struct Flags { int a : 3; };

struct VirtualFunction { virtual void f(); int x; };
struct VirtualBase : virtual Plain { int x; };
struct __attribute__((packed)) PackedDerived : Plain { int y; };
struct FromPacked : Packed { char d; };
struct FromFlags : Flags { char d; };
struct Unsure : Defaulted { char d; };
struct UnsureBits : Defaulted { int d : 3; };
struct InUnion : Empty { union { Empty e; int i; } u; };
struct LongDouble { long double d; };
struct __attribute__((packed)) PackedPrivate { char c; Private p; };
struct PackedAligned { char c; alignas(16) int i __attribute__((packed)); };
#pragma pack(push, 2)
struct AlignedUnderPack { char c; alignas(16) int i; };
#pragma pack(pop)
struct __attribute__((packed)) PackedBits { int a : 3; };
struct TooWide { char a : 9; };
struct Unnamed { char c; int : 5; };
struct ManyEmpty : Empty { struct { Empty e[5000]; } m; };
struct Huge { double d[1L << 40][1L << 40]; };
struct Large { double d[1L << 45]; double e[1L << 45]; double f[1L << 45]; };

extern "C" __global__ void a(VirtualFunction x) {}
//                         ^ ERROR "it has virtual functions, and kernels cannot use objects that the host made of such a class"
extern "C" __global__ void b(VirtualBase x) {}
//                         ^ ERROR "base class Plain is virtual, and kernels cannot use objects that the host made of such a class"
extern "C" __global__ void c(PackedDerived x) {}
//                         ^ ERROR "it is packed and has base classes, which compilers lay out in different ways"
extern "C" __global__ void d(FromPacked x) {}
//                         ^ ERROR "its base class Packed is packed or has bit-fields, and nvcc itself has two opinions on the size of such a parameter"
extern "C" __global__ void e(FromFlags x) {}
//                         ^ ERROR "its base class Flags is packed or has bit-fields, and nvcc itself has two opinions on the size of such a parameter"
extern "C" __global__ void f(Unsure x) {}
//                         ^ ERROR "compilers differ on whether the padding behind its base class is used again, because members are defaulted or fields are initialised"
extern "C" __global__ void g(UnsureBits x) {}
//                         ^ ERROR "a bit-field follows its base class, whose padding compilers use in different ways"
extern "C" __global__ void h(InUnion x) {}
//                         ^ ERROR "it has Empty twice at one place, once in a union, which compilers lay out in different ways"
extern "C" __global__ void i(LongDouble x) {}
//                         ^ ERROR "field d is a long double, which has 8 bytes in device code, but nvcc lays out classes with it in two ways"
extern "C" __global__ void j(PackedPrivate x) {}
//                         ^ ERROR "field p is packed, but its class is not a plain C struct, and compilers differ on what that means"
extern "C" __global__ void k(PackedAligned x) {}
//                         ^ ERROR "field i is both packed and aligned, which compilers understand in different ways"
extern "C" __global__ void l(AlignedUnderPack x) {}
//                         ^ ERROR "field i is aligned under #pragma pack, which compilers understand in different ways"
extern "C" __global__ void m(PackedBits x) {}
//                         ^ ERROR "it has bit-fields that are packed or aligned, which compilers lay out in different ways"
extern "C" __global__ void n(TooWide x) {}
//                         ^ ERROR "bit-field a has 9 bits, and its type has 8"
extern "C" __global__ void o(Unnamed x) {}
//                         ^ ERROR "a bit-field without a name has a type that is aligned more than the rest, which hosts treat in different ways"
extern "C" __global__ void p(ManyEmpty x) {}
//                         ^ ERROR "it has too many empty members, the last of class Empty"
extern "C" __global__ void q(Huge x) {}
//                         ^ ERROR "array double\[1099511627776\]\[1099511627776\] is too large"
extern "C" __global__ void r(Large x) {}
//                         ^ ERROR "struct Large is too large"
extern "C" __global__ void s(int n, Plain (*x)[sizeof(LongDouble)]) {}
//                                             ^ ERROR "field d is a long double, which has 8 bytes in device code, but nvcc lays out classes with it in two ways \(or leave the kernel out with //cudagen:ignore\)"
