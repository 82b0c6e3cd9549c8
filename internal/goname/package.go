package goname

import (
	"go/token"
	"slices"
	"strings"
	"unicode"
)

// Package returns a name for the Go package of what name is the name of, a file without its end or a
// folder: its letters and digits, in lower case. What begins with a digit or is no name for a package
// that others import gets an x: 3DConvolution is x3dconvolution, and main is xmain.
func Package(name string) string {
	pkg := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	if !token.IsIdentifier(pkg) || slices.Contains([]string{"main", "internal", "vendor", "testdata"}, pkg) {
		return "x" + pkg
	}
	return pkg
}
