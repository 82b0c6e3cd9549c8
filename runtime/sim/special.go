package sim

import "strings"

// A special is a special register.
//
// PTX ISA, Special Registers.
type special uint8

const (
	tidX special = iota
	tidY
	tidZ
	ntidX
	ntidY
	ntidZ
	ctaidX
	ctaidY
	ctaidZ
	nctaidX
	nctaidY
	nctaidZ
	laneid
	warpid
	nwarpid
	lanemaskEq
	lanemaskLt
	lanemaskLe
	lanemaskGt
	lanemaskGe
	dynamicSmemSize
	totalSmemSize
	smid
	nsmid
)

// specialRegisters are those that the simulator has besides clocks. Each is a .u32.
// Performance counters are left out: their values would mean nothing.
var specialRegisters = map[string]special{
	"%tid.x": tidX, "%tid.y": tidY, "%tid.z": tidZ,
	"%ntid.x": ntidX, "%ntid.y": ntidY, "%ntid.z": ntidZ,
	"%ctaid.x": ctaidX, "%ctaid.y": ctaidY, "%ctaid.z": ctaidZ,
	"%nctaid.x": nctaidX, "%nctaid.y": nctaidY, "%nctaid.z": nctaidZ,
	"%laneid": laneid, "%warpid": warpid, "%nwarpid": nwarpid,
	"%lanemask_eq": lanemaskEq, "%lanemask_lt": lanemaskLt, "%lanemask_le": lanemaskLe,
	"%lanemask_gt": lanemaskGt, "%lanemask_ge": lanemaskGe,
	"%dynamic_smem_size": dynamicSmemSize, "%total_smem_size": totalSmemSize,
	"%smid": smid, "%nsmid": nsmid,
}

// isSpecial reports whether name has the form of a special register that the
// simulator lacks, such as %clock64 or %envreg3.
func isSpecial(name string) bool {
	for _, known := range []string{"%gridid", "%pm", "%envreg",
		"%cluster", "%ncluster", "%is_explicit_cluster", "%aggr_smem_size", "%reserved_smem", "%current_graph_exec"} {
		if strings.HasPrefix(name, known) {
			return true
		}
	}
	return false
}

// varies reports whether s differs from block to block.
func (s special) varies() bool { return ctaidX <= s && s <= ctaidZ || s == smid }

// value returns s in lane l of the warp that begins with thread first of the block b.
func (s special) value(b *block, first, l uint32) uint32 {
	x, y := b.cfg.Block.X, b.cfg.Block.Y
	thread := first + l
	switch s {
	case tidX:
		return thread % x
	case tidY:
		return thread / x % y
	case tidZ:
		return thread / x / y
	case ntidX:
		return x
	case ntidY:
		return y
	case ntidZ:
		return b.cfg.Block.Z
	case ctaidX:
		return b.index.X
	case ctaidY:
		return b.index.Y
	case ctaidZ:
		return b.index.Z
	case nctaidX:
		return b.cfg.Grid.X
	case nctaidY:
		return b.cfg.Grid.Y
	case nctaidZ:
		return b.cfg.Grid.Z
	case laneid:
		return l
	case warpid:
		return first / warpSize
	case nwarpid:
		return uint32(len(b.warps))
	case lanemaskEq:
		return 1 << l
	case lanemaskLt:
		return 1<<l - 1
	case lanemaskLe:
		return 2<<l - 1
	case lanemaskGt:
		return ^uint32(2<<l - 1)
	case lanemaskGe:
		return ^uint32(1<<l - 1)
	case dynamicSmemSize:
		return b.cfg.SharedBytes
	case smid: // blocks take the processors in turns, whichever worker runs them
		grid := b.cfg.Grid
		n := uint64(b.index.X) + uint64(grid.X)*(uint64(b.index.Y)+uint64(grid.Y)*uint64(b.index.Z))
		return uint32(n % uint64(multiprocessors()))
	case nsmid:
		return uint32(multiprocessors())
	default: // totalSmemSize
		return uint32(b.sharedBytes)
	}
}
