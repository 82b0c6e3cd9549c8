//go:build !cudagen_portable

#include "textflag.h"
#include "vector_amd64.h"

// Y15 is the NaN that every f32 operation makes, in both halves of 8 bytes.
#define CANONICAL ALL(0x7fffffff7fffffff, AX, X15, Y15)

// RESULT32 stores the f32 in Y0, a NaN as the canonical one.
#define RESULT32(o)                    \
	VCMPPS    $3, Y0, Y0, Y1       \
	VBLENDVPS Y1, Y15, Y0, Y0      \
	VMOVUPS   Y0, o(DI)

#define ADD32(o)                \
	VMOVUPS o(SI), Y0       \
	VADDPS  o(DX), Y0, Y0   \
	RESULT32(o)

#define SUB32(o)                \
	VMOVUPS o(SI), Y0       \
	VSUBPS  o(DX), Y0, Y0   \
	RESULT32(o)

#define MUL32(o)                \
	VMOVUPS o(SI), Y0       \
	VMULPS  o(DX), Y0, Y0   \
	RESULT32(o)

#define DIV32(o)                \
	VMOVUPS o(SI), Y0       \
	VDIVPS  o(DX), Y0, Y0   \
	RESULT32(o)

#define FMA32(o)                     \
	VMOVUPS     o(CX), Y0        \
	VMOVUPS     o(SI), Y2        \
	VFMADD231PS o(DX), Y2, Y0    \
	RESULT32(o)

#define SQRT32(o)             \
	VSQRTPS o(SI), Y0     \
	RESULT32(o)

// func avxAddF32(d, a, b, c *lanes)
TEXT ·avxAddF32(SB), NOSPLIT, $0-32
	BINARY
	CANONICAL
	EACH(ADD32)
	DONE

// func avxSubF32(d, a, b, c *lanes)
TEXT ·avxSubF32(SB), NOSPLIT, $0-32
	BINARY
	CANONICAL
	EACH(SUB32)
	DONE

// func avxMulF32(d, a, b, c *lanes)
TEXT ·avxMulF32(SB), NOSPLIT, $0-32
	BINARY
	CANONICAL
	EACH(MUL32)
	DONE

// func avxDivF32(d, a, b, c *lanes)
TEXT ·avxDivF32(SB), NOSPLIT, $0-32
	BINARY
	CANONICAL
	EACH(DIV32)
	DONE

// func avxFmaF32(d, a, b, c *lanes)
TEXT ·avxFmaF32(SB), NOSPLIT, $0-32
	TERNARY
	CANONICAL
	EACH(FMA32)
	DONE

// func avxSqrtF32(d, a, b, c *lanes)
TEXT ·avxSqrtF32(SB), NOSPLIT, $0-32
	UNARY
	CANONICAL
	EACH(SQRT32)
	DONE

#define RCP32(o)                \
	VDIVPS o(SI), Y14, Y0   \
	RESULT32(o)

// func avxRcpF32(d, a, b, c *lanes)
TEXT ·avxRcpF32(SB), NOSPLIT, $0-32
	UNARY
	CANONICAL
	ALL(0x3f8000003f800000, AX, X14, Y14)
	EACH(RCP32)
	DONE

// Y14 is 1.0, of 8 bytes. The square root and the quotient are rounded as doubles and then once
// more.
#define RSQRT32(o)                       \
	VMOVUPS      o(SI), X0           \
	VSHUFPS      $0x88, (o+16)(SI), X0, X0 \
	VCVTPS2PD    X0, Y0              \
	VSQRTPD      Y0, Y0              \
	VDIVPD       Y0, Y14, Y0         \
	VCVTPD2PSY   Y0, X0              \
	VCMPPS       $3, X0, X0, X1      \
	VBLENDVPS    X1, X15, X0, X0     \
	VPMOVZXDQ    X0, Y0              \
	VMOVUPS      Y0, o(DI)

// func avxRsqrtF32(d, a, b, c *lanes)
TEXT ·avxRsqrtF32(SB), NOSPLIT, $0-32
	UNARY
	CANONICAL
	ALL(0x3ff0000000000000, AX, X14, Y14)
	EACH(RSQRT32)
	DONE

// Y14 is the sign bits.
#define NEG32(o)                   \
	VMOVUPS   o(SI), Y0        \
	VCMPPS    $3, Y0, Y0, Y1   \
	VXORPS    Y14, Y0, Y0      \
	VBLENDVPS Y1, Y15, Y0, Y0  \
	VMOVUPS   Y0, o(DI)

#define ABS32(o)                   \
	VMOVUPS   o(SI), Y0        \
	VCMPPS    $3, Y0, Y0, Y1   \
	VANDNPS   Y0, Y14, Y0      \
	VBLENDVPS Y1, Y15, Y0, Y0  \
	VMOVUPS   Y0, o(DI)

// func avxNegF32(d, a, b, c *lanes)
TEXT ·avxNegF32(SB), NOSPLIT, $0-32
	UNARY
	CANONICAL
	ALL(0x8000000080000000, AX, X14, Y14)
	EACH(NEG32)
	DONE

// func avxAbsF32(d, a, b, c *lanes)
TEXT ·avxAbsF32(SB), NOSPLIT, $0-32
	UNARY
	CANONICAL
	ALL(0x8000000080000000, AX, X14, Y14)
	EACH(ABS32)
	DONE

// The processor's minimum is its second source where one is NaN or both are zero. Equal
// operands are one value or zeros, of which the minimum has either sign, the maximum both.
// A NaN is left where both operands are: the canonical one.
#define OTHEROFNAN(o)              \
	VCMPPS    $3, Y0, Y0, Y4   \
	VBLENDVPS Y4, Y1, Y2, Y2   \
	VCMPPS    $3, Y1, Y1, Y4   \
	VBLENDVPS Y4, Y0, Y2, Y2   \
	VCMPPS    $3, Y2, Y2, Y4   \
	VBLENDVPS Y4, Y15, Y2, Y2  \
	VMOVUPS   Y2, o(DI)

#define MIN32(o)                   \
	VMOVUPS   o(SI), Y0        \
	VMOVUPS   o(DX), Y1        \
	VMINPS    Y1, Y0, Y2       \
	VCMPPS    $0, Y1, Y0, Y3   \
	VORPS     Y1, Y0, Y4       \
	VBLENDVPS Y3, Y4, Y2, Y2   \
	OTHEROFNAN(o)

#define MAX32(o)                   \
	VMOVUPS   o(SI), Y0        \
	VMOVUPS   o(DX), Y1        \
	VMAXPS    Y1, Y0, Y2       \
	VCMPPS    $0, Y1, Y0, Y3   \
	VANDPS    Y1, Y0, Y4       \
	VBLENDVPS Y3, Y4, Y2, Y2   \
	OTHEROFNAN(o)

// func avxMinF32(d, a, b, c *lanes)
TEXT ·avxMinF32(SB), NOSPLIT, $0-32
	BINARY
	CANONICAL
	EACH(MIN32)
	DONE

// func avxMaxF32(d, a, b, c *lanes)
TEXT ·avxMaxF32(SB), NOSPLIT, $0-32
	BINARY
	CANONICAL
	EACH(MAX32)
	DONE

#define INTTOF32(o)            \
	VCVTDQ2PS o(SI), Y0    \
	VMOVUPS   Y0, o(DI)

// func avxS32ToF32(d, a, b, c *lanes)
TEXT ·avxS32ToF32(SB), NOSPLIT, $0-32
	UNARY
	EACH(INTTOF32)
	DONE

// Of two NaNs the processor takes its first source: that is b, as of the devices.
#define ADD64F(o)               \
	VMOVUPD o(DX), Y0       \
	VADDPD  o(SI), Y0, Y0   \
	VMOVUPD Y0, o(DI)

#define MUL64F(o)               \
	VMOVUPD o(DX), Y0       \
	VMULPD  o(SI), Y0, Y0   \
	VMOVUPD Y0, o(DI)

// Y15 is the bit that makes a NaN quiet.
#define SUB64F(o)                   \
	VMOVUPD   o(DX), Y1         \
	VMOVUPD   o(SI), Y0         \
	VSUBPD    Y1, Y0, Y0        \
	VCMPPD    $3, Y1, Y1, Y2    \
	VORPD     Y15, Y1, Y1       \
	VBLENDVPD Y2, Y1, Y0, Y0    \
	VMOVUPD   Y0, o(DI)

#define DIV64F(o)               \
	VMOVUPD o(SI), Y0       \
	VDIVPD  o(DX), Y0, Y0   \
	VMOVUPD Y0, o(DI)

#define SQRT64F(o)              \
	VSQRTPD o(SI), Y0       \
	VMOVUPD Y0, o(DI)

// func avxAddF64(d, a, b, c *lanes)
TEXT ·avxAddF64(SB), NOSPLIT, $0-32
	BINARY
	EACH(ADD64F)
	DONE

// func avxMulF64(d, a, b, c *lanes)
TEXT ·avxMulF64(SB), NOSPLIT, $0-32
	BINARY
	EACH(MUL64F)
	DONE

// func avxSubF64(d, a, b, c *lanes)
TEXT ·avxSubF64(SB), NOSPLIT, $0-32
	BINARY
	ALL(0x0008000000000000, AX, X15, Y15)
	EACH(SUB64F)
	DONE

// func avxDivF64(d, a, b, c *lanes)
TEXT ·avxDivF64(SB), NOSPLIT, $0-32
	BINARY
	EACH(DIV64F)
	DONE

// func avxSqrtF64(d, a, b, c *lanes)
TEXT ·avxSqrtF64(SB), NOSPLIT, $0-32
	UNARY
	EACH(SQRT64F)
	DONE

// FMA64F leaves a sum in sum, and in Y9 where it or one before is NaN.
#define FMA64F(o, sum)                   \
	VMOVUPD     o(CX), sum           \
	VMOVUPD     o(SI), Y8            \
	VFMADD231PD o(DX), Y8, sum       \
	VCMPPD      $3, sum, sum, Y8     \
	VORPD       Y8, Y9, Y9

// func avxFmaF64(d, a, b, c *lanes) bool
TEXT ·avxFmaF64(SB), NOSPLIT, $0-33
	TERNARY
	VXORPD  Y9, Y9, Y9
	FMA64F(0, Y0)
	FMA64F(32, Y1)
	FMA64F(64, Y2)
	FMA64F(96, Y3)
	FMA64F(128, Y4)
	FMA64F(160, Y5)
	FMA64F(192, Y6)
	FMA64F(224, Y7)
	VPTEST  Y9, Y9
	SETEQ   ret+32(FP)
	JNE     nan
	VMOVUPD Y0, 0(DI)
	VMOVUPD Y1, 32(DI)
	VMOVUPD Y2, 64(DI)
	VMOVUPD Y3, 96(DI)
	VMOVUPD Y4, 128(DI)
	VMOVUPD Y5, 160(DI)
	VMOVUPD Y6, 192(DI)
	VMOVUPD Y7, 224(DI)

nan:
	DONE
