//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func trampolineAddress() uintptr
TEXT ·trampolineAddress(SB), NOSPLIT, $0-8
	MOVD $trampoline<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// int32 trampoline(Call *c), AAPCS64, on the system stack. R19, which a callee preserves,
// holds c. Of these registers R19, R29 and RSP change.
//
// The words are sorted into an array on the stack, upwards from R13, which is 16-aligned:
//
//	  0  8 words for F0 to F7
//	 64  8 words for R0 to R7
//	128  words that stay on the stack; there is room for Count, and one more if Count is odd
//	R29  the caller's R29 and R30
//	     R19, and alignment
//
// The registers are loaded, and what they held is dropped from the stack, before the call.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -32(RSP)
	MOVD  R19, 16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R19
	MOVD  Call_Around(R19), R9
	CBZ   R9, begin
	MOVD  Around_Argument(R9), R0
	MOVD  Around_Before(R9), R16
	CALL  (R16)
	MOVD  Call_Around(R19), R9
	MOVW  R0, Around_failed(R9)
	CBNZW R0, done

begin:
	MOVD  Call_Words(R19), R9
	MOVD  Call_Count(R19), R10
	MOVD  Call_Floats(R19), R11
	ADD   $1, R10, R12
	AND   $~1, R12, R12
	LSL   $3, R12, R12
	ADD   $128, R12, R12
	SUB   R12, R29, R13
	MOVD  R13, RSP
	ADD   $64, R13, R14
	CBNZ  R11, sort
	B     test

	// Without floats, the words for registers and those behind them are one array.
next:
	SUB  $1, R10
	MOVD (R9)(R10<<3), R12
	MOVD R12, (R14)(R10<<3)

test:
	CBNZ R10, next
	B    integers

	// R15, R12 and R16 are where the next word goes for F0 to F7, for the other registers,
	// and on the stack. Registers of a kind that are full end at R14 and R17.
sort:
	MOVD R13, R15
	MOVD R14, R12
	ADD  $128, R13, R16
	MOVD R16, R17
	B    sorted

each:
	SUB    $1, R10
	MOVD.P 8(R9), R0
	AND    $1, R11, R1
	LSR    $1, R11, R11
	CBNZ   R1, float
	CMP    R17, R12
	BEQ    behind
	MOVD.P R0, 8(R12)
	B      sorted

float:
	CMP    R14, R15
	BEQ    behind
	MOVD.P R0, 8(R15)
	B      sorted

behind:
	MOVD.P R0, 8(R16)

sorted:
	CBNZ  R10, each
	FMOVD 0(R13), F0
	FMOVD 8(R13), F1
	FMOVD 16(R13), F2
	FMOVD 24(R13), F3
	FMOVD 32(R13), F4
	FMOVD 40(R13), F5
	FMOVD 48(R13), F6
	FMOVD 56(R13), F7

integers:
	LDP   64(R13), (R0, R1)
	LDP   80(R13), (R2, R3)
	LDP   96(R13), (R4, R5)
	LDP   112(R13), (R6, R7)
	MOVD  Call_Function(R19), R16
	ADD   $128, R13, R13
	MOVD  R13, RSP
	CALL  (R16)
	MOVD  R0, Call_integer(R19)
	FMOVD F0, Call_float(R19)
	MOVD  Call_Around(R19), R9
	CBZ   R9, done
	MOVD  R29, RSP
	ADD   $Around_word, R9, R0
	MOVD  Around_After(R9), R16
	CALL  (R16)

done:
	MOVD  ZR, R0
	MOVD  R29, RSP
	MOVD  16(RSP), R19
	LDP.P 32(RSP), (R29, R30)
	RET
