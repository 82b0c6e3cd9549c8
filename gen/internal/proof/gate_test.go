package proof

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/internal/diag"
)

func TestGate(t *testing.T) {
	why := diag.Message{Text: "why"}
	two := []string{"source", "probe"}
	part := func(name string, witnesses ...string) emittedPart {
		return emittedPart{Name: name, Witnesses: witnesses}
	}
	for _, test := range []struct {
		name string
		is   emitted
		want string
	}{
		{"two", emitted{Name: "struct A", Witnesses: two, Parts: []emittedPart{part("field a", "debug", "probe")}}, ""},
		{"nobody", emitted{Name: "struct A", reason: why}, "struct A: nothing states it: why"},
		{"one", emitted{Name: "enum E", Witnesses: []string{"source"}, reason: why}, "enum E: only the source states it, and nothing confirms it: why"},
		{"one, twice", emitted{Name: "enum E", Witnesses: []string{"source", "source"}, reason: why}, "enum E: only the source states it, and nothing confirms it: why"},
		{
			"a part", emitted{Name: "struct A", Witnesses: two, Parts: []emittedPart{part("field a", two...), part("field b", "debug")}, reason: why},
			"struct A: field b: only the debug information states it, and nothing confirms it: why",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			unproved := gate([]emitted{{Name: "constant N", Witnesses: two}, test.is})
			if test.want == "" {
				assert.Empty(t, unproved)
				return
			}
			require.Len(t, unproved, 1)
			assert.Equal(t, test.want, unproved[0].message().Error())
		})
	}
}
