package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Names that are longer than a line are shortened, and nothing that is meant for copying.
func TestShorten(t *testing.T) {
	long := func(letter string) string {
		return "gemm::Kernel<" + strings.Repeat("A<int, 3>, ", 9) + letter + strings.Repeat(", B<(C > 3), float (*)(int)>", 9) + ">::Params"
	}
	const head, end = "gemm::Kernel<A<int, 3>, A<int, 3>, A<int, 3>, A<int, 3>, A<i", "> 3), float (*)(int)>>::Params"
	symbol := "_Z" + strings.Repeat("N4gemmE", 20)
	for _, test := range []struct{ name, text, remedy, want string }{
		{"none", "k: parameter p has unknown type T", "", "k: parameter p has unknown type T"},
		{"a type", "k: " + long("x") + " is large", "", "k: " + head + "…" + end + " is large"},
		{"a symbol", symbol + ": is gone", "", symbol[:60] + "…" + symbol[len(symbol)-30:] + ": is gone"},
		{"a type twice", long("x") + " and " + long("x"), "", head + "…" + end + " and " + head + "…" + end},
		{"two types", long("x") + " by the source and " + long("y"), "",
			"gemm::Kernel<A<int, 3>, A<int, 3>, A<int…x, B<(C > 3), float (*)(int)>,…t (*)(int)>>::Params by the source and gemm::Kernel<A<int, 3>, A<int, 3>, A<int…y, B<(C > 3), float (*)(int)>,…t (*)(int)>>::Params"},
		{"two that part in two places", long("x") + " " + long("x"+strings.Repeat(", B<(C > 3), float (*)(int)>", 9)) + " " + long("y"), "",
			long("x") + " " + long("x"+strings.Repeat(", B<(C > 3), float (*)(int)>", 9)) + " gemm::Kernel<A<int, 3>, A<int, 3>, A<int…y, B<(C > 3), float (*)(int)>,…t (*)(int)>>::Params"},
		{"a remedy", long("x") + " is large (write " + long("x") + ")", "write " + long("x"), head + "…" + end + " is large (write " + long("x") + ")"},
		{"a directive", "none: //cudagen:instantiate T=" + long("x"), "", "none: //cudagen:instantiate T=" + long("x")},
		{"an instantiation", "add template __global__ decltype(" + long("x") + ") " + long("x") + ";", "", "add template __global__ decltype(" + long("x") + ") " + long("x") + ";"},
		{"a path", "/tmp/" + symbol + "/k.cu and " + symbol + ".cu", "", "/tmp/" + symbol + "/k.cu and " + symbol + ".cu"},
		{"letters of several bytes", strings.Repeat("ä", 100) + " x", "", strings.Repeat("ä", 30) + "…" + strings.Repeat("ä", 15) + " x"},
		{"an operator", "a<b and " + strings.Repeat("a < b; ", 40), "", "a<b and " + strings.Repeat("a < b; ", 40)},
		{"not closed", "A<" + strings.Repeat("B<(C), ", 40), "", "A<" + strings.Repeat("B<(C), ", 40)},
		{"closed twice", "A<" + strings.Repeat("B), ", 40), "", "A<" + strings.Repeat("B), ", 40)},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, shorten(test.text, test.remedy))
		})
	}
}

func FuzzShorten(f *testing.F) {
	f.Add("A<"+strings.Repeat("b, ", 99)+"> C<d>", "C<d>")
	f.Fuzz(func(t *testing.T, text, remedy string) {
		assert.LessOrEqual(t, len(shorten(text, remedy)), len(text))
	})
}
