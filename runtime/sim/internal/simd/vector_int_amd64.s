//go:build !cudagen_portable

#include "textflag.h"
#include "vector_amd64.h"

// What is above the width of a type is not specified, so that sums, differences and logic
// are those of 8 bytes, and the low half of a product is that of the product of the low halves.

#define ADD(o)                  \
	VMOVDQU o(SI), Y0       \
	VPADDQ  o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define SUB(o)                  \
	VMOVDQU o(SI), Y0       \
	VPSUBQ  o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define AND(o)                  \
	VMOVDQU o(SI), Y0       \
	VPAND   o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define OR(o)                   \
	VMOVDQU o(SI), Y0       \
	VPOR    o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define XOR(o)                  \
	VMOVDQU o(SI), Y0       \
	VPXOR   o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define MOV(o)                  \
	VMOVDQU o(SI), Y0       \
	VMOVDQU Y0, o(DI)

#define MULU32(o)               \
	VMOVDQU  o(SI), Y0      \
	VPMULUDQ o(DX), Y0, Y0  \
	VMOVDQU  Y0, o(DI)

#define MULS32(o)               \
	VMOVDQU o(SI), Y0       \
	VPMULDQ o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define MADU32(o)               \
	VMOVDQU  o(SI), Y0      \
	VPMULUDQ o(DX), Y0, Y0  \
	VPADDQ   o(CX), Y0, Y0  \
	VMOVDQU  Y0, o(DI)

#define MADS32(o)               \
	VMOVDQU o(SI), Y0       \
	VPMULDQ o(DX), Y0, Y0   \
	VPADDQ  o(CX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define HIGHU32(o)              \
	VMOVDQU  o(SI), Y0      \
	VPMULUDQ o(DX), Y0, Y0  \
	VPSRLQ   $32, Y0, Y0    \
	VMOVDQU  Y0, o(DI)

#define HIGHS32(o)              \
	VMOVDQU o(SI), Y0       \
	VPMULDQ o(DX), Y0, Y0   \
	VPSRLQ  $32, Y0, Y0     \
	VMOVDQU Y0, o(DI)

#define MUL64(o)                \
	VMOVDQU  o(SI), Y0      \
	VMOVDQU  o(DX), Y1      \
	VPSRLQ   $32, Y0, Y2    \
	VPMULUDQ Y1, Y2, Y2     \
	VPSRLQ   $32, Y1, Y3    \
	VPMULUDQ Y0, Y3, Y3     \
	VPADDQ   Y3, Y2, Y2     \
	VPSLLQ   $32, Y2, Y2    \
	VPMULUDQ Y1, Y0, Y0     \
	VPADDQ   Y2, Y0, Y0     \
	VMOVDQU  Y0, o(DI)

// Y15 has the low halves' bits.
#define SHL(o)                  \
	VMOVDQU o(DX), Y1       \
	VPAND   Y15, Y1, Y1     \
	VMOVDQU o(SI), Y0       \
	VPSLLVQ Y1, Y0, Y0      \
	VMOVDQU Y0, o(DI)

#define SHRU64(o)               \
	VMOVDQU o(DX), Y1       \
	VPAND   Y15, Y1, Y1     \
	VMOVDQU o(SI), Y0       \
	VPSRLVQ Y1, Y0, Y0      \
	VMOVDQU Y0, o(DI)

#define SHRU32(o)               \
	VMOVDQU o(SI), Y0       \
	VPSRLVD o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define SHRS32(o)               \
	VMOVDQU o(SI), Y0       \
	VPSRAVD o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define MINU32(o)               \
	VMOVDQU o(SI), Y0       \
	VPMINUD o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define MINS32(o)               \
	VMOVDQU o(SI), Y0       \
	VPMINSD o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define MAXU32(o)               \
	VMOVDQU o(SI), Y0       \
	VPMAXUD o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

#define MAXS32(o)               \
	VMOVDQU o(SI), Y0       \
	VPMAXSD o(DX), Y0, Y0   \
	VMOVDQU Y0, o(DI)

// Y15 is 1.
#define EXTENDS32(o)            \
	VPMULDQ o(SI), Y15, Y0  \
	VMOVDQU Y0, o(DI)

#define EXTENDU32(o)            \
	VPAND   o(SI), Y15, Y0  \
	VMOVDQU Y0, o(DI)

// func avxAdd(d, a, b, c *lanes)
TEXT ·avxAdd(SB), NOSPLIT, $0-32
	BINARY
	EACH(ADD)
	DONE

// func avxSub(d, a, b, c *lanes)
TEXT ·avxSub(SB), NOSPLIT, $0-32
	BINARY
	EACH(SUB)
	DONE

// func avxAnd(d, a, b, c *lanes)
TEXT ·avxAnd(SB), NOSPLIT, $0-32
	BINARY
	EACH(AND)
	DONE

// func avxOr(d, a, b, c *lanes)
TEXT ·avxOr(SB), NOSPLIT, $0-32
	BINARY
	EACH(OR)
	DONE

// func avxXor(d, a, b, c *lanes)
TEXT ·avxXor(SB), NOSPLIT, $0-32
	BINARY
	EACH(XOR)
	DONE

// func avxMov(d, a, b, c *lanes)
TEXT ·avxMov(SB), NOSPLIT, $0-32
	UNARY
	EACH(MOV)
	DONE

// func avxMulWideU32(d, a, b, c *lanes)
TEXT ·avxMulWideU32(SB), NOSPLIT, $0-32
	BINARY
	EACH(MULU32)
	DONE

// func avxMulWideS32(d, a, b, c *lanes)
TEXT ·avxMulWideS32(SB), NOSPLIT, $0-32
	BINARY
	EACH(MULS32)
	DONE

// func avxMadWideU32(d, a, b, c *lanes)
TEXT ·avxMadWideU32(SB), NOSPLIT, $0-32
	TERNARY
	EACH(MADU32)
	DONE

// func avxMadWideS32(d, a, b, c *lanes)
TEXT ·avxMadWideS32(SB), NOSPLIT, $0-32
	TERNARY
	EACH(MADS32)
	DONE

// func avxMulHiU32(d, a, b, c *lanes)
TEXT ·avxMulHiU32(SB), NOSPLIT, $0-32
	BINARY
	EACH(HIGHU32)
	DONE

// func avxMulHiS32(d, a, b, c *lanes)
TEXT ·avxMulHiS32(SB), NOSPLIT, $0-32
	BINARY
	EACH(HIGHS32)
	DONE

// func avxMul64(d, a, b, c *lanes)
TEXT ·avxMul64(SB), NOSPLIT, $0-32
	BINARY
	EACH(MUL64)
	DONE

// func avxShl(d, a, b, c *lanes)
TEXT ·avxShl(SB), NOSPLIT, $0-32
	BINARY
	ALL(0x00000000ffffffff, AX, X15, Y15)
	EACH(SHL)
	DONE

// func avxShrU64(d, a, b, c *lanes)
TEXT ·avxShrU64(SB), NOSPLIT, $0-32
	BINARY
	ALL(0x00000000ffffffff, AX, X15, Y15)
	EACH(SHRU64)
	DONE

// func avxShrU32(d, a, b, c *lanes)
TEXT ·avxShrU32(SB), NOSPLIT, $0-32
	BINARY
	EACH(SHRU32)
	DONE

// func avxShrS32(d, a, b, c *lanes)
TEXT ·avxShrS32(SB), NOSPLIT, $0-32
	BINARY
	EACH(SHRS32)
	DONE

// func avxMinU32(d, a, b, c *lanes)
TEXT ·avxMinU32(SB), NOSPLIT, $0-32
	BINARY
	EACH(MINU32)
	DONE

// func avxMinS32(d, a, b, c *lanes)
TEXT ·avxMinS32(SB), NOSPLIT, $0-32
	BINARY
	EACH(MINS32)
	DONE

// func avxMaxU32(d, a, b, c *lanes)
TEXT ·avxMaxU32(SB), NOSPLIT, $0-32
	BINARY
	EACH(MAXU32)
	DONE

// func avxMaxS32(d, a, b, c *lanes)
TEXT ·avxMaxS32(SB), NOSPLIT, $0-32
	BINARY
	EACH(MAXS32)
	DONE

// func avxExtendS32(d, a, b, c *lanes)
TEXT ·avxExtendS32(SB), NOSPLIT, $0-32
	UNARY
	ALL(1, AX, X15, Y15)
	EACH(EXTENDS32)
	DONE

// func avxExtendU32(d, a, b, c *lanes)
TEXT ·avxExtendU32(SB), NOSPLIT, $0-32
	UNARY
	ALL(0x00000000ffffffff, AX, X15, Y15)
	EACH(EXTENDU32)
	DONE
