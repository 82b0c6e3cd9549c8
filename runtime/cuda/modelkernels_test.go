package cuda_test

import (
	"github.com/cudagen/cudagen/example"
	"github.com/cudagen/cudagen/runtime/cuda"
)

// modelPTX are kernels whose results depend on the order in which they run.
const modelPTX = `.version 8.3
.target sm_75
.address_size 64
.global .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0};
.extern .func cudaGraphSetConditional (.param .b64 h, .param .b32 v);
.visible .entry affine(.param .u64 x, .param .u32 n, .param .u32 a, .param .u32 b) {
	.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [a]; ld.param.u32 %r3, [b];
	mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x; mad.lo.u32 %r4, %r4, %r5, %r6;
	setp.ge.u32 %p, %r4, %r1; @%p bra END;
	mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r7, [%rd1]; mad.lo.u32 %r7, %r7, %r2, %r3; st.global.u32 [%rd1], %r7;
END:	ret;
}
.visible .entry combine(.param .u64 x, .param .u64 y, .param .u32 n) {
	.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x]; ld.param.u64 %rd3, [y]; ld.param.u32 %r1, [n];
	mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x; mad.lo.u32 %r4, %r4, %r5, %r6;
	setp.ge.u32 %p, %r4, %r1; @%p bra END;
	mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2; add.u64 %rd3, %rd3, %rd2;
	ld.global.u32 %r7, [%rd1]; ld.global.u32 %r8, [%rd3]; mad.lo.u32 %r7, %r7, 3, %r8; st.global.u32 [%rd1], %r7;
END:	ret;
}
.visible .entry tabled(.param .u64 x, .param .u32 n) {
	.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [x]; ld.param.u32 %r1, [n];
	mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x; mad.lo.u32 %r4, %r4, %r5, %r6;
	setp.ge.u32 %p, %r4, %r1; @%p bra END;
	mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2;
	and.b32 %r5, %r4, 3; mul.wide.u32 %rd2, %r5, 4; mov.u64 %rd3, table; add.u64 %rd3, %rd3, %rd2;
	ld.global.u32 %r7, [%rd1]; ld.global.u32 %r8, [%rd3]; mad.lo.u32 %r7, %r7, 5, %r8; st.global.u32 [%rd1], %r7;
END:	ret;
}
.visible .entry decide(.param .u64 h, .param .u64 x, .param .u32 limit) {
	.reg .b32 %r<4>; .reg .b64 %rd<3>;
	ld.param.u64 %rd1, [h]; ld.param.u64 %rd2, [x]; ld.param.u32 %r1, [limit];
	ld.global.u32 %r2, [%rd2]; rem.u32 %r3, %r2, %r1; shr.u32 %r2, %r2, 1; st.global.u32 [%rd2], %r2;
	{
	.param .b64 param0; st.param.b64 [param0+0], %rd1;
	.param .b32 param1; st.param.b32 [param1+0], %r3;
	call.uni cudaGraphSetConditional, (param0, param1);
	}
	ret;
}
`

type (
	affineArgs struct {
		X    cuda.Slice[int32]
		N    int32
		A, B int32
	}
	combineArgs struct {
		X, Y cuda.Slice[int32]
		N    int32
	}
	tabledArgs struct {
		X cuda.Slice[int32]
		N int32
	}
	decideArgs struct {
		Handle cuda.ConditionalHandle
		X      cuda.Slice[int32]
		Limit  int32
	}
)

// A modelKernel is one of the kernels.
type modelKernel int

const (
	affine  modelKernel = iota // x = a·x + b
	combine                    // x = 3·x + y
	tabled                     // x = 5·x + table[i mod 4]
	added                      // x = x + a; of the example: no elements are a grid without blocks
	decide                     // a conditional = x[0] mod a, x[0] = x[0] / 2
	modelKernels
)

// modelKernelsOf are those of a library on a device.
type modelKernelsOf struct {
	affine  *cuda.BoundKernel[affineArgs]
	combine *cuda.BoundKernel[combineArgs]
	tabled  *cuda.BoundKernel[tabledArgs]
	decide  *cuda.BoundKernel[decideArgs]
	added   *example.AddDeltaKernel
}

var modelConfig = cuda.LaunchConfig{Grid: cuda.Dim(2), Block: cuda.Dim(32)}

// prepare makes a call that does k.
func (of *modelKernelsOf) prepare(k *modelWork) (call cuda.Prepared, set func(*modelWork) error, err error) {
	x, y := k.dst.slice(), k.src.slice()
	n := int32(x.Len())
	switch k.kernel {
	case affine:
		c, err := of.affine.Prepare(modelConfig, affineArgs{x, n, k.a, k.b})
		return c, func(k *modelWork) error {
			return c.Set(affineArgs{k.dst.slice(), int32(k.dst.len()), k.a, k.b})
		}, err
	case combine:
		c, err := of.combine.Prepare(modelConfig, combineArgs{x, y, n})
		return c, func(k *modelWork) error {
			return c.Set(combineArgs{k.dst.slice(), k.src.slice(), int32(k.dst.len())})
		}, err
	case tabled:
		c, err := of.tabled.Prepare(modelConfig, tabledArgs{x, n})
		return c, func(k *modelWork) error { return c.Set(tabledArgs{k.dst.slice(), int32(k.dst.len())}) }, err
	case decide:
		cfg := cuda.LaunchConfig{Grid: cuda.Dim(1), Block: cuda.Dim(1)}
		c, err := of.decide.Prepare(cfg, decideArgs{k.cond.c.Handle(), x, k.a})
		return c, func(k *modelWork) error {
			return c.Set(decideArgs{k.cond.c.Handle(), k.dst.slice(), k.a})
		}, err
	}
	c, err := of.added.PrepareDefault(example.AddDeltaArgs{Data: x, Delta: k.a})
	return c, func(k *modelWork) error { return c.Set(example.AddDeltaArgs{Data: k.dst.slice(), Delta: k.a}) }, err
}

// launch launches k without a prepared call.
func (of *modelKernelsOf) launch(s *cuda.Stream, k *modelWork) error {
	x := k.dst.slice()
	n := int32(x.Len())
	switch k.kernel {
	case affine:
		return of.affine.LaunchArgsWith(s, modelConfig, &affineArgs{x, n, k.a, k.b})
	case combine:
		return of.combine.LaunchArgsWith(s, modelConfig, &combineArgs{x, k.src.slice(), n})
	case tabled:
		return of.tabled.LaunchArgsWith(s, modelConfig, &tabledArgs{x, n})
	}
	return of.added.Launch(s, x, k.a)
}
