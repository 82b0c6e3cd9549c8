package hostwork

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParts(t *testing.T) {
	type runs map[int]int
	diagonal := func(yield func(at, n int) bool) {
		_ = yield(0, 1) && yield(5, 0) && yield(4, 1) && yield(8, 1)
	}
	for name, c := range map[string]struct {
		part Part
		span int
		runs runs
	}{
		"none":               {Part{}, 0, runs{}},
		"matrix":             {Matrix(2, 3, 5), 12, runs{0: 2, 5: 2, 10: 2}},
		"dense matrix":       {Matrix(2, 3, 2), 6, runs{0: 6}},
		"no columns":         {Matrix(2, 0, 5), 0, runs{}},
		"negative rows":      {Matrix(-2, 3, 5), 0, runs{}},
		"vector":             {Vector(3, 1), 3, runs{0: 3}},
		"vector with gaps":   {Vector(3, 4), 9, runs{0: 1, 4: 1, 8: 1}},
		"backwards":          {Vector(3, -4), 9, runs{0: 1, 4: 1, 8: 1}},
		"one element":        {Vector(3, 0), 1, runs{0: 1}},
		"no element":         {Vector(0, 0), 0, runs{}},
		"several matrices":   {Matrix(1, 2, 3).Times(2, 10), 14, runs{0: 1, 3: 1, 10: 1, 13: 1}},
		"the same matrix":    {Matrix(1, 2, 3).Times(2, 0), 4, runs{0: 1, 3: 1}},
		"no matrix":          {Matrix(1, 2, 3).Times(0, 10), 0, runs{}},
		"nothing, six times": {Part{}.Times(6, 2), 0, runs{}},
		"runs":               {Runs(diagonal), 9, runs{0: 1, 4: 1, 8: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.span, c.part.Span())
			assert.Equal(t, c.runs, runs(maps.Collect(c.part.each())))
			for range c.part.each() { // ends when the loop does
				break
			}
		})
	}
}
