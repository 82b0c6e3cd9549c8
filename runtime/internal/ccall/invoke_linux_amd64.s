//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func trampolineAddress() uintptr
TEXT ·trampolineAddress(SB), NOSPLIT, $0-8
	LEAQ trampoline<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// int32 trampoline(Call *c), System V AMD64 ABI, on the system stack. BX, which a callee
// preserves, holds c. Of these registers BX, BP and SP change.
//
// The words are sorted into an array on the stack, upwards from SP, which is 16-aligned:
//
//	  0  8 words for X0 to X7
//	 64  6 words for DI, SI, DX, CX, R8, R9
//	112  words that stay on the stack; there is room for Count, and one more if Count is odd
//	     BX, and alignment
//	BP   the caller's BP
//
// The registers are loaded, and what they held is dropped from the stack, before the call.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	SUBQ  $16, SP
	MOVQ  BX, -8(BP)
	MOVQ  DI, BX
	MOVQ  Call_Around(BX), AX
	TESTQ AX, AX
	JEQ   begin
	MOVQ  Around_Argument(AX), DI
	CALL  Around_Before(AX)
	MOVQ  Call_Around(BX), CX
	MOVL  AX, Around_failed(CX)
	TESTL AX, AX
	JNE   done

begin:
	MOVQ  Call_Words(BX), SI
	MOVQ  Call_Count(BX), CX
	MOVQ  Call_Floats(BX), DX
	LEAQ  1(CX), AX
	ANDQ  $~1, AX
	SHLQ  $3, AX
	ADDQ  $112, AX
	SUBQ  AX, SP
	TESTQ DX, DX
	JNE   sort
	JMP   test

	// Without floats, the words for registers and those behind them are one array.
next:
	MOVQ (SI)(CX*8), AX
	MOVQ AX, 64(SP)(CX*8)

test:
	SUBQ $1, CX
	JCC  next
	JMP  integers

	// R8, R9 and R10 are where the next word goes for X0 to X7, for the other registers,
	// and on the stack. Registers of a kind that are full end at R11 and DI.
sort:
	MOVQ SP, R8
	LEAQ 64(SP), R9
	LEAQ 112(SP), R10
	MOVQ R9, R11
	MOVQ R10, DI
	JMP  sorted

each:
	MOVQ (SI), AX
	ADDQ $8, SI
	SHRQ $1, DX
	JCS  float
	CMPQ R9, DI
	JEQ  behind
	MOVQ AX, (R9)
	ADDQ $8, R9
	JMP  sorted

float:
	CMPQ R8, R11
	JEQ  behind
	MOVQ AX, (R8)
	ADDQ $8, R8
	JMP  sorted

behind:
	MOVQ AX, (R10)
	ADDQ $8, R10

sorted:
	SUBQ  $1, CX
	JCC   each
	MOVSD 0(SP), X0
	MOVSD 8(SP), X1
	MOVSD 16(SP), X2
	MOVSD 24(SP), X3
	MOVSD 32(SP), X4
	MOVSD 40(SP), X5
	MOVSD 48(SP), X6
	MOVSD 56(SP), X7

integers:
	MOVQ  64(SP), DI
	MOVQ  72(SP), SI
	MOVQ  80(SP), DX
	MOVQ  88(SP), CX
	MOVQ  96(SP), R8
	MOVQ  104(SP), R9
	ADDQ  $112, SP
	CALL  Call_Function(BX)
	MOVQ  AX, Call_integer(BX)
	MOVSD X0, Call_float(BX)
	MOVQ  Call_Around(BX), AX
	TESTQ AX, AX
	JEQ   done
	LEAQ  -16(BP), SP
	LEAQ  Around_word(AX), DI
	CALL  Around_After(AX)

done:
	XORL  AX, AX
	MOVQ  -8(BP), BX
	MOVQ  BP, SP
	POPQ  BP
	RET
