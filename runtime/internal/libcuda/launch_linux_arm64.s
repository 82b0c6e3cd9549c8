//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func launchTrampolineAddress() uintptr
TEXT ·launchTrampolineAddress(SB), NOSPLIT, $0-8
	MOVD $trampoline<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func attributedTrampolineAddress() uintptr
TEXT ·attributedTrampolineAddress(SB), NOSPLIT, $0-8
	MOVD $attributed<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// func batchTrampolineAddress() uintptr
TEXT ·batchTrampolineAddress(SB), NOSPLIT, $0-8
	MOVD $batch<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// PARAMETERS begins a trampoline, a C function of the LaunchRecord at R0 in AAPCS64. It
// leaves the record in R9, its Target in R8 and the Target's function in R16, makes room
// on the stack, from R12, and fills the array of pointers to parameters, which begins
// below bytes above R12, a multiple of 16, at R13. R29 is the address of the caller's R29
// and R30. Of the registers that a callee preserves, only R29 and RSP change. R27 is one
// of them, and the assembler uses it for what an instruction cannot hold: so there are no
// large constants and no loads from symbols here.
//
// It goes from the last pointer to the first, so that the stack is touched downwards and
// cannot jump over its guard page.
#define PARAMETERS(below) \
	STP.W (R29, R30), -16(RSP)                     \
	MOVD  RSP, R29                                 \
	MOVD  R0, R9                                   \
	MOVD  LaunchRecord_Target(R9), R8              \
	MOVD  (Target_Entry+Entry_function)(R8), R16   \
	MOVWU Target_Count(R8), R10                    \
	ADD   $1, R10, R11                             \
	AND   $~1, R11, R11                            \
	LSL   $3, R11, R11                             \
	ADD   $below, R11, R11                         \
	SUB   R11, R29, R12                            \
	MOVD  R12, RSP                                 \
	ADD   $below, R12, R13                         \
	MOVD  LaunchRecord_Params(R9), R14             \
	MOVD  Target_Offsets(R8), R15                  \
	B     test                                     \
next:                                              \
	SUB   $1, R10, R10                             \
	MOVWU (R15)(R10<<2), R11                       \
	ADD   R14, R11, R11                            \
	MOVD  R11, (R13)(R10<<3)                       \
test:                                              \
	CBNZ  R10, next

// int32 trampoline(LaunchRecord *record), on the system stack.
//
// The stack during the call to cuLaunchKernel, 16-aligned, upwards from RSP:
//
//	 0  hStream
//	 8  kernelParams, the address of the array below
//	16  extra, NULL
//	24  (alignment)
//	32  Count pointers to parameters, and one more if Count is odd
//	R29 the caller's R29 and R30
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PARAMETERS(32)

	MOVD  LaunchRecord_Stream(R9), R10
	MOVD  R10, 0(R12)
	MOVD  R13, 8(R12)
	MOVD  ZR, 16(R12)
	MOVD  Target_Kernel(R8), R0
	MOVD  LaunchRecord_Config(R9), R9
	MOVWU LaunchConfig_GridX(R9), R1
	MOVWU LaunchConfig_GridY(R9), R2
	MOVWU LaunchConfig_GridZ(R9), R3
	MOVWU LaunchConfig_BlockX(R9), R4
	MOVWU LaunchConfig_BlockY(R9), R5
	MOVWU LaunchConfig_BlockZ(R9), R6
	MOVWU LaunchConfig_SharedBytes(R9), R7
	CALL  (R16)

	MOVD  R29, RSP
	LDP.P 16(RSP), (R29, R30)
	RET

// int32 attributed(LaunchRecord *record), on the system stack.
//
// The stack during the call to cuLaunchKernelEx, 16-aligned, upwards from RSP:
//
//	 0  the CUlaunchConfig: what LaunchConfig has
//	32  its hStream
//	40  its attrs
//	48  its numAttrs
//	56  (alignment)
//	64  Count pointers to parameters, and one more if Count is odd
//	R29 the caller's R29 and R30
TEXT attributed<>(SB), NOSPLIT|NOFRAME, $0
	PARAMETERS(64)

	MOVD  LaunchRecord_Config(R9), R10
	MOVWU LaunchConfig_GridX(R10), R11
	MOVW  R11, 0(R12)
	MOVWU LaunchConfig_GridY(R10), R11
	MOVW  R11, 4(R12)
	MOVWU LaunchConfig_GridZ(R10), R11
	MOVW  R11, 8(R12)
	MOVWU LaunchConfig_BlockX(R10), R11
	MOVW  R11, 12(R12)
	MOVWU LaunchConfig_BlockY(R10), R11
	MOVW  R11, 16(R12)
	MOVWU LaunchConfig_BlockZ(R10), R11
	MOVW  R11, 20(R12)
	MOVWU LaunchConfig_SharedBytes(R10), R11
	MOVD  R11, 24(R12)
	MOVD  LaunchRecord_Stream(R9), R11
	MOVD  R11, 32(R12)
	MOVD  LaunchRecord_Attributes(R9), R10
	ADD   $AttributeList_List, R10, R11
	MOVD  R11, 40(R12)
	MOVWU AttributeList_Count(R10), R11
	MOVD  R11, 48(R12)
	MOVD  R12, R0
	MOVD  Target_Kernel(R8), R1
	MOVD  R13, R2
	MOVD  ZR, R3                // extra, NULL
	CALL  (R16)

	MOVD  R29, RSP
	LDP.P 16(RSP), (R29, R30)
	RET

// int32 batch(Batch *b), on the system stack. R19, R20 and R21, which a callee preserves,
// hold b, the next record, and how many were launched.
//
// The stack during the call to cuLaunchKernel, 16-aligned, upwards from RSP; the driver
// may write there:
//
//	 0  hStream
//	 8  kernelParams
//	16  extra, NULL
//	24  (alignment)
//	32  the caller's R19 to R21, R29 and R30
TEXT batch<>(SB), NOSPLIT|NOFRAME, $0
	SUB   $80, RSP
	STP   (R29, R30), 64(RSP)
	STP   (R19, R20), 32(RSP)
	MOVD  R21, 48(RSP)
	ADD   $64, RSP, R29
	MOVD  R0, R19
	MOVD  Batch_Records(R19), R20
	MOVD  ZR, R21
	B     test

next:
	MOVD  LaunchRecord_Target(R20), R8
	MOVD  BatchRecord_KernelParams(R20), R13
	CBZ   R13, attributed
	MOVD  (Target_Entry+Entry_function)(R8), R16
	MOVD  LaunchRecord_Stream(R20), R10
	MOVD  R10, 0(RSP)
	MOVD  R13, 8(RSP)
	MOVD  ZR, 16(RSP)
	MOVD  Target_Kernel(R8), R0
	MOVD  LaunchRecord_Config(R20), R9
	MOVWU LaunchConfig_GridX(R9), R1
	MOVWU LaunchConfig_GridY(R9), R2
	MOVWU LaunchConfig_GridZ(R9), R3
	MOVWU LaunchConfig_BlockX(R9), R4
	MOVWU LaunchConfig_BlockY(R9), R5
	MOVWU LaunchConfig_BlockZ(R9), R6
	MOVWU LaunchConfig_SharedBytes(R9), R7
	CALL  (R16)
	B     launched

attributed:
	MOVD R20, R0
	MOVD (Target_Entry+Entry_trampoline)(R8), R16
	CALL (R16)

launched:
	CBNZW R0, done
	ADD   $BatchRecord__size, R20
	ADD   $1, R21

test:
	MOVWU Batch_Count(R19), R9
	CMPW  R9, R21
	BLO   next
	MOVD  ZR, R0

done:
	MOVW  R21, Batch_Launched(R19)
	LDP   32(RSP), (R19, R20)
	MOVD  48(RSP), R21
	LDP   64(RSP), (R29, R30)
	ADD   $80, RSP
	RET
