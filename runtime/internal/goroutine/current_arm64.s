//go:build !cudagen_portable

#include "textflag.h"

// func current() unsafe.Pointer
TEXT ·current(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
