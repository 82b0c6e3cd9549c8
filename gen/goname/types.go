package goname

import (
	"fmt"
	"strings"
)

// Types hands out the Go names of the C++ types of one package: to each type one name.
type Types struct {
	scope *Scope
	names map[any]string

	claimed map[any]bool // by Claim, and Name was not called since
}

// NewTypes returns a Types whose names are taken from scope.
func NewTypes(scope *Scope) *Types { return &Types{scope, make(map[any]string), make(map[any]bool)} }

// Name returns the Go name of the type that is called name in the C++ scopes path,
// from the outside in. It is Exported(name); when that is taken by something else,
// the scopes stand before it, the innermost first: Plate, NsPlate. Then it gets a
// number.
//
// key is the identity of the type: the same key has the same name always, and the
// first call for it, or Claim, decides. first reports whether this is the first call.
func (t *Types) Name(key any, path []string, name string) (goName string, first bool) {
	if goName, ok := t.names[key]; ok {
		first = t.claimed[key]
		delete(t.claimed, key)
		return goName, first
	}
	goName = Type(name)
	for i := len(path) - 1; i >= 0 && t.scope.Taken(goName); i-- {
		if scope := Identifier(path[i]); strings.Trim(scope, "_") != "" {
			goName = Join(Exported(scope), goName)
		}
	}
	goName = t.scope.free(goName)
	t.names[key] = goName
	return goName, true
}

// Lookup returns the Go name of the type key, if it has one.
func (t *Types) Lookup(key any) (goName string, ok bool) {
	goName, ok = t.names[key]
	return goName, ok
}

// Claim gives the type key the name goName. It returns false, and changes nothing, when
// the type has a name already or something else has this one.
func (t *Types) Claim(key any, goName string) bool {
	if t.names[key] != "" || !t.scope.Add(goName) {
		return false
	}
	t.names[key] = goName
	t.claimed[key] = true
	return true
}

// Renamed says in words why the Go name of the C++ name name is not the one that
// Exported gives; it is empty when it is.
func Renamed(name, goName string) string {
	if plain := Type(name); plain != goName {
		return fmt.Sprintf("%s is taken", plain)
	}
	return ""
}

// Type returns the plain Go name of the C++ type name, which may have template arguments:
// Arr<int3, 1> is ArrInt3_1, Box<float *> is BoxFloatPtr and Shift<-1> ShiftMinus1.
func Type(name string) string {
	template, args, instance := strings.Cut(name, "<")
	if !instance {
		return Exported(Identifier(name))
	}
	return Exported(Identifier(template + "<" + argumentWords.Replace(args)))
}

// argumentWords are words for what two lists of template arguments may differ in besides
// letters and digits.
var argumentWords = strings.NewReplacer("*", " Ptr ", "&", " Ref ", "-", " Minus ", "[", " Array ")

// Identifier replaces what cannot stand in a Go identifier by underscores, as in
// vec<float, 4> or (anonymous namespace).
func Identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if isLetterOrDigit(r) {
			return r
		}
		return '_'
	}, s)
}
