package proof

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/compare"
)

// The companion is believed when it agrees; when it does not, the compiler itself decides, if it answers.
func TestDemand(t *testing.T) {
	wrong := errors.New("x is 4 bytes")
	companion := &compare.Answers{Companion: true, Compiler: "nvrtc 13.0"}
	itself := &compare.Answers{Compiler: "nvcc 13.0"}
	mute := &compare.Answers{Companion: true, Compiler: "nvrtc 13.0", NoAnswer: "exit status 3\nnvcc: no\n"}
	for name, test := range map[string]struct {
		first, again *compare.Answers
		disagree     []*compare.Answers
		want         string
		asked        int
	}{
		"nobody answers":         {nil, itself, []*compare.Answers{nil, itself}, "", 0},
		"the compiler agrees":    {itself, nil, nil, "", 0},
		"the compiler disagrees": {itself, nil, []*compare.Answers{itself}, "x is 4 bytes", 0},
		"the companion agrees":   {companion, itself, []*compare.Answers{itself}, "", 0},
		"only the companion":     {companion, itself, []*compare.Answers{companion}, "", 1},
		"both disagree":          {companion, itself, []*compare.Answers{companion, itself}, "x is 4 bytes", 1},
		"the compiler is mute": {companion, mute, []*compare.Answers{companion},
			"x is 4 bytes\nk: nvrtc 13.0 disagrees with the source, and the compiler itself cannot be asked: exit status 3; nvcc: no", 1},
		"the compiler cannot run": {companion, nil, []*compare.Answers{companion}, "interrupted", 1},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			p := &prover{answers: test.first, again: func() (*compare.Answers, error) {
				asked++
				if test.again == nil {
					return nil, errors.New("interrupted")
				}
				return test.again, nil
			}}
			err := p.demand("k", func(a *compare.Answers) error {
				for _, d := range test.disagree {
					if a == d {
						return wrong
					}
				}
				return nil
			})
			if test.want == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, test.want)
			}
			assert.Equal(t, test.asked, asked)
		})
	}
}
