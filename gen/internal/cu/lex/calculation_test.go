package lex

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What GCC and clang say of the same conditions.
func TestCalculate(t *testing.T) {
	for condition, want := range map[string]string{
		"1 + 2 * 3 == 7":                  "yes",
		"-1 < 0xFFFFFFFF":                 "yes", // all numbers have 64 bits
		"-1 < 0u":                         "no",
		"-1 > 0xFFFFFFFFFFFFFFFF - 1":     "yes",
		"(2 > 1 ? -1 : 0u) > 0":           "yes",
		"1 << 63 < 0":                     "yes",
		"(-5 << 1) == -10":                "yes",
		"-8 >> 1 == -4":                   "yes",
		"~0u >> 63":                       "yes",
		"'\\377' < 0":                     "yes",
		"u8'a' == 97 && L'a' == U'\\x61'": "yes",
		"'ab' == 0x6162":                  "yes",
		"none || true":                    "yes",
		"0 && 1 / 0":                      "no",
		"0 && none(1, (2))":               "no",
		"1 / 0":                           "a constant expression divides by zero",
		"0x7FFFFFFFFFFFFFFF + 1":          "a constant expression overflows",
		"1 << 64":                         "shifts by more than its type has bits",
		"9223372036854775808":             "does not fit a signed type",
		"1.5":                             "is not an integer",
		"(1":                              "lacks a closing parenthesis",
		"1 ? 2":                           "lacks the : of its ?",
		"1 2":                             "unexpected 2 in a constant expression",
		"none(1)":                         "macro none is not defined",
		"":                                "an expression is missing",
	} {
		t.Run(condition, func(t *testing.T) {
			source := NewSource("t.h", condition)
			s := NewLexer(source)
			var list []Token
			l := s.Scan()
			for ; l.Kind != EOF; l = s.Scan() {
				list = append(list, l)
			}
			holds, failure := calculate(list, l, func(string) {})
			switch {
			case failure != nil:
				assert.Contains(t, failure.Text, want)
			case holds:
				assert.Equal(t, "yes", want)
			default:
				assert.Equal(t, "no", want)
			}
		})
	}
}
