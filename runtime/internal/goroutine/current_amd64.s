//go:build !cudagen_portable

#include "textflag.h"

// func current() unsafe.Pointer
TEXT ·current(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
