package interp

import (
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
	"github.com/cudagen/cudagen/runtime/sim/internal/limits"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// specialValues has for each special register its value in a thread of a block.
var specialValues = func() []func(b *block, thread uint32) uint64 {
	values := make([]func(b *block, thread uint32) uint64, len(bytecode.SpecialRegisters))
	for n, r := range bytecode.SpecialRegisters {
		values[n] = valueOf(r.Name)
	}
	return values
}()

// valueOf returns what computes the special register called name.
func valueOf(name string) func(b *block, thread uint32) uint64 {
	if digits, is := strings.CutPrefix(name, "%envreg"); is {
		n, _ := strconv.Atoi(digits)
		return func(b *block, _ uint32) uint64 { return environment(b, n) }
	}
	if vector, component, is := strings.Cut(name, "."); is {
		value := vectorValues[vector]
		return map[string]func(b *block, thread uint32) uint64{
			"x": func(b *block, thread uint32) uint64 { return uint64(value(b, thread).X) },
			"y": func(b *block, thread uint32) uint64 { return uint64(value(b, thread).Y) },
			"z": func(b *block, thread uint32) uint64 { return uint64(value(b, thread).Z) },
		}[component]
	}
	return scalarValues[name]
}

// vectorValues has the special registers of three dimensions.
var vectorValues = map[string]func(b *block, thread uint32) driver.Dim3{
	"%tid":            func(b *block, thread uint32) driver.Dim3 { return limits.At(uint64(thread), b.cfg.Block) },
	"%ntid":           func(b *block, _ uint32) driver.Dim3 { return b.cfg.Block },
	"%ctaid":          func(b *block, _ uint32) driver.Dim3 { return b.index },
	"%nctaid":         func(b *block, _ uint32) driver.Dim3 { return b.cfg.Grid },
	"%clusterid":      func(b *block, _ uint32) driver.Dim3 { return limits.Quotient(b.index, b.place.cluster) },
	"%nclusterid":     func(b *block, _ uint32) driver.Dim3 { return limits.Quotient(b.cfg.Grid, b.place.cluster) },
	"%cluster_ctaid":  func(b *block, _ uint32) driver.Dim3 { return limits.Remainder(b.index, b.place.cluster) },
	"%cluster_nctaid": func(b *block, _ uint32) driver.Dim3 { return b.place.cluster },
}

// scalarValues has the others.
var scalarValues = map[string]func(b *block, thread uint32) uint64{
	"%cluster_ctarank":                       func(b *block, _ uint32) uint64 { return uint64(b.rank()) },
	"%cluster_nctarank":                      func(b *block, _ uint32) uint64 { return limits.Count(b.place.cluster) },
	bytecode.IsExplicitCluster:               func(b *block, _ uint32) uint64 { return uint64(simd.Bit(b.place.clustered)) },
	"%laneid":                                func(_ *block, thread uint32) uint64 { return uint64(thread % bytecode.WarpSize) },
	"%warpid":                                func(_ *block, thread uint32) uint64 { return uint64(thread / bytecode.WarpSize) },
	"%nwarpid":                               func(b *block, _ uint32) uint64 { return uint64(len(b.warps)) },
	"%lanemask_eq":                           func(_ *block, thread uint32) uint64 { return 1 << (thread % bytecode.WarpSize) },
	"%lanemask_lt":                           func(_ *block, thread uint32) uint64 { return 1<<(thread%bytecode.WarpSize) - 1 },
	"%lanemask_le":                           func(_ *block, thread uint32) uint64 { return 2<<(thread%bytecode.WarpSize) - 1 },
	"%lanemask_gt":                           func(_ *block, thread uint32) uint64 { return (1<<32 - 1) &^ (2<<(thread%bytecode.WarpSize) - 1) },
	"%lanemask_ge":                           func(_ *block, thread uint32) uint64 { return (1<<32 - 1) &^ (1<<(thread%bytecode.WarpSize) - 1) },
	"%dynamic_smem_size":                     func(b *block, _ uint32) uint64 { return uint64(b.cfg.SharedBytes) },
	"%total_smem_size":                       func(b *block, _ uint32) uint64 { return uint64(b.k.SharedBytes) + uint64(b.cfg.SharedBytes) },
	"%aggr_smem_size":                        func(b *block, _ uint32) uint64 { return b.reservedAt() + bytecode.ReservedShared },
	bytecode.ReservedPrefix + "offset_begin": func(b *block, _ uint32) uint64 { return b.reservedAt() },
	bytecode.ReservedPrefix + "offset_end":   func(b *block, _ uint32) uint64 { return b.reservedAt() + bytecode.ReservedShared },
	bytecode.ReservedPrefix + "offset_cap":   func(_ *block, _ uint32) uint64 { return bytecode.ReservedShared },
	bytecode.ReservedPrefix + "offset_0":     func(b *block, _ uint32) uint64 { return b.reservedAt() },
	bytecode.ReservedPrefix + "offset_1":     func(b *block, _ uint32) uint64 { return b.reservedAt() + bytecode.ReservedShared/2 },
	"%smid":                                  smid,
	"%nsmid":                                 func(_ *block, _ uint32) uint64 { return uint64(Multiprocessors()) },
	"%gridid":                                func(b *block, _ uint32) uint64 { return b.place.grid },
	"%current_graph_exec":                    func(_ *block, _ uint32) uint64 { return 0 },
}

// environment returns a register that the driver sets. The first two of the second and the
// third hold the address of what the blocks of a cooperative launch wait for each other with;
// the others are zero.
func environment(b *block, n int) uint64 {
	switch n {
	case 1:
		return b.place.workspace >> 32
	case 2:
		return b.place.workspace & (1<<32 - 1)
	}
	return 0
}

// smid: blocks take the processors in turns, whichever worker runs them.
func smid(b *block, _ uint32) uint64 {
	grid := b.cfg.Grid
	n := uint64(b.index.X) + uint64(grid.X)*(uint64(b.index.Y)+uint64(grid.Y)*uint64(b.index.Z))
	return n % uint64(Multiprocessors())
}
