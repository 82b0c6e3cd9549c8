package build

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
	"github.com/cudagen/cudagen/internal/source"
)

// A source that was read with other macros than the compiler's has to be read again; what the files say
// that were read does not count.
func TestAssumed(t *testing.T) {
	own := source.Absolute("k.cu")
	u := &unit{place: source.Place{Path: "k.cu"}, sel: &selection.Selection{File: &cu.File{
		Headers:     []string{"n.h"},
		Environment: []cu.Assumption{{Macro: "WIDTH", Defined: true, Body: "4"}, {Macro: "DEBUG"}},
	}}}
	width := compile.Definition{Macro: "WIDTH", Body: "4", File: "/usr/include/limits.h"}
	for name, test := range map[string]struct {
		definitions []compile.Definition
		want        bool
	}{
		"as assumed":               {[]compile.Definition{width}, true},
		"by the compiler":          {[]compile.Definition{{Macro: "WIDTH", Body: "4"}}, true},
		"twice":                    {[]compile.Definition{width, {Macro: "WIDTH", Body: "4"}}, true},
		"others":                   {[]compile.Definition{width, {Macro: "HEIGHT", Body: "9"}}, true},
		"another in the source":    {[]compile.Definition{width, {Macro: "DEBUG", Body: "1", File: own}}, true},
		"another in its header":    {[]compile.Definition{width, {Macro: "WIDTH", Body: "5", File: source.Absolute("n.h")}}, true},
		"not there":                {nil, false},
		"only in the source":       {[]compile.Definition{{Macro: "WIDTH", Body: "4", File: own}}, false},
		"of another body":          {[]compile.Definition{{Macro: "WIDTH", Body: "5"}}, false},
		"of two bodies":            {[]compile.Definition{width, {Macro: "WIDTH", Body: "5"}}, false},
		"defined, and assumed not": {[]compile.Definition{width, {Macro: "DEBUG", Body: "1"}}, false},
	} {
		assert.Equal(t, test.want, u.assumed(test.definitions), name)
	}
}
