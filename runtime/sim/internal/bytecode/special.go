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
	Varies bool // from block to block
}

// SpecialRegisters are those that the simulator has besides clocks. Performance counters are
// left out: their values would mean nothing.
var SpecialRegisters = slices.Concat(
	dimension("%tid", false),
	dimension("%ntid", false),
	dimension("%ctaid", true),
	dimension("%nctaid", false),
	dimension("%clusterid", true),
	dimension("%nclusterid", false),
	dimension("%cluster_ctaid", true),
	dimension("%cluster_nctaid", false),
	[]SpecialRegister{
		{"%cluster_ctarank", "u32", true},
		{"%cluster_nctarank", "u32", false},
		{IsExplicitCluster, "u32", false},
		{"%laneid", "u32", false},
		{"%warpid", "u32", false},
		{"%nwarpid", "u32", false},
		{"%lanemask_eq", "u32", false},
		{"%lanemask_lt", "u32", false},
		{"%lanemask_le", "u32", false},
		{"%lanemask_gt", "u32", false},
		{"%lanemask_ge", "u32", false},
		{"%dynamic_smem_size", "u32", false},
		{"%total_smem_size", "u32", false},
		{"%aggr_smem_size", "u32", false},
		{ReservedPrefix + "offset_begin", "u32", false},
		{ReservedPrefix + "offset_end", "u32", false},
		{ReservedPrefix + "offset_cap", "u32", false},
		{ReservedPrefix + "offset_0", "u32", false},
		{ReservedPrefix + "offset_1", "u32", false},
		{"%smid", "u32", true},
		{"%nsmid", "u32", false},
		{"%gridid", "u64", false},
		{"%current_graph_exec", "u64", false},
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
func dimension(name string, varies bool) []SpecialRegister {
	return []SpecialRegister{{name + ".x", "u32", varies}, {name + ".y", "u32", varies}, {name + ".z", "u32", varies}}
}

// environmentRegisters makes the registers that the driver sets.
func environmentRegisters() (registers []SpecialRegister) {
	for n := range 32 {
		registers = append(registers, SpecialRegister{"%envreg" + strconv.Itoa(n), "b32", false})
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
