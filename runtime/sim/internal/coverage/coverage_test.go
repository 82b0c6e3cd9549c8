package coverage

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/runtime/internal/driver"
	"github.com/cudagen/cudagen/runtime/sim/internal/bytecode"
)

// A line counts the threads of its instruction that most have executed, and each of its branches on a condition.
func TestLines(t *testing.T) {
	here, there := bytecode.Source{File: "a.cu", Line: 2}, bytecode.Source{File: "a.cu", Line: 5}
	k := &bytecode.Program{
		Code: []bytecode.Instr{
			{},
			{Op: bytecode.OpBranch, Guard: bytecode.Predicate{Index: bytecode.FirstPred}},
			{Op: bytecode.OpBranch}, // always
			{},
			{},
		},
		Places: []bytecode.Place{{Source: here}, {Source: here}, {Source: here}, {Source: there}, {}},
	}
	var lines Lines
	lines.See(k, nil)
	assert.Equal(t, []driver.CoveredLine{{File: "a.cu", Line: 2, Branches: []driver.CoveredBranch{{}}}, {File: "a.cu", Line: 5}}, lines.All(), "nothing has run")

	one, other := New(k), New(k)
	for pc := range k.Code {
		one.Count(&k.Code[pc], int32(pc), 0xff, 0x0f)
	}
	other.Count(&k.Code[1], 1, 0x1, 0x1)
	one.Add(other)
	lines.See(k, one)
	want := []driver.CoveredLine{{File: "a.cu", Line: 2, Threads: 9, Branches: []driver.CoveredBranch{{Taken: 5, Passed: 4}}}, {File: "a.cu", Line: 5, Threads: 8}}
	assert.Equal(t, want, lines.All())

	lines.All()[0].Branches[0].Taken = 77
	assert.Equal(t, want, lines.All(), "callers get a copy")
	lines.See(k, other)
	assert.Equal(t, driver.CoveredLine{File: "a.cu", Line: 2, Threads: 10, Branches: []driver.CoveredBranch{{Taken: 6, Passed: 4}}}, lines.All()[0], "a second launch")
}
