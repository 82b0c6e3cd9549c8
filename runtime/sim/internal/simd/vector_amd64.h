// Registers of a warp, 32 lanes of 8 bytes, are eight parts of a vector register's 32 bytes.
// Destination, sources: DI, SI, DX, CX.

#define EACH(PART) PART(0) PART(32) PART(64) PART(96) PART(128) PART(160) PART(192) PART(224)

#define UNARY            \
	MOVQ d+0(FP), DI \
	MOVQ a+8(FP), SI

#define BINARY            \
	UNARY             \
	MOVQ b+16(FP), DX

#define TERNARY           \
	BINARY            \
	MOVQ c+24(FP), CX

#define DONE       \
	VZEROUPPER \
	RET

// ALL is a register of which each 8 bytes are value.
#define ALL(value, tmp, x, y)    \
	MOVQ         $value, tmp \
	VMOVQ        tmp, x      \
	VPBROADCASTQ x, y
