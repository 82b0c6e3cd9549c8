//go:build !cudagen_nodriver && !cudagen_portable

#include "go_asm.h"
#include "textflag.h"

// func callTrampolineAddress() uintptr
TEXT ·callTrampolineAddress(SB), NOSPLIT, $0-8
	LEAQ callTrampoline<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// int32 trampoline(callRecord *record), System V AMD64 ABI, on the system stack. The
// stack is 16-aligned during the call: a return address and BP lie on it. Of the
// registers that a callee preserves, only BP and SP change.
TEXT callTrampoline<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ BP
	MOVQ  SP, BP
	MOVQ  DI, R10
	MOVQ  callRecord_fn(R10), R11
	MOVQ  (callRecord_args+0)(R10), DI
	MOVQ  (callRecord_args+8)(R10), SI
	MOVQ  (callRecord_args+16)(R10), DX
	MOVQ  (callRecord_args+24)(R10), CX
	MOVQ  (callRecord_args+32)(R10), R8
	MOVQ  (callRecord_args+40)(R10), R9
	ADDQ  callRecord_first(R10), DI
	ADDQ  callRecord_second(R10), SI
	ADDQ  callRecord_third(R10), DX
	CALL  R11
	POPQ  BP
	RET
