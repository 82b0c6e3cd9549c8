package attest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGate(t *testing.T) {
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
		{"nobody", emitted{Name: "struct A", Silence: "why"}, "struct A: nothing confirms what Go gets of it (nobody states it): why"},
		{"one", emitted{Name: "enum E", Witnesses: []string{"source"}, Silence: "why"}, "enum E: nothing confirms what Go gets of it (only source states it): why"},
		{"one, twice", emitted{Name: "enum E", Witnesses: []string{"source", "source"}, Silence: "why"}, "enum E: nothing confirms what Go gets of it (only source, source states it): why"},
		{
			"a part", emitted{Name: "struct A", Witnesses: two, Parts: []emittedPart{part("field a", two...), part("field b", "debug")}, Silence: "why"},
			"struct A: field b: nothing confirms what Go gets of it (only debug states it): why",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			unproved := gate([]emitted{{Name: "constant N", Witnesses: two}, test.is})
			if test.want == "" {
				assert.Empty(t, unproved)
				return
			}
			require.Len(t, unproved, 1)
			assert.Equal(t, test.want, unproved[0].String())
		})
	}
}
