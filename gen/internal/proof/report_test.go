package proof

import (
	"errors"
	"fmt"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/gen/internal/compare"
	"github.com/cudagen/cudagen/internal/diag"
	"github.com/cudagen/cudagen/internal/source"
)

// Every error is reported, with its code and remedy, whatever it is made of.
func TestReport(t *testing.T) {
	pos := token.Position{Filename: "k.cu", Line: 3}
	ofFile := source.NewError("a.h", diag.FileChanged.New("is gone"))
	remedied := diag.Unconfirmed.Errorf("why: %w", diag.Do("do that"))
	for name, test := range map[string]struct {
		err  error
		want []string
	}{
		"nothing":          {nil, nil},
		"of a file":        {ofFile, []string{"F107 a.h: is gone"}},
		"wrapped":          {fmt.Errorf("k: %w", ofFile), []string{"F107 k: a.h: is gone"}},
		"with a remedy":    {remedied, []string{"P102 why: do that"}},
		"joined":           {errors.Join(ofFile, remedied), []string{"F107 a.h: is gone", "P102 why: do that"}},
		"without a code":   {errors.New("strange"), []string{"C199 strange"}},
		"no disagreements": {compare.Error{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var list diag.List
			report(&list, pos, test.err)
			var got []string
			for _, e := range list {
				got = append(got, string(e.Code)+" "+e.Message.Error())
				assert.Equal(t, pos, e.Pos)
			}
			assert.Equal(t, test.want, got)
		})
	}
}
