package ptxdebug

import (
	"strconv"
	"strings"
)

// sourceName returns a name of the debug information as C++ writes it. Unnamed namespaces are left out, as in C++. A name that is not mangled, or has
// template arguments, is returned as it is.
//
// Itanium C++ ABI, Mangling.
func sourceName(mangled string) string {
	rest, ok := strings.CutPrefix(mangled, "_Z")
	if !ok {
		return mangled
	}
	if name, after, ok := nestedName(rest); ok && after == "" {
		return name
	}
	for n := range rest { // of something local: behind the function that it is in
		if rest[0] != 'Z' || rest[n] != 'E' {
			continue
		}
		if name, after, ok := nestedName(rest[n+1:]); ok && (after == "" || after[0] == '_' && strings.Trim(after, "_0123456789") == "") {
			return name
		}
	}
	return mangled
}

// nestedName reads a name with the namespaces and classes that it is in.
func nestedName(s string) (name, rest string, ok bool) {
	rest, nested := strings.CutPrefix(s, "N")
	if !nested {
		return namePart(s)
	}
	var parts []string
	for !strings.HasPrefix(rest, "E") {
		var part string
		if part, rest, ok = namePart(rest); !ok {
			return "", s, false
		}
		if !strings.HasPrefix(part, "_GLOBAL__N_") {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "::"), rest[1:], len(parts) > 0
}

// namePart reads one part of a name.
func namePart(s string) (name, rest string, ok bool) {
	if after, unnamed := strings.CutPrefix(s, "Ut"); unnamed {
		return "{unnamed}", strings.TrimPrefix(strings.TrimLeft(after, "0123456789"), "_"), true
	}
	after := strings.TrimLeft(s, "0123456789")
	n, err := strconv.Atoi(s[:len(s)-len(after)])
	if err != nil || n == 0 || n > len(after) {
		return "", s, false
	}
	return after[:n], after[n:], true
}
