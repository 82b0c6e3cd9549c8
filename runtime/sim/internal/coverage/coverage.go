// Package coverage counts what kernels execute: instructions, of a launch, and the source lines that they are of, of a device. It knows
// instructions, and not what executes them.
package coverage

import (
	"cmp"
	"math/bits"
	"slices"
	"sync"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// Counts is which instructions of a kernel threads have executed, and where they branched.
type Counts struct {
	hits, taken, passed []uint64 // threads, by pc
}

// New returns counts of nothing.
func New(k *bytecode.Program) *Counts {
	n := len(k.Code)
	return &Counts{make([]uint64, n), make([]uint64, n), make([]uint64, n)}
}

// Count counts the instruction at pc, which the lanes of mask come to and e execute.
func (c *Counts) Count(in *bytecode.Instr, pc int32, mask, e uint32) {
	c.hits[pc] += uint64(bits.OnesCount32(mask))
	if in.Op == bytecode.OpBranch {
		c.taken[pc] += uint64(bits.OnesCount32(e))
		c.passed[pc] += uint64(bits.OnesCount32(mask &^ e))
	}
}

// Add adds what another has counted.
func (c *Counts) Add(other *Counts) {
	for pc := range c.hits {
		c.hits[pc] += other.hits[pc]
		c.taken[pc] += other.taken[pc]
		c.passed[pc] += other.passed[pc]
	}
}

// Lines counts by source line, over all kernels and launches of a device. Its methods may be called at the same time.
type Lines struct {
	mu    sync.Mutex
	lines map[bytecode.Source]*driver.CoveredLine
}

// See counts what a launch of k has executed; nil for a kernel that is only loaded.
func (c *Lines) See(k *bytecode.Program, of *Counts) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines == nil {
		c.lines = make(map[bytecode.Source]*driver.CoveredLine)
	}
	most := make(map[bytecode.Source]uint64) // of the instructions of a line
	branches := make(map[bytecode.Source]int)
	for pc := range k.Code {
		at := k.Places[pc].Source
		if at.File == "" {
			continue
		}
		line := c.lines[at]
		if line == nil {
			line = &driver.CoveredLine{File: at.File, Line: at.Line}
			c.lines[at] = line
		}
		conditional := k.Code[pc].Op == bytecode.OpBranch && k.Code[pc].Guard.Index != bytecode.PredTrue
		if conditional {
			n := branches[at]
			branches[at]++
			for len(line.Branches) <= n {
				line.Branches = append(line.Branches, driver.CoveredBranch{})
			}
			if of != nil {
				line.Branches[n].Taken += of.taken[pc]
				line.Branches[n].Passed += of.passed[pc]
			}
		}
		if of != nil {
			most[at] = max(most[at], of.hits[pc])
		}
	}
	for at, n := range most {
		c.lines[at].Threads += n
	}
}

// All returns what was counted, by file and line.
func (c *Lines) All() (lines []driver.CoveredLine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.lines {
		copied := *line
		copied.Branches = slices.Clone(line.Branches)
		lines = append(lines, copied)
	}
	slices.SortFunc(lines, func(a, b driver.CoveredLine) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return lines
}
