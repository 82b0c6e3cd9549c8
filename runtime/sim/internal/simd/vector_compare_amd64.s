//go:build !cudagen_portable

#include "textflag.h"
#include "vector_amd64.h"

// Comparisons gather a bit for each lane in R8.

#define OPERANDS         \
	MOVQ a+0(FP), SI \
	MOVQ b+8(FP), DX \
	XORL R8, R8

#define BITS              \
	MOVL R8, ret+16(FP) \
	DONE

// LOW leaves the low halves of the 8 lanes at o of a in Y0, and of b in Y1, in the order
// 0 1 4 5 2 3 6 7 of the lanes.
#define LOW(o)                               \
	VMOVUPS o(SI), Y0                    \
	VSHUFPS $0x88, (o+32)(SI), Y0, Y0    \
	VMOVUPS o(DX), Y1                    \
	VSHUFPS $0x88, (o+32)(DX), Y1, Y1

// LANES8 takes the signs of Y0 as the bits of the lanes at o, in that order.
#define LANES8(o)                  \
	VPERMQ    $0xd8, Y0, Y0    \
	VMOVMSKPS Y0, AX           \
	SHLL      $(o/8), AX       \
	ORL       AX, R8

// LANES4 takes the signs of Y0 as the bits of the lanes at o.
#define LANES4(o)                  \
	VMOVMSKPD Y0, AX           \
	SHLL      $(o/8), AX       \
	ORL       AX, R8

#define HALVES(PART) PART(0) PART(64) PART(128) PART(192)

#define EQ32(o)               \
	LOW(o)                \
	VPCMPEQD Y1, Y0, Y0   \
	LANES8(o)

#define LTS32(o)              \
	LOW(o)                \
	VPCMPGTD Y0, Y1, Y0   \
	LANES8(o)

// Y15 is the sign bits: without them, the unsigned compare as the signed.
#define LTU32(o)              \
	LOW(o)                \
	VPXOR    Y15, Y0, Y0  \
	VPXOR    Y15, Y1, Y1  \
	VPCMPGTD Y0, Y1, Y0   \
	LANES8(o)

#define EQ64(o)                    \
	VMOVDQU  o(SI), Y0         \
	VPCMPEQQ o(DX), Y0, Y0     \
	LANES4(o)

#define LTS64(o)                   \
	VMOVDQU  o(DX), Y0         \
	VPCMPGTQ o(SI), Y0, Y0     \
	LANES4(o)

#define LTU64(o)                   \
	VPXOR    o(SI), Y15, Y1    \
	VPXOR    o(DX), Y15, Y0    \
	VPCMPGTQ Y1, Y0, Y0        \
	LANES4(o)

// func avxEq32(a, b *lanes) uint32
TEXT ·avxEq32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(EQ32)
	BITS

// func avxLtS32(a, b *lanes) uint32
TEXT ·avxLtS32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(LTS32)
	BITS

// func avxLtU32(a, b *lanes) uint32
TEXT ·avxLtU32(SB), NOSPLIT, $0-20
	OPERANDS
	ALL(0x8000000080000000, AX, X15, Y15)
	HALVES(LTU32)
	BITS

// func avxEq64(a, b *lanes) uint32
TEXT ·avxEq64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(EQ64)
	BITS

// func avxLtS64(a, b *lanes) uint32
TEXT ·avxLtS64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(LTS64)
	BITS

// func avxLtU64(a, b *lanes) uint32
TEXT ·avxLtU64(SB), NOSPLIT, $0-20
	OPERANDS
	ALL(0x8000000000000000, AX, X15, Y15)
	EACH(LTU64)
	BITS

// The predicates of a comparison of floats are the processor's: 0 equal, 1 less, 2 less or equal,
// 3 one is NaN; 8 to 10 hold for a NaN, too.

#define EQF32(o) \
	LOW(o) \
	VCMPPS $0, Y1, Y0, Y0 \
	LANES8(o)

// func avxEqF32(a, b *lanes) uint32
TEXT ·avxEqF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(EQF32)
	BITS

#define LTF32(o) \
	LOW(o) \
	VCMPPS $1, Y1, Y0, Y0 \
	LANES8(o)

// func avxLtF32(a, b *lanes) uint32
TEXT ·avxLtF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(LTF32)
	BITS

#define LEF32(o) \
	LOW(o) \
	VCMPPS $2, Y1, Y0, Y0 \
	LANES8(o)

// func avxLeF32(a, b *lanes) uint32
TEXT ·avxLeF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(LEF32)
	BITS

#define NANF32(o) \
	LOW(o) \
	VCMPPS $3, Y1, Y0, Y0 \
	LANES8(o)

// func avxNanF32(a, b *lanes) uint32
TEXT ·avxNanF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(NANF32)
	BITS

#define EQUF32(o) \
	LOW(o) \
	VCMPPS $8, Y1, Y0, Y0 \
	LANES8(o)

// func avxEquF32(a, b *lanes) uint32
TEXT ·avxEquF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(EQUF32)
	BITS

#define LTUF32(o) \
	LOW(o) \
	VCMPPS $9, Y1, Y0, Y0 \
	LANES8(o)

// func avxLtuF32(a, b *lanes) uint32
TEXT ·avxLtuF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(LTUF32)
	BITS

#define LEUF32(o) \
	LOW(o) \
	VCMPPS $10, Y1, Y0, Y0 \
	LANES8(o)

// func avxLeuF32(a, b *lanes) uint32
TEXT ·avxLeuF32(SB), NOSPLIT, $0-20
	OPERANDS
	HALVES(LEUF32)
	BITS

#define EQF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $0, o(DX), Y0, Y0 \
	LANES4(o)

// func avxEqF64(a, b *lanes) uint32
TEXT ·avxEqF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(EQF64)
	BITS

#define LTF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $1, o(DX), Y0, Y0 \
	LANES4(o)

// func avxLtF64(a, b *lanes) uint32
TEXT ·avxLtF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(LTF64)
	BITS

#define LEF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $2, o(DX), Y0, Y0 \
	LANES4(o)

// func avxLeF64(a, b *lanes) uint32
TEXT ·avxLeF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(LEF64)
	BITS

#define NANF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $3, o(DX), Y0, Y0 \
	LANES4(o)

// func avxNanF64(a, b *lanes) uint32
TEXT ·avxNanF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(NANF64)
	BITS

#define EQUF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $8, o(DX), Y0, Y0 \
	LANES4(o)

// func avxEquF64(a, b *lanes) uint32
TEXT ·avxEquF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(EQUF64)
	BITS

#define LTUF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $9, o(DX), Y0, Y0 \
	LANES4(o)

// func avxLtuF64(a, b *lanes) uint32
TEXT ·avxLtuF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(LTUF64)
	BITS

#define LEUF64(o) \
	VMOVUPD o(SI), Y0 \
	VCMPPD $10, o(DX), Y0, Y0 \
	LANES4(o)

// func avxLeuF64(a, b *lanes) uint32
TEXT ·avxLeuF64(SB), NOSPLIT, $0-20
	OPERANDS
	EACH(LEUF64)
	BITS
