package build

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/cu"
	"github.com/cudagen/cudagen/gen/internal/selection"
	"github.com/cudagen/cudagen/internal/compile"
)

// A preprocessor is a compiler that knows definitions, or fails, and keeps what it was asked for.
type preprocessor struct {
	compile.Compiler
	definitions []compile.Definition
	err         error
	asked       [][]string
}

func (p *preprocessor) Definitions(_ context.Context, _ compile.Request, names []string) ([]compile.Definition, error) {
	p.asked = append(p.asked, names)
	return p.definitions, p.err
}

// The companion is asked when the compiler has the macros that the source was read with. Where there is no companion, or no macro
// decided anything, the compiler is not run for them.
func TestCompanionHasTheMacros(t *testing.T) {
	companion := &preprocessor{}
	width := []cu.Assumption{{Macro: "WIDTH", Defined: true, Body: "4"}}
	for name, test := range map[string]struct {
		compiler    *preprocessor
		companion   compile.Compiler
		environment []cu.Assumption
		want        compile.Compiler
		asked       [][]string
	}{
		"the same":     {&preprocessor{definitions: []compile.Definition{{Macro: "WIDTH", Body: "4"}}}, companion, width, companion, [][]string{{"WIDTH"}}},
		"another":      {&preprocessor{definitions: []compile.Definition{{Macro: "WIDTH", Body: "5"}}}, companion, width, nil, [][]string{{"WIDTH"}}},
		"not told":     {&preprocessor{definitions: []compile.Definition{{Macro: "WIDTH", Body: "4"}}, err: errors.New("no")}, companion, width, nil, [][]string{{"WIDTH"}}},
		"no macros":    {&preprocessor{}, companion, nil, companion, nil},
		"no companion": {&preprocessor{}, nil, width, nil, nil},
		"neither":      {&preprocessor{}, nil, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			jobs := newJobs(t.Context(), test.compiler, nil)
			jobs.companion = func() compile.Compiler { return test.companion }
			u := &unit{sel: &selection.Selection{File: &cu.File{Environment: test.environment}}}
			assert.Equal(t, test.want, u.companion(jobs, compile.Request{}, "compute_75"))
			assert.Equal(t, test.asked, test.compiler.asked)
		})
	}
}
