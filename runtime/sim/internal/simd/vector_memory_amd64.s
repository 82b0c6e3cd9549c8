//go:build !cudagen_portable

#include "go_asm.h"
#include "textflag.h"
#include "vector_amd64.h"

// Y15 is the mask's bits, each as the sign of its lane's 8 bytes; Y14 says by how much the part
// at hand is shifted, Y13 the difference to the next part.
#define SELECT(o)                       \
	VPSLLVQ   Y14, Y15, Y1          \
	VPSUBQ    Y13, Y14, Y14         \
	VMOVUPD   o(DX), Y0             \
	VBLENDVPD Y1, o(SI), Y0, Y0     \
	VMOVUPD   Y0, o(DI)

DATA firstShifts<>+0(SB)/8, $63
DATA firstShifts<>+8(SB)/8, $62
DATA firstShifts<>+16(SB)/8, $61
DATA firstShifts<>+24(SB)/8, $60
GLOBL firstShifts<>(SB), RODATA|NOPTR, $32

// func avxSelect(d, a, b *lanes, p uint32)
TEXT ·avxSelect(SB), NOSPLIT, $0-28
	BINARY
	MOVL         p+24(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	VMOVDQU      firstShifts<>(SB), Y14
	ALL(4, AX, X13, Y13)
	EACH(SELECT)
	DONE

// func avxBlend(d, s *lanes, e uint32)
TEXT ·avxBlend(SB), NOSPLIT, $0-20
	MOVQ         d+0(FP), DI
	MOVQ         s+8(FP), SI
	MOVQ         DI, DX
	MOVL         e+16(FP), AX
	VMOVD        AX, X15
	VPBROADCASTD X15, Y15
	VMOVDQU      firstShifts<>(SB), Y14
	ALL(4, AX, X13, Y13)
	EACH(SELECT)
	DONE

#define FILL(o) \
	VMOVDQU Y0, o(DI)

// func avxFill(d *lanes, value uint64)
TEXT ·avxFill(SB), NOSPLIT, $0-16
	MOVQ         d+0(FP), DI
	VPBROADCASTQ value+8(FP), Y0
	EACH(FILL)
	DONE

// func avxFillHalf(d *halfLanes, value uint64)
TEXT ·avxFillHalf(SB), NOSPLIT, $0-16
	MOVQ         d+0(FP), DI
	VPBROADCASTQ value+8(FP), Y0
	FILL(0)
	FILL(32)
	FILL(64)
	FILL(96)
	DONE

// Y0 the offsets; Y15 to Y8 mask, sum, sign, last, low bits, the first offset, the offset that a
// neighbour has, and the difference to the next part's; Y7 where an offset is too large or
// misaligned, Y6 where they are equal, Y5 where neighbours.
#define OFFSETS(o)                      \
	VPAND    o(SI), Y15, Y0         \
	VPADDQ   Y14, Y0, Y0            \
	VMOVDQU  Y0, o(DI)              \
	VPXOR    Y13, Y0, Y1            \
	VPCMPGTQ Y12, Y1, Y1            \
	VPOR     Y1, Y7, Y7             \
	VPAND    Y11, Y0, Y1            \
	VPOR     Y1, Y7, Y7             \
	VPCMPEQQ Y10, Y0, Y1            \
	VPAND    Y1, Y6, Y6             \
	VPCMPEQQ Y9, Y0, Y1             \
	VPAND    Y1, Y5, Y5             \
	VPADDQ   Y8, Y9, Y9

// func avxOffsets(offsets, addrs *lanes, r *reach) pattern
TEXT ·avxOffsets(SB), NOSPLIT, $0-25
	MOVQ         offsets+0(FP), DI
	MOVQ         addrs+8(FP), SI
	MOVQ         r+16(FP), DX
	VPBROADCASTQ Reach_Mask(DX), Y15
	VPBROADCASTQ Reach_Add(DX), Y14
	ALL(0x8000000000000000, AX, X13, Y13)
	VPBROADCASTQ Reach_Last(DX), Y12
	VPXOR        Y13, Y12, Y12
	MOVQ         Reach_Width(DX), R8
	LEAQ         -1(R8), AX
	VMOVQ        AX, X11
	VPBROADCASTQ X11, Y11
	VPBROADCASTQ (SI), Y10
	VPAND        Y15, Y10, Y10
	VPADDQ       Y14, Y10, Y10
	VMOVQ        R8, X8
	VPBROADCASTQ X8, Y8
	VPMULUDQ     numbers<>(SB), Y8, Y9
	VPADDQ       Y10, Y9, Y9
	VPSLLQ       $2, Y8, Y8
	VPXOR        Y7, Y7, Y7
	VPCMPEQQ     Y6, Y6, Y6
	VMOVDQA      Y6, Y5
	EACH(OFFSETS)
	XORL         AX, AX
	VPTEST       Y7, Y7
	JNE          found
	VPCMPEQQ     Y1, Y1, Y1
	MOVL         $const_Equal, AX
	VPTEST       Y1, Y6
	JCS          found
	MOVL         $const_Consecutive, AX
	VPTEST       Y1, Y5
	JCS          found
	MOVL         $const_Anywhere, AX

found:
	MOVB AX, ret+24(FP)
	DONE

DATA numbers<>+0(SB)/8, $0
DATA numbers<>+8(SB)/8, $1
DATA numbers<>+16(SB)/8, $2
DATA numbers<>+24(SB)/8, $3
GLOBL numbers<>(SB), RODATA|NOPTR, $32

// Y0 the lowest, Y1 the highest of the lanes' places in a part.
#define EXTENT(o)                       \
	VMOVDQU   o(SI), Y2             \
	VPCMPGTQ  Y2, Y0, Y3            \
	VBLENDVPD Y3, Y2, Y0, Y0        \
	VPCMPGTQ  Y1, Y2, Y3            \
	VBLENDVPD Y3, Y2, Y1, Y1

// func avxExtremes(offsets *lanes) (lowest, highest uint64)
TEXT ·avxExtremes(SB), NOSPLIT, $0-24
	MOVQ         offsets+0(FP), SI
	VMOVDQU      (SI), Y0
	VMOVDQA      Y0, Y1
	EACH(EXTENT)
	VEXTRACTI128 $1, Y0, X2
	VPCMPGTQ     X2, X0, X3
	VBLENDVPD    X3, X2, X0, X0
	VPSHUFD      $0x4e, X0, X2
	VPCMPGTQ     X2, X0, X3
	VBLENDVPD    X3, X2, X0, X0
	VMOVQ        X0, AX
	MOVQ         AX, lowest+8(FP)
	VEXTRACTI128 $1, Y1, X2
	VPCMPGTQ     X1, X2, X3
	VBLENDVPD    X3, X2, X1, X1
	VPSHUFD      $0x4e, X1, X2
	VPCMPGTQ     X1, X2, X3
	VBLENDVPD    X3, X2, X1, X1
	VMOVQ        X1, AX
	MOVQ         AX, highest+16(FP)
	DONE

#define NEAR32(o)                 \
	VPMOVZXDQ (o/2)(SI), Y0   \
	VMOVDQU   Y0, o(DI)

#define NEARS32(o)                \
	VPMOVSXDQ (o/2)(SI), Y0   \
	VMOVDQU   Y0, o(DI)

#define NEAR16(o)                 \
	VPMOVZXWQ (o/4)(SI), Y0   \
	VMOVDQU   Y0, o(DI)

#define NEAR8(o)                  \
	VPMOVZXBQ (o/8)(SI), Y0   \
	VMOVDQU   Y0, o(DI)

#define NEAR64(o)                 \
	VMOVDQU o(SI), Y0         \
	VMOVDQU Y0, o(DI)

// func avxHalf32(d *halfLanes, p unsafe.Pointer)
TEXT ·avxHalf32(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ p+8(FP), SI
	NEAR32(0)
	NEAR32(32)
	NEAR32(64)
	NEAR32(96)
	DONE

// func avxLoadNear8(d *lanes, p unsafe.Pointer)
TEXT ·avxLoadNear8(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ p+8(FP), SI
	EACH(NEAR8)
	DONE

// func avxLoadNear16(d *lanes, p unsafe.Pointer)
TEXT ·avxLoadNear16(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ p+8(FP), SI
	EACH(NEAR16)
	DONE

// func avxLoadNear32(d *lanes, p unsafe.Pointer)
TEXT ·avxLoadNear32(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ p+8(FP), SI
	EACH(NEAR32)
	DONE

// func avxLoadNearS32(d *lanes, p unsafe.Pointer)
TEXT ·avxLoadNearS32(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ p+8(FP), SI
	EACH(NEARS32)
	DONE

// func avxLoadNear64(d *lanes, p unsafe.Pointer)
TEXT ·avxLoadNear64(SB), NOSPLIT, $0-16
	MOVQ d+0(FP), DI
	MOVQ p+8(FP), SI
	EACH(NEAR64)
	DONE

#define STORENEAR32(o)                         \
	VMOVUPS o(SI), Y0                      \
	VSHUFPS $0x88, (o+32)(SI), Y0, Y0      \
	VPERMQ  $0xd8, Y0, Y0                  \
	VMOVUPS Y0, (o/2)(DI)

// func avxStoreNear32(p unsafe.Pointer, s *lanes)
TEXT ·avxStoreNear32(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), DI
	MOVQ s+8(FP), SI
	STORENEAR32(0)
	STORENEAR32(64)
	STORENEAR32(128)
	STORENEAR32(192)
	DONE

// func avxStoreNear64(p unsafe.Pointer, s *lanes)
TEXT ·avxStoreNear64(SB), NOSPLIT, $0-16
	MOVQ p+0(FP), DI
	MOVQ s+8(FP), SI
	EACH(NEAR64)
	DONE

#define GATHER1(o)                \
	MOVQ o(DX), AX            \
	MOVL (SI)(AX*1), AX       \
	MOVQ AX, o(DI)

#define GATHER(o) GATHER1(o) GATHER1((o+8)) GATHER1((o+16)) GATHER1((o+24))

// func avxLoadScattered32(d *lanes, base unsafe.Pointer, by uint64, offsets *lanes)
TEXT ·avxLoadScattered32(SB), NOSPLIT, $0-32
	MOVQ d+0(FP), DI
	MOVQ base+8(FP), SI
	ADDQ by+16(FP), SI
	MOVQ offsets+24(FP), DX
	EACH(GATHER)
	DONE
