package libcuda

import (
	"unsafe"

	"github.com/cudagen/cudagen/runtime/internal/driver"
)

// A KernelNode holds the parameters of a kernel node, as the driver reads them: a
// CUgraphNodeParams. Whoever updates an exec often keeps one for each node.
type KernelNode struct {
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
	_ = same[unsafe.Sizeof(KernelNode{})-256]
	_ = same[unsafe.Offsetof(KernelNode{}.kernelNode)-16]
	_ = same[unsafe.Sizeof(kernelNode{})-72]
	_ = same[unsafe.Offsetof(kernelNode{}.params)-40]
	_ = same[unsafe.Offsetof(kernelNode{}.kernel)-56]
}

func kernelNodeOf(k driver.Kernel, ctx driver.Context, cfg driver.LaunchConfig) kernelNode {
	return kernelNode{kernel: k, ctx: ctx, config: LaunchConfig{
		cfg.Grid.X, cfg.Grid.Y, cfg.Grid.Z, cfg.Block.X, cfg.Block.Y, cfg.Block.Z, cfg.SharedBytes,
	}}
}

// Set makes n a launch of k in ctx. params is the array that cuLaunchKernel takes: the
// address of each parameter, all of it in the heap; it is never nil.
func (n *KernelNode) Set(k driver.Kernel, ctx driver.Context, cfg *LaunchConfig, params *unsafe.Pointer) {
	n.kernel, n.ctx, n.config, n.params = k, ctx, *cfg, params
}
