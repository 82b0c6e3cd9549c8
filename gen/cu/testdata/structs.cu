// Structs whose layout is not understood are errors where they are used by value.
#define FIELD int hidden;
#define TYPE float
#define SIZE 4
#define HD __host__ __device__
#ifdef SOMETHING
#define MAYBE 3
#endif
struct Incomplete;
struct BitField { int a : 3; };
struct Base { int a; };
struct Derived : Base { int b; };
struct Virtual { virtual void f(); int a; };
struct Macro { FIELD int a; };
struct TypeMacro { TYPE a; };
struct Unknown { mystery_t a; };
struct Unsized { int n; float tail[]; };
struct Zero { float none[0]; };
struct Maybe { float a[MAYBE]; };
struct Runtime { float a[count]; };
struct Packed { char c; int i; } __attribute__((packed));
struct Odd { alignas(24) int i; };
struct Strange { [[no_unique_address]] int i; };
struct Callback { void (*f)(int); };
struct Union { union { int a; float b; }; };
struct Unnamed { struct { int a; } inner; };
struct Conditional {
  int a;
#ifdef SOMETHING
  int b;
#endif
};
struct Nested { BitField inner; };
struct Pointing { BitField *inner; Incomplete *other; };
struct Indirect { Incomplete inner; };
__align__(16) struct Before { int a; };
#pragma pack(push, 1)
struct Pragma { char c; int i; };
#pragma pack(pop)
struct Shouted { char c; int i; } PACKED;
typedef struct { char c; int i; } PACKED Both;
typedef struct { char c; int i; } QUIET;
struct Variable { char c; int i; } variable = {1, 2};
struct Inside { struct Deep { char c; } PACKED; };
struct Plain { HD Plain() {} HD int get() const { return a[0]; } char c; int a[SIZE]; };

__global__ void incomplete(Incomplete /* ERROR "declared but not defined" */ s);
__global__ void bits(BitField /* ERROR "^bits: parameter s has type BitField, whose layout is not understood: field a is a bit-field \(testdata/structs.cu:10:25\)" */ s);
__global__ void derived(Derived /* ERROR "it has base classes" */ s);
__global__ void virtuals(Virtual /* ERROR "it has virtual functions" */ s);
__global__ void macros(Macro /* ERROR "uses macro FIELD" */ s, TypeMacro /* ERROR "uses macro TYPE" */ t);
__global__ void unknown(Unknown /* ERROR "a field has unknown type mystery_t" */ s);
__global__ void unsized(Unsized /* ERROR "field tail has an array bound that is not understood: an expression is missing" */ s);
__global__ void zero(Zero /* ERROR "bound that is not positive" */ s);
__global__ void maybe(Maybe /* ERROR "macro MAYBE is defined under a condition" */ s);
__global__ void runtime(Runtime /* ERROR "count is not a constant that is known here" */ s);
__global__ void packed(Packed /* ERROR "attribute packed" */ s);
__global__ void odd(Odd /* ERROR "not a power of two" */ s);
__global__ void strange(Strange /* ERROR "attribute no_unique_address" */ s);
__global__ void callback(Callback /* ERROR "a member that is not understood" */ s);
__global__ void unions(Union /* ERROR "unnamed union as a member" */ s, Unnamed /* ERROR "type is an unnamed struct" */ t);
__global__ void conditional(Conditional /* ERROR "conditional compilation" */ s);
__global__ void nested(Nested /* ERROR "field inner has type BitField, whose layout is not understood: field a is a bit-field" */ s);
__global__ void indirect(Indirect /* ERROR "field inner has type Incomplete, which is declared" */ s, Indirect t[2]);
__global__ void before(Before /* ERROR "__align__ stands before the word struct" */ s);
__global__ void pragma(Pragma /* ERROR "under #pragma pack" */ s);
__global__ void fine(BitField *a, Derived *b, Pointing c, Base d, Plain e, struct Incomplete *f);
__global__ void shouted(Shouted /* ERROR "PACKED stands behind its }, and may be a macro" */ a, Both /* ERROR "may be a macro|unknown type Both, a typedef" */ b, Inside /* ERROR "may be a macro" */ c);
__global__ void quiet(QUIET a, Variable b);
_Pragma("pack(1)")
struct Late { char c; int i; };
__global__ void late(Late /* ERROR "under #pragma pack" */ a);
