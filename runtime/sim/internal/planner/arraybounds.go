package planner

import "github.com/cudagen/cudagen/runtime/sim/internal/bytecode"

// Bounded returns what finds accesses of k beyond arrays, or nil if it has none with bounds.
func Bounded(k *bytecode.Program) *bytecode.ArrayBounds {
	k.Bounding.Do(func() {
		p := newPointsTo(k)
		if p == nil {
			return
		}
		a := &bytecode.ArrayBounds{K: k, Registers: p.sets, Owners: make([]*bytecode.Function, len(p.sets))}
		some := false
		for r, set := range p.sets {
			if set&bytecode.AnyArray != 0 {
				a.Registers[r] = 0
			}
			some = some || a.Registers[r] != 0
		}
		for _, f := range k.Functions {
			if f != nil {
				for r := f.FirstReg; r < f.LastReg; r++ {
					a.Owners[r] = f
				}
			}
		}
		if some {
			k.Bounds = a
		}
	})
	return k.Bounds
}
