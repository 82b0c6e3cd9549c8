package bytecode

import "strings"

// A MemoryScope is the threads for which an access is strong, or a fence orders.
//
// PTX ISA, Memory Consistency Model: Scope.
type MemoryScope uint8

const (
	WeakScope MemoryScope = iota // of an access that is not strong
	BlockScope
	ClusterScope
	DeviceScope // and the system
)

// An Ordering says what an instruction does besides its access.
type Ordering uint8

const (
	UnknownOrdering Ordering = iota
	OrdersNothing
	Acquires
	Releases
	AcquiresAndReleases
)

// Semantics is what a strong access orders by itself, or a fence, and for whom.
type Semantics struct {
	Ordering Ordering
	Scope    MemoryScope
}

// SemanticsOf returns those of the instruction at pc, which is a strong access or a fence. One that names no scope, as volatile
// accesses and atomics without, has the device's.
func (k *Program) SemanticsOf(pc int32) Semantics {
	name, _, _ := strings.Cut(strings.TrimLeft(k.Places[pc].Text, "@!%"), "[")
	s := Semantics{OrdersNothing, DeviceScope}
	switch acquire, release := strings.Contains(name, ".acquire"), strings.Contains(name, ".release"); {
	case strings.Contains(name, ".acq_rel"), acquire && release:
		s.Ordering = AcquiresAndReleases
	case acquire:
		s.Ordering = Acquires
	case release:
		s.Ordering = Releases
	}
	switch {
	case strings.Contains(name, ".cta"):
		s.Scope = BlockScope
	case strings.Contains(name, ".cluster"):
		s.Scope = ClusterScope
	}
	return s
}
