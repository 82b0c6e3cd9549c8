// Package goname turns C++ names into Go names.
//
// It knows Go's keywords and conventions, and nothing about the named things. The same
// names in the same order always give the same result.
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

// A Scope hands out names, each once.
type Scope struct{ taken map[string]bool }

// NewScope returns a scope in which the given names are taken.
func NewScope(taken ...string) *Scope {
	s := &Scope{make(map[string]bool)}
	for _, name := range taken {
		s.taken[name] = true
	}
	return s
}

// Add takes name, and reports whether it was free.
func (s *Scope) Add(name string) bool {
	if s.taken[name] {
		return false
	}
	s.taken[name] = true
	return true
}

// Taken reports whether name is taken.
func (s *Scope) Taken(name string) bool { return s.taken[name] }

// Field returns a free exported name for the parameter or member name, the
// index-th of its kind: N, or N2 when N is taken, or Arg3 without a name. A number behind a
// digit has an underscore in front: X1_2.
func (s *Scope) Field(name string, index int) string {
	if name == "" {
		return s.free(fmt.Sprintf("Arg%d", index))
	}
	return s.free(Exported(name))
}

// Local returns a free name for an argument: n, lenArg for a predeclared name or a
// keyword, arg3 without a name.
func (s *Scope) Local(name string, index int) string {
	if name == "" {
		return s.free(fmt.Sprintf("arg%d", index))
	}
	local := Unexported(name)
	if token.IsKeyword(local) || types.Universe.Lookup(local) != nil || s.taken[local] {
		local += "Arg"
	}
	return s.free(local)
}

// isLetterOrDigit reports whether r may stand in a Go identifier behind the first rune.
func isLetterOrDigit(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (s *Scope) free(name string) string {
	candidate := name
	for n := 2; !s.Add(candidate); n++ {
		candidate = Numbered(name, n)
	}
	return candidate
}

// Numbered returns name with a number behind it: Step2, Step1_2.
func Numbered(name string, n int) string { return Join(name, fmt.Sprint(n)) }

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
