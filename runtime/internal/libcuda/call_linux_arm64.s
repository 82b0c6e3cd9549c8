//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func callTrampolineAddress() uintptr
TEXT ·callTrampolineAddress(SB), NOSPLIT, $0-8
	MOVD $callTrampoline<>(SB), R0
	MOVD R0, ret+0(FP)
	RET

// int32 trampoline(callRecord *record), AAPCS64, on the system stack. Of the registers
// that a callee preserves, only R29 and RSP change.
TEXT callTrampoline<>(SB), NOSPLIT|NOFRAME, $0
	STP.W (R29, R30), -16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R9
	MOVD  callRecord_fn(R9), R16
	MOVD  (callRecord_args+0)(R9), R0
	MOVD  (callRecord_args+8)(R9), R1
	MOVD  (callRecord_args+16)(R9), R2
	MOVD  (callRecord_args+24)(R9), R3
	MOVD  (callRecord_args+32)(R9), R4
	MOVD  (callRecord_args+40)(R9), R5
	MOVD  callRecord_first(R9), R10
	ADD   R10, R0, R0
	MOVD  callRecord_second(R9), R10
	ADD   R10, R1, R1
	MOVD  callRecord_third(R9), R10
	ADD   R10, R2, R2
	CALL  (R16)
	LDP.P 16(RSP), (R29, R30)
	RET
