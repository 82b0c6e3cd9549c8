package sim

import "strings"

// A memoryScope is the threads for which an access is strong, or a fence orders.
//
// PTX ISA, Memory Consistency Model: Scope.
type memoryScope uint8

const (
	weakScope memoryScope = iota // of an access that is not strong
	blockScope
	clusterScope
	deviceScope // and the system
)

// An ordering says what an instruction does besides its access.
type ordering uint8

const (
	unknownOrdering ordering = iota
	ordersNothing
	acquires
	releases
	acquiresAndReleases
)

// semantics is what a strong access orders by itself, or a fence, and for whom.
type semantics struct {
	ordering ordering
	scope    memoryScope
}

// semanticsOf returns those of the instruction at pc, which is a strong access or a fence. One that names no scope, as volatile
// accesses and atomics without, has the device's.
func (k *kernel) semanticsOf(pc int32) semantics {
	name, _, _ := strings.Cut(strings.TrimLeft(k.places[pc].text, "@!%"), "[")
	s := semantics{ordersNothing, deviceScope}
	switch acquire, release := strings.Contains(name, ".acquire"), strings.Contains(name, ".release"); {
	case strings.Contains(name, ".acq_rel"), acquire && release:
		s.ordering = acquiresAndReleases
	case acquire:
		s.ordering = acquires
	case release:
		s.ordering = releases
	}
	switch {
	case strings.Contains(name, ".cta"):
		s.scope = blockScope
	case strings.Contains(name, ".cluster"):
		s.scope = clusterScope
	}
	return s
}
