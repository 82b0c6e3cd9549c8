package witness

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// An overloaded kernel is named by its parameters.
func TestAddress(t *testing.T) {
	for want, k := range map[string]KernelQuery{
		"&app::step<float, 4>":                           {Name: "app::step<float, 4>"},
		"static_cast<void (*)()>(&over)":                 {Name: "over", Params: []string{}},
		"static_cast<void (*)(float, const S *)>(&over)": {Name: "over", Params: []string{"float", "const S *"}},
	} {
		assert.Equal(t, want, k.Address())
	}
}

// A type is asked for offsets and values where there are some: a set of none is not C++.
func TestPartsAreAskedFor(t *testing.T) {
	const offset, value = "CUDAGEN_PROBE_OFFSET(x, cudagen_probe_named_0)", "(cudagen_probe::word)(cudagen_probe_named_0::low)"
	for name, test := range map[string]struct {
		query TypeQuery
		want  string
	}{
		"nothing":     {TypeQuery{Says: "S"}, ""},
		"offsets":     {TypeQuery{Says: "S", Fields: []string{"x"}}, "(cudagen_probe_parts_0, 0, 1, " + offset + ")"},
		"enumerators": {TypeQuery{Says: "S", Enumerators: []string{"low"}}, "(cudagen_probe_parts_0, 0, 1, " + value + ")"},
		"both":        {TypeQuery{Says: "S", Fields: []string{"x"}, Enumerators: []string{"low"}}, "(cudagen_probe_parts_0, 0, 2, " + offset + ", " + value + ")"},
	} {
		source := (&Queries{Types: []TypeQuery{test.query}}).Source()
		assert.Contains(t, source, "CUDAGEN_PROBE_NAME(0, S)", name)
		if test.want == "" {
			assert.NotContains(t, source, "cudagen_probe_parts_0", name)
		} else {
			assert.Contains(t, source, "CUDAGEN_PROBE_VALUES"+test.want, name)
		}
	}
}
