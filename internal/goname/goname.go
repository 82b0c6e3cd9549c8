// Package goname takes C++ names, gives Go names, and knows nothing about the named things.
//
// It knows Go's keywords and conventions. A name depends on what is named and on whether something
// else wants the same name, and never on an order.
package goname

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Exported returns name in Go's convention for an exported name: heat_step is
// HeatStep. An underscore between digits stays, because step_1_2 is not step_12. A name
// without a letter in front gets an X: _1 is X1.
func Exported(name string) string {
	var b strings.Builder
	up, digit := true, false
	for _, r := range name {
		switch {
		case r == '_' || r == '$':
			up = true
			continue
		case up && digit && unicode.IsDigit(r):
			b.WriteRune('_')
		}
		if up {
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		up, digit = false, unicode.IsDigit(r)
	}
	s := b.String()
	if first, _ := utf8.DecodeRuneInString(s); !unicode.IsUpper(first) {
		s = "X" + s
	}
	return s
}

// Unexported returns name in Go's convention for a local name: heat_step is
// heatStep. A name all in capitals becomes lower case: N is n, DT is dt.
func Unexported(name string) string {
	s := Exported(name)
	if strings.ToUpper(s) == s {
		return strings.ToLower(s)
	}
	first, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(first)) + s[size:]
}

// IsExported reports whether name can stand as an exported Go name.
func IsExported(name string) bool { return token.IsIdentifier(name) && token.IsExported(name) }

// Verbatim returns an exported name with the spelling of a C++ name and its scopes, from the outside
// in: X_heat_step, X_ns__heat_step. Exported never returns it for another name.
func Verbatim(names ...string) string { return "X_" + Identifier(strings.Join(names, "__")) }

// Hidden returns the unexported form of an exported Go name: step for Step, x_Step for X_Step.
func Hidden(goName string) string {
	if rest, verbatim := strings.CutPrefix(goName, "X_"); verbatim {
		return "x_" + rest
	}
	return Unexported(goName)
}

// Within returns name with outer in front, which is exported. Both forms of name stay what they are:
// Step is OuterStep, and step outerStep.
func Within(outer, name string) string {
	if IsExported(name) {
		return Join(outer, name)
	}
	first, size := utf8.DecodeRuneInString(name)
	return Hidden(Join(outer, string(unicode.ToUpper(first))+name[size:]))
}

// Field returns the claim to an exported name of the parameter or member called name, the
// index-th of its kind: N, or Arg3 without a name.
func Field(name string, index int) Claim {
	if name == "" {
		return Forms(fmt.Sprintf("Arg%d", index), Verbatim(fmt.Sprint(index)))
	}
	return Forms(Exported(name), Verbatim(name))
}

// Local returns the claim to a name of the argument called name, the index-th: n, lenArg for a
// predeclared name or a keyword, arg3 without a name.
func Local(name string, index int) Claim {
	if name == "" {
		return Forms(fmt.Sprintf("arg%d", index), "x_"+fmt.Sprint(index))
	}
	local, verbatim := Unexported(name), "x_"+Identifier(name)
	if token.IsKeyword(local) || types.Universe.Lookup(local) != nil {
		return Forms(local+"Arg", verbatim)
	}
	return Forms(local, local+"Arg", verbatim)
}

// Join returns the words as one name. Digits of two words do not become one number: Step1
// and 2 are Step1_2, and int3 and 1 are Int3_1.
func Join(words ...string) string {
	name := ""
	for _, word := range words {
		last, _ := utf8.DecodeLastRuneInString(name)
		first, _ := utf8.DecodeRuneInString(word)
		if unicode.IsDigit(last) && unicode.IsDigit(first) {
			name += "_"
		}
		name += word
	}
	return name
}
