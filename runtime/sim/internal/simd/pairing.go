package simd

import "reflect"

// pairKey finds a pairing.
type pairKey struct {
	first, second uintptr
	at            int
}

var pairings = func() map[pairKey]*Pairing {
	table := make(map[pairKey]*Pairing)
	for _, list := range [][]Pairing{FloatPairs, FloatTests, CountPairs} {
		for n := range list {
			c := &list[n]
			key := pairKey{CodeOf(c.First), CodeOf(c.Lanes), c.At}
			if c.Test != nil {
				key.second = CodeOf(c.Test)
			}
			table[key] = c
		}
	}
	return table
}()

// BeginsPair reports whether fn is the first of a pairing.
func BeginsPair(fn Func) bool { return pairFirsts[plainCode(fn)] }

// PairOf returns how first and second, a Func or a Comparison, are executed at once if the value of first is operand at of second; or nil.
func PairOf(first Func, second any, at int) *Pairing {
	return pairings[pairKey{plainCode(first), plainCode(second), at}]
}

// pairFirsts is the first instructions of pairings.
var pairFirsts = func() map[uintptr]bool {
	firsts := make(map[uintptr]bool)
	for key := range pairings {
		firsts[key.first] = true
	}
	return firsts
}()

// plainVariants is what the functions for special operands are variants of, for those that pairings take.
var plainVariants = func() map[uintptr]uintptr {
	plain := make(map[uintptr]uintptr)
	for _, variant := range UniformVariants {
		if CodeOf(variant.Of) == CodeOf(Portable.Add) {
			continue // pairings have the one with a uniform operand
		}
		for _, fn := range []Func{variant.With, variant.Same} {
			if fn != nil {
				plain[CodeOf(fn)] = CodeOf(variant.Of)
			}
		}
	}
	for _, variant := range UniformComparers {
		plain[CodeOf(variant.WithB)] = CodeOf(variant.Of)
		if variant.WithA != nil {
			plain[CodeOf(variant.WithA)] = CodeOf(variant.Of)
		}
	}
	return plain
}()

func plainCode(fn any) uintptr {
	code := CodeOf(fn)
	if of, ok := plainVariants[code]; ok {
		return of
	}
	return code
}

// CodeOf tells functions apart.
func CodeOf(fn any) uintptr { return reflect.ValueOf(fn).Pointer() }
