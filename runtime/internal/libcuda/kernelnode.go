package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A KernelNode holds what the driver reads when a kernel node is added or updated. It is in the
// heap: NewKernelNode. Whoever adds or updates many nodes uses one for all of them, one after the
// other.
type KernelNode struct {
	params kernelNodeParams
	array  []unsafe.Pointer // of the parameters' addresses
	added  driver.GraphNode
}

// kernelNodeParams is a CUgraphNodeParams of a kernel.
type kernelNodeParams struct {
	nodeType driver.GraphNodeType
	_        [3]int32
	kernelNode
	_ [256 - 16 - 72]byte
}

// A kernelNode is CUDA_KERNEL_NODE_PARAMS_v2, and _v3.
type kernelNode struct {
	function uintptr // 0, or kernel does not count
	config   LaunchConfig
	_        int32
	params   *unsafe.Pointer
	extra    uintptr
	kernel   driver.Kernel
	ctx      driver.Context
}

func _() {
	var same [1]struct{}
	_ = same[unsafe.Sizeof(kernelNodeParams{})-256]
	_ = same[unsafe.Offsetof(kernelNodeParams{}.kernelNode)-16]
	_ = same[unsafe.Sizeof(kernelNode{})-72]
	_ = same[unsafe.Offsetof(kernelNode{}.params)-40]
	_ = same[unsafe.Offsetof(kernelNode{}.kernel)-56]
}

func kernelNodeOf(k driver.Kernel, ctx driver.Context, cfg driver.LaunchConfig) kernelNode {
	return kernelNode{kernel: k, ctx: ctx, config: LaunchConfig{
		cfg.Grid.X, cfg.Grid.Y, cfg.Grid.Z, cfg.Block.X, cfg.Block.Y, cfg.Block.Z, cfg.SharedBytes,
	}}
}

// NewKernelNode returns one for kernels in ctx. A function that is not inlined returns what is in
// the heap.
//
//go:noinline
func NewKernelNode(ctx driver.Context) *KernelNode {
	n := new(KernelNode)
	n.params.ctx = ctx
	return n
}

// Set makes n a launch of k. The parameters are at the offsets of t in the block at params, which
// is in the heap.
func (n *KernelNode) Set(k driver.Kernel, t *Target, cfg *LaunchConfig, params unsafe.Pointer) {
	if uint32(len(n.array)) <= t.Count {
		n.array = make([]unsafe.Pointer, t.Count+1) // never empty
		n.params.params = &n.array[0]
	}
	for i, offset := range unsafe.Slice(t.Offsets, t.Count) {
		n.array[i] = unsafe.Add(params, offset)
	}
	n.params.kernel, n.params.config = k, *cfg
}
