//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func launchTrampolineAddress() uintptr
TEXT ·launchTrampolineAddress(SB), NOSPLIT, $0-8
	LEAQ trampoline<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// int32 trampoline(LaunchRecord *record), System V AMD64 ABI, on the system stack.
//
// The stack during the call to cuLaunchKernel, 16-aligned, upwards from SP:
//
//	 0  blockDimZ
//	 8  sharedMemBytes
//	16  hStream
//	24  kernelParams, the address of the array below
//	32  extra, NULL
//	40  (alignment)
//	48  Count pointers to parameters, and one more if Count is odd
//	BP  the caller's BP
//
// Of the registers that a callee preserves, only BP and SP change.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	MOVQ  DI, R10
	MOVQ  LaunchRecord_Target(R10), DI
	MOVQ  (Target_Entry+Entry_function)(DI), R11

	MOVL Target_Count(DI), CX
	LEAQ 1(CX), AX
	ANDQ $~1, AX
	SHLQ $3, AX
	ADDQ $48, AX
	SUBQ AX, SP
	LEAQ 48(SP), R9

	// From the last pointer to the first, so that the stack is touched downwards and
	// cannot jump over its guard page.
	MOVQ LaunchRecord_Params(R10), SI
	MOVQ Target_Offsets(DI), DX
	JMP  test

next:
	MOVL (DX)(CX*4), AX
	ADDQ SI, AX
	MOVQ AX, (R9)(CX*8)

test:
	SUBQ $1, CX
	JCC  next

	MOVQ R9, 24(SP)
	MOVQ $0, 32(SP)
	MOVQ LaunchRecord_Stream(R10), AX
	MOVQ AX, 16(SP)
	MOVQ Target_Kernel(DI), DI
	MOVQ LaunchRecord_Config(R10), R10
	MOVL LaunchConfig_SharedBytes(R10), AX
	MOVQ AX, 8(SP)
	MOVL LaunchConfig_BlockZ(R10), AX
	MOVQ AX, 0(SP)
	MOVL LaunchConfig_GridX(R10), SI
	MOVL LaunchConfig_GridY(R10), DX
	MOVL LaunchConfig_GridZ(R10), CX
	MOVL LaunchConfig_BlockX(R10), R8
	MOVL LaunchConfig_BlockY(R10), R9
	CALL R11

	MOVQ BP, SP
	POPQ BP
	RET
