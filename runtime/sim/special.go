package sim

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/simd"
)

// A special is the index of a special register.
type special uint8

// A specialRegister is a register that tells a thread where it is.
//
// PTX ISA, Special Registers.
type specialRegister struct {
	name   string
	typ    ptx.Type
	varies bool // from block to block
	value  func(b *block, thread uint32) uint64
}

// specialRegisters are those that the simulator has besides clocks. Performance counters are
// left out: their values would mean nothing.
var specialRegisters = slices.Concat(
	dimension("%tid", false, func(b *block, thread uint32) driver.Dim3 {
		return at(uint64(thread), b.cfg.Block)
	}),
	dimension("%ntid", false, func(b *block, _ uint32) driver.Dim3 { return b.cfg.Block }),
	dimension("%ctaid", true, func(b *block, _ uint32) driver.Dim3 { return b.index }),
	dimension("%nctaid", false, func(b *block, _ uint32) driver.Dim3 { return b.cfg.Grid }),
	dimension("%clusterid", true, func(b *block, _ uint32) driver.Dim3 { return quotient(b.index, b.place.cluster) }),
	dimension("%nclusterid", false, func(b *block, _ uint32) driver.Dim3 { return quotient(b.cfg.Grid, b.place.cluster) }),
	dimension("%cluster_ctaid", true, func(b *block, _ uint32) driver.Dim3 { return remainder(b.index, b.place.cluster) }),
	dimension("%cluster_nctaid", false, func(b *block, _ uint32) driver.Dim3 { return b.place.cluster }),
	[]specialRegister{
		{"%cluster_ctarank", "u32", true, func(b *block, _ uint32) uint64 { return uint64(b.rank()) }},
		{"%cluster_nctarank", "u32", false, func(b *block, _ uint32) uint64 { return count(b.place.cluster) }},
		{isExplicitCluster, "u32", false, func(b *block, _ uint32) uint64 { return uint64(simd.Bit(b.place.clustered)) }},
		{"%laneid", "u32", false, func(_ *block, thread uint32) uint64 { return uint64(thread % warpSize) }},
		{"%warpid", "u32", false, func(_ *block, thread uint32) uint64 { return uint64(thread / warpSize) }},
		{"%nwarpid", "u32", false, func(b *block, _ uint32) uint64 { return uint64(len(b.warps)) }},
		{"%lanemask_eq", "u32", false, func(_ *block, thread uint32) uint64 { return 1 << (thread % warpSize) }},
		{"%lanemask_lt", "u32", false, func(_ *block, thread uint32) uint64 { return 1<<(thread%warpSize) - 1 }},
		{"%lanemask_le", "u32", false, func(_ *block, thread uint32) uint64 { return 2<<(thread%warpSize) - 1 }},
		{"%lanemask_gt", "u32", false, func(_ *block, thread uint32) uint64 { return (1<<32 - 1) &^ (2<<(thread%warpSize) - 1) }},
		{"%lanemask_ge", "u32", false, func(_ *block, thread uint32) uint64 { return (1<<32 - 1) &^ (1<<(thread%warpSize) - 1) }},
		{"%dynamic_smem_size", "u32", false, func(b *block, _ uint32) uint64 { return uint64(b.cfg.SharedBytes) }},
		{"%total_smem_size", "u32", false, func(b *block, _ uint32) uint64 { return uint64(b.k.sharedBytes) + uint64(b.cfg.SharedBytes) }},
		{"%aggr_smem_size", "u32", false, func(b *block, _ uint32) uint64 { return b.reservedAt() + reservedShared }},
		{reservedPrefix + "offset_begin", "u32", false, func(b *block, _ uint32) uint64 { return b.reservedAt() }},
		{reservedPrefix + "offset_end", "u32", false, func(b *block, _ uint32) uint64 { return b.reservedAt() + reservedShared }},
		{reservedPrefix + "offset_cap", "u32", false, func(_ *block, _ uint32) uint64 { return reservedShared }},
		{reservedPrefix + "offset_0", "u32", false, func(b *block, _ uint32) uint64 { return b.reservedAt() }},
		{reservedPrefix + "offset_1", "u32", false, func(b *block, _ uint32) uint64 { return b.reservedAt() + reservedShared/2 }},
		{"%smid", "u32", true, smid},
		{"%nsmid", "u32", false, func(_ *block, _ uint32) uint64 { return uint64(multiprocessors()) }},
		{"%gridid", "u64", false, func(b *block, _ uint32) uint64 { return b.place.grid }},
		{"%current_graph_exec", "u64", false, func(_ *block, _ uint32) uint64 { return 0 }},
	},
	environment(),
)

// isExplicitCluster is a predicate, which holds where the launch has clusters.
const isExplicitCluster = "%is_explicit_cluster"

// reservedPrefix begins the names of registers that tell of the shared memory that is reserved
// for the system's software. On the simulated device it lies behind the kernel's, if the kernel
// asks where it is.
const (
	reservedPrefix = "%reserved_smem_"
	reservedShared = 2048
)

// dimension makes the registers of the three dimensions.
func dimension(name string, varies bool, value func(b *block, thread uint32) driver.Dim3) []specialRegister {
	return []specialRegister{
		{name + ".x", "u32", varies, func(b *block, thread uint32) uint64 { return uint64(value(b, thread).X) }},
		{name + ".y", "u32", varies, func(b *block, thread uint32) uint64 { return uint64(value(b, thread).Y) }},
		{name + ".z", "u32", varies, func(b *block, thread uint32) uint64 { return uint64(value(b, thread).Z) }},
	}
}

// environment makes the registers that the driver sets. The first two of the second and the
// third hold the address of what the blocks of a cooperative launch wait for each other with;
// the others are zero.
func environment() (registers []specialRegister) {
	for n := range 32 {
		registers = append(registers, specialRegister{"%envreg" + strconv.Itoa(n), "b32", false, func(b *block, _ uint32) uint64 {
			switch n {
			case 1:
				return b.place.workspace >> 32
			case 2:
				return b.place.workspace & (1<<32 - 1)
			}
			return 0
		}})
	}
	return registers
}

// specialNamed returns the special register called name.
func specialNamed(name string) (special, bool) {
	n := slices.IndexFunc(specialRegisters, func(r specialRegister) bool { return r.name == name })
	return special(n), n >= 0
}

// isSpecial reports whether name has the form of a special register that the simulator lacks.
func isSpecial(name string) bool {
	return strings.HasPrefix(name, "%pm") || strings.HasPrefix(name, reservedPrefix)
}

// smid: blocks take the processors in turns, whichever worker runs them.
func smid(b *block, _ uint32) uint64 {
	grid := b.cfg.Grid
	n := uint64(b.index.X) + uint64(grid.X)*(uint64(b.index.Y)+uint64(grid.Y)*uint64(b.index.Z))
	return n % uint64(multiprocessors())
}

func quotient(a, b driver.Dim3) driver.Dim3 {
	return driver.Dim3{X: a.X / b.X, Y: a.Y / b.Y, Z: a.Z / b.Z}
}

func remainder(a, b driver.Dim3) driver.Dim3 {
	return driver.Dim3{X: a.X % b.X, Y: a.Y % b.Y, Z: a.Z % b.Z}
}
