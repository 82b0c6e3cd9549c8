//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func launchTrampolineAddress() uintptr
TEXT ·launchTrampolineAddress(SB), NOSPLIT, $0-8
	LEAQ trampoline<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func attributedTrampolineAddress() uintptr
TEXT ·attributedTrampolineAddress(SB), NOSPLIT, $0-8
	LEAQ attributed<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func batchTrampolineAddress() uintptr
TEXT ·batchTrampolineAddress(SB), NOSPLIT, $0-8
	LEAQ batch<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// PARAMETERS begins a trampoline, a C function of the LaunchRecord at DI in the System V
// AMD64 ABI. It leaves the record in R10, its Target in DI and the Target's function in
// R11, makes room on the stack, and fills the array of pointers to parameters, which
// begins below bytes above SP, a multiple of 16, at R9. SP is then aligned to 16, and BP
// the address of the caller's BP. Of the registers that a callee preserves, only BP and
// SP change.
//
// It goes from the last pointer to the first, so that the stack is touched downwards and
// cannot jump over its guard page.
#define PARAMETERS(below) \
	PUSHQ BP                                       \
	MOVQ  SP, BP                                   \
	MOVQ  DI, R10                                  \
	MOVQ  LaunchRecord_Target(R10), DI             \
	MOVQ  (Target_Entry+Entry_function)(DI), R11   \
	MOVL  Target_Count(DI), CX                     \
	LEAQ  1(CX), AX                                \
	ANDQ  $~1, AX                                  \
	SHLQ  $3, AX                                   \
	ADDQ  $below, AX                               \
	SUBQ  AX, SP                                   \
	LEAQ  below(SP), R9                            \
	MOVQ  LaunchRecord_Params(R10), SI             \
	MOVQ  Target_Offsets(DI), DX                   \
	JMP   test                                     \
next:                                              \
	MOVL  (DX)(CX*4), AX                           \
	ADDQ  SI, AX                                   \
	MOVQ  AX, (R9)(CX*8)                           \
test:                                              \
	SUBQ  $1, CX                                   \
	JCC   next

// int32 trampoline(LaunchRecord *record), on the system stack.
//
// The stack during the call to cuLaunchKernel, upwards from SP:
//
//	 0  blockDimZ
//	 8  sharedMemBytes
//	16  hStream
//	24  kernelParams, the address of the array below
//	32  extra, NULL
//	40  (alignment)
//	48  Count pointers to parameters, and one more if Count is odd
//	BP  the caller's BP
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PARAMETERS(48)

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

// int32 attributed(LaunchRecord *record), on the system stack.
//
// The stack during the call to cuLaunchKernelEx, upwards from SP:
//
//	 0  the CUlaunchConfig: what LaunchConfig has
//	32  its hStream
//	40  its attrs
//	48  its numAttrs
//	56  (alignment)
//	64  Count pointers to parameters, and one more if Count is odd
//	BP  the caller's BP
TEXT attributed<>(SB), NOSPLIT|NOFRAME, $0
	PARAMETERS(64)

	MOVQ LaunchRecord_Config(R10), AX
	MOVL LaunchConfig_GridX(AX), CX
	MOVL CX, 0(SP)
	MOVL LaunchConfig_GridY(AX), CX
	MOVL CX, 4(SP)
	MOVL LaunchConfig_GridZ(AX), CX
	MOVL CX, 8(SP)
	MOVL LaunchConfig_BlockX(AX), CX
	MOVL CX, 12(SP)
	MOVL LaunchConfig_BlockY(AX), CX
	MOVL CX, 16(SP)
	MOVL LaunchConfig_BlockZ(AX), CX
	MOVL CX, 20(SP)
	MOVL LaunchConfig_SharedBytes(AX), CX
	MOVQ CX, 24(SP)
	MOVQ LaunchRecord_Stream(R10), CX
	MOVQ CX, 32(SP)
	MOVQ LaunchRecord_Attributes(R10), AX
	LEAQ AttributeList_List(AX), CX
	MOVQ CX, 40(SP)
	MOVL AttributeList_Count(AX), CX
	MOVQ CX, 48(SP)
	MOVQ Target_Kernel(DI), SI
	MOVQ SP, DI
	MOVQ R9, DX
	XORL CX, CX              // extra, NULL
	CALL R11

	MOVQ BP, SP
	POPQ BP
	RET

// int32 batch(Batch *b), on the system stack. BX, R12 and R13, which a callee preserves,
// hold b, the next record, and how many were launched.
//
// The stack during the call to cuLaunchKernel, 16-aligned, upwards from SP; the driver may
// write there:
//
//	 0  blockDimZ
//	 8  sharedMemBytes
//	16  hStream
//	24  kernelParams
//	32  extra, NULL
//	40  (alignment)
TEXT batch<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	PUSHQ R12
	PUSHQ R13
	SUBQ  $56, SP
	MOVQ  DI, BX
	MOVQ  Batch_Records(BX), R12
	XORL  R13, R13
	JMP   test

next:
	MOVQ  LaunchRecord_Target(R12), R10
	MOVQ  BatchRecord_KernelParams(R12), AX
	TESTQ AX, AX
	JEQ   attributed
	MOVQ  AX, 24(SP)
	MOVQ  $0, 32(SP)
	MOVQ  LaunchRecord_Stream(R12), AX
	MOVQ  AX, 16(SP)
	MOVQ  LaunchRecord_Config(R12), R11
	MOVQ  Target_Kernel(R10), DI
	MOVL  LaunchConfig_SharedBytes(R11), AX
	MOVQ  AX, 8(SP)
	MOVL  LaunchConfig_BlockZ(R11), AX
	MOVQ  AX, 0(SP)
	MOVL  LaunchConfig_GridX(R11), SI
	MOVL  LaunchConfig_GridY(R11), DX
	MOVL  LaunchConfig_GridZ(R11), CX
	MOVL  LaunchConfig_BlockX(R11), R8
	MOVL  LaunchConfig_BlockY(R11), R9
	CALL  (Target_Entry+Entry_function)(R10)
	JMP   launched

attributed:
	MOVQ R12, DI
	CALL (Target_Entry+Entry_trampoline)(R10)

launched:
	TESTL AX, AX
	JNE   done
	ADDQ  $BatchRecord__size, R12
	INCL  R13

test:
	CMPL R13, Batch_Count(BX)
	JCS  next
	XORL AX, AX

done:
	MOVL R13, Batch_Launched(BX)
	ADDQ $56, SP
	POPQ R13
	POPQ R12
	POPQ BX
	POPQ BP
	RET
