package goname_test

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/cudagen/cudagen/internal/goname"
)

func TestSettle(t *testing.T) {
	forms, fixed := goname.Forms, goname.Fixed
	for _, test := range []struct {
		name   string
		claims []goname.Claim
		want   []string // "" for none
	}{
		{"apart", []goname.Claim{forms("A"), forms("B")}, []string{"A", "B"}},
		{"nobody keeps an ambiguous name", []goname.Claim{forms("Run", "ARun"), forms("Run", "ZRun")}, []string{"ARun", "ZRun"}},
		{"nor does who comes later", []goname.Claim{forms("Run", "Run", "X_run"), forms("Run", "ARun"), forms("ARun", "X_a_run")}, []string{"X_run", "", "X_a_run"}},
		{"a fixed one does", []goname.Claim{forms("Run", "ARun"), fixed("Run"), forms("Run", "BRun")}, []string{"ARun", "Run", "BRun"}},
		{"two fixed ones", []goname.Claim{fixed("Run"), fixed("Run")}, []string{"Run", ""}},
		{"a name that was ambiguous stays free", []goname.Claim{forms("A", "B"), forms("A", "C"), forms("D", "A"), forms("D", "E")}, []string{"B", "C", "", "E"}},
		{"names that go together", []goname.Claim{{Forms: [][]string{{"X", "SetX"}, {"X_x", "SetX_x"}}}, {Forms: [][]string{{"SetX", "SetSetX"}, {"X_setX", "SetX_setX"}}}},
			[]string{"X_x SetX_x", "X_setX SetX_setX"}},
		{"a name twice in one form", []goname.Claim{{Forms: [][]string{{"X", "X"}}}}, []string{"X X"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, settle(test.claims...))
			_, clashes := goname.Settle(test.claims)
			for _, c := range clashes {
				assert.NotEqual(t, c.Claim, c.Other)
			}
			assert.Equal(t, slices.Contains(test.want, ""), len(clashes) > 0)
		})
	}
}

// A claim that is added takes no name from another one, and the order of the claims does not count.
func TestNamesDoNotPassOn(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	letters := []string{"A", "B", "C", "D", "E", "F"}
	for range 20_000 {
		var claims []goname.Claim
		for range 2 + random.Intn(4) {
			var names []string
			for range 1 + random.Intn(3) {
				names = append(names, letters[random.Intn(len(letters))])
			}
			claims = append(claims, goname.Forms(names...))
		}
		before, last := settle(claims[:len(claims)-1]...), len(claims)-1
		after := settle(claims...)
		for i, name := range before {
			for k, other := range after {
				if name != "" && name == other && i != k {
					t.Fatalf("%v: %s passes from %d to %d", claims, name, i, k)
				}
			}
		}
		turned := append([]goname.Claim{claims[last]}, claims[:last]...)
		assert.Equal(t, append([]string{after[last]}, after[:last]...), settle(turned...), "%v", claims)
	}
}
