package bytecode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/cudagen/cudagen/internal/ptx"
)

// A Special is the index of a special register.
type Special uint8

// A SpecialRegister is a register that tells a thread where it is.
//
// PTX ISA, Special Registers.
type SpecialRegister struct {
	Name   string
	Typ    ptx.Type
	Varies Variation
}

// A Variation says what a special register depends on besides the thread's number and the shape of its block.
type Variation uint8

const (
	Never    Variation = iota
	ByLaunch           // and not on the thread
	ByBlock            // and not on the thread
)

// SpecialRegisters are those that the simulator has besides clocks. Performance counters are
// left out: their values would mean nothing.
var SpecialRegisters = slices.Concat(
	dimension("%tid", Never),
	dimension("%ntid", Never),
	dimension("%ctaid", ByBlock),
	dimension("%nctaid", ByLaunch),
	dimension("%clusterid", ByBlock),
	dimension("%nclusterid", ByLaunch),
	dimension("%cluster_ctaid", ByBlock),
	dimension("%cluster_nctaid", ByLaunch),
	[]SpecialRegister{
		{"%cluster_ctarank", "u32", ByBlock},
		{"%cluster_nctarank", "u32", ByLaunch},
		{IsExplicitCluster, "u32", ByLaunch},
		{"%laneid", "u32", Never},
		{"%warpid", "u32", Never},
		{"%nwarpid", "u32", Never},
		{"%lanemask_eq", "u32", Never},
		{"%lanemask_lt", "u32", Never},
		{"%lanemask_le", "u32", Never},
		{"%lanemask_gt", "u32", Never},
		{"%lanemask_ge", "u32", Never},
		{"%dynamic_smem_size", "u32", Never},
		{"%total_smem_size", "u32", Never},
		{"%aggr_smem_size", "u32", Never},
		{ReservedPrefix + "offset_begin", "u32", Never},
		{ReservedPrefix + "offset_end", "u32", Never},
		{ReservedPrefix + "offset_cap", "u32", Never},
		{ReservedPrefix + "offset_0", "u32", Never},
		{ReservedPrefix + "offset_1", "u32", Never},
		{"%smid", "u32", ByBlock},
		{"%nsmid", "u32", ByLaunch},
		{"%gridid", "u64", ByLaunch},
		{"%current_graph_exec", "u64", Never},
	},
	environmentRegisters(),
)

// IsExplicitCluster is a predicate, which holds where the launch has clusters.
const IsExplicitCluster = "%is_explicit_cluster"

// ReservedPrefix begins the names of registers that tell of the shared memory that is reserved
// for the system's software. On the simulated device it lies behind the kernel's, if the kernel
// asks where it is.
const (
	ReservedPrefix = "%reserved_smem_"
	ReservedShared = 2048
)

// dimension makes the registers of the three dimensions.
func dimension(name string, varies Variation) []SpecialRegister {
	return []SpecialRegister{{name + ".x", "u32", varies}, {name + ".y", "u32", varies}, {name + ".z", "u32", varies}}
}

// environmentRegisters makes the registers that the driver sets.
func environmentRegisters() (registers []SpecialRegister) {
	for n := range 32 {
		registers = append(registers, SpecialRegister{"%envreg" + strconv.Itoa(n), "b32", ByLaunch})
	}
	return registers
}

// SpecialNamed returns the special register called name.
func SpecialNamed(name string) (Special, bool) {
	n := slices.IndexFunc(SpecialRegisters, func(r SpecialRegister) bool { return r.Name == name })
	return Special(n), n >= 0
}

// isSpecial reports whether name has the form of a special register that the simulator lacks.
func isSpecial(name string) bool {
	return strings.HasPrefix(name, "%pm") || strings.HasPrefix(name, ReservedPrefix)
}
