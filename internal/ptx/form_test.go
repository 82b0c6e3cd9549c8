package ptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestForm(t *testing.T) {
	var table FormTable[int]
	for n, text := range []string{"add|sub.rn|rz?.ftz?.f32", "add.rn.f64", "exit", "ld.ca?.v2?.u32", "red.a?.a|b?.a", "add.rn?.f64"} {
		table.Add(ParseForm(text), n)
	}
	for _, test := range []struct {
		instruction string
		want        int // -1 when no form matches
	}{
		{"add.f32", 0},
		{"sub.rz.ftz.f32", 0},
		{"add.ftz.rn.f32", -1}, // in another order
		{"add.rn.rn.f32", -1},
		{"add.rn.f32.sat", -1}, // no modifier is ignored
		{"add.rn", -1},         // none that has to stand is left out
		{"add", -1},
		{"mul.f32", -1},
		{"add.rn.f64", 1}, // the first of two
		{"add.f64", 5},
		{"exit", 2},
		{"exit.uni", -1},
		{"ld.u32", 3},
		{"ld.v2.u32", 3},
		{"ld.ca.v2.u32", 3},
		{"ld.v2.ca.u32", -1},
		{"red.a", 4}, // an optional place leaves a modifier to one behind it that needs it
		{"red.b.a", 4},
		{"red.a.a.a", 4},
		{"red.a.a.a.a", -1},
	} {
		words := strings.Split(test.instruction, ".")
		in := &Instr{Op: words[0], Mods: words[1:]}
		got, ok := table.Find(in)
		if !ok {
			got = -1
		}
		assert.Equal(t, test.want, got, test.instruction)
		assert.Equal(t, test.instruction, in.Name())
	}
}

// TestFindReordered: modifiers in any order have one meaning; types keep theirs.
func TestFindReordered(t *testing.T) {
	var table FormTable[string]
	table.Add(ParseForm("cvt.rn|rz.ftz?.f32|s32.f32|f64"), "cvt")
	table.Add(ParseForm("mma.row|col.row|col.f32"), "mma")
	table.Add(ParseForm("dmma.row.col.f64"), "dmma")
	table.Add(ParseForm("cp.global.shared::cta.group"), "cp")
	for text, want := range map[string]string{
		"dmma.f64.row.col":            "dmma.row.col.f64",
		"dmma.col.row.f64":            "",
		"cp.group.global.shared::cta": "cp.global.shared::cta.group",
		"cp.shared::cta.global.group": "",
		"cvt.f32.rn.f64":              "cvt.rn.f32.f64",
		"cvt.ftz.s32.f32.rz":          "cvt.rz.ftz.s32.f32",
		"mma.f32.row.col":             "mma.row.col.f32",
		"cvt.f64.rn.f32":              "", // of another order of types
		"cvt.rn.rn.f32.f64":           "",
		"cvt.f32.f64":                 "",
		"cvt.rn.f32.f64.unknown":      "",
	} {
		parts := strings.Split(text, ".")
		_, ordered, ok := table.FindReordered(&Instr{Op: parts[0], Mods: parts[1:]})
		if want == "" {
			assert.False(t, ok, text)
		} else if assert.True(t, ok, text) {
			assert.Equal(t, want, ordered.Name())
		}
	}
}
