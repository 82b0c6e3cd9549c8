package goname

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"
	"strings"
	"unicode"
)

// Entity returns the forms of the name of something that is called name in the C++ scopes path,
// from the outside in: Plate; with all its scopes in front, NsPlate; and as C++ spells it,
// X_ns_plate. name may have template arguments.
func Entity(path []string, name string) []string { return slices.Compact(entity(path, name)) }

// Qualified returns the second form of Entity.
func Qualified(path []string, name string) string { return entity(path, name)[1] }

func entity(path []string, name string) (forms []string) {
	plain := Type(name)
	var words, spelled, bare []string
	for _, scope := range path {
		if identifier := Identifier(scope); strings.Trim(identifier, "_") != "" {
			words, spelled, bare = append(words, Exported(identifier)), append(spelled, scope), append(bare, withoutArguments(scope))
		}
	}
	own, full := withoutArguments(name), strings.Join(append(spelled, name), "::")
	forms = []string{Limited(plain, own, name)}
	for _, form := range []string{Join(append(words, plain)...), Verbatim(append(spelled, name)...)} {
		forms = append(forms, Limited(form, Join(append(bare, own)...), full))
	}
	return forms
}

// withoutArguments returns the plain Go name of what is called name, without template arguments.
func withoutArguments(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return Exported(Identifier(name))
}

// longest is how many bytes a name has before its template arguments are left out: those of a library's
// class may be thousands.
const longest = 100

// Limited returns form, or if that is long base with a sum of spelled, which is what C++ calls the same.
func Limited(form, base, spelled string) string {
	if len(form) <= longest {
		return form
	}
	return Summed(base, spelled)
}

// Summed returns base with a sum of spelled, which C++ calls nothing else.
func Summed(base, spelled string) string {
	sum := fnv.New32a()
	io.WriteString(sum, spelled)
	return fmt.Sprintf("%s_%08x", strings.ToValidUTF8(base[:min(len(base), longest)], ""), sum.Sum32())
}

// Inner returns the forms of the name of a type without a name of its own, which is that of the
// member called name of something with the forms outer.
func Inner(outer []string, name string) (forms []string) {
	last := len(outer) - 1
	for _, form := range outer[:max(last, 1)] {
		forms = append(forms, Exported(form+"_"+Identifier(name)))
	}
	return slices.Compact(append(forms, outer[last]+"_"+Identifier(name)))
}

// Renamed says in words why the Go name of the C++ name name is not the one that
// Exported gives; it is empty when it is.
func Renamed(name, goName string) string {
	if plain := Type(name); plain != goName {
		return Ambiguous(plain)
	}
	return ""
}

// Ambiguous says in words why nothing has the Go name plain.
func Ambiguous(plain string) string { return fmt.Sprintf("%s is ambiguous", plain) }

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
// letters and digits, and for the largest unsigned numbers, which stand for what is not known:
// std::dynamic_extent.
var argumentWords = strings.NewReplacer("18446744073709551615ul", " Max ", "4294967295u", " Max ", "*", " Ptr ", "&", " Ref ", "-", " Minus ", "[", " Array ")

// Identifier replaces what cannot stand in a Go identifier by underscores, as in
// vec<float, 4> or (anonymous namespace).
func Identifier(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, s)
}
