package proof_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/cudagen/cudagen/gen/proof"
)

func TestGate(t *testing.T) {
	two := []string{"source", "probe"}
	part := func(name string, witnesses ...string) proof.EmittedPart {
		return proof.EmittedPart{Name: name, Witnesses: witnesses}
	}
	for _, test := range []struct {
		name string
		is   proof.Emitted
		want string
	}{
		{"two", proof.Emitted{Name: "struct A", Witnesses: two, Parts: []proof.EmittedPart{part("field a", "debug", "probe")}}, ""},
		{"nobody", proof.Emitted{Name: "struct A", Silence: "why"}, "struct A: nothing confirms what Go gets of it (nobody states it): why"},
		{"one", proof.Emitted{Name: "enum E", Witnesses: []string{"source"}, Silence: "why"}, "enum E: nothing confirms what Go gets of it (only source states it): why"},
		{"one, twice", proof.Emitted{Name: "enum E", Witnesses: []string{"source", "source"}, Silence: "why"}, "enum E: nothing confirms what Go gets of it (only source, source states it): why"},
		{
			"a part", proof.Emitted{Name: "struct A", Witnesses: two, Parts: []proof.EmittedPart{part("field a", two...), part("field b", "debug")}, Silence: "why"},
			"struct A: field b: nothing confirms what Go gets of it (only debug states it): why",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			unproved := proof.Gate([]proof.Emitted{{Name: "constant N", Witnesses: two}, test.is})
			if test.want == "" {
				assert.Empty(t, unproved)
				return
			}
			require.Len(t, unproved, 1)
			assert.Equal(t, test.want, unproved[0].String())
		})
	}
}
