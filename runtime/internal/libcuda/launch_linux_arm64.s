//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func launchTrampolineAddress() uintptr
TEXT ·launchTrampolineAddress(SB), NOSPLIT, $0-8
	MOVD $trampoline<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// int32 trampoline(LaunchRecord *record), AAPCS64, on the system stack.
//
// The stack during the call to cuLaunchKernel, 16-aligned, upwards from RSP:
//
//	 0  hStream
//	 8  kernelParams, the address of the array below
//	16  extra, NULL
//	24  (alignment)
//	32  Count pointers to parameters, and one more if Count is odd
//	R29 the caller's R29 and R30
//
// Of the registers that a callee preserves, only R29 and RSP change. R27 is one of
// them, and the assembler uses it for what an instruction cannot hold: so there are no
// large constants and no loads from symbols here.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R9
	MOVD  LaunchRecord_Target(R9), R8
	MOVD  (Target_Entry+Entry_function)(R8), R16

	MOVWU Target_Count(R8), R10
	ADD   $1, R10, R11
	AND   $~1, R11, R11
	LSL   $3, R11, R11
	ADD   $32, R11, R11
	SUB   R11, R29, R12
	MOVD  R12, RSP
	ADD   $32, R12, R13

	// From the last pointer to the first, so that the stack is touched downwards and
	// cannot jump over its guard page.
	MOVD LaunchRecord_Params(R9), R14
	MOVD Target_Offsets(R8), R15
	B    test

next:
	SUB   $1, R10, R10
	MOVWU (R15)(R10<<2), R11
	ADD   R14, R11, R11
	MOVD  R11, (R13)(R10<<3)

test:
	CBNZ R10, next

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
